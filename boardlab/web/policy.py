"""What an expression from a browser may do: no programs, no files of others, no boundless searches."""

import contextlib
import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.evaluators import EvaluatorSpec
from boardlab.games.game import Game
from boardlab.games.openspiel import PREFIX
from boardlab.games.registry import game, game_from_table
from boardlab.options import options_of
from boardlab.search.expression import HumanSpec, Spec, format_spec, parse
from boardlab.search.spec import SearchSpec
from boardlab.web.errors import Forbidden
from boardlab.web.pool import MOST_LONG_IN_ALL

LONGEST_EXPRESSION = 2000

MOST: Mapping[str, float] = {
    "iterations": 200_000,
    "seconds": 10,
    "max_nodes": 1_000_000,
    "max_states": 1_000_000,
    "threads": 2,
    "table_mb": 64,
    "batch": 256,
    "leaf_visits": 256,
    "memory": 100_000,
    "worlds": 200,
    "width": 20_000,
    "agents": 64,
    "population": 1_000,
    "length": 1_000,
    "depth": 60,
    "nodes": 10_000_000,
    "solve_nodes": 10_000_000,
    "cache_mb": 64,
}
"""The largest value of an option, by its name, unless the server trusts its visitors."""
MEMORY = ("max_nodes", "max_states", "table_mb")
"""Options that allow memory; what an expression leaves open is lowered to the limit."""
OTHERWISE = 1_000_000
"""The largest whole number of any other option."""
MOST_MB = 256.0
"""Most memory of an agent, in MiB."""
NODE_BYTES = 80
"""Of a node of a tree, its share of columns included."""
LEAST_MB = 1.0
"""Of a search, whatever its options say."""
SECONDS = 30.0
"""Most seconds of a decision, whatever the expression says."""
FILES = ("path", "file", "command", "folder")
"""Options that name files or programs; `run` alone may be used, within the folder of runs."""


def room_for_searches(memory_bytes: int) -> int:
    """Return how many long searches may run at once: their agents fill half of the memory at most."""
    return max(2, min(MOST_LONG_IN_ALL, int(memory_bytes / 2 / (MOST_MB * 2**20))))


