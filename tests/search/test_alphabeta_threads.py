"""Several threads of alpha-beta: the values of one thread, and nothing left behind by errors."""

import numpy as np
import pytest
from oracles.positions import random_position

import boardlab as bl
from boardlab import BoardLabError
from boardlab.evaluators import EVALUATORS

CASES = [
    (bl.game("connectfour", rows=5, cols=5), "score", 6, 12),
    (bl.game("othello", size=6), 'score(outcome="discs")', 8, 7),
    (bl.game("othello"), "heur", 6, 6),
    (bl.game("hex", size=4), "score", 6, 10),
    (bl.game("nim", heaps=(5, 4, 3)), "score", 1, 9),
]


@pytest.mark.parametrize(("game", "judge", "actions", "depth"), CASES, ids=[repr(case[0]) for case in CASES])
@pytest.mark.parametrize("more", ["", ", exact=True", ", table_mb=1"])
def test_threads_find_the_values_and_the_action_of_one_thread(game, judge, actions, depth, more):
    depth -= 2 * ("exact" in more)
    one, three = (
        bl.agent(f"alphabeta({judge}, depth={depth}, threads={n}{more})", game, seed=5) for n in (1, 3)
    )
    for seed in range(4):
        state = random_position(game, seed, actions)
        expected, found = one.act(state), three.act(state)
        assert (found.action, found.values[found.action]) == (
            expected.action,
            expected.values[expected.action],
        )
        if "exact" in more:
            assert found.values == expected.values


def test_a_game_solved_by_threads_has_its_known_value():
    game = bl.game("connectfour", rows=4, cols=4)
    decision = bl.agent("alphabeta(depth=16, threads=3)", game).act(game.initial_state())
    assert decision.info["proven"] and list(decision.scores) == [0, 0]


@pytest.fixture
def judge_in_python():
    calls = []

    def judge(planes, legal):
        calls.append(len(planes))
        if len(calls) == 40:
            raise ValueError("no opinion")
        return np.zeros(len(planes)), np.zeros(legal.shape)

    bl.register_evaluator("tired")(lambda game: judge)
    yield calls
    EVALUATORS.pop("tired")


def test_an_evaluators_error_reaches_the_caller_and_the_next_decision_is_sound(judge_in_python):
    game = bl.game("tictactoe")
    agent = bl.agent("alphabeta(tired, depth=3, threads=3)", game)
    with pytest.raises(ValueError, match="no opinion"):
        for _ in range(40):
            agent.act(game.initial_state())
    decision = agent.act(game.initial_state())
    assert decision.values[decision.action] == 0


def test_threads_are_counted_from_one():
    with pytest.raises(BoardLabError, match="threads"):
        bl.agent("alphabeta(threads=0)", bl.game("tictactoe"))
