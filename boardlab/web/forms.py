"""Options as JSON, from which pages make forms."""

import re
import typing
from typing import Any

from boardlab.evaluators import EVALUATORS, EvaluatorSpec
from boardlab.games.registry import GAMES, rules_of
from boardlab.learners.learner import LearnerSettings
from boardlab.learners.registry import LEARNERS
from boardlab.options import Option, options_of
from boardlab.search.expression import AGENTS, HumanSpec, format_spec


def option_form(option: Option) -> dict[str, Any]:
    """Describe an option: name, kind, default, help, range and choices.

    `kind` is whole, number, switch, choice, text, numbers or evaluator.
    """
    default: Any = option.default
    if isinstance(default, EvaluatorSpec):
        kind, default = "evaluator", format_spec(default)
    elif option.choices:
        kind = "choice"
    elif option.number is not None:
        kind = "whole" if option.number is int else "number"
    elif option.is_tuple:
        kind, default = "numbers", None if default is None else list(default)
    else:
        kind = "switch" if bool in (option.type, *typing.get_args(option.type)) else "text"
    return {
        "name": option.shown_name,
        "kind": kind,
        "default": default,
        "help": option.doc,
        "low": option.low,
        "high": option.high,
        "choices": list(option.choices or ()),
        "optional": type(None) in typing.get_args(option.type),
        "allowed": "an evaluator" if kind == "evaluator" else option.allowed,
    }


def options_form(kind: type) -> list[dict[str, Any]]:
    """Describe all options of a dataclass."""
    return [option_form(option) for option in options_of(kind)]


def game_forms() -> list[dict[str, Any]]:
    """Describe all games and their parameters."""
    return [game_form(name) for name in GAMES]


def game_form(name: str) -> dict[str, Any]:
    """Describe a game and its parameters."""
    rules = rules_of(name)
    return {
        "name": name,
        "title": game_title(name),
        "summary": rules.summary,
        "notation": rules.notation,
        "known": rules.truths,
        "players": list(rules.player_counts()),
        "options": options_form(rules),
    }


TITLES = {
    "2048": "2048",
    "ewn": "EinStein würfelt nicht",
    "morpion": "Morpion Solitaire",
    "pathwayz": "PathwayZ",
    "poker": "Texas Hold'em",
    "rubiks": "Rubik's Cube",
}
"""Titles of games whose class is not called so."""


def game_title(name: str) -> str:
    """Return a game's name for a heading: connectfour is Connect Four."""
    return TITLES.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", rules_of(name).__name__)


def agent_forms() -> dict[str, list[dict[str, Any]]]:
    """Describe the searches and the evaluators, of which agents are made."""
    return {
        "agents": [_part(name, kind) for name, kind in AGENTS.items() if kind is not HumanSpec],
        "evaluators": [_part(name, kind) for name, kind in EVALUATORS.items()],
    }


def learner_forms() -> list[dict[str, Any]]:
    """Describe the learners and their settings."""
    return [_learner(name, kind) for name, kind in LEARNERS.items()]


def _learner(name: str, kind: type[LearnerSettings]) -> dict[str, Any]:
    return {**_part(name, kind), "learns_hidden": kind.learns_hidden}


def _part(name: str, kind: type) -> dict[str, Any]:
    summary = next(iter((kind.__doc__ or "").strip().splitlines()), "")
    return {"name": name, "summary": summary, "options": options_form(kind)}
