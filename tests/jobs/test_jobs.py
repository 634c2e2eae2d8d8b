"""Jobs: the same results wherever they run, and nothing lost but what was running."""

import json
import re
import signal
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import boardlab as bl
from boardlab import jobs
from boardlab.errors import MissingPackageError
from boardlab.jobs import (
    Here,
    Job,
    JobExecutor,
    JobFolder,
    JobsFailedError,
    Kind,
    Processes,
    Standing,
    executor_for,
    job_for,
    raise_failures,
    run_jobs,
)
from boardlab.jobs.job import kind_of, perform
from boardlab.jobs.messages import write_message
from boardlab.jobs.worker import worker_command
from tests.jobs import kinds  # noqa: F401


@pytest.fixture(scope="module")
def two():
    with Processes(2) as executor:
        yield executor


@pytest.fixture(params=["here", "two"])
def executor(request):
    return Here() if request.param == "here" else request.getfixturevalue("two")


def squares(count):
    return [Job("square", {"x": x}, name=f"x={x}") for x in range(count)]


def test_results_come_in_the_order_of_the_jobs(executor):
    outcomes = run_jobs(squares(20), executor)
    assert [outcome.result for outcome in outcomes] == [x * x for x in range(20)]
    assert [outcome.job for outcome in outcomes] == squares(20)


def test_values_and_arrays_cross_a_pipe_unchanged(executor):
    for array in (np.arange(6, dtype=np.float32).reshape(2, 3), np.zeros((0, 4), np.int64), np.array(3.5)):
        (outcome,) = run_jobs([Job("arrays", {"array": array, "nested": {"a": 1}})], executor)
        assert outcome.result["type"] == str(array.dtype) and outcome.result["nested"] == [2]
        np.testing.assert_array_equal(outcome.result["twice"], array * 2)


def test_a_job_that_fails_says_why_and_the_others_go_on(executor):
    jobs = [Job("fail", {"how": "sentence"}), *squares(3), Job("fail", {"how": "bug"})]
    outcomes = run_jobs(jobs, executor)
    assert outcomes[0].error == "x must be small, not 7" and outcomes[0].failed
    assert [outcome.result for outcome in outcomes[1:4]] == [0, 1, 4]
    assert outcomes[4].error == "ZeroDivisionError: by zero"


def test_a_missing_package_stays_one_on_its_way_from_a_worker(executor):
    (outcome,) = run_jobs([Job("fail", {"how": "missing"})], executor)
    assert isinstance(outcome.cause, MissingPackageError) and outcome.error == "this needs a package"


def test_a_value_that_no_message_can_hold_fails_its_job_alone(two):
    outcomes = run_jobs([Job("square", {"x": 1}), Job("arrays", {"array": np.array([{}])})], two)
    assert outcomes[0].result == 1 and "numbers, lists, tables and arrays" in outcomes[1].error


def test_an_unknown_kind_is_a_sentence(executor):
    with pytest.raises(bl.BoardLabError, match='unknown kind of job "sqare"; did you mean "square"'):
        executor.submit(Job("sqare")).result()


def test_progress_is_reported(executor):
    standings = []
    run_jobs(squares(5), executor, tell=standings.append)
    assert (standings[0].done, standings[0].total) == (0, 5)
    last = standings[-1]
    assert (last.done, last.failed, last.running) == (5, 0, {}) and last.rate > 0 and last.seconds_left == 0
    heard = {name: seen["half"] for s in standings for name, seen in s.running.items() if seen}
    assert heard == {f"x={x}": x for x in range(5)}


def test_running_jobs_count_by_the_parts_that_are_finished():
    standings = []
    run_jobs(
        [Job("halves", {"shares": s}) for s in ([0.5, 0.9], [0.25, 0.75])], Here(), tell=standings.append
    )
    work = [(round(s.work, 2), len(s.running)) for s in standings]
    # The first began half finished: what was there before is no work of this set.
    assert work == [(0, 0), (0, 1), (0, 1), (0.4, 1), (0.5, 0), (0.5, 1), (0.5, 1), (1.0, 1), (1.25, 0)]
    ninety = standings[3]
    assert ninety.seconds_left == pytest.approx((2 - 0.9) / ninety.rate)


