"""docs/exams.md, docs/ratings.md and docs/references.md name everything there is, docs/mcts.md the options of rollouts."""

import dataclasses
import inspect
from pathlib import Path

from boardlab.arena.exams import EXAMS
from boardlab.arena.rate import SYSTEMS
from boardlab.cli.rate import rate
from boardlab.evaluators.simple import Rollout
from boardlab.references import REFERENCES

DOCS = Path(__file__).parents[1] / "docs"


def test_every_exam_is_named():
    page = (DOCS / "exams.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name, exam in EXAMS.items() if exam.listed)


def test_every_reference_is_named():
    page = (DOCS / "references.md").read_text(encoding="utf-8")
    assert all(f"`{reference.name}`" in page or f"`{reference.name}(" in page for reference in REFERENCES)


def test_every_rating_system_is_named():
    page = (DOCS / "ratings.md").read_text(encoding="utf-8")
    assert all(f"(`{name}`)" in page for name in SYSTEMS)


def test_every_option_of_rate_is_named():
    page = (DOCS / "ratings.md").read_text(encoding="utf-8")
    assert [name for name in inspect.signature(rate).parameters if f"--{name}" not in page] == ["files"]


def test_every_option_of_rollouts_is_named():
    page = (DOCS / "mcts.md").read_text(encoding="utf-8")
    assert all(f"{field.name}=" in page for field in dataclasses.fields(Rollout))
