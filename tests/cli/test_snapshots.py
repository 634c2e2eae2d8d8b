"""Snapshots: what a run had learned on its way, as agents; and run folders as agents on the command line."""

import io
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pytest

import boardlab as bl
from boardlab.learners.again import train_command
from boardlab.learners.training import Training
from boardlab.runs import RunFolder
from boardlab.runs.folder import SNAPSHOT_FILES

TINY_NET = {"blocks": 0, "channels": 4, "games": 4, "simulations": 4, "threads": 1, "device": "cpu"}


def snapshots(path):
    return sorted(int(folder.name) for folder in (path / "snapshots").iterdir())


def weights(path):
    with np.load(path / "weights.npz") as stored:
        return {name: stored[name].tobytes() for name in stored.files}


@pytest.mark.parametrize(
    ("learner", "every", "expected", "more"),
    [
        ("td-ntuple", 30, [30, 60, 90], {}),
        ("qm", 30, [30, 60, 90], {}),
        ("alphazero", 10, [12, 20, 32, 40], TINY_NET),  # of generations of 4 games
    ],
)
def test_a_snapshot_is_the_run_as_it_stood(tmp_path, learner, every, expected, more):
    if learner == "alphazero":
        pytest.importorskip("torch")
    game = bl.game("tictactoe")
    episodes = 100 if learner != "alphazero" else 40
    arguments = {"episodes": episodes, "seed": 5, **more}
    bl.train(game, learner, out=tmp_path / "run", snapshot_every=every, **arguments)
    assert snapshots(tmp_path / "run") == expected
    for at in expected:
        stopped = bl.train(
            game, learner, out=tmp_path / f"stopped-{at}", snapshot_every=at,
            progress=lambda standing, at=at: standing.episodes >= at, **arguments,
        )  # fmt: skip
        snapshot = bl.open_run(tmp_path / "run" / "snapshots" / str(at))
        assert (snapshot.episodes, snapshot.total) == (stopped.episodes, stopped.total) == (at, episodes)
        assert weights(snapshot.path) == weights(stopped.path)
        assert snapshot.agent().act(game.initial_state()).action in range(9)
    marks = {RunFolder(tmp_path / "run" / "snapshots" / str(at)).fingerprint() for at in expected}
    assert len(marks) == len(expected)


def test_a_resumed_run_has_the_snapshots_of_an_unbroken_one(tmp_path):
    game = bl.game("tictactoe")
    for name in ("whole", "broken"):
        bl.train(
            game, episodes=100, out=tmp_path / name, seed=5, snapshot_every=20, exam_every=10,
            progress=(lambda standing: 45 <= standing.episodes < 100) if name == "broken" else None,
        )  # fmt: skip
    assert snapshots(tmp_path / "broken") == [20, 40]
    bl.resume(tmp_path / "broken")
    assert snapshots(tmp_path / "broken") == snapshots(tmp_path / "whole") == [20, 40, 60, 80, 100]
    for at in (20, 60, 100):
        one, other = (tmp_path / name / "snapshots" / str(at) for name in ("whole", "broken"))
        assert weights(one) == weights(other)
    bl.resume(tmp_path / "broken", episodes=130)
    assert snapshots(tmp_path / "broken") == [20, 40, 60, 80, 100, 120]


@pytest.mark.parametrize("place", ["exam", "snapshot"])
def test_ctrl_c_loses_no_snapshot(tmp_path, monkeypatch, place):
    """Broken off in the exam at 40, or while the snapshot of 40 is written."""
    game, broken = bl.game("tictactoe"), []

    def interrupt(original):
        def call(self, *arguments):
            done = self.learner.episodes_done
            if done == 40 and not broken:
                broken.append(place)
                if place == "snapshot":
                    self.folder.make_snapshot(40).write_text("weights.npz", "half of it")
                raise KeyboardInterrupt
            return original(self, *arguments)

        return call

    name = {"exam": "_take_exam", "snapshot": "snapshot"}[place]
    patched = getattr(Training, name)
    monkeypatch.setattr(Training, name, interrupt(patched))
    arguments = {
        "episodes": 60,
        "seed": 5,
        "snapshot_every": 20,
        "exams": ["random"],
        "exam_every": 20,
        "exam_games": 2,
    }
    with pytest.raises(KeyboardInterrupt):
        bl.train(game, out=tmp_path / "broken", **arguments)
    bl.resume(tmp_path / "broken")
    bl.train(game, out=tmp_path / "whole", **arguments)
    assert broken and snapshots(tmp_path / "broken") == [20, 40, 60]
    for at in (20, 40, 60):
        one, other = (tmp_path / name / "snapshots" / str(at) for name in ("whole", "broken"))
        assert weights(one) == weights(other) and (other / "agent.toml").exists()


