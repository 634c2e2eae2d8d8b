"""Any executor of concurrent.futures works on jobs; what a cluster refuses, before one is there."""

import os
import sys
import warnings
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest

import boardlab as bl
from boardlab.errors import BoardLabError, BoardLabWarning, MissingPackageError
from boardlab.jobs import Here, Job, Processes, executor_for, run_jobs
from boardlab.jobs.clusters import _IN_USE, cluster_in_use, later_cluster, working_here
from boardlab.jobs.foreman import difference, identity
from boardlab.jobs.ray_connection import _agreed_mode, _make_token, check_address, has_token, is_loopback
from tests.commands import refused
from tests.jobs import kinds  # noqa: F401

TICTACTOE = bl.game("tictactoe")
AGENTS = ["mcts(iterations=20)", "random"]


@pytest.fixture(scope="module")
def threads():
    with ThreadPoolExecutor(2) as executor, bl.cluster(executor) as used:
        yield used


def squares(count):
    return [Job("square", {"x": x}, name=f"x={x}") for x in range(count)]


def test_a_plain_executor_gives_the_same_match_and_the_same_runs(threads, tmp_path, monkeypatch):
    settings = {"episodes": 60, "exams": [], "seed": 3}
    there = bl.match(TICTACTOE, AGENTS, 20, seed=5)
    bl.train_many(TICTACTOE, 2, out=tmp_path / "there", **settings)
    monkeypatch.setattr("boardlab.jobs.clusters._IN_USE", [])
    here = bl.match(TICTACTOE, AGENTS, 20, seed=5)
    bl.train_many(TICTACTOE, 2, out=tmp_path / "here", **settings)
    assert [record.actions for record in here.records] == [record.actions for record in there.records]
    for run in ("seed-4", "seed-5"):
        files = [(tmp_path / where / run / "weights.npz").read_bytes() for where in ("here", "there")]
        assert files[0] == files[1]


def test_results_errors_and_shared_values_of_a_plain_executor(threads, tmp_path):
    executor = executor_for(1)
    jobs = [*squares(3), Job("fail", {"how": "sentence"}), Job("fail", {"how": "missing"})]
    jobs.append(Job("die", {"file": str(tmp_path / "lives"), "lives": 2}))
    outcomes = run_jobs(jobs, executor)
    assert [outcome.result for outcome in outcomes] == [0, 1, 4, None, None, 2]
    assert outcomes[3].error == "x must be small, not 7"
    assert isinstance(outcomes[4].cause, MissingPackageError)

    key = executor.share(np.arange(4.0))
    assert executor.submit(Job("sum", shared={"weights": key})).result() == [6.0, [key]]
    executor.forget(key)


class Breaking(ThreadPoolExecutor):
    """Loses its first calls."""

    def __init__(self, losses):
        super().__init__(1)
        self.losses = losses

    def submit(self, *arguments, **more):
        if not self.losses:
            return super().submit(*arguments, **more)
        self.losses -= 1
        future = Future()
        future.set_exception(BrokenProcessPool("a process died"))
        return future


def test_a_lost_call_is_repeated_and_the_third_is_an_error():
    with Breaking(2) as executor, bl.cluster(executor) as used:
        assert executor_for(1).submit(squares(2)[1]).result() == 1
        assert used.facts() == ["in a Breaking", "2 jobs lost and repeated"]
        executor.losses = 3
        (outcome,) = run_jobs(squares(2)[1:], executor_for(1))
        assert outcome.error == "x=1: its process died, 3 times: BrokenProcessPool: a process died"


def test_another_version_in_the_executor_is_refused(threads, monkeypatch):
    monkeypatch.setattr(threads, "identity", identity() | {"boardlab": "9.9"})
    with pytest.raises(BoardLabError, match=r"has BoardLab 0\.1\.0, here it is 9\.9: install the same"):
        executor_for(1).submit(squares(2)[1]).result()
    assert difference(identity(), identity()) == ""
    assert "other sources" in difference(identity(), identity() | {"sources": "x"})


def test_the_block_ends_and_work_of_a_run_stays_here(threads):
    assert cluster_in_use() is threads and not isinstance(executor_for(1), Here)
    with working_here():
        assert cluster_in_use() is None and isinstance(executor_for(1), Here)
        assert cluster_in_use(for_self_play=True) is threads
    with ThreadPoolExecutor(1) as executor:
        with bl.cluster(executor, workers=3) as inner:
            assert cluster_in_use() is inner and inner.nodes == [("ThreadPoolExecutor", 3)]
        assert cluster_in_use() is threads


