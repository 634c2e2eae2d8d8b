"""Weighted piece counters for Othello: GBG's HeurPlayer and BenchPlayer, and a ladder.

Both count the discs, each weighted by its square. The weights are the published ones that van der Ree and
Wiering (2013) played against: HEUR from Yoshioka, Ishii and Ito (1999), BENCH from the coevolution of Lucas
and Runarsson (2006). A finished game counts by its result.
"""

from dataclasses import dataclass
from typing import ClassVar

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.games.game import Game
from boardlab.games.othello import Othello
from boardlab.options import option
from boardlab.search.full_width import AlphaBeta
from boardlab.search.spec import SearchSpec

HEUR = (
    100, -25, 10, 5, 5, 10, -25, 100,
    -25, -25, 2, 2, 2, 2, -25, -25,
    10, 2, 5, 1, 1, 5, 2, 10,
    5, 2, 1, 2, 2, 1, 2, 5,
    5, 2, 1, 2, 2, 1, 2, 5,
    10, 2, 5, 1, 1, 5, 2, 10,
    -25, -25, 2, 2, 2, 2, -25, -25,
    100, -25, 10, 5, 5, 10, -25, 100,
)  # fmt: skip
BENCH = (
    80, -26, 24, -1, -5, 28, -18, 76,
    -23, -39, -18, -9, -6, -8, -39, -1,
    46, -16, 4, 1, -3, 6, -20, 52,
    -13, -5, 2, -1, 4, 3, -12, -2,
    -5, -6, 1, -2, -3, 0, -9, -5,
    48, -13, 12, 5, 0, 5, -24, 41,
    -27, -53, -11, -1, -11, -16, -58, -15,
    87, -25, 27, -1, 5, 36, -3, 100,
)  # fmt: skip


@dataclass(frozen=True)
class _Weights(EvaluatorSpec):
    weights: ClassVar[tuple[int, ...]]

    def build(self, game: Game) -> _engine.Evaluator:
        """Make the engine's evaluator for this game."""
        if game.rules != Othello():
            raise BoardLabError(f"{self.name} evaluates othello on 8x8, not {game!r}")
        return _engine.cell_weights_evaluator(game.core, [float(weight) for weight in self.weights])


@dataclass(frozen=True)
class HeurWeights(_Weights):
    """Othello's squares with hand-made weights (Yoshioka et al.)."""

    name = "heur"
    weights = HEUR


@dataclass(frozen=True)
class BenchWeights(_Weights):
    """Othello's squares with evolved weights (Lucas and Runarsson)."""

    name = "bench"
    weights = BENCH


@dataclass(frozen=True)
class Heur(SearchSpec):
    """Othello by weighted squares (GBG's HeurPlayer): the same as greedy(heur)."""

    name = "heur"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Make the engine's search for this game."""
        return _engine.greedy_search(HeurWeights().build(game), seed)


@dataclass(frozen=True)
class Bench(SearchSpec):
    """Othello by weighted squares (GBG's BenchPlayer): the same as greedy(bench)."""

    name = "bench"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Make the engine's search for this game."""
        return _engine.greedy_search(BenchWeights().build(game), seed)


LADDER_VERSION = 1
"""Increased when a level of the ladder plays differently: results against it name the version."""


@dataclass(frozen=True)
class Ladder(SearchSpec):
    """Othello in levels like Edax's: depth N, exact from 2N empty squares, over heur."""

    level: int = option(5, "depth of the search, and half the empty squares that are solved", low=1, high=10)

    name = "ladder"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Make the engine's search for this game."""
        if game.rules != Othello():
            raise BoardLabError(f"ladder plays othello on 8x8, not {game!r}")
        search = AlphaBeta(
            HeurWeights(), depth=self.level, solve_below=2 * self.level, solve_nodes=10**12, table_mb=16
        )
        return search.build(game, seed)
