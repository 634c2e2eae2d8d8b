"""Rules over a declared flat state: compiled with numba, or run as Python.

layout      the declared state, and a position as the rules see it
uncompiled  the rules asked in Python; explains failures of compiled rules
source      the rules as the text of a module for numba (rewriting, natives)
compiler    compiles the text, or loads what was compiled before
accepting   the checks before compiled rules are used
"""

import functools
import importlib.util
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from boardlab import _engine
from boardlab.checks import as_integer, is_number
from boardlab.errors import BoardLabError, BoardLabWarning, install, shown
from boardlab.games.facts import cell_values, common_facts, whole_fact
from boardlab.games.flat.abi import MUST, OPTIONAL
from boardlab.games.flat.layout import Layout, Record, layout_of
from boardlab.games.flat.source import Source
from boardlab.games.flat.uncompiled import Uncompiled

if TYPE_CHECKING:
    from boardlab.games.game import State
    from boardlab.games.python import PythonGame

DECLARED = {
    "reward": "rewards",
    "stage": "stages",
    "feature_indices": "feature_table_sizes",
    "observe": "observation_size",
    "chance": "outcome_count",
}
"""Functions that count only where their fact is declared."""


def flat_core(rules: "PythonGame") -> _engine.Game:
    """Make the engine's game of rules over a declared state."""
    if not rules.compiled:
        return _python_core(rules)
    if importlib.util.find_spec("numba") is not None:
        return _compiled_core(rules)
    warnings.warn(
        f"{rules.name} runs uncompiled, a hundred times slower, because numba is not installed: "
        f"{install('numba')}",
        BoardLabWarning,
        stacklevel=2,
    )
    return _python_core(rules)


def record_of(rules: "PythonGame", state: "State") -> Record:
    """Return a copy of a state as the rules see it."""
    return _layout(rules).read(state.core.to_bytes())


@functools.lru_cache(maxsize=64)
def _layout(rules: "PythonGame") -> Layout:
    return layout_of(rules.name, rules.state)


def functions_of(rules: "PythonGame") -> list[str]:
    """Return the functions that a class defines, of those that the engine calls."""
    from boardlab.games.python import PythonGame

    kind, found = type(rules), list(MUST)
    for name in OPTIONAL:
        own = getattr(kind, name, None)
        is_own = own is not None and own is not getattr(PythonGame, name, None)
        if is_own and (name not in DECLARED or getattr(rules, DECLARED[name]) not in (0, 1, (), {}, [])):
            found.append(name)
    if "chance" not in found and rules.outcome_count:
        raise BoardLabError(
            f"{rules.name}: outcome_count = {rules.outcome_count} needs chance, which is missing"
        )
    return found


def _facts(rules: "PythonGame", asked: Uncompiled, start: Record) -> dict[str, Any]:
    """Return the engine's facts; lengths of answers come from the first position."""
    has = set(asked.has)
    for name in ("board_vector", "features"):
        asked.lengths[name] = len(_first(asked, name, start)) if name in has else 0
    cells = asked.lengths["board_vector"]
    asked.cell_values = cell_values(rules, cells)
    asked.lengths["symmetry_cells"] = cells
    tables = [
        as_integer(f"{rules.name}: a size in feature_table_sizes", n, 1, 2**31 - 1)
        for n in rules.feature_table_sizes
    ]
    asked.lengths["feature_indices"] = len(tables)
    if "planes" in has:
        asked.plane_shape = np.shape(_first(asked, "planes", start))
        if len(asked.plane_shape) != 3 or 0 in asked.plane_shape:
            raise BoardLabError(f"{rules.name}: planes must return an array [planes][rows][cols]")
    return {
        "cell_values": list(asked.cell_values),
        "adjacency": _adjacency(rules, cells),
        "rewards": _rewards(rules),
        "feature_table_sizes": tables,
        "stages": whole_fact(rules, "stages", 1, 1 << 16),
        "observation_size": whole_fact(rules, "observation_size", 0, 1 << 16),
        "planes": list(asked.plane_shape),
        "features": asked.lengths["features"],
        "joint_values": _joint_values(rules, cells),
        "is_checked": _is_own(rules, "check"),
    }


def _first(asked: Uncompiled, name: str, start: Record) -> Any:
    """Return the answer of a function of (state, player) in the first position."""
    try:
        return asked.ask(name, start._copy(), 0)
    except Exception:
        asked.lengths[name] = 0
        asked.checked(name, start, 0)
        raise