def test_a_standing_says_done_running_rate_and_time_left():
    standing = Standing(10, done=4, failed=1, seconds=120.0, work=3.5, running={"a": {"share": 0.5}, "b": {}})
    assert str(standing) == "4 of 10 jobs, 1 failed, 2 running, 1.75 jobs/min, 0:02:35 left"
    assert standing.facts("runs")[0] == "4 of 10 runs"
    assert str(Standing(1)) == "0 of 1 job"


def test_a_shared_value_travels_to_a_worker_once(monkeypatch):
    sent = []

    def watched(stream, message):
        sent.append(sorted(message["share"]))
        write_message(stream, message)

    monkeypatch.setattr("boardlab.jobs.processes.write_message", watched)
    with Processes(1) as executor:
        keys = [executor.share({"a": np.full(3, i)}["a"]) for i in (1, 2)]
        first, second = ([Job("sum", seed=i, shared={"weights": key}) for i in range(2)] for key in keys)
        assert [o.result for o in run_jobs(first, executor)] == [[3.0, [keys[0]]]] * 2
        executor.forget(keys[0])
        assert [o.result for o in run_jobs(second, executor)] == [[6.0, [keys[1]]]] * 2
    assert sent == [[keys[0]], [], [keys[1]], []]


def test_a_new_worker_gets_the_shared_values_again(two, tmp_path):
    key = two.share(np.arange(4))
    job = Job("sum", {"file": str(tmp_path / "a"), "lives": 2}, shared={"weights": key})
    assert two.submit(job).result()[0] == 6.0
    two.forget(key)
    lost = two.submit(Job("sum", shared={"weights": key}))
    assert "KeyError" in repr(lost.exception())
    assert two.submit(Job("square", {"x": 2})).result() == 4


def test_shared_values_are_known_by_their_content():
    here = Here()
    keys = [here.share({"a": np.arange(3), "b": text}) for text in ("x", "y", "x")]
    assert keys[0] == keys[2] != keys[1]
    jobs = [Job("sum", shared={"weights": key}) for key in keys]
    assert jobs[0].key == jobs[2].key != jobs[1].key


def test_failures_are_reported_with_their_commands(executor):
    jobs = [Job("fail", {"how": "bug"}, name="seed 2", command="boardlab train --seed 2"), *squares(2)]
    with pytest.raises(JobsFailedError) as failure:
        raise_failures(run_jobs(jobs, executor), "runs")
    assert str(failure.value) == (
        "1 of 3 runs failed:\n  seed 2: ZeroDivisionError: by zero\n    boardlab train --seed 2"
    )
    assert [outcome.job.name for outcome in failure.value.outcomes] == ["seed 2"]
    same = [Job("fail", {"how": "sentence"}, seed=seed) for seed in (1, 2)]
    with pytest.raises(bl.BoardLabError, match=r"^x must be small, not 7$"):
        raise_failures(run_jobs(same, executor))


def test_a_kind_of_the_main_program_is_refused(two, monkeypatch):
    monkeypatch.setitem(jobs.KINDS, "main", Kind("main", lambda job, context: 1, "__main__", False))
    with pytest.raises(bl.BoardLabError, match='"main" is registered in the main program'):
        two.submit(Job("main"))


def test_a_job_whose_worker_dies_runs_again(two, tmp_path):
    jobs = [Job("die", {"file": str(tmp_path / "a"), "lives": 3}), *squares(4)]
    outcomes = run_jobs(jobs, two)
    assert [outcome.result for outcome in outcomes] == [3, 0, 1, 4, 9]


def test_a_job_that_kills_every_worker_is_given_up(two, tmp_path):
    jobs = [Job("die", {"file": str(tmp_path / "a"), "lives": 99}, name="seed 5"), *squares(4)]
    outcomes = run_jobs(jobs, two)
    assert outcomes[0].error == "seed 5: its process was ended by SIGKILL, 3 times"
    assert [outcome.result for outcome in outcomes[1:]] == [0, 1, 4, 9]


def test_a_game_is_rebuilt_where_the_job_runs(executor):
    game = bl.game("hex", size=5)
    (outcome,) = run_jobs([job_for("game", game, {})], executor)
    assert outcome.result == repr(game)


def test_keys_depend_on_everything_but_the_name():
    jobs = [
        Job("a", {"x": 1}), Job("b", {"x": 1}), Job("a", {"x": 2}), Job("a", {"x": 1}, seed=1),
        Job("a", {"x": 1}, game={"name": "hex"}), Job("a", {"x": 1}, plugins=("p.py",)),
    ]  # fmt: skip
    assert len({job.key for job in jobs}) == len(jobs)
    assert Job("a", {"x": 1, "y": 2}, name="n").key == Job("a", {"y": 2, "x": 1}).key


