"""Runs under everyday mistakes: exams after every few episodes, short runs made long, two processes in a folder."""

import errno
import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

import boardlab as bl
from boardlab.evaluators.features import OWN_FEATURES
from boardlab.runs import RunFolder

TICTACTOE = bl.game("tictactoe")


def test_exams_after_every_few_episodes(tmp_path):
    """Their chunks are cut short, so that the length of the next one must not follow from the one wanted."""
    run = bl.train(TICTACTOE, episodes=400, out=tmp_path / "run", exams=[], exam_every=1)
    assert run.is_finished
    assert len(run.log) == 400


def test_a_short_run_that_becomes_long_keeps_its_number_of_exams(tmp_path):
    bl.train(TICTACTOE, episodes=10, out=tmp_path, exams=["random"], exam_games=2)
    run = bl.resume(tmp_path, episodes=2000)
    assert [int(row["episodes"]) for row in run.log] == [*range(1, 11), *range(100, 2001, 100)]


def test_an_interval_that_was_given_is_kept(tmp_path):
    bl.train(TICTACTOE, episodes=100, out=tmp_path, exam_every=50)
    run = bl.resume(tmp_path, episodes=300)
    assert [int(row["episodes"]) for row in run.log] == [50, 100, 150, 200, 250, 300]


@pytest.mark.parametrize("key", ["names", "stop_exam"])
@pytest.mark.parametrize("agent", ['engine("{}")', 'edax(path="{}")'])
def test_a_run_that_somebody_else_wrote_starts_no_program(tmp_path, key, agent):
    """Its exams are read from a file."""
    game, mark = bl.game("othello", size=8), tmp_path / "started"
    run = bl.train(
        game, episodes=4, out=tmp_path / "run", tuples=1, length=2, layout="walk", exams=["random"]
    )
    script = tmp_path / "program.sh"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    named = agent.format(script.as_posix()).replace('"', '\\"')
    text = (run.path / "agent.toml").read_text()
    changed = {
        "names": ('["random"]', f'["{named}"]'),
        "stop_exam": ("[exams]\n", f'[exams]\nstop_exam = "{named}"\n'),
    }
    assert changed[key][0] in text
    (run.path / "agent.toml").write_text(text.replace(*changed[key], 1))
    with pytest.raises(
        bl.BoardLabError, match=r"an exam of this run starts the program '.*program.sh'.*--programs"
    ):
        bl.resume(run.path, episodes=8)
    assert not mark.exists()
    with pytest.raises(bl.BoardLabError):  # it is no player, but it was asked
        bl.resume(run.path, episodes=8, programs=True)
    assert mark.exists()


