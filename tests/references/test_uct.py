"""The baseline of Church (2019): UCB1, random rollouts, the final move by the ratio of wins."""

import math

import pytest

import boardlab as bl

WRITTEN_OUT = 'mcts(rollout, iterations={}, select="uct", c={}, choose="value", solver=False, reuse=False)'


@pytest.mark.parametrize(("more", "c"), [("", 0.5), (", c=1.5", 1.5)])
@pytest.mark.parametrize("name", ["connectfour", "othello", "nim", "ewn"])
def test_it_is_the_expression_that_the_page_gives(name, more, c):
    game = bl.game(name)
    short, long = bl.agent(f"uct(iterations=60{more})", game, 3), bl.agent(WRITTEN_OUT.format(60, c), game, 3)
    state = game.initial_state(1)
    while not state.is_terminal:
        if state.player == bl.CHANCE:
            state.apply(state.sample_chance(5))
            continue
        one, other = short.act(state), long.act(state)
        assert (one.action, one.policy, one.values) == (other.action, other.policy, other.values)
        state.apply(one.action)


def test_its_final_move_has_the_best_ratio_of_wins_and_not_the_most_visits():
    game = bl.game("connectfour")
    differ = 0
    for seed in range(200):
        state = game.initial_state()
        for column in (3, 3, 2):
            state.apply(column)
        decision = bl.agent("uct(iterations=40)", game, seed).act(state)
        assert decision.values[decision.action] == max(decision.values.values())
        most = max(decision.policy.values())
        differ += decision.policy[decision.action] < most
    assert differ > 0


def test_the_second_round_of_visits_is_ucb1s():
    """Every action once, then the one with the largest w/v + c sqrt(ln n / v): worked from what it shows."""
    game = bl.game("tictactoe")
    nine = bl.agent("uct(iterations=9, c=0.7)", game, 4).act(game.initial_state())
    ten = bl.agent("uct(iterations=10, c=0.7)", game, 4).act(game.initial_state())
    assert list(nine.policy.values()) == pytest.approx([1 / 9] * 9)
    score = {a: (value + 1) / 2 + 0.7 * math.sqrt(math.log(9) / 1) for a, value in nine.values.items()}
    again = max(ten.policy, key=ten.policy.get)
    assert ten.policy[again] == pytest.approx(2 / 10)
    assert score[again] == max(score.values())
