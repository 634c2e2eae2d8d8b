"""2048 with hand-made heuristics: empty cells, merges, tiles in order."""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.games.game import Game
from boardlab.games.twenty48 import Twenty48
from boardlab.options import option
from boardlab.search.spec import SearchSpec


@dataclass(frozen=True)
class TilesEvaluator(EvaluatorSpec):
    """2048's heuristics (empty cells, merges, tiles in order).

    Does not predict the score.
    """

    name = "tiles"

    def build(self, game: Game) -> _engine.Evaluator:
        """Make the engine's evaluator for this game."""
        if not isinstance(game.rules, Twenty48):
            raise BoardLabError(f"tiles plays 2048, not {game!r}")
        return _engine.tiles_evaluator(game.core)


@dataclass(frozen=True)
class Tiles(SearchSpec):
    """2048 with hand-made heuristics: the same as expectimax(tiles, depth=...)."""

    depth: int = option(2, "search depth in actions", low=1, high=8)

    name = "tiles"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Make the engine's search for this game."""
        return _engine.maxn_search(TilesEvaluator().build(game), self.depth, 16, seed)
