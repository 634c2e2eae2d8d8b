"""A user's own agents, exams and parameters on the command line, with the example that the docs name."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

from boardlab.arena.exams import EXAMS
from boardlab.search.expression import AGENTS

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_agent.py"

WEIGHED = '''
import boardlab as bl

@bl.register_evaluator("weighed", priors=False)
def weighed(game, weight=1.0, mode: str = "fast"):
    """Weighs."""
    return lambda planes, legal: [weight] * len(planes)

@bl.register_agent("stumbles")
class Broken:
    def __init__(self, game, seed):
        pass
    def act(self, state):
        raise RuntimeError("my agent broke")

@bl.register_exam("breaks")
def breaks(paper):
    raise RuntimeError("my exam broke")
'''


@pytest.fixture
def plugin(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(WEIGHED)
    return file


@pytest.fixture
def example(boardlab):
    return lambda *words: boardlab("--plugin", EXAMPLE, *words)


def test_the_example_says_who_is_better():
    said = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, cwd=EXAMPLE.parents[1])
    assert said.returncode == 0, said.stderr
    *_, own, chance, mcts = said.stdout.splitlines()
    assert own == "lookout 1.0" and float(chance.split()[-1]) < 0.5 < float(mcts.split()[-1])


def test_agents_lists_an_agent_of_ones_own_and_its_parameters(example, boardlab, plugin):
    assert "Win at once if possible" in example("agents")[1]
    status, out, _ = example("agents", "lookout")
    assert status == 0 and "careful" in out and "True or False" in out
    _, out, _ = boardlab("--plugin", plugin, "agents", "weighed")
    assert all(word in out for word in ("weight", "1.0", "a number", "mode", "fast", "text"))


def test_an_agent_of_ones_own_plays_in_every_command(example, tmp_path, monkeypatch):
    _, out, _ = example("match", "tictactoe", "lookout", "lookout(careful=False)", "-n", 8, "--threads", 2)
    assert "lookout(careful=False)  wins" in out and "error" not in out
    store = ("--store", tmp_path / "store.db")
    _, out, _ = example("tournament", "tictactoe", "lookout", "random", "-n", 4, "--threads", 2, *store)
    assert "lookout" in out and "error" not in out
    _, out, _ = example("evaluate", "lookout", "--game", "tictactoe", "--against", "lookout", "-n", 4)
    assert out.startswith("against lookout: ")
    monkeypatch.setattr(sys, "stdin", io.StringIO("genmove b\nquit\n"))
    _, out, _ = example("gtp", "lookout", "--game", "othello")
    assert out.startswith("= ") and "?" not in out
    monkeypatch.setattr(sys, "stdin", io.StringIO("hint\n" + "".join(f"{n}\n" for n in (1, 2, 3) * 9)))
    status, out, _ = example("play", "tictactoe", "--against", "lookout", "--seed", 1)
    assert status in (0, 130) and "Traceback" not in out


def test_an_exam_of_ones_own_is_taken_and_listed(example, tmp_path):
    status, out, _ = example("evaluate", "lookout", "--game", "connectfour", "--exam", "alert", "-n", 10)
    assert status == 0 and out.startswith("alert: 1 ± ") and "best possible 1, 10 games" in out
    assert "alert" in example("evaluate", "--game", "connectfour", "--list")[1]
    assert "alert" not in example("evaluate", "--game", "2048", "--list")[1]
    words = ("--episodes", 20, "--exam", "alert", "--exam", "lookout", "--exam-every", 10, "--exam-games", 4)
    status, out, _ = example("train", "tictactoe", "--out", tmp_path / "run", *words)
    assert status == 0 and "alert" in out
    head, *rows = (tmp_path / "run" / "log.csv").read_text().splitlines()
    assert "alert,alert error,alert interval,alert games,alert distinct,lookout,lookout error" in head
    assert len(rows) == 2


def test_a_run_whose_exam_needs_a_plugin_says_so(example, boardlab, tmp_path):
    words = ("--episodes", 10, "--out", tmp_path / "run", "--exam-games", 4, "--exam")
    for exam in ("lookout", "alert"):
        assert example("train", "tictactoe", *words, exam, "--force")[0] == 0
        for registry in (AGENTS, EXAMS):
            registry.pop(exam, None)
        status, _, error = boardlab("resume", tmp_path / "run", "--episodes", 20)
        assert status == 2 and f'unknown agent "{exam}"' in error
        assert "(or one of your own: boardlab --plugin FILE ...)" in error
        assert example("resume", tmp_path / "run", "--episodes", 20)[0] == 0


def test_what_breaks_in_a_plugin_is_said(boardlab, plugin, tmp_path):
    own = ("--plugin", plugin)
    _, out, _ = boardlab(*own, "match", "tictactoe", "stumbles", "random", "-n", 2)
    assert "2 ended by an agent's error" in out
    for words, line, said in [
        (("inspect", "tictactoe", "stumbles"), 14, "my agent broke"),
        (("evaluate", "random", "--game", "tictactoe", "--exam", "breaks"), 18, "my exam broke"),
        (("train", "tictactoe", "--episodes", 9, "--exam", "breaks", "--out", tmp_path / "run"), 18, "my exam broke"),
    ]:  # fmt: skip
        status, _, error = boardlab(*own, *words)
        assert status == 2
        assert error.endswith(f"boardlab: the plugin {plugin} failed in line {line}: RuntimeError: {said}\n")
    status, _, error = boardlab(*own, "match", "tictactoe", "greedy(weighed(weight='a'))", "random")
    assert status == 2 and "weighed: weight must be a number, not 'a'" in error