@pytest.mark.parametrize(
    "more", ["", "sys.path.insert(0, '')", "sys.path.insert(0, pathlib.Path('/nowhere'))"]
)
def test_processes_of_ours_do_not_take_the_users_files_for_pythons_modules(tmp_path, more):
    """queue.py is needed by what they import."""
    (tmp_path / "queue.py").write_text("raise SystemExit('this is not the queue you look for')\n")
    code = (
        "import sys; sys.path.pop(0)\n"  # -c looks in the present folder, which `boardlab` does not
        "import concurrent.futures.thread, pathlib, queue\n"
        f"{more}\n"
        "import boardlab as bl\n"
        "from boardlab.learners.many import train_many\n"
        "train_many(bl.game('tictactoe'), 2, jobs=2, episodes=50, out='runs/many')\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True)
    assert len(list((tmp_path / "runs/many").glob("*/weights.npz"))) == 2


def test_who_names_an_exam_again_may_start_its_program(tmp_path):
    """As several runs do that go on where they were stopped."""
    engine = f'engine("{sys.executable} -m boardlab gtp random --game tictactoe")'
    options = {"episodes": 40, "out": tmp_path / "run", "exams": [engine], "exam_every": 20, "exam_games": 2}
    broken = bl.train(TICTACTOE, progress=lambda now: now.episodes > 0, **options)
    assert broken.episodes < 40
    assert bl.train(TICTACTOE, go_on=True, **options).is_finished


@pytest.fixture
def failing():
    """The name of features that fail in the first episode."""
    calls = []

    @bl.register_features("failing")
    def fail(state, player):
        calls.append(player)
        if len(calls) > 20:
            raise ZeroDivisionError
        return [1.0]

    yield "failing"
    del OWN_FEATURES["failing"]


def test_nothing_remains_of_a_run_that_never_began(tmp_path, failing):
    with pytest.raises(ZeroDivisionError):
        bl.train(TICTACTOE, "td-features", out=tmp_path / "runs/mine", features=failing)
    assert not list(tmp_path.iterdir())


def test_a_folder_with_more_in_it_stays_one_that_a_run_may_replace(tmp_path, failing):
    out = tmp_path / "mine"
    bl.train(TICTACTOE, episodes=10, exams=[], out=out)
    (out / "notes.txt").write_text("the user's")
    with pytest.raises(ZeroDivisionError):
        bl.train(TICTACTOE, "td-features", out=out, features=failing, force=True)
    bl.train(TICTACTOE, episodes=10, exams=[], out=out, force=True)
    assert (out / "notes.txt").read_text() == "the user's"


def test_nothing_remains_of_a_run_whose_first_checkpoint_cannot_be_written(tmp_path, monkeypatch):
    def refuse(folder, name, arrays, **more):
        raise bl.BoardLabError(f"{name} cannot be written")

    monkeypatch.setattr(RunFolder, "write_arrays", refuse)
    with pytest.raises(bl.BoardLabError, match="cannot be written"):
        bl.train(TICTACTOE, episodes=10, out=tmp_path / "runs/mine")
    assert not list(tmp_path.iterdir())


HOLDER = """
import sys, boardlab as bl

def tell(standing):
    print("training", flush=True)
    sys.stdin.readline()

bl.train(bl.game("tictactoe"), sys.argv[2], episodes=20, out=sys.argv[1], progress=tell)
"""


@contextmanager
def another_process_trains_in(path, learner="td-ntuple"):
    command = [sys.executable, "-c", HOLDER, str(path), learner]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "training\n"
            yield process
        finally:
            process.kill()


def files_of(path):
    return {file.name: file.read_bytes() for file in path.iterdir()}


needs_locks = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fcntl")


@needs_locks
@pytest.mark.parametrize("learner", ["td-ntuple", "q-table", "td-features"])
def test_a_folder_in_which_another_process_trains_is_refused(tmp_path, learner):
    path = tmp_path / "run"
    with another_process_trains_in(path, learner) as process:
        before = files_of(path)
        for attempt in (
            lambda: bl.train(TICTACTOE, episodes=20, out=path),
            lambda: bl.train(TICTACTOE, episodes=20, out=path, force=True),
            lambda: bl.resume(path),
            lambda: bl.resume(path, episodes=500),
        ):
            with pytest.raises(bl.BoardLabError, match=f"run is in use by process {process.pid}"):
                attempt()
        assert files_of(path) == before
        assert bl.open_run(path).total == 20  # reading is free
        bl.match(TICTACTOE, [bl.open_run(path).expression, "random"], 2)
    # It was killed: nothing blocks the next one, and nothing is left of it.
    assert bl.train(TICTACTOE, episodes=20, out=path, force=True).is_finished
    assert not (path / ".lock").exists()


@needs_locks
def test_a_disk_without_room_for_the_number_of_the_process_keeps_nobody_from_training(tmp_path, monkeypatch):
    bl.train(TICTACTOE, episodes=20, out=tmp_path / "run")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(os, "write", full)
        in_use = pytest.raises(bl.BoardLabError, match="run is in use by another process")
        with RunFolder(tmp_path / "run").claimed(), in_use:
            bl.resume(tmp_path / "run", episodes=30)
    assert bl.resume(tmp_path / "run", episodes=30).is_finished


@needs_locks
def test_each_of_several_runs_is_locked(tmp_path):
    with another_process_trains_in(tmp_path / "seed-2"):
        for jobs in (1, 2):
            with pytest.raises(bl.BoardLabError, match="seed-2 is in use by process"):
                bl.train_many(TICTACTOE, 2, jobs=jobs, out=tmp_path, episodes=20, force=True)


def test_a_run_that_fails_leaves_its_folder_free(tmp_path):
    def fail(_):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more") as kept:
        bl.train(TICTACTOE, episodes=20, out=tmp_path, progress=fail)
    assert bl.open_run(tmp_path).episodes  # what was learned before is kept
    assert bl.resume(tmp_path).is_finished, kept  # although its traceback is still there


@pytest.mark.parametrize("attempt", [bl.open_run, bl.resume, lambda path: bl.train(TICTACTOE, out=path)])
def test_a_folder_is_a_path(attempt):
    with pytest.raises(bl.BoardLabError, match="the folder of a run must be a path, not 5"):
        attempt(5)


def test_the_folder_of_several_runs_is_a_path():
    with pytest.raises(bl.BoardLabError, match="the folder of a run must be a path, not 5"):
        bl.train_many(TICTACTOE, 2, out=5)


@pytest.mark.parametrize(
    ("good", "bad", "words"),
    [
        ("alpha = 1.0", "alpha = -1.0", "td-ntuple: alpha must be"),
        ("alpha = 1.0", "alfa = 1.0", 'unknown parameter of td-ntuple "alfa"'),
        ("seed = 0", "seed = -1", "seed"),
        ("episodes = 5", "episodes = 0", "episodes must be"),
        ("episodes = 5", "", "lacks 'episodes'"),
        ('name = "tictactoe"', 'name = "tictactow"', 'unknown game "tictactow"'),
        ("games = 100", "games = 1", "exam_games must be"),
        ("games = 100", "matches = 1", "matches"),
        ('tables = "player"\nstaged', "staged", "the description of the network lacks tables"),
    ],
)
def test_an_error_in_the_description_names_the_file(tmp_path, good, bad, words):
    path = bl.train(TICTACTOE, episodes=5, out=tmp_path / "run", exams=[]).path
    text = (path / "agent.toml").read_text()
    assert good in text
    (path / "agent.toml").write_text(bad.join(text.rsplit(good, 1)))
    with pytest.raises(bl.BoardLabError, match=words) as error:
        bl.resume(path)
    assert str(error.value).startswith(f"{path}/agent.toml")
    if "unknown game" in words or "network" in words:
        with pytest.raises(bl.BoardLabError, match=f"{path}/agent.toml.*{words}"):
            bl.agent(f'greedy(ntuple("{path}"))', TICTACTOE)


def test_a_wrong_number_of_episodes_is_not_the_files_fault(tmp_path):
    bl.train(TICTACTOE, episodes=5, out=tmp_path)
    with pytest.raises(bl.BoardLabError, match=r"^episodes must be"):
        bl.resume(tmp_path, episodes=0)