def _is_own(rules: "PythonGame", name: str) -> bool:
    from boardlab.games.python import PythonGame

    return getattr(type(rules), name) is not getattr(PythonGame, name)


def _adjacency(rules: "PythonGame", cells: int) -> list[list[int]]:
    if not cells or not _is_own(rules, "adjacency"):
        return []
    found = [list(rules.adjacency(cell)) for cell in range(cells)]
    for cell, neighbours in enumerate(found):
        if len(neighbours) > cells or any(not 0 <= n < cells for n in neighbours):
            raise BoardLabError(
                f"{rules.name}: adjacency must return the neighbours of a cell, each from 0 to {cells - 1}, "
                f"not {shown(neighbours)} for cell {cell}"
            )
    return [[int(n) for n in neighbours] for neighbours in found]


def _rewards(rules: "PythonGame") -> list[tuple[str, float, float]]:
    try:
        found = [(name, *map(float, limits)) for name, limits in rules.rewards.items()]
    except (AttributeError, TypeError, ValueError):
        found = [()]
    for reward in found:
        if (
            len(reward) != 3
            or not isinstance(reward[0], str)
            or not is_number(reward[1])
            or reward[0] == "score"
        ):
            raise BoardLabError(
                f'{rules.name}: rewards must be names with a range, as in {{"discs": (-64, 64)}}, not '
                f"{shown(rules.rewards)}"
            )
    return found  # type: ignore[return-value]


def _joint_values(rules: "PythonGame", cells: int) -> list[tuple[list[int], list[int]]]:
    groups = []
    try:
        for of, rows in rules.joint_values if cells else ():
            array = np.asarray(rows, np.uint8)
            if array.shape != (len(array), len(of)) or not len(array) or not all(0 <= c < cells for c in of):
                raise ValueError
            groups.append(([int(cell) for cell in of], array.ravel().tolist()))
    except (TypeError, ValueError, OverflowError):
        raise BoardLabError(
            f"{rules.name}: joint_values must be groups of cells, each with rows of one value per cell"
        ) from None
    return groups


def _asked(rules: "PythonGame") -> tuple[Uncompiled, dict[str, Any]]:
    has = functions_of(rules)
    facts = common_facts(rules, has)
    layout = _layout(rules)
    asked = Uncompiled(rules, layout, has)
    start = layout.empty()
    asked.checked("initial_state", start, 0)
    facts |= layout.facts() | _facts(rules, asked, start)
    return asked, facts


def _python_core(rules: "PythonGame") -> _engine.Game:
    asked, facts = _asked(rules)
    functions = asked.functions(asked.has)
    return _engine.flat_game(asked, {**facts, "functions": functions, "calls_python": True})


def source_of(rules: "PythonGame") -> Source:
    """Return rules as the text of a module for numba."""
    asked, facts = _asked(rules)
    sizes = {
        "PLAYERS": facts["players"],
        "ACTIONS": facts["action_count"],
        "OUTCOMES": facts["outcome_count"],
        "CELLS": asked.lengths["board_vector"],
        "FEATURES": facts["features"],
        "TABLES": len(facts["feature_table_sizes"]),
        "PLANES": asked.plane_shape,
        "OBSERVATION": facts["observation_size"],
        "CHANCE": _engine.CHANCE,
        "TERMINAL": _engine.TERMINAL,
    }
    try:
        return Source(rules, asked.layout, asked.has, sizes)
    except BoardLabError as error:
        raise BoardLabError(f"{rules.name} cannot be compiled: {error}") from None


def _compiled_core(rules: "PythonGame") -> _engine.Game:
    from boardlab.games.flat.accepting import accept
    from boardlab.games.flat.compiler import Compiled

    asked, facts = _asked(rules)
    compiled = Compiled(rules.name, source_of(rules))
    python = None if compiled.is_accepted else _python_core(rules)
    if python is not None:
        accept(rules, python)
    module = compiled.load()
    asked.keep(module)  # the code lives as long as the module
    functions = compiled.addresses(module)
    core = _engine.flat_game(asked, {**facts, "functions": functions, "calls_python": False})
    if python is not None:
        accept(rules, core, python, asked)
    compiled.accept()
    return core
