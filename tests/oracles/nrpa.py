"""NRPA as Rosin's paper lists it: weights in a dictionary, the policy copied at every call, exp at every turn."""

import math

import boardlab as bl

from .tree import SplitMix


class Nrpa:
    """Draws the same random numbers as the engine, so that the sequences must be equal."""

    def __init__(self, start: bl.State, iterations: int, alpha: float, by_ply: bool, seed: int) -> None:
        self.start, self.iterations, self.alpha, self.by_ply = start, iterations, alpha, by_ply
        self.rng = SplitMix(seed)
        self.overall: tuple[float, list[int]] = (-math.inf, [])

    def code(self, action: int, ply: int) -> tuple[int, int]:
        return (action, ply if self.by_ply else 0)

    def search(self, level: int, policy: dict | None = None) -> tuple[float, list[int]]:
        policy = dict(policy or {})
        if level == 0:
            return self.playout(policy)
        best, sequence = -math.inf, []
        for _ in range(self.iterations):
            result, found = self.search(level - 1, policy)
            if result >= best:
                best, sequence = result, found
            policy = self.adapt(policy, sequence)
        return best, sequence

    def playout(self, policy: dict) -> tuple[float, list[int]]:
        state, sequence = self.start.copy(), []
        while not state.is_terminal:
            legal = state.legal_actions()
            weights = [math.exp(policy.get(self.code(a, len(sequence)), 0.0)) for a in legal]
            x = (self.rng.next() >> 11) * 2.0**-53 * sum(weights)
            pick, passed = 0, weights[0]
            while pick + 1 < len(legal) and passed <= x:
                pick += 1
                passed += weights[pick]
            sequence.append(legal[pick])
            state.apply(legal[pick])
        score = float(state.scores[0]) + state.game.core.step_reward * len(sequence)
        if score > self.overall[0]:
            self.overall = (score, sequence)
        return score, sequence

    def adapt(self, policy: dict, sequence: list[int]) -> dict:
        adapted, state = dict(policy), self.start.copy()
        for ply, action in enumerate(sequence):
            codes = [self.code(a, ply) for a in state.legal_actions()]
            z = sum(math.exp(policy.get(c, 0.0)) for c in codes)
            chosen = self.code(action, ply)
            adapted[chosen] = adapted.get(chosen, 0.0) + self.alpha
            for c in codes:
                adapted[c] = adapted.get(c, 0.0) - self.alpha * math.exp(policy.get(c, 0.0)) / z
            state.apply(action)
        return adapted