def test_a_folder_remembers_what_is_finished(executor, tmp_path):
    log = tmp_path / "log"
    jobs = [Job("log", {"file": str(log), "seconds": 0}, seed=i) for i in range(6)]

    def folder():
        return JobFolder(tmp_path / "jobs", {"command": "test"})

    first = run_jobs(jobs[:4], executor, folder())
    again = run_jobs(jobs, executor, folder())
    assert sorted(log.read_text().split()) == ["0", "1", "2", "3", "4", "5"]
    assert [o.result for o in again[:4]] == [o.result for o in first]
    assert [o.result for o in again] == [np.random.default_rng(i).random() for i in range(6)]


def test_failed_jobs_are_not_remembered(tmp_path):
    for _ in range(2):
        folder = JobFolder(tmp_path, {"command": "test"})
        outcomes = run_jobs([Job("fail", {"how": "sentence"}), *squares(1)], Here(), folder)
        assert [outcome.failed for outcome in outcomes] == [True, False]
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 1


def test_a_line_that_a_crash_cut_does_not_count(tmp_path):
    folder = JobFolder(tmp_path, {})
    run_jobs(squares(3), Here(), folder)
    file = tmp_path / "results.jsonl"
    whole = file.read_bytes()
    for cut in range(len(whole)):
        file.write_bytes(whole[:cut])
        assert [o.result for o in run_jobs(squares(3), Here(), folder)] == [0, 1, 4]
        rows = [json.loads(line) for line in file.read_text().splitlines() if line.endswith("}")]
        assert {row["key"] for row in rows} == {job.key for job in squares(3)}


def test_a_folder_of_other_jobs_is_refused_with_what_differs(tmp_path):
    run_jobs(squares(1), Here(), JobFolder(tmp_path, {"game": "hex", "seeds": 3}))
    with pytest.raises(bl.BoardLabError, match="another command: seeds was 3, now 4"):
        run_jobs(squares(1), Here(), JobFolder(tmp_path, {"game": "hex", "seeds": 4}))
    (tmp_path / "jobs.json").write_text("{")
    with pytest.raises(bl.BoardLabError, match="does not describe a set of jobs"):
        run_jobs(squares(1), Here(), JobFolder(tmp_path, {"game": "hex", "seeds": 3}))


def test_two_processes_do_not_work_in_one_folder(tmp_path):
    folder = JobFolder(tmp_path, {})
    with folder.claimed(), pytest.raises(bl.BoardLabError, match="is in use by"):
        run_jobs(squares(1), Here(), JobFolder(tmp_path, {}))


def test_stopping_lets_a_job_save_and_cancels_the_rest(tmp_path):
    executor = Processes(1)
    waits = threading.Event()
    running = executor.submit(
        Job("wait", {"file": str(tmp_path / "a")}), tell=lambda told: told and waits.set()
    )
    waiting = executor.submit(Job("square", {"x": 1}))
    assert waits.wait(60)
    executor.stop()
    assert (tmp_path / "a").read_text() == "saved"
    assert running.exception() is not None and waiting.cancelled()
    with pytest.raises(RuntimeError, match="shut down"):
        executor.submit(Job("square", {"x": 1}))


SET = """
import sys
from boardlab.jobs import Job, JobFolder, executor_for, run_jobs
from tests.jobs import kinds
jobs = [Job("log", {"file": sys.argv[2], "seconds": 0.02}, seed=i) for i in range(40)]
with executor_for(int(sys.argv[3])) as executor:
    outcomes = run_jobs(jobs, executor, JobFolder(sys.argv[1], {"command": "test"}))
print([outcome.result for outcome in outcomes])
"""