def memory_of_machine() -> int:
    """Return the bytes of memory that this process may have; much if the system does not say."""
    found = [1 << 40]
    with contextlib.suppress(AttributeError, ValueError, OSError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with contextlib.suppress(ValueError, OSError):  # "max": a container without a limit
        found.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(size for size in found if size > 0)


class Policy:
    """The rules of one server."""

    def __init__(self, runs: Path, *, trust: bool = False) -> None:
        self.runs, self.trust = runs, trust

    @property
    def seconds(self) -> float | None:
        """Most seconds of a decision; None: no limit."""
        return None if self.trust else SECONDS

    def game(self, name: Any, parameters: Any = None) -> Game:
        """Make a game that a visitor named."""
        if not isinstance(name, str):
            raise BoardLabError("the name of a game must be text")
        if not isinstance(parameters or {}, dict):
            raise BoardLabError("the parameters of a game must be names and values")
        if name.startswith(PREFIX) and not self.trust:
            raise Forbidden("visitors may play no games of OpenSpiel")
        known = {one.shown_name: one.name for one in self._options(name)}
        given = {known.get(key, key): value for key, value in (parameters or {}).items()}
        values = {key: tuple(v) if isinstance(v, list) else v for key, v in given.items()}
        return game(name, **values)

    def _options(self, name: str) -> list[Any]:
        from boardlab.games.registry import rules_of

        return options_of(rules_of(name))

    def game_of(self, table: Any) -> Game:
        """Make a game from its table: {"name": ..., parameter: value}."""
        if not isinstance(table, dict) or "name" not in table:
            raise BoardLabError('a game must have a "name"')
        if self.trust and "path" in table:
            return game_from_table(table)
        parameters = {key: value for key, value in table.items() if key not in ("name", "fingerprint")}
        return self.game(table["name"], parameters)

    def stored_game(self, table: Any) -> Game:
        """Make a game that the database names; visitors were checked when it was written."""
        return game_from_table(table)

    def agent(self, expression: Any) -> str:
        """Return the canonical expression of an agent that a visitor may use; refuse others."""
        if not isinstance(expression, str) or len(expression) > LONGEST_EXPRESSION:
            raise BoardLabError(f"an agent is an expression of at most {LONGEST_EXPRESSION} characters")
        spec = parse(expression)
        if isinstance(spec, HumanSpec):
            raise BoardLabError("a person takes a seat by choosing it, not by an expression")
        if not self.trust:
            self._limited(spec)
        return format_spec(spec)

    def limited(self, expression: str) -> str:
        """Return the agent's expression with limits where it sets none."""
        return expression if self.trust else format_spec(self._limited(parse(expression)))

    def run(self, name: Any) -> Path:
        """Return the folder of a run that a visitor named, within the folder of runs."""
        if not isinstance(name, str) or not name or "\0" in name or len(name) > 400:
            raise BoardLabError("a run is named by its folder")
        path = Path(name)
        try:
            inside = path.resolve().is_relative_to(self.runs.resolve())
        except (OSError, RuntimeError):
            inside = False
        if not inside and not self.trust:
            raise Forbidden(f'"{name}" is not in the folder of runs, {self.runs.as_posix()}')
        return path

    def _limited(self, spec: Any) -> Any:
        """Return the spec with limits where it sets none; refuse what goes beyond them."""
        limited = self._with_limits(spec)
        memory = _memory_mb(limited)
        if memory > MOST_MB:
            raise Forbidden(
                f"this agent could take {memory:,.0f} MiB of memory; visitors may use {MOST_MB:.0f} MiB: "
                "lower max_nodes, table_mb or the number of agents"
            )
        return limited

    def _with_limits(self, spec: Any, copies: int = 1) -> Any:
        if isinstance(spec, SearchSpec) and type(spec).program is not SearchSpec.program:
            raise Forbidden(f"{spec.name} starts a program: visitors may not start programs")
        changes: dict[str, Any] = {}
        copies *= _copies(spec)
        if dataclasses.is_dataclass(spec):
            for field in dataclasses.fields(spec):
                value = getattr(spec, field.name)
                if isinstance(value, (SearchSpec, EvaluatorSpec)):
                    changes[field.name] = self._with_limits(value, copies)
                elif field.name == "run":
                    if value:
                        self.run(value)
                elif field.name in FILES and value:
                    raise Forbidden(f"{_name(spec)}: visitors may not name files or programs")
                elif field.name in MEMORY and value == field.default:
                    most = max(1, int(MOST[field.name]) // copies)
                    changes[field.name] = most if value is None else min(most, value)
                elif field.name == "mpc" and value is not None:
                    raise Forbidden(
                        f"{_name(spec)}: visitors may not use mpc, which learns for minutes first"
                    )
                elif value != field.default:
                    self._check(spec, field.name, value)
        return dataclasses.replace(spec, **changes) if changes else spec

    def _check(self, spec: Any, name: str, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return
        most = MOST.get(name, OTHERWISE if isinstance(value, int) else float("inf"))
        if value > most:
            raise Forbidden(f"{_name(spec)}: visitors may set {name} to {most:,.0f} at most, not {value:,}")


def _name(spec: Any) -> str:
    return str(getattr(spec, "name", "this agent"))


def parts_of(spec: Any) -> list[Any]:
    """Return all searches and evaluators of an agent, the outermost first."""
    return [spec, *(part for inner in _inside(spec) for part in parts_of(inner))]


def _inside(spec: Any) -> list[Any]:
    """Return the searches and evaluators directly inside a part of an agent."""
    fields = dataclasses.fields(spec) if dataclasses.is_dataclass(spec) else ()
    values = (getattr(spec, field.name) for field in fields)
    return [value for value in values if isinstance(value, (SearchSpec, EvaluatorSpec))]


def _memory_mb(spec: Spec) -> float:
    """Estimate the most memory of an agent, in MiB; what was learned is not counted."""
    table = float(getattr(spec, "table_mb", 0) or 0) + float(getattr(spec, "cache_mb", 0) or 0)
    nodes = float(getattr(spec, "max_nodes", 0) or 0) + float(getattr(spec, "max_states", 0) or 0)
    own = table + nodes * NODE_BYTES / 2**20
    if isinstance(spec, SearchSpec):
        own = max(own, LEAST_MB)
    return own + _copies(spec) * sum(map(_memory_mb, _inside(spec)))


def _copies(spec: Any) -> int:
    """Return how many copies of its agent a spec makes, as `vote` does."""
    return int(getattr(spec, "agents", 1))


def memory_mb(expression: str) -> float:
    """Estimate the most memory of an agent, in MiB."""
    try:
        return _memory_mb(parse(expression))
    except BoardLabError:
        return 0.0
