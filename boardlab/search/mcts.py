"""Monte Carlo tree search."""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.simple import Rollout
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.search.spec import SearchSpec


@dataclass(frozen=True)
class Mcts(SearchSpec):
    """Monte Carlo tree search: UCB1 over rollouts, PUCT over evaluators that have priors."""

    evaluator: EvaluatorSpec = option(Rollout(), "judges the leaves")
    iterations: int | None = option(
        None, "descents a decision; 1000 if no time is given either", low=1, high=4 * 10**9
    )
    seconds: float | None = option(None, "time a decision", low=1e-3, high=1e6)
    select: str | None = option(
        None, "uct or puct; by default what fits the evaluator", choices=("uct", "puct")
    )
    c: float = option(1.4142135623730951, "exploration of UCB1, values scaled to [0, 1]", low=0, high=1e6)
    cpuct: float = option(1.0, "exploration of PUCT, values scaled to [-1, 1]", low=0, high=1e6)
    epsilon: float = option(1e-8, "under PUCT's root, so that priors decide the first visit", low=0, high=1)
    depth: int | None = option(None, "ask the evaluator at this depth at the latest", low=1, high=10**6)
    choose: str = option(
        "visits", "play the most visited action or the best value", choices=("visits", "value")
    )
    reuse: bool = option(True, "keep the part of the tree that was played")
    batch: int = option(1, "leaves evaluated together", low=1, high=65536)
    max_nodes: int = option(
        1 << 24,
        "when the tree has so many nodes (32 bytes each) it stops growing",
        low=1024,
        high=1 << 31,
    )

    name = "mcts"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        evaluator = self.evaluator.build(game)
        puct = evaluator.has_priors if self.select is None else self.select == "puct"
        unlimited = 0 if self.seconds is not None else 1000
        return _engine.mcts_search(
            evaluator,
            iterations=self.iterations if self.iterations is not None else unlimited,
            seconds=self.seconds or 0.0,
            puct=puct,
            c=self.cpuct if puct else self.c,
            epsilon=self.epsilon,
            depth=self.depth or 0,
            reuse=self.reuse,
            batch=self.batch,
            choose_by_value=self.choose == "value",
            max_nodes=self.max_nodes,
            seed=seed,
        )