@pytest.mark.parametrize("count", ["1", "2"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_set_that_is_killed_goes_on(tmp_path, count, how):
    """No finished job runs again, and the table is that of an unbroken set."""
    log = tmp_path / "log"
    command = [*worker_command(SET), str(tmp_path / "jobs"), str(log), count]
    killed = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    while not log.exists() or len(log.read_text().split()) < 10:
        assert killed.poll() is None
    killed.send_signal(how)
    killed.communicate()
    known = len((tmp_path / "jobs" / "results.jsonl").read_text().splitlines())
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [np.random.default_rng(i).random() for i in range(40)]
    assert 5 <= known < 40
    assert len(log.read_text().split()) <= 40 + int(count) * 2


def test_workers_end_with_their_parent(tmp_path):
    code = (
        "import os, sys\n"
        "from boardlab.jobs import Job, Processes\n"
        "from tests.jobs import kinds\n"
        "executor = Processes(1)\n"
        "executor.submit(Job('wait', {'file': sys.argv[1]}), tell=lambda told: told and os._exit(0))\n"
        "import time; time.sleep(60)\n"
    )
    subprocess.run([*worker_command(code), str(tmp_path / "a")], check=True)
    while not (tmp_path / "a").exists():
        pass
    assert (tmp_path / "a").read_text() in ("", "saved")


def test_one_job_at_a_time_runs_here_and_more_in_processes():
    assert isinstance(executor_for(1), Here)
    with executor_for(3) as executor:
        assert isinstance(executor, Processes) and executor.workers == 3


def test_output_of_a_job_does_not_disturb_its_answers(tmp_path):
    (tmp_path / "loud.py").write_text("import os\nprint('loud')\nos.write(1, b'loud')\n")
    with Processes(1) as executor:
        (outcome,) = run_jobs([Job("square", {"x": 3}, plugins=(str(tmp_path / "loud.py"),))], executor)
    assert outcome.result == 9


def test_a_plugin_that_fails_is_named(tmp_path):
    file = tmp_path / "faulty.py"
    file.write_text("1 / 0\n")
    with Processes(1) as executor:
        (outcome,) = run_jobs([Job("square", {"x": 3}, plugins=(str(file),))], executor)
    assert outcome.error == f"the plugin {file} failed in line 1: ZeroDivisionError: division by zero"


class OverPool(JobExecutor):
    """What a cluster's executor has to do, over any executor of `concurrent.futures`."""

    workers, capacity = 2, 4

    def __init__(self, pool):
        super().__init__()
        self.pool = pool

    def submit(self, job, /, tell=None):
        context = jobs.Context(tell or (lambda _: None), values=dict(self.values))
        return self.pool.submit(perform, job, kind_of(job).module, context)


def test_any_executor_of_concurrent_futures_can_run_jobs():
    with ThreadPoolExecutor(2) as pool:
        executor = OverPool(pool)
        assert [outcome.result for outcome in run_jobs(squares(9), executor)] == [x * x for x in range(9)]
        key = executor.share(np.arange(4))
        assert executor.submit(Job("sum", shared={"weights": key})).result()[0] == 6.0


def test_the_programs_of_the_page_work_as_written(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "jobs.md").read_text(encoding="utf-8")
    module, program = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "dice.py").write_text(module)
    said = []
    for workers in ("2", "1"):
        code = program.replace("executor_for(2)", f"executor_for({workers})").replace(
            "dice-r", f"{workers}-r"
        )
        command = [*worker_command(f"sys.path.insert(0, '{tmp_path}')\n{code}")]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
        said.append(json.loads(done.stdout))
    assert said[0] == said[1] and len(said[0]) == 20 and all(3 < mean < 4 for mean in said[0])


def test_the_room_imports_none_of_those_above():
    sources = [file.read_text() for file in Path(jobs.__file__).parent.glob("*.py")]
    rooms = ("arena", "cli", "evaluators", "learners", "references", "search")
    assert sources and not any(f"boardlab.{room}" in source for source in sources for room in rooms)


def test_a_job_starts_after_those_it_needs_and_fails_with_them(executor, tmp_path):
    first, second = (Job("log", {"file": str(tmp_path / "log"), "seconds": 0}, seed) for seed in (1, 2))
    bad = Job("fail", {"how": "sentence"}, name="bad")
    child = Job("square", {"x": 3}, name="child")
    needs = {second.key: [first.key], child.key: [bad.key]}
    outcomes = run_jobs([second, child, first, bad], executor, needs=needs)
    assert (tmp_path / "log").read_text() == "1\n2\n"
    assert [outcome.failed for outcome in outcomes] == [False, True, False, True]
    assert outcomes[1].error == "bad failed: x must be small, not 7"
    with pytest.raises(ValueError, match="child needs a job that is not in the set, or itself"):
        run_jobs([child], Here(), needs=needs)
