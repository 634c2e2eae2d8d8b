"""Approximate value iteration on an n-tuple network, slow and obvious, on the reference network of TD."""

from boardlab.games.game import State
from tests.oracles.td import ReferenceTd


class ReferenceDavi(ReferenceTd):
    def replay(self, start: State, steps) -> None:
        """Every position that is left moves towards the best of its actions, whichever was then followed."""
        share = min(1.0, self.done / self.total)
        final = self.td.alpha if self.td.alpha_final is None else self.td.alpha_final
        self.alpha = self.td.alpha * (final / self.td.alpha) ** share
        state = start.copy()
        for action, is_chance, is_random in steps:
            assert not is_chance
            values = {a: self.worth(state, a, 0) for a in state.legal_actions()}
            best = max(values.values())
            if not is_random:
                assert values[action] >= best - 1e-4
            keys = self.keys(state, 0)
            value = self.value(keys)
            gradient = 1 - value * value if self.td.sigma == "tanh" else 1.0
            step, (low, high) = self.game.core.step_reward, self.game.score_range
            best = min(max(best, low + step * self.game.core.horizon), high + step)
            self.update(set(keys), best - self.paid(state, 0) - value, gradient)
            state.apply(action)
        self.finish()
