"""Gumbel root selection (Danihelka et al. 2022) over the reference tree."""

import math
from typing import Any

from reference.judges import Judge
from reference.tree import Node, Tree

from boardlab import State


def halving(considered: int, simulations: int) -> list[int]:
    """Visits that the next child must have: phases of equal shares, each with the better half of the last."""
    schedule: list[int] = []
    phases = max(1, math.ceil(math.log2(considered)))
    visits, left = 0, considered
    while len(schedule) < simulations:
        for _ in range(max(1, simulations // (phases * left))):
            schedule += [visits] * left
            visits += 1
        left = max(min(2, considered), left // 2)
    return schedule[:simulations]


class GumbelTree(Tree):
    """Below the root it is PUCT."""

    def __init__(
        self, state: State, judge: Judge, *, simulations: int, considered: int, c_visit: float, c_scale: float,
        **more: Any,
    ) -> None:  # fmt: skip
        super().__init__(state, judge, puct=True, **more)
        self.c_visit, self.c_scale = c_visit, c_scale
        self.player = state.player
        self.raw_value = judge(state)[self.player]
        count = len(self.root.children)
        self.schedule = halving(min(considered, count), simulations)
        self.gumbels = [
            -math.log(-math.log(((self.rng.next() >> 12) + 0.5) * 2.0**-52)) for _ in range(count)
        ]

    def unit(self, value: float) -> float:
        width = self.high[self.player] - self.low[self.player]
        return (value - self.low[self.player]) / width if 0 < width < math.inf else 0.5

    def completed(self) -> list[float]:
        """logit + sigma(completed Q), with the mixed value for what was not visited."""
        children = self.root.children
        seen = [c for c in children if c.visits]
        visits = sum(c.visits for c in children)
        mixed = self.unit(self.raw_value)
        if seen:
            mean = sum(c.prior * self.unit(c.mean) for c in seen) / sum(c.prior for c in seen)
            mixed = (mixed + visits * mean) / (1 + visits)
        scale = (self.c_visit + max(c.visits for c in children)) * self.c_scale
        return [math.log(c.prior) + scale * (self.unit(c.mean) if c.visits else mixed) for c in children]

    def best(self, visits: int) -> Node:
        scores = self.completed()
        ranked = [
            (gumbel + score, -i)
            for i, (gumbel, score, child) in enumerate(
                zip(self.gumbels, scores, self.root.children, strict=True)
            )
            if child.visits == visits
        ]
        return self.root.children[-max(ranked)[1]]

    def select(self, node: Node) -> Node:
        return self.best(self.schedule[self.iterations]) if node is self.root else super().select(node)

    @property
    def choice(self) -> int:
        return self.best(max(c.visits for c in self.root.children)).action

    @property
    def improved_policy(self) -> dict[int, float]:
        scores = self.completed()
        weights = [math.exp(s - max(scores)) for s in scores]
        pairs = zip(self.root.children, weights, strict=True)
        return {child.action: w / sum(weights) for child, w in pairs}