def test_a_killed_run_forgets_snapshots_of_what_it_learns_again(tmp_path):
    """The checkpoint is that of the beginning: what came after it is learned anew, here another way."""
    script = (
        "import boardlab as bl, os\n"
        "bl.train(bl.game('tictactoe'), episodes=100, out='run', snapshot_every=20, "
        "progress=lambda standing: standing.episodes >= 80 and os._exit(9))"
    )
    killed = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path)
    assert killed.wait() == 9 and snapshots(tmp_path / "run") == [20, 40, 60, 80]
    assert bl.open_run(tmp_path / "run").episodes == 0
    left = tmp_path / "run" / "snapshots" / "20" / f".weights.npz.{killed.pid}.new"
    left.touch()
    bl.resume(tmp_path / "run", episodes=50)
    assert snapshots(tmp_path / "run") == [20, 40] and not left.exists()
    assert RunFolder(tmp_path / "run" / "snapshots" / "40").read_agent()["episodes"] == 50


def test_a_snapshot_is_not_resumed(tmp_path, monkeypatch):
    bl.train(bl.game("tictactoe"), episodes=10, out=tmp_path / "run", snapshot_every=5)
    folder = tmp_path / "run" / "snapshots" / "5"
    with pytest.raises(bl.BoardLabError, match=rf"is a snapshot.*: boardlab resume {tmp_path}/run$"):
        bl.resume(folder)
    monkeypatch.chdir(folder.parent)
    with pytest.raises(bl.BoardLabError, match=r"^5 is a snapshot.*: boardlab resume \.\.$"):
        bl.resume("5")
    shutil.copytree(folder, tmp_path / "best")
    with pytest.raises(bl.BoardLabError, match=r"does not go on learning$"):
        bl.resume(tmp_path / "best")
    with pytest.raises(bl.BoardLabError, match="holds a snapshot of another run; choose another folder"):
        bl.train(bl.game("tictactoe"), episodes=10, out=folder)
    for wrong in (-1, 0.5, "x"):
        with pytest.raises(bl.BoardLabError, match="snapshot_every must be a whole number"):
            bl.train(bl.game("tictactoe"), episodes=10, out=tmp_path / "other", snapshot_every=wrong)
    assert not (tmp_path / "other").exists()


def test_force_removes_snapshots_and_nothing_else(tmp_path):
    game = bl.game("tictactoe")
    bl.train(game, episodes=10, out=tmp_path, snapshot_every=5)
    (tmp_path / "snapshots" / "5" / "notes.txt").write_text("precious")
    shutil.copytree(tmp_path / "snapshots" / "10", tmp_path / "snapshots" / "10-best")
    bl.train(game, episodes=10, out=tmp_path, force=True)
    assert {file.name for file in tmp_path.glob("snapshots/*/*")} == {
        "notes.txt",
        "agent.toml",
        "layout.txt",
        *SNAPSHOT_FILES,
    }
    assert bl.open_run(tmp_path / "snapshots" / "10-best").episodes == 10
    shutil.rmtree(tmp_path / "snapshots")
    bl.train(game, episodes=10, out=tmp_path, force=True)
    assert not (tmp_path / "snapshots").exists()


def test_the_command_of_a_snapshot_makes_it_again(boardlab, tmp_path):
    bl.train(bl.game("tictactoe"), episodes=40, out=tmp_path / "a", snapshot_every=10, seed=2)
    snapshot = RunFolder(tmp_path / "a" / "snapshots" / "20")
    again = tmp_path / "b" / "snapshots" / "20"
    words = shlex.split(train_command(snapshot.read_agent(), str(again)))
    assert boardlab(*words[1:], "--exam", "none")[0] == 0
    assert RunFolder(again).fingerprint() == snapshot.fingerprint()
    assert "--out" not in train_command(snapshot.read_agent(), str(tmp_path / "best"))  # copied away


@pytest.mark.parametrize("order", [("runs/a/snapshots/40", "runs/a"), ("runs/a", "runs/a/snapshots/40")])
def test_the_hall_of_fame_tells_of_a_run_and_its_last_snapshot_what_makes_both(
    boardlab, tmp_path, monkeypatch, order
):
    monkeypatch.chdir(tmp_path)
    bl.train(bl.game("tictactoe"), episodes=40, out="runs/a", snapshot_every=20, seed=2)
    boardlab("tournament", "tictactoe", *order, "random", "--games", "4", "--store", "s.db")
    commands = set(re.findall("again: boardlab (.*)", boardlab("fame", "--store", "s.db")[1]))
    assert len(commands) == 1 and commands.pop().endswith("--out runs/a")


@pytest.mark.parametrize("more", [{}, {"snapshot_every": 5}])
def test_runs_with_other_snapshots_are_not_gone_on_with(tmp_path, more):
    game, other = bl.game("tictactoe"), {"snapshot_every": 2} if more else {"snapshot_every": 5}
    bl.train(game, episodes=10, out=tmp_path, **more)
    bl.train(game, episodes=10, out=tmp_path, go_on=True, **more)
    with pytest.raises(bl.BoardLabError, match="which differs in its snapshot_every;"):
        bl.train(game, episodes=10, out=tmp_path, go_on=True, **other)


