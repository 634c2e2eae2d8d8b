"""Beam search for puzzles."""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.simple import Score
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.search.spec import SearchSpec


@dataclass(frozen=True)
class Beam(SearchSpec):
    """Beam search for puzzles: plans a path to the end once, then follows it.

    For one-player games without chance (rubiks, morpion). Each layer holds the `width` best successors of the
    layer before, as judged by the evaluator; no position occurs twice. The search stops at the first end of
    the game that no later one can beat; if there is none, the plan leads to the best position of the last
    layer.
    """

    evaluator: EvaluatorSpec = option(Score(), "judges the positions of a layer")
    width: int = option(1000, "positions per layer", low=1, high=1 << 26)
    depth: int | None = option(None, "number of layers; by default the game's horizon", low=1, high=10**6)
    threads: int = option(1, "number of threads; the result does not depend on it", low=1, high=1024)

    name = "beam"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return _engine.beam_search(
            self.evaluator.build(game),
            width=self.width,
            depth=self.depth or 0,
            threads=self.threads,
            seed=seed,
        )
