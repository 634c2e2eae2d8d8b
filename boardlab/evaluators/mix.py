"""The weighted mean of two evaluators."""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.simple import Rollout, Score
from boardlab.games.game import Game
from boardlab.options import option


@dataclass(frozen=True)
class Mix(EvaluatorSpec):
    """A mix of two evaluators: (1 - weight) first + weight second.

    Only values are mixed; priors are the first one's.
    """

    first: EvaluatorSpec = option(Score(), "gives the priors and a part of the value")
    second: EvaluatorSpec = option(Rollout(), "gives the other part of the value")
    weight: float = option(0.5, "the second one's part", low=0, high=1)

    name = "mix"

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        return _engine.mix_evaluator(self.first.build(game), self.second.build(game), self.weight)
