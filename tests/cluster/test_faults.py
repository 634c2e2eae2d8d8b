"""Machines and processes die, hang and come late: lost jobs run again, and each counts once."""

import subprocess
import sys
import threading
import warnings

import pytest

import boardlab as bl
from boardlab.errors import BoardLabError
from boardlab.jobs import Job, JobsFailedError, executor_for, raise_failures, run_jobs
from boardlab.jobs.foreman import identity
from boardlab.jobs.processes import ATTEMPTS, StoppedError
from boardlab.jobs.ray_cluster import RayCluster
from tests.cluster import kinds  # noqa: F401
from tests.cluster.conftest import add_node, wait_for


def gates(count, tmp_path):
    return [Job("gate", {"file": str(tmp_path / "open")}, seed, name=f"gate {seed}") for seed in range(count)]


def traps(how, tmp_path, count=6, trapped=(2,)):
    settings = {"folder": str(tmp_path), "trap": how, "trapped": list(trapped)}
    return [Job("once", settings, seed, name=f"job {seed}") for seed in range(count)]


def results(jobs, executor, tell=None):
    outcomes = run_jobs(jobs, executor, tell=tell)
    raise_failures(outcomes)
    return [outcome.result for outcome in outcomes]


def test_a_killed_node_costs_its_running_jobs_which_run_again(machines, cluster, tmp_path):
    killed = threading.Event()

    def kill(standing):
        if len(standing.running) == 2 and all(standing.running.values()) and not killed.is_set():
            killed.set()
            machines.remove_node(machines.list_all_nodes()[-1], allow_graceful=False)
            wait_for(lambda: cluster.lost == 1, cluster)
            (tmp_path / "open").touch()

    found = results(gates(5, tmp_path), executor_for(1), kill)
    assert [seed for seed, *_ in found] == list(range(5))
    assert killed.is_set() and cluster.lost == 1 and len(cluster.nodes) == 1
    assert cluster.facts() == ["1 node", "1 job lost and repeated"]


def test_a_node_that_joins_in_the_middle_takes_jobs(machines, cluster, tmp_path):
    joined = []
    jobs = gates(3, tmp_path)

    def join(standing):
        if len(standing.running) == 2 and not joined:
            joined.append(add_node(machines))
        if len(standing.running) == 3:
            (tmp_path / "open").touch()

    try:
        found = results(jobs, executor_for(1), join)
        assert len({parent for _, _, parent in found}) == 3
        assert cluster.workers == 3 and cluster.lost == 0
    finally:
        machines.remove_node(joined[0])
        wait_for(lambda: len(cluster.nodes) == 2, cluster)


@pytest.mark.parametrize(("how", "lost"), [("kill worker", 0), ("kill actor", 1)])
def test_a_killed_process_costs_one_start_of_its_job(cluster, tmp_path, how, lost):
    """A worker starts again on its machine; with the actor the machine's jobs are lost."""
    assert results(traps(how, tmp_path), executor_for(1)) == list(range(6))
    assert cluster.lost == lost


def test_a_job_that_kills_every_worker_fails_with_a_sentence(cluster):
    (outcome,) = run_jobs([Job("end", name="deadly")], executor_for(1))
    assert outcome.error == f"deadly: its process was ended by SIGKILL, {ATTEMPTS} times"


def test_a_job_that_raises_leaves_the_others(cluster, tmp_path):
    outcomes = run_jobs(traps("raise", tmp_path), executor_for(1))
    assert [outcome.result for outcome in outcomes] == [0, 1, None, 3, 4, 5]
    assert outcomes[2].error == "x must be small, not 7"
    with pytest.raises(JobsFailedError, match="1 of 6 jobs failed"):
        raise_failures(outcomes)


def test_a_job_that_hangs_runs_again_after_a_deadline_by_the_rate(cluster, monkeypatch, tmp_path):
    monkeypatch.setattr(cluster, "_ask_nodes", lambda: None)  # which may take longer on a busy machine
    cluster.patience = 0.5
    executor = executor_for(1)
    assert results(traps("hang", tmp_path, trapped=(2, 4)), executor) == list(range(6))
    assert cluster.late >= 2 and cluster.lost == 0  # more where other programs slow this machine down
    assert f"{cluster.late} jobs late and repeated" in cluster.facts()


def test_a_machine_that_does_not_answer_counts_as_dead(cluster, tmp_path):
    """SIGSTOP keeps its connections open, as a machine does whose network is gone."""
    with executor_for(1) as executor:
        futures = [executor.submit(job) for job in gates(2, tmp_path)]
        wait_for(lambda: sum(len(node.running) for node in cluster._nodes.values()) == 2, cluster)
        cluster.patience = 5.0
        stopped = cluster.ray.get(next(iter(cluster._nodes.values())).actor.about.remote())["process"]
        subprocess.run(["kill", "-STOP", str(stopped)], check=True)
        wait_for(lambda: cluster.lost == 1, cluster)
        cluster.patience = 60.0
        (tmp_path / "open").touch()
        assert [future.result()[0] for future in futures] == [0, 1]