def test_an_alphazero_run_begins_with_a_snapshot(tmp_path):
    pytest.importorskip("torch")
    game, begin = bl.game("tictactoe"), tmp_path / "one" / "snapshots" / "4"
    bl.train(game, "alphazero", episodes=8, out=tmp_path / "one", snapshot_every=4, **TINY_NET)
    bl.train(game, "alphazero", episodes=4, out=tmp_path / "two", from_=begin, **TINY_NET)
    assert RunFolder(tmp_path / "two").read_agent()["network"]["parent_weights"] == (
        RunFolder(begin).fingerprint()
    )


# ---- run folders as agents on the command line ----


def test_a_runs_folder_is_its_agent(boardlab, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    boardlab(
        "train",
        "tictactoe",
        "--episodes",
        "60",
        "--out",
        "runs/a",
        "--snapshot-every",
        "20",
        "--exam",
        "none",
    )
    status, out, _ = boardlab(
        "tournament", "tictactoe", "runs/a/snapshots/20", "runs/a", "random", "-n", "4", "--store", "s.db"
    )
    assert status == 0
    for agent in ('greedy(ntuple(run="runs/a/snapshots/20"))', 'greedy(ntuple(run="runs/a"))'):
        assert agent in out
    expression = 'greedy(ntuple("runs/a"))'
    for words in (
        ("evaluate", "AGENT", "--game", "tictactoe", "--exam", "random", "-n", "10"),
        ("evaluate", "random", "--game", "tictactoe", "--against", "AGENT", "-n", "10"),
        ("balance", "tictactoe", "-a", "AGENT", "-n", "10"),
    ):
        told = [boardlab(*(agent if w == "AGENT" else w for w in words)) for agent in ("runs/a", expression)]
        assert told[0] == told[1] and told[0][0] == 0


def test_a_run_knows_its_game(boardlab, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rules = ("--rows", "5", "--cols", "7", "--k", "3", "--exactly")
    train = ("train", "gobang", *rules, "--episodes", "20", "--exam", "none", "--out", "runs/gb")
    assert boardlab(*train)[0] == 0
    exam = ("--exam", "random", "-n", "10")
    said = boardlab("evaluate", "runs/gb", *exam)
    assert said[0] == 0 and said == boardlab("evaluate", "runs/gb", "--game", "gobang", *rules, *exam)
    assert boardlab("evaluate", 'mcts(ntuple("runs/gb"), iterations=5)', *exam)[0] == 0
    listed = boardlab("evaluate", "runs/gb", "--list")
    assert listed[0] == 0 and listed == boardlab("evaluate", "--list", "--game", "gobang", *rules)
    for agent, more in (("random", ()), ("runs/gb", ("--k", "3"))):
        assert "name a game" in boardlab("evaluate", agent, *exam, *more)[2]
    own = "gobang --rows 5 --cols 7 --k 3 --exactly\n"
    for words, typed in (
        (("evaluate", "runs/gb", "--game", "gobang"), f"--game {own}"),
        (("gtp", "runs/gb"), f"--game {own}"),
        (("match", "gobang", "runs/gb", "random", "--rows", "5"), own),
        (("play", "gobang", "--against", "runs/gb"), own),
        (("inspect", "gobang", "--rows", "6", "--run", "runs/gb"), own),
    ):
        status, _, error = boardlab(*words)
        assert status == 2 and "was trained on" in error and error.endswith(f"; type {typed}")
    with pytest.raises(bl.BoardLabError, match=r"k=3, exactly=True\), not on boardlab.game\(\"gobang\"\)$"):
        bl.agent('greedy(ntuple("runs/gb"))', bl.game("gobang"))


def test_folders_with_odd_names_and_every_command_that_asks_for_an_agent(boardlab, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    game = bl.game("tictactoe")
    for folder in ("runs/a (copy)", 'runs/"b"', "./c"):
        bl.train(game, episodes=20, out=folder)
        assert boardlab("match", "tictactoe", folder, "random", "-n", "2")[0] == 0
    bl.train(game, episodes=20, out="runs/a")
    options = ("--episodes", "20", "--exam", "runs/a", "--stop-exam", "runs/a", "--exam-games", "2")
    assert boardlab("train", "tictactoe", "--out", "runs/d", *options)[0] == 0
    boardlab("match", "tictactoe", "random", "random", "-n", "2", "--save", "games.pgn")
    for words in (
        ("inspect", "tictactoe", "AGENT", "--seed", "1"),
        ("replay", "games.pgn", "--agent", "AGENT"),
        ("play", "tictactoe", "--against", "AGENT", "--seed", "1"),
        ("gtp", "AGENT", "--game", "hex", "--size", "4"),
    ):
        if words[0] == "gtp":
            bl.train(bl.game("hex", size=4), episodes=5, out="runs/hex")
            words = ("gtp", "runs/hex", *words[2:])
        monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
        status, _, error = boardlab(*("runs/a" if word == "AGENT" else word for word in words))
        assert (status, error) == (0, ""), words


@pytest.mark.parametrize("command", [("match", "tictactoe", "runs/b", "random"), ("gtp", "runs/b", "--game", "hex"),
                                     ("play", "tictactoe", "--against", "runs/b")])  # fmt: skip
def test_a_folder_without_a_run_is_said_to_be_none(boardlab, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert boardlab(*command) == (2, "", "boardlab: runs/b is not a run: it has no agent.toml\n")
