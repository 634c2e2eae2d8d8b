"""What runs have learned, in memory once for all who play with it."""

import dataclasses
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardlab import _engine
from boardlab.evaluators import EvaluatorSpec
from boardlab.games.game import Game
from boardlab.search.spec import SearchSpec

MOST_GAMES = 200
MOST = 6
"""Evaluators that are kept; those not used for longest are forgotten."""


class Learned:
    """The evaluators of runs; searches clone them, and clones share what was learned."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Any, tuple[_engine.Evaluator, Game]] = OrderedDict()
        self._games: OrderedDict[Game, Game] = OrderedDict()
        self._lock = threading.Lock()

    def game(self, game: Game) -> Game:
        """Return one object for all equal games: an evaluator serves the game it was made for alone."""
        with self._lock:
            found = self._games.pop(game, game)
            self._games[found] = found
            if len(self._games) > MOST_GAMES:
                self._games.popitem(last=False)
        return found

    def sharing(self, spec: Any) -> Any:
        """Return the spec of a search whose evaluators of runs come from here."""
        changes: dict[str, Any] = {}
        for field in dataclasses.fields(spec):
            value = getattr(spec, field.name)
            if isinstance(value, EvaluatorSpec) and _run_of(value):
                changes[field.name] = Shared(value, self)
            elif isinstance(value, (EvaluatorSpec, SearchSpec)) and dataclasses.is_dataclass(value):
                changes[field.name] = self.sharing(value)
        return dataclasses.replace(spec, **changes) if changes else spec

    def get(self, spec: EvaluatorSpec, game: Game) -> _engine.Evaluator:
        """Return an evaluator, read from its run at the first use and when the run has changed."""
        known = spec, id(game.core), _changed(Path(_run_of(spec)))
        with self._lock:  # two people who want the same network read it once
            found = self._kept.pop(known, None)
            if found is None:
                found = spec.build(game), game
            self._kept[known] = found
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return found[0]


def _changed(folder: Path) -> tuple[float, ...]:
    times = []
    for name in ("agent.toml", "weights.npz"):
        try:
            times.append((folder / name).stat().st_mtime_ns)
        except OSError:
            times.append(0)
    return tuple(times)


@dataclass(frozen=True)
class Shared(EvaluatorSpec):
    """An evaluator that is read once."""

    spec: EvaluatorSpec
    learned: Learned

    name = "shared"

    def build(self, game: Game) -> _engine.Evaluator:
        """Return the engine's evaluator for this game."""
        return self.learned.get(self.spec, game)


def _run_of(spec: EvaluatorSpec) -> str:
    run: object = getattr(spec, "run", "")
    return run if isinstance(run, str) else ""
