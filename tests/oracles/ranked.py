"""PUCT in a one-player game without chance whose ends are ranked: won above the threshold, lost below it."""

import math

from oracles.tree import SplitMix
from oracles.warm_start import Net

from boardlab import State


class RankedTree:
    """A dictionary a node; the coin at the threshold is the engine's."""

    def __init__(self, state: State, net: Net, threshold: float, seed: int) -> None:
        self.net, self.threshold, self.rng = net, threshold, SplitMix(seed)
        self.ties = 0
        self.root = self.new(state)
        self.expand(self.root)

    def new(self, state: State) -> dict:
        return {"state": state, "p": None, "n": {}, "w": {}, "children": {}}

    def rank(self, score: float) -> float:
        if score > self.threshold:
            return 1.0
        if score < self.threshold:
            return -1.0
        self.ties += 1
        return 1.0 if self.rng.below(2) else -1.0

    def expand(self, node: dict) -> float:
        state = node["state"]
        actions = state.legal_actions()
        value, logits = self.net(state.planes(0)[None], None)
        odds = [math.exp(logits[0, a]) for a in actions]
        node["p"] = {a: o / sum(odds) for a, o in zip(actions, odds, strict=True)}
        node["n"], node["w"] = dict.fromkeys(actions, 0), dict.fromkeys(actions, 0.0)
        return float(value[0])

    def iterate(self) -> None:
        self.visit(self.root)

    def visit(self, node: dict) -> float:
        state = node["state"]
        if state.is_terminal:
            return self.rank(state.scores[0])
        if node["p"] is None:
            return self.expand(node)
        root = math.sqrt(sum(node["n"].values()) + 1e-8)

        def score(a: int) -> float:
            q = node["w"][a] / node["n"][a] if node["n"][a] else 0.0
            return q + root * node["p"][a] / (1 + node["n"][a])

        action = max(node["p"], key=score)
        if action not in node["children"]:
            child = state.copy()
            child.apply(action)
            node["children"][action] = self.new(child)
        value = self.visit(node["children"][action])
        node["n"][action] += 1
        node["w"][action] += value
        return value
