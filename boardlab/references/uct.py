"""Tree search without learning, the baseline of published comparisons."""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.evaluators.simple import Rollout
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.search.mcts import Mcts
from boardlab.search.spec import SearchSpec


@dataclass(frozen=True)
class Uct(SearchSpec):
    """Plain MCTS as in Church (2019): UCB1, random rollouts, final move by win ratio."""

    iterations: int = option(200, "iterations per decision", low=1, high=4 * 10**9)
    # Church backs up 1, 0 and -1 with C = 1, which is 0.5 for values from 0 to 1.
    c: float = option(0.5, "exploration of UCB1, values scaled to [0, 1]", low=0, high=1e6)

    name = "uct"
    counts_simulations = True

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Make the engine's search for this game."""
        spec = Mcts(
            Rollout(),
            iterations=self.iterations,
            select="uct",
            c=self.c,
            choose="value",
            solver=False,
            reuse=False,
        )
        return spec.build(game, seed)
