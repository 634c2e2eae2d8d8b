"""SIGTERM and SIGHUP count as Ctrl-C: what runs is saved, locks go, and nothing that was started stays."""

import contextlib
import signal
import subprocess
import sys
import threading

import pytest

import boardlab as bl
from boardlab.interrupts import Terminated, ignoring_ctrl_c
from boardlab.jobs.messages import read_message, write_message
from boardlab.jobs.worker import worker_command
from boardlab.runs import RunFolder

TICTACTOE = bl.game("tictactoe")
SIGNALS = [signal.SIGTERM, signal.SIGHUP]
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def sending(*numbers):
    """A progress callback that sends these signals once some episodes were played."""

    def tell(progress):
        if progress.episodes > 10:
            for number in numbers:
                signal.raise_signal(number)

    return tell


@pytest.mark.parametrize("number", SIGNALS)
def test_a_run_is_saved_and_goes_on_as_though_nothing_had_happened(tmp_path, number):
    options = {"episodes": 400, "exams": []}
    with pytest.raises(Terminated) as ended:
        bl.train(TICTACTOE, out=tmp_path / "cut", progress=sending(number), **options)
    assert ended.value.code == STATUS[number]
    assert signal.getsignal(number) is signal.SIG_DFL
    assert not (tmp_path / "cut/.lock").exists()
    assert 10 < bl.open_run(tmp_path / "cut").episodes < 400
    bl.resume(tmp_path / "cut")
    bl.train(TICTACTOE, out=tmp_path / "whole", **options)
    assert RunFolder(tmp_path / "cut").fingerprint() == RunFolder(tmp_path / "whole").fingerprint()


@pytest.mark.parametrize("more", [*SIGNALS, signal.SIGINT])
def test_signals_that_come_together_are_one(tmp_path, monkeypatch, more):
    """The second comes before the first is being saved: it would cost what was learned."""

    @contextlib.contextmanager
    def late():
        signal.raise_signal(more)
        with ignoring_ctrl_c():
            yield

    monkeypatch.setattr("boardlab.learners.training.ignoring_ctrl_c", late)
    with pytest.raises(Terminated):
        bl.train(TICTACTOE, out=tmp_path, episodes=400, progress=sending(signal.SIGTERM), exams=[])
    assert bl.open_run(tmp_path).episodes > 10


