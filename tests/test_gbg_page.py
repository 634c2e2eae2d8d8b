"""docs/gbg.md: what it names is there, and what is not there has a reason."""

import dataclasses
import re
from pathlib import Path

from typer.main import get_command

import boardlab as bl
from boardlab.arena.exams import EXAMS
from boardlab.cli import app
from boardlab.evaluators import EVALUATORS
from boardlab.learners import LEARNERS
from boardlab.search.expression import AGENTS

PAGE = (Path(__file__).parents[1] / "docs" / "gbg.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.split("|")[1:-1]] for line in PAGE.splitlines() if line.startswith("|")
]


def test_every_option_is_one_of_a_command_or_of_a_learner():
    commands = get_command(app).commands  # type: ignore[attr-defined]
    known = {name for command in commands.values() for option in command.params for name in option.opts}
    for name in ("td-ntuple", "sarsa-ntuple", "q-ntuple", "td-features"):
        fields = dataclasses.fields(LEARNERS[name])
        known |= {"--" + field.name.rstrip("_").replace("_", "-") for field in fields}
    known |= {"--size", "--players", "--twists", "--help"}
    assert set(re.findall(r"--[a-z][a-z-]+", PAGE)) <= known


def test_every_search_evaluator_exam_and_game_is_there():
    called = set(re.findall(r"`([a-z]+)\(", PAGE))
    assert called <= {*AGENTS, *EVALUATORS}
    named = {word for row in ROWS for word in re.findall(r"`([a-z0-9][a-z0-9-]*)`", row[1])}
    known = {*AGENTS, *EVALUATORS, *LEARNERS, *EXAMS, *bl.games(), *get_command(app).commands}  # type: ignore[attr-defined]
    parameters = {"players", "coding", "coalition", "size", "metric", "cpuct", "depth", "priors", "reuse"}
    parameters |= {"iterations", "seconds", "c", "rounds", "scores", "exp", "change", "extra_rule"}
    parameters |= {"board", "both"}
    assert named <= known | parameters


def test_every_built_in_game_and_learner_is_named():
    for name in (*bl.games(), *LEARNERS):
        assert f"`{name}`" in PAGE, name


def test_nothing_is_left_to_build():
    """A row without ours says in one line why there is none."""
    assert "not yet" not in PAGE.lower()
    rows = [row for row in ROWS if len(row) == 3 and set(row[0]) - {"-"}]
    assert all(row[2] for row in rows if not row[1])
