"""The pages on sweeps: short commands are run, long ones are planned as they stand there."""

import re
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from commands import output

import boardlab.experiments  # noqa: F401
from boardlab.cli import sweep as command
from boardlab.experiments.sweep_plan import Plan

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "sweeps.md").read_text(encoding="utf-8")
NOT_OF_THE_PLAN = ("jobs", "out", "keep", "yes", "progress")


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch):
    monkeypatch.setattr(sys.modules["boardlab.experiments.sweep"], "draw_figure", lambda display, folder: [])


def test_the_commands_work_as_written(tmp_path):
    blocks = re.findall(r"<!-- run -->\n((?:    .*\n)+)", PAGE)
    assert len(blocks) == 3
    for line in (line for block in blocks for line in block.splitlines()):
        assert "best in perfect" in output(*shlex.split(line)[1:], cwd=tmp_path)


def test_the_python_block_works_as_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code, {})
    assert "boardlab train tictactoe" in capsys.readouterr().out


def planned(words, monkeypatch, tmp_path):
    """The points of a command that is not run."""
    plans = []

    def only_plan(game, learner=None, **given):
        own = {
            name: given.pop(name, None) for name in ("seeds", "exams", "agent", "search", "trials", "batch")
        }
        rest = {name: value for name, value in given.items() if name not in NOT_OF_THE_PLAN}
        usual = {"seeds": 3, "trials": 50, "batch": 1}
        own |= {name: usual[name] for name in usual if own[name] is None}
        plan = Plan(game, learner, **own, given=rest)
        plans.append(plan.choices if plan.search else plan.all_points())
        raise SystemExit(0)

    monkeypatch.setattr(sys.modules[command.__module__], "run_sweep", only_plan)
    output(*words, cwd=tmp_path)
    return plans[0]


def test_the_recipes_are_accepted(tmp_path, monkeypatch):
    pages = [*(DOCS / "how-to").glob("sweep_*.md"), DOCS / "sweeps.md", DOCS / "commands.md"]
    lines = [line for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    commands = [shlex.split(line, comments=True) for line in lines if line.startswith("    boardlab sweep ")]
    assert len(commands) >= 9
    for words in commands:
        if "optuna" not in words or find_spec("optuna"):
            assert len(planned(words[1:], monkeypatch, tmp_path)) > 1, words


def test_the_variations_of_the_recipes_are_accepted(tmp_path, monkeypatch):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("0,1,2,3\n7,8,9\n")
    for text, points in (
        ("--alpha 0.1,1 --alpha-final 0.1,1,none", 6),
        ("--lambda 0,0.3 --traces et,reset --horizon-cut 0.1,0.01", 5),
        ("--layout a.txt,b.txt", 2),
        ("--cells gbg:a.txt,gbg:b.txt", 2),
        ("--layout walk,points", 2),
        ('--windows "4x4 6x2,3x3"', 2),
        ('--agent "mcts(ntuple(RUN), iterations={50,200}, cpuct={0.5,1,2})"', 6),
        ('--agent "alphabeta(ntuple(RUN), depth={2,4}),maxn(ntuple(RUN), depth=2)"', 3),
        ("--agent 'mcts(ntuple(\"runs/c4\"), iterations={50,200})'", 2),
        ('--alpha 1,3.7 --agent "RUN,mcts(ntuple(RUN))"', 4),
    ):
        words = ("sweep", "connectfour", "--exam", "random", *shlex.split(text))
        assert len(planned(words, monkeypatch, tmp_path)) == points, text