def test_what_is_ignored_stays_ignored(tmp_path):
    """As nohup makes it."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        run = bl.train(TICTACTOE, out=tmp_path, episodes=50, progress=sending(signal.SIGHUP), exams=[])
    finally:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    assert run.is_finished


def test_the_handlers_of_a_program_stay_its_own(tmp_path):
    heard = []
    signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        run = bl.train(TICTACTOE, out=tmp_path, episodes=50, progress=sending(signal.SIGTERM), exams=[])
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    assert run.is_finished
    assert set(heard) == {signal.SIGTERM}


def test_threads_and_notebooks_get_no_handlers(tmp_path, monkeypatch):
    seen = []

    def train(name):
        bl.train(
            TICTACTOE,
            out=tmp_path / name,
            episodes=5,
            exams=[],
            progress=lambda _: seen.extend(map(signal.getsignal, SIGNALS)),
        )

    thread = threading.Thread(target=train, args=["thread"])
    thread.start()
    thread.join()
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    train("notebook")
    assert set(seen) == {signal.SIG_DFL}


def test_a_script_that_does_not_catch_it_ends_quietly_with_the_status_of_the_signal(tmp_path):
    code = (
        "import signal, boardlab as bl\n"
        "bl.train(bl.game('tictactoe'), episodes=50, out='run', exams=['random'], exam_every=1,\n"
        "    progress=lambda now: signal.raise_signal(signal.SIGTERM))\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True)
    assert (ended.returncode, ended.stderr) == (143, b"")
    assert (tmp_path / "run/checkpoint.npz").exists()
    assert not (tmp_path / "run/.lock").exists()


# ---- commands ----


@pytest.fixture
def stopper(boardlab):
    """Runs commands in which the agent `stopper` sends a signal at its tenth action."""

    def run(number, *words):
        decisions = []

        def choose(state):
            decisions.append(1)
            if len(decisions) == 10:
                signal.raise_signal(number)
            return state.legal_actions()[0]

        bl.register_agent("stopper", lambda game, seed: bl.python_agent(game, choose, "stopper"))
        return boardlab(*words)

    return run


@pytest.mark.parametrize("number", STATUS)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("match", "tictactoe", "stopper", "random", "-n", 100, "--save", "games.pgn"),
            "added to|saved: games.pgn",
        ),
        (("tournament", "tictactoe", "stopper", "random", "-n", 100), "stopped and saved"),
        (("balance", "tictactoe", "-a", "stopper", "-n", 100), "stopped after"),
        (("evaluate", "stopper", "--game", "tictactoe", "--against", "random"), "its last match so far"),
        (
            ("train", "tictactoe", "--episodes", 50, "--exam", "stopper", "--exam-every", 10),
            "stopped and saved",
        ),
    ],
)
def test_every_command_that_saves_saves(stopper, tmp_path, monkeypatch, number, words, said):
    monkeypatch.chdir(tmp_path)
    status, out, err = stopper(number, *words)
    assert (status, err) == (STATUS[number], "")
    assert any(part in out for part in said.split("|"))
    assert not list(tmp_path.rglob(".lock"))
    assert signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler)


def test_a_closed_terminal_does_not_change_how_a_command_ends(stopper, tmp_path, monkeypatch):
    class Closed:
        encoding = "utf-8"

        def write(self, text):
            raise OSError(5, "Input/output error")

        def flush(self):
            pass

        def isatty(self):
            return False

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdout", Closed())
    monkeypatch.setattr(sys, "stderr", Closed())
    monkeypatch.setattr(sys, "argv", ["boardlab"])
    words = ("match", "tictactoe", "stopper", "random", "-n", 100, "--save", "games.pgn")
    assert stopper(signal.SIGHUP, *words)[0] == 129
    assert bl.read_records("games.pgn")


# ---- processes of ours ----


def started(*words, cwd, until):
    """A command in a process of its own, once it has printed `until`."""
    command = [sys.executable, "-m", "boardlab", *map(str, words)]
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    for line in process.stderr:
        if until in line:
            return process
    raise AssertionError("it has ended")


MANY = (
    "train",
    "tictactoe",
    "--runs",
    2,
    "--jobs",
    2,
    "--episodes",
    10**8,
    "--exam",
    "random",
    "--exam-every",
    100,
)
SHARES = ("train", "tictactoe", "--learner", "alphazero", "--processes", 2, "--episodes", 10**6, "--games", 4,
          "--simulations", 4, "--parallel", 4, "--channels", 4, "--blocks", 1, "--exam", "random", "--exam-every", 4,
          "--exam-games", 2)  # fmt: skip


def test_a_worker_whose_parent_is_gone_saves_and_ends(tmp_path):
    settings = {"out": str(tmp_path / "run"), "episodes": 10**8, "exams": []}
    job = {"kind": "train", "settings": settings, "seed": 1, "game": {"name": "tictactoe"}}
    worker = subprocess.Popen(worker_command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    write_message(worker.stdin, {"module": "boardlab.learners.jobs", "job": job})
    assert "progress" in read_message(worker.stdout)
    worker.stdin.close()
    worker.stdout.read()
    assert worker.wait() == 130
    assert not (tmp_path / "run/.lock").exists()
    assert bl.open_run(tmp_path / "run").episodes > 0


@pytest.mark.slow
@pytest.mark.parametrize("words", [MANY, SHARES], ids=["jobs", "shares"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_processes_of_ours_end_with_their_parent(tmp_path, words, number):
    """They hold its standard error open."""
    process = started(*words, cwd=tmp_path, until=b"episodes")
    process.send_signal(number)
    process.stderr.read()
    assert process.wait() == (-9 if number == signal.SIGKILL else 143)
    folders = list(tmp_path.rglob("agent.toml"))
    assert folders
    for file in folders:
        assert not (file.parent / ".lock").exists() or number == signal.SIGKILL
    assert any(bl.open_run(file.parent).episodes > 0 for file in folders)
