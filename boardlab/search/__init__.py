"""Searches and agents. To add a search, see registry.py."""

from boardlab.search.agent import Agent, Decision, python_agent
from boardlab.search.expression import agent, evaluator, format_spec, parse
from boardlab.search.forest import Forest
from boardlab.search.human import Human
from boardlab.search.own import register_agent, register_evaluator
from boardlab.search.registry import SEARCHES
from boardlab.search.spec import SearchSpec
from boardlab.search.tree_options import TreeOptions

__all__ = [
    "SEARCHES",
    "Agent",
    "Decision",
    "Forest",
    "Human",
    "SearchSpec",
    "TreeOptions",
    "agent",
    "evaluator",
    "format_spec",
    "parse",
    "python_agent",
    "register_agent",
    "register_evaluator",
]
