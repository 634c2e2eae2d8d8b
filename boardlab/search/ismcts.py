"""Monte Carlo tree search for games with hidden cards."""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.regret import bucket_bounds
from boardlab.evaluators.simple import Rollout
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.search.spec import SearchSpec

HANDS = 2000
"""Random hands of every stage from which the bounds of the buckets come."""


@dataclass(frozen=True)
class Ismcts(SearchSpec):
    """Information-set MCTS (MO-ISMCTS) for games with hidden cards.

    Every player in the tree decides by what it can see, and hidden cards are drawn by what was bet.
    """

    evaluator: EvaluatorSpec = option(Rollout(), "judges the leaves")
    iterations: int = option(1000, "descents per decision", low=1, high=4 * 10**9)
    c: float = option(0.5, "exploration constant of UCB1, for values scaled to [0, 1]", low=0, high=1e6)
    start: str | None = option(
        None,
        "start descents from the deal, or from the position with its hidden cards sampled; by default from "
        "the deal if at least 1% of its descents reach the position",
        choices=("deal", "position"),
    )
    choose: str | None = option(
        None,
        "sample in proportion to visits, or play the most visited action or the one with the best value; by "
        "default sample when descents start from the deal, else play the most visited action",
        choices=("sample", "visits", "value"),
    )
    weigh: bool = option(
        True,
        "from the position: half of the iterations learn how everybody plays in this round, the rest draw "
        "hidden cards by what the others did; where the game tells its play (kuhnpoker, leducpoker, poker)",
    )
    buckets: tuple[int, ...] | None = option(
        None,
        "play hands alike that fall into the same of so many groups by each hand feature, as cfr; by "
        "default every hand by itself",
        low=1,
        high=4096,
    )
    max_nodes: int = option(1 << 22, "maximum number of information sets in memory", low=1024, high=1 << 31)

    name = "ismcts"
    counts_simulations = True

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return _engine.ismcts_search(
            self.evaluator.build(game),
            iterations=self.iterations,
            c=self.c,
            start=self.start or "either",
            choose=self.choose or "either",
            max_nodes=self.max_nodes,
            weigh=self.weigh,
            buckets=list(self.buckets or ()),
            bounds=bucket_bounds(game, list(self.buckets or ()), HANDS, 0),
            seed=seed,
        )
