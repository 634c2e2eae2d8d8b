"""MaxN, expectimax and minimax as they stand in a textbook: recursion, no table, no cuts."""

from oracles.judges import Judge, Values, after

import boardlab as bl
from boardlab import State


def expectimax_n(state: State, depth: int, judge: Judge, outcome: str = "score") -> Values:
    """The value vector: players maximise their own entry, nature averages and costs no depth."""
    if state.is_terminal:
        return tuple(state.outcome(outcome))
    if depth == 0:
        return judge(state)
    if state.player == bl.CHANCE:
        total = [0.0] * state.game.players
        for roll, probability in state.chance_outcomes():
            values = expectimax_n(after(state, roll), depth, judge, outcome)
            total = [t + probability * v for t, v in zip(total, values, strict=True)]
        return tuple(total)
    best: Values | None = None
    for action in state.legal_actions():
        values = action_vector(state, action, depth, judge, outcome)
        if best is None or values[state.player] > best[state.player]:
            best = values
    assert best is not None
    return best


def action_vector(state: State, action: int, depth: int, judge: Judge, outcome: str = "score") -> Values:
    """What an action is worth to every player when `depth` actions are looked at, this one included."""
    values = list(expectimax_n(after(state, action), depth - 1, judge, outcome))
    values[state.player] += state.game.core.step_reward
    return tuple(values)


def minimax(state: State, depth: int, judge: Judge, outcome: str = "score") -> float:
    """The value for player 0, who maximises; player 1 minimises."""
    if state.is_terminal:
        return float(state.outcome(outcome)[0])
    if depth == 0:
        return judge(state)[0]
    values = [minimax(after(state, a), depth - 1, judge, outcome) for a in state.legal_actions()]
    return max(values) if state.player == 0 else min(values)