@pytest.mark.cluster
def test_processes_of_python_and_of_dask():
    distributed = pytest.importorskip("distributed", reason="make test-cluster installs Dask")
    with ProcessPoolExecutor(2) as executor, bl.cluster(executor):
        here = bl.match(TICTACTOE, AGENTS, 20, seed=5)
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as local,
        distributed.Client(local) as client,
        bl.cluster(client.get_executor()) as used,
    ):
        assert used.workers == 2
        there = bl.match(TICTACTOE, AGENTS, 20, seed=5)
    assert [record.actions for record in here.records] == [record.actions for record in there.records]


# ---- mistakes ----


def test_mistakes_are_one_sentence():
    for wrong, words in (
        ({"where": 7}, '"auto", the address of a Ray cluster or an executor'),
        ({"where": Processes(1)}, "executors of other libraries"),
        ({"where": "auto", "patience": 0}, "patience must be seconds, from 0.1 to 86400, not 0"),
        ({"where": "auto", "workers": 2}, "ray start --num-cpus=N"),
        ({"where": "nowhere"}, 'HOST:PORT, not "nowhere"'),
    ):
        with pytest.raises(BoardLabError) as error, bl.cluster(**wrong):
            pass
        assert words in str(error.value)
    assert len(_IN_USE) < 2  # the one of the tests above


def test_an_address_without_token_warns_unless_it_is_this_machine(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH", "RAY_AUTH_MODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    with pytest.warns(BoardLabWarning, match="there is no token: whoever reaches its ports can run code"):
        check_address("192.168.0.7:6379")
    check_address("127.0.0.1:6379")
    assert is_loopback("localhost") and is_loopback("[::1]") and not is_loopback("10.0.0.1")
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "a1" * 32)
    check_address("192.168.0.7:6379")


@pytest.mark.parametrize(
    ("lets_in", "token", "words"),
    [
        ({"disabled"}, "", ""),
        ({"disabled", "token"}, "a1" * 32, "asks for no token: whoever reaches its ports"),
        ({"token"}, "a1" * 32, ""),
        (set(), "a1" * 32, "no connection to the cluster 10.0.0.1:6379: it refuses the token here"),
        ({"token"}, "", "no connection to the cluster 10.0.0.1:6379: it asks for a token"),
    ],
)
def test_the_head_of_a_cluster_decides_about_the_token(monkeypatch, tmp_path, lets_in, token, words):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("RAY_AUTH_TOKEN_PATH", raising=False)
    monkeypatch.setenv("RAY_AUTH_TOKEN", token)
    monkeypatch.setattr("boardlab.jobs.ray_connection._lets_in", lambda address, mode: mode in lets_in)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            assert _agreed_mode("10.0.0.1:6379", "token") == sorted(lets_in)[0]
            said = "".join(str(each.message) for each in caught)
        except BoardLabError as error:
            said = str(error)
    assert words in said and bool(words) == bool(said)


def test_a_token_is_made_once_and_only_its_owner_reads_it(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH", "RAY_AUTH_MODE"):
        monkeypatch.setenv(name, "")  # so that its value here comes back
        monkeypatch.delenv(name)
    check_address("auto")
    assert os.environ["RAY_AUTH_MODE"] == "token" and not has_token()
    _make_token()
    (file,) = (tmp_path / ".ray").iterdir()
    assert has_token() and file.stat().st_mode & 0o777 == 0o600
    known = file.read_text()
    _make_token()
    assert len(known) == 64 and file.read_text() == known and len(list(file.parent.iterdir())) == 1


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPackageError, match=r"boardlab\[ray\]"), later_cluster("auto"):
        pass


def test_the_command_line_refuses_what_a_cluster_makes_idle(monkeypatch):
    assert "--jobs does not go with --cluster" in refused(
        "match", "tictactoe", "random", "random", "--jobs", "2", "--cluster", "auto"
    )
    assert "--speed does not go with --cluster" in refused(
        "evaluate", "random", "--game", "tictactoe", "--speed", "--cluster", "auto"
    )
    assert 'HOST:PORT, not "nope"' in refused("reproduce", "scheiermann2022-fig4", "--cluster", "nope")
    monkeypatch.setitem(sys.modules, "ray", type("Ray", (), {}))
    assert "td-ntuple learns in one process; give --runs" in refused(
        "train", "tictactoe", "--cluster", "auto"
    )
