"""The expected line of play: what a search rests its value on. For a tree, see test_tree.py."""

import hashlib

import numpy as np
import pytest
from oracles.positions import random_position

import boardlab as bl
from boardlab.evaluators import EVALUATORS


@pytest.fixture
def noise():
    """An evaluator whose every position has a value of its own, so that a wrong line ends elsewhere."""

    def judge(states, legal):
        marks = (hashlib.sha256(str(state.fields).encode()).digest() for state in states)
        return np.array([int.from_bytes(mark[:4], "big") / 2**32 - 0.5 for mark in marks])

    bl.register_evaluator("noise", inputs="states", priors=False)(lambda game: judge)
    yield bl.evaluator("noise", bl.game("connectfour", rows=4, cols=4))
    del EVALUATORS["noise"]


def played(state: bl.State, line: tuple[int, ...]) -> bl.State:
    end = state.copy()
    for action in line:
        end.apply(action)
    return end


@pytest.mark.parametrize("search", ["alphabeta(noise, depth={})", "maxn(noise, depth={})"])
@pytest.mark.parametrize("depth", [1, 2, 5])
def test_the_value_is_that_of_the_end_of_the_line(noise, search, depth):
    for seed in range(8):
        state = random_position(noise.game, seed, 6)
        decision = bl.agent(search.format(depth), noise.game, seed).act(state)
        end = played(state, decision.line)
        assert decision.line[0] == decision.action
        assert end.is_terminal or len(decision.line) == depth
        assert noise.value(end).tolist() == decision.scores.tolist()


@pytest.mark.parametrize(
    "agent",
    [
        "alphabeta(depth=16)",
        "alphabeta(depth=16, exact=True)",
        "alphabeta(solve_below=16)",
        "alphabeta(wld_below=16)",
        "mcts(iterations=100_000)",
    ],
)
@pytest.mark.parametrize(
    "game", [bl.game("tictactoe"), bl.game("connectfour", rows=4, cols=4, connect=3)], ids=repr
)
def test_a_line_of_what_is_proven_keeps_its_value_to_the_end(agent, game):
    found, ended = set(), 0
    for seed in range(20):
        state = random_position(game, seed, 5 if "mcts" in agent else 8)
        decision = bl.agent(agent, game, seed).act(state)
        if not decision.info.get("proven") and "wins" not in decision.info:
            ended += 1
            continue
        end = played(state, decision.line)
        ended += end.is_terminal  # mostly: the table may have lost a position of the line
        scores = end.scores if end.is_terminal else bl.agent("alphabeta(depth=16)", game).act(end).scores
        value = decision.info.get("wins", decision.scores[state.player])
        assert scores[state.player] == value
        found.add(value)
    assert ended >= 17 and (len(found) > 1 or "wld" in agent)


@pytest.mark.parametrize("agent", ["mcts(iterations=300)", "expectimax(depth=2)", "nrpa(level=1)"])
@pytest.mark.parametrize("name", ["2048", "ewn", "rubiks", "kuhnpoker", "blackjack", "nim"])
def test_a_line_can_be_played(agent, name):
    game = bl.game(name)
    state = random_position(game, 1, 2)
    try:
        player = bl.agent(agent, game, 1)
    except bl.BoardLabError:
        pytest.skip("not for this game")
    decision = player.act(state)
    assert decision.line[0] == decision.action
    assert not played(state, decision.line[:-1]).is_terminal  # nor refused on the way
    if agent.startswith("mcts"):  # what follows is another thing for every hidden card
        assert (len(decision.line) > 1) != game.is_hidden


@pytest.mark.parametrize(
    "agent", ["random", "greedy", "policy(rollout)", "mc(iterations=9)", "rhea(iterations=9)"]
)
def test_who_does_not_look_ahead_expects_its_own_action(agent):
    game = bl.game("tictactoe")
    decision = bl.agent(agent, game).act(game.initial_state())
    assert decision.line == (decision.action,)


def test_equal_decisions_are_equal():
    game = bl.game("tictactoe")
    for name in ("mcts(iterations=50)", "random"):  # whose scores are NaN
        one, two = (bl.agent(name, game, seed=3).act(game.initial_state()) for _ in range(2))
        assert one == two and one != bl.Decision(one.action) and one != 7
    assert bl.Decision(1) == bl.Decision(1) != bl.Decision(2)
    assert bl.Decision(1, scores=np.zeros(2)) != bl.Decision(1, scores=np.ones(2))
