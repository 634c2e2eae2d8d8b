"""Ctrl-C ends a command with a sentence and keeps what is finished."""

import contextlib
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import boardlab as bl
from boardlab.arena.openings import read_openings


class CtrlC:
    """A progress bar that presses Ctrl-C once `after` games are done."""

    def __init__(self, after):
        self.after = after

    @contextlib.contextmanager
    def __call__(self, title, games):
        yield self.tell

    def tell(self, done, games=None):
        if done >= self.after:
            raise KeyboardInterrupt


@contextlib.contextmanager
def CtrlCInAnExam(unit):  # noqa: N802
    """The same once a part of an exam is done."""

    def tell(standing):
        if any(progress for progress in standing.running.values()):
            raise KeyboardInterrupt

    yield tell


def press_ctrl_c(monkeypatch, command, after):
    monkeypatch.setattr(importlib.import_module(f"boardlab.cli.{command}"), "game_bar", CtrlC(after))


def test_ctrl_c_keeps_the_games_of_a_match(boardlab, tmp_path, monkeypatch):
    press_ctrl_c(monkeypatch, "match", after=2)
    file = tmp_path / "a.pgn"
    agents = ("mcts(rollout, iterations=2000)", "random")
    status, out, _ = boardlab("match", "connectfour", *agents, "-n", "100000", "--save", file)
    assert status == 130
    games = len(bl.read_records(file))
    assert 2 <= games < 100000
    assert f"the result of {games} of 100,000 games" in out
    assert f"\n{games} games, " in out and f"saved: {file}" in out


def test_ctrl_c_before_the_first_game_is_a_sentence(boardlab, tmp_path, monkeypatch):
    press_ctrl_c(monkeypatch, "match", after=0)
    file = tmp_path / "a.pgn"
    agents = ("mcts(rollout, iterations=1000000)", "random")
    status, out, _ = boardlab("match", "othello", *agents, "--save", file)
    assert (status, out) == (130, "stopped before a game was finished\n")
    assert not file.exists()


def test_ctrl_c_in_an_exam_is_a_sentence(boardlab, monkeypatch):
    monkeypatch.setattr(importlib.import_module("boardlab.cli.evaluate"), "jobs_bar", CtrlCInAnExam)
    words = ("evaluate", "random", "--game", "tictactoe")
    status, out, _ = boardlab(*words, "--exam", "perfect", "-n", "20")
    assert status == 130
    assert out.startswith("stopped in the exam perfect, which has no result; its last match so far:\n")
    assert "20 games" in out
    status, out, _ = boardlab(*words, "--exam", "optimal", "-n", "20")
    assert (status, out) == (130, "stopped in the exam optimal, which has no result\n")


def test_ctrl_c_keeps_the_games_of_a_balance(boardlab, tmp_path, monkeypatch):
    words = ("balance", "tictactoe", "-a", "mcts(rollout, iterations=2000)", "-n", "100000")
    press_ctrl_c(monkeypatch, "balance", after=0)
    assert boardlab("balance", "othello", "-a", "mcts(iterations=1000000)")[:2] == (
        130, "stopped before a game was finished\n",
    )  # fmt: skip
    press_ctrl_c(monkeypatch, "balance", after=2)
    status, out, _ = boardlab(*words)
    games = int(re.match(r"stopped after ([\d,]+) of 100,000 games\n", out)[1].replace(",", ""))
    assert status == 130 and 2 <= games < 100000
    assert out.splitlines()[1].startswith("standard start: X ") and f"; {games:,} games, " in out


@pytest.mark.parametrize(("after", "confirmed"), [(30, False), (100, False), (300, True)])
def test_ctrl_c_keeps_the_starts_that_were_confirmed(boardlab, tmp_path, monkeypatch, after, confirmed):
    """20 games from the usual start, 40 and 160 that choose the starts, then fresh ones."""
    press_ctrl_c(monkeypatch, "balance", after)
    file = tmp_path / "even.txt"
    status, out, _ = boardlab(
        "balance", "tictactoe", "-a", "random", "-n", "20", "--plies", "2", "--candidates", "10",
        "--keep", "4", "--screen", "4", "--confirm", "100000", "--out", file,
    )  # fmt: skip
    assert status == 130 and out.startswith("stopped after ")
    assert "standard start: X " in out and "; 20 games, " in out
    if confirmed:
        starts = len(read_openings(bl.game("tictactoe"), file))
        assert starts == 4 and f"saved {starts} starts in {file}" in out
        assert f"start {starts}: " in out and f"these {starts} starts: " in out
    else:
        assert "start 1" not in out and not file.exists()
        assert out.endswith("saved nothing: no start was confirmed\n")


def test_ctrl_c_while_boardlab_is_imported_is_quiet():
    """As early as an import of its own can be interrupted."""
    code = (
        "import signal, sys\n"
        "import boardlab\n"
        "sys.meta_path.insert(0, type('Stop', (), {'find_spec': staticmethod(\n"
        "    lambda name, *a: signal.raise_signal(signal.SIGINT) if name == 'boardlab.cli' else None)}))\n"
        "from boardlab.__main__ import main\n"
        "main()\n"
    )
    root = str(Path(bl.__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=root)
    assert done.returncode == 130 and done.stderr == ""


def test_ctrl_c_ends_a_game_with_the_status_of_other_commands_and_saves_it(boardlab, tmp_path, monkeypatch):
    answers = iter(["b2"])

    def answer(_):
        if (word := next(answers, None)) is None:
            raise KeyboardInterrupt
        return word

    monkeypatch.setattr("builtins.input", answer)
    file = tmp_path / "game.pgn"
    status, out, _ = boardlab("play", "tictactoe", "--against", "random", "--seed", "1", "--save", file)
    again = f"boardlab play tictactoe --seat 0=human --seat 1=random --resume {file}"
    assert status == 130 and out.endswith(f"\nstopped\nsaved: {file}\nto go on: {again}\n")
    assert bl.read_records(file)[0].actions[0] == 4
