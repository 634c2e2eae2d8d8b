"""What a search asks about a position: a value for every player, and priors."""

import math
from collections.abc import Callable

import numpy as np

from boardlab import State

Values = tuple[float, ...]
Judge = Callable[[State], Values]


def score_judge(outcome: str = "score") -> Judge:
    """What was paid so far."""
    return lambda state: tuple(state.outcome(outcome))


def solver_judge(state: State) -> Values:
    """The game's own exact solver."""
    exact = state.solve()
    assert exact is not None
    return tuple(exact)


def after(state: State, action: int) -> State:
    child = state.copy()
    child.apply(action)
    return child


def judged(state: State, judge: Judge, outcome: str) -> Values:
    """Any state: a finished one has its outcome."""
    return tuple(state.outcome(outcome)) if state.is_terminal else judge(state)


def action_values(state: State, judge: Judge, outcome: str = "score") -> dict[int, float]:
    """For the player to move: the value of the position that each action makes, and its step reward."""
    step = state.game.core.step_reward
    return {
        action: judged(after(state, action), judge, outcome)[state.player] + step
        for action in state.legal_actions()
    }


def minmax_priors(state: State, judge: Judge, outcome: str = "score") -> dict[int, float]:
    """Action values mapped to [0, 1] by the game's range, or by theirs where it is loose; equal ones are 1."""
    values = action_values(state, judge, outcome)
    low, high, loose = state.game.core.outcome_range(outcome)
    if loose:
        low, high = min(values.values()), max(values.values())
    mapped = {a: max(0.0, (v - low) / (high - low)) if high > low else 1.0 for a, v in values.items()}
    return {a: float(np.float32(v)) for a, v in mapped.items()}


def softmax_priors(state: State, judge: Judge, outcome: str = "score") -> dict[int, float]:
    """Softmax of the action values, scaled to [-1, 1] by the game's range, or by theirs where it is loose."""
    values = action_values(state, judge, outcome)
    low, high, loose = state.game.core.outcome_range(outcome)
    if loose:
        low, high = min(values.values()), max(values.values())
    scaled = {a: 2 * (v - low) / (high - low) - 1 if high > low else 0.0 for a, v in values.items()}
    top = max(scaled.values())
    weights = {a: math.exp(v - top) for a, v in scaled.items()}
    total = sum(weights.values())
    return {a: float(np.float32(w / total)) for a, w in weights.items()}
