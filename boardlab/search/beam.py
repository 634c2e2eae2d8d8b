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
    """Beam search, for puzzles: plans a way to the end once and then follows it.

    For games of one player without chance (rubiks, morpion). Every layer holds the `width` positions that
    the evaluator judges best of all that the layer before leads to, each once and none that was there before.
    The first end that nothing later can beat is the plan; without one, the way to the best of the last layer.
    """

    evaluator: EvaluatorSpec = option(Score(), "judges the positions of a layer")
    width: int = option(1000, "positions a layer", low=1, high=1 << 26)
    depth: int | None = option(None, "layers; by default as many as the game's horizon", low=1, high=10**6)
    threads: int = option(1, "threads; they change nothing but the time", low=1, high=1024)

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
