"""Searches and agents. Adding a search: a frozen dataclass with `build`, a line in SEARCHES."""

from boardlab.search.agent import Agent, Decision
from boardlab.search.expression import agent, evaluator, format_spec, parse
from boardlab.search.human import Human
from boardlab.search.spec import SEARCHES, SearchSpec

__all__ = [
    "SEARCHES",
    "Agent",
    "Decision",
    "Human",
    "SearchSpec",
    "agent",
    "evaluator",
    "format_spec",
    "parse",
]