def test_an_answer_that_comes_late_does_not_count_again(cluster, tmp_path):
    executor = executor_for(1)
    future = executor.submit(gates(1, tmp_path)[0])
    wait_for(lambda: any(node.running for node in cluster._nodes.values()), cluster)
    node = next(node for node in cluster._nodes.values() if node.running)
    (task,) = node.running.values()
    (tmp_path / "open").touch()
    assert future.result()[0] == 0
    before = executor.facts()
    cluster._hear(node, {"number": task.number, "result": [99]})
    assert future.result()[0] == 0 and executor.facts() == before


def test_ctrl_c_ends_running_jobs_and_the_cluster_goes_on(cluster, tmp_path):
    executor = executor_for(1)
    futures = [executor.submit(job) for job in gates(4, tmp_path)]
    wait_for(lambda: sum(len(node.running) for node in cluster._nodes.values()) == 2, cluster)
    executor.stop()
    assert all(future.cancelled() or isinstance(future.exception(), StoppedError) for future in futures)
    assert not executor.tasks
    assert results([Job("seed", seed=7)], executor_for(1)) == [7]


HEAD_DIES = """
import sys, time
from ray.cluster_utils import Cluster
import boardlab as bl
machines = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": 80_000_000})
def progress(standing):
    if standing.episodes == 16:
        machines.head_node.kill_gcs_server(check_alive=False)
        while cluster.failure is None:
            time.sleep(0.05)
with bl.cluster(machines.address, patience=4.0) as cluster:
    bl.train(bl.game("tictactoe"), "alphazero", out=sys.argv[1], progress=progress, **eval(sys.argv[2]))
"""


def test_a_run_goes_on_after_the_head_died(tmp_path):
    pytest.importorskip("torch")
    settings = {"episodes": 48, "games": 16, "simulations": 8, "exams": [], "seed": 3, "processes": 2}
    settings |= {"blocks": 1, "channels": 8, "head_filters": 2, "hidden": 8, "device": "cpu"}
    command = [sys.executable, "-c", HEAD_DIES, str(tmp_path / "broken"), repr(settings)]
    died = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert died.returncode != 0 and "is gone; what was saved goes on" in died.stderr, died.stderr
    whole = bl.train(bl.game("tictactoe"), "alphazero", out=tmp_path / "whole", **settings)
    run = bl.open_run(tmp_path / "broken")
    assert 0 < run.episodes < whole.episodes
    bl.resume(run)
    for name in ("weights.npz", "agent.toml"):
        assert (tmp_path / "broken" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize(("end", "says"), [("os._exit(1)", True), ("words.close()", False)])
def test_a_process_that_ray_ends_says_so(end, says):
    script = f"import os; from boardlab.jobs.ray_connection import LastWords; words = LastWords(); {end}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert ("has ended with Ray's processes on this machine" in done.stderr) == says
    assert says or not done.stderr


def test_a_worker_with_another_version_is_refused(machines, cluster, monkeypatch):
    for changed, words in (
        ({"boardlab": "9.9"}, "has BoardLab 0.1.0, here it is 9.9: install the same version there"),
        ({"sources": "abc"}, "has other sources of BoardLab"),
    ):
        monkeypatch.setattr(cluster, "_identity", identity() | changed)
        monkeypatch.setattr(cluster, "refused", {})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            node = add_node(machines)
            wait_for(lambda: cluster.refused, cluster)
        (reason,) = cluster.refused.values()
        assert words in reason and len(cluster.nodes) == 2
        machines.remove_node(node)


def test_one_program_uses_one_ray_cluster_at_a_time(machines, cluster):
    with pytest.raises(BoardLabError, match="a Ray cluster is in use already"), bl.cluster(machines.address):
        pass
    with pytest.raises(BoardLabError, match=f"has joined the cluster {machines.address} already"):
        RayCluster("127.0.0.1:1")


def test_a_cluster_without_a_free_core_is_refused_with_a_sentence(machines, cluster, monkeypatch):
    before = set(threading.enumerate())
    monkeypatch.setattr("boardlab.jobs.ray_cluster.BUSY_SECONDS", 1.0)
    with pytest.raises(BoardLabError, match="cannot be used: its cores are all in use"):
        RayCluster(machines.address)
    assert set(threading.enumerate()) <= before  # one that asks Ray after its end would end this process


def test_a_cluster_whose_machines_have_not_joined_yet_is_waited_for(machines, cluster, monkeypatch):
    calls, nodes = [], cluster.ray.nodes

    def joined_late():
        if threading.current_thread() is threading.main_thread():
            calls.append(len(calls))
            if len(calls) <= 2:
                return []
        return nodes()

    monkeypatch.setattr(cluster.ray, "nodes", joined_late)
    monkeypatch.setattr("boardlab.jobs.ray_cluster.BUSY_SECONDS", 1.0)
    with pytest.raises(BoardLabError, match="its cores are all in use"):
        RayCluster(machines.address)
    monkeypatch.setattr(cluster.ray, "nodes", list)
    monkeypatch.setattr("boardlab.jobs.ray_cluster.JOIN_SECONDS", 1.0)
    with pytest.raises(BoardLabError, match="no machine in it has cores to work"):
        RayCluster(machines.address)
