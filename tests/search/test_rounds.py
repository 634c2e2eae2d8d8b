"""Searches and rollouts stop at the end of a round."""

import pytest

import boardlab as bl


def kuhn_after(rounds, *actions):
    state = bl.game("kuhnpoker", rounds=rounds).initial_state()
    for action in (2, 0, *actions):  # king and jack
        state.apply(action)
    return state


def test_a_rollout_ends_with_the_round_unless_the_whole_game_is_wanted():
    state = kuhn_after(40, 1)  # player 1 folds (1) or calls (2): no more can be won in this round
    one_round = bl.evaluator("rollout", state.game)
    assert {one_round.value(state, seed)[0] for seed in range(50)} == {1, 2}
    whole = bl.evaluator("rollout(whole_game=True)", state.game)
    assert len({whole.value(state, seed)[0] for seed in range(50)}) > 5


def test_a_tree_does_not_grow_into_the_next_round():
    state = kuhn_after(5)
    decision = bl.agent("mcts(iterations=500)", state.game, seed=1).act(state)
    assert decision.info["depth"] <= 3  # the most actions of a round
    assert all(-2 <= value <= 2 for value in decision.values.values())


def test_expectimax_judges_a_round_as_if_it_were_the_last():
    values = []
    for rounds in (1, 3):
        game = bl.game("blackjack", rounds=rounds, split=False)
        state = game.initial_state()
        for card in (10, 6, 4):
            state.apply(card - 1)
        values.append(bl.agent("expectimax(depth=3)", game).act(state).values)
    assert values[0] == pytest.approx(values[1], abs=1e-6)
