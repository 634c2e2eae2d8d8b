"""Tabular Q-learning on a dictionary, after algorithm 9 of Wang (2021)."""

from collections.abc import Sequence

import boardlab as bl


class SlowQ:
    """Learns from recorded matches. Goals are scores scaled from 0, the worst, to 1, the best.

    Every action pays `step`, on the same scale.
    """

    def __init__(self, low: float, high: float, alpha: float, gamma: float, step: float = 0.0) -> None:
        self.low, self.high, self.alpha, self.gamma, self.step = low, high, alpha, gamma, step
        self.q: dict[tuple[str, int], float] = {}

    def learn(
        self, start: bl.State, steps: Sequence[tuple[int, bool, bool]], players: Sequence[int]
    ) -> list[tuple[bl.State, int, bool]]:
        """Learns one match; returns the decisions of the players who learn, before anything was learned."""
        state = start.copy()
        record: list[tuple[bl.State, int, bool]] = []
        for action, is_chance, is_random in steps:
            if not is_chance and state.player in players:
                record.append((state.copy(), action, is_random))
            state.apply(action)
        for player in players:
            after: bl.State | None = (
                state if state.player == player else None
            )  # where the player decides next
            for before, action, _ in reversed([entry for entry in record if entry[0].player == player]):
                if after is None and not state.is_terminal:  # cut: nobody knows what the action brought
                    after = before
                    continue
                if after is None:
                    target = (float(state.scores[player]) - self.low) / (self.high - self.low)
                else:
                    target = self.gamma * max(self.value(after, a) for a in after.legal_actions())
                target += self.step
                old = self.value(before, action)
                self.q[before.to_text(), action] = (1 - self.alpha) * old + self.alpha * target
                after = before
        return record

    def value(self, state: bl.State, action: int) -> float:
        return self.q.get((state.to_text(), action), 0.0)

    def knows(self, state: bl.State) -> bool:
        return any((state.to_text(), action) in self.q for action in state.legal_actions())
