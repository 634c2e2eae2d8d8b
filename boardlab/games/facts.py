"""The facts of a game written in Python, checked."""

import operator
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from boardlab import _engine
from boardlab.checks import as_integer, is_number
from boardlab.errors import BoardLabError, shown

if TYPE_CHECKING:
    from boardlab.games.python import PythonGame

MOST_ACTIONS = 1 << 24

NEEDS = {
    "conceal": "determinize",
    "determinize": "conceal",
    "symmetry": "symmetry_action",
    "symmetry_action": "symmetry",
    "symmetry_cells": "symmetry",
    "adjacency": "board_vector",
    "situation": "conceal",
    "retrace": "conceal",
    "sample_chance": "chance",
    "observe": "conceal",
    "completions": "conceal",
}
"""Functions that make no sense without another one."""


def common_facts(rules: "PythonGame", has: Collection[str]) -> dict[str, Any]:
    """Return the facts that all forms of rules share; `has` are its optional functions."""
    for name in sorted(set(has) & NEEDS.keys()):
        if NEEDS[name] not in has and not (NEEDS[name] == "chance" and rules.outcome_count):
            raise BoardLabError(f"{rules.name}: {name} needs {NEEDS[name]}")
    symmetries = whole_fact(rules, "symmetries", 1, 2**31 - 1)
    if symmetries > 1 and "symmetry" not in has:
        raise BoardLabError(f"{rules.name}: symmetries = {symmetries} needs symmetry, which is missing")
    _check_names(rules)
    low, high = _score_range(rules)
    if not is_number(rules.step_reward):
        raise BoardLabError(f"{rules.name}: step_reward must be a number, not {shown(rules.step_reward)}")
    return {
        "name": rules.name,
        "players": whole_fact(rules, "players", 1, 8),
        "action_count": whole_fact(rules, "action_count", 1, MOST_ACTIONS),
        "outcome_count": whole_fact(rules, "outcome_count", 0, MOST_ACTIONS),
        "horizon": whole_fact(rules, "horizon", 1, 2**31 - 1),
        "flags": _engine.ZERO_SUM * (bool(rules.is_zero_sum) and rules.players > 1)
        + _engine.HIDDEN * ("conceal" in has),
        "min_score": low,
        "max_score": high,
        "step_reward": float(rules.step_reward),
        "symmetries": symmetries,
    }


def whole_fact(rules: "PythonGame", name: str, low: int, high: int) -> int:
    """Return a fact that is a whole number."""
    return as_integer(f"{rules.name}: {name}", getattr(rules, name), low, high)


def cell_values(rules: "PythonGame", cells: int) -> list[int]:
    """Return the number of values of each cell of the board vector."""
    given: Any = rules.cell_values
    try:
        values = [operator.index(v) for v in (given if np.ndim(given) else [given] * cells)]
    except TypeError:
        values = []
    if cells and (len(values) != cells or not all(1 <= v <= 256 for v in values)):
        raise BoardLabError(
            f"{rules.name}: cell_values must be a number from 1 to 256, or one for each of the {cells} "
            f"cells of the board vector, not {shown(given)}"
        )
    return values if cells else []


def _check_names(rules: "PythonGame") -> None:
    for player in range(whole_fact(rules, "players", 1, 8)):
        try:
            given = rules.player_name(player)
        except Exception as error:
            raise BoardLabError(
                f"{rules.name}: player_name({player}) failed: {type(error).__name__}: {error}"
            ) from error
        rules.check_name("player_name", given)


def _score_range(rules: "PythonGame") -> tuple[float, float]:
    given: Any = rules.score_range
    if not isinstance(given, (tuple, list)) or len(given) != 2 or not all(map(is_number, given)):
        raise BoardLabError(
            f"{rules.name}: score_range must be the lowest and the highest score, not {shown(given)}"
        )
    return float(given[0]), float(given[1])
