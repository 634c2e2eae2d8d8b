"""Gumbel root selection (Danihelka et al. 2022) over the reference tree."""

import math
from typing import Any

from oracles.judges import Judge
from oracles.tree import Node, Tree

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
    """Below the root it is PUCT, or with `interior` the improved policy that the visits follow."""

    def __init__(
        self, state: State, judge: Judge, *, simulations: int, considered: int, c_visit: float, c_scale: float,
        interior: bool = False, **more: Any,
    ) -> None:  # fmt: skip
        super().__init__(state, judge, puct=True, **more)
        self.interior = interior
        self.c_visit, self.c_scale = c_visit, c_scale
        count = len(self.root.children)
        self.schedule = halving(min(considered, count), simulations)
        self.gumbels = [
            -math.log(-math.log(((self.rng.next() >> 12) + 0.5) * 2.0**-52)) for _ in range(count)
        ]

    def unit(self, value: float, player: int) -> float:
        width = self.high[player] - self.low[player]
        return (value - self.low[player]) / width if 0 < width < math.inf else 0.5

    def completed(self, node: Node) -> list[float]:
        """logit + sigma(completed Q), with the mixed value for what was not visited."""
        player = node.state.player
        seen = [c for c in node.children if c.visits]
        visits = sum(c.visits for c in node.children)
        mixed = self.unit(self.judge(node.state)[player], player)
        if seen:
            mean = sum(c.prior * self.unit(c.mean, player) for c in seen) / sum(c.prior for c in seen)
            mixed = (mixed + visits * mean) / (1 + visits)
        scale = (self.c_visit + max(c.visits for c in node.children)) * self.c_scale
        return [
            math.log(c.prior) + scale * (self.unit(c.mean, player) if c.visits else mixed)
            for c in node.children
        ]

    def improved(self, node: Node) -> list[float]:
        """softmax(logit + sigma(completed Q))."""
        scores = self.completed(node)
        weights = [math.exp(s - max(scores)) for s in scores]
        return [w / sum(weights) for w in weights]

    def best(self, visits: int) -> Node:
        scores = self.completed(self.root)
        ranked = [
            (gumbel + score, -i)
            for i, (gumbel, score, child) in enumerate(
                zip(self.gumbels, scores, self.root.children, strict=True)
            )
            if child.visits == visits
        ]
        return self.root.children[-max(ranked)[1]]

    def select(self, node: Node) -> Node:
        if node is self.root:
            return self.best(self.schedule[self.iterations])
        if not self.interior:
            return super().select(node)
        visits = 1 + sum(c.visits for c in node.children)
        gaps = [p - c.visits / visits for p, c in zip(self.improved(node), node.children, strict=True)]
        return node.children[gaps.index(max(gaps))]

    @property
    def choice(self) -> int:
        return self.best(max(c.visits for c in self.root.children)).action

    @property
    def improved_policy(self) -> dict[int, float]:
        pairs = zip(self.root.children, self.improved(self.root), strict=True)
        return {child.action: p for child, p in pairs}
