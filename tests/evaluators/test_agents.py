"""Agents where a search asks an evaluator, beside slow and obvious versions."""

import gc

import numpy as np
import pytest
from oracles.positions import random_position

import boardlab as bl
from boardlab import _engine
from boardlab.search import format_spec, parse

TICTACTOE = bl.game("tictactoe")


def positions(game, count=15, actions=7):
    return [random_position(game, seed, actions) for seed in range(count)]


def greedy_value(state, player):
    """What greedy(score) gets at once, for a player."""
    if state.is_terminal:
        return state.scores[player]
    best = max(child.scores[state.player] for _, child in state.children())
    return best if state.player == player else -best


def test_maxn_over_greedy_by_hand():
    agent = bl.agent("maxn(greedy(score), depth=2)", TICTACTOE)
    for state in positions(TICTACTOE):
        player = state.player
        by_hand = {
            action: min(
                [greedy_value(reply, player) for _, reply in child.children()] or [child.scores[player]]
            )
            for action, child in state.children()
        }
        assert agent.act(state).values == pytest.approx(by_hand)


def test_a_decision_gives_all_three_answers():
    evaluator = bl.evaluator("alphabeta(score, depth=9)", TICTACTOE)
    agent = bl.agent("alphabeta(score, depth=9)", TICTACTOE)
    for state in positions(TICTACTOE, 5):
        decision = agent.act(state)
        assert evaluator.value(state).tolist() == decision.scores.tolist()
        exact = {
            action: agent.act(child).scores[state.player]
            for action, child in state.children()
            if child.player >= 0
        }
        found = evaluator.action_values(state)
        assert {action: found[action] for action in exact} == exact
        assert sum(evaluator.priors(state).values()) == pytest.approx(1)


def test_the_scores_of_other_players_are_those_after_the_agents_action():
    game = bl.game("sim", players=3)
    evaluator = bl.evaluator("greedy(score)", game)
    for state in positions(game, 20, 12):
        children = [child.scores for _, child in state.children()]
        best = max(scores[state.player] for scores in children)
        allowed = [scores.tolist() for scores in children if scores[state.player] == best]
        assert evaluator.value(state).tolist() in allowed


def test_an_agent_without_scores_plays_to_the_end():
    evaluator, state = bl.evaluator("random", TICTACTOE), TICTACTOE.initial_state()
    found = [evaluator.value(state, seed)[0] for seed in range(600)]
    assert set(found) == {-1, 0, 1}
    assert np.mean(found) == pytest.approx(0.585 - 0.288, abs=0.12)  # wins and losses of random play
    assert found[:50] == [evaluator.value(state, seed)[0] for seed in range(50)]
    assert evaluator.priors(state) == pytest.approx(dict.fromkeys(range(9), 1 / 9))


def test_a_perfect_player_gives_exact_values():
    game = bl.game("nim", heaps=(2, 3, 2))
    exact, evaluator = bl.agent("solved", game), bl.evaluator("bouton", game)
    for state in positions(game, 12, 4):
        assert evaluator.value(state).tolist() == exact.act(state).scores.tolist()


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("mcts(random, iterations=30)", "tictactoe"),
        ("mcts(mcts(rollout, iterations=10), iterations=30, threads=2)", "connectfour"),
        ("mcts(alphabeta(score, depth=2), iterations=20, batch=4)", "othello"),
        ("expectimax(mcts(rollout, iterations=10), depth=1)", "2048"),
        ("ismcts(greedy(rollout), iterations=20)", "kuhnpoker"),
        ("ismcts(random, iterations=20)", "poker"),
        ("maxn(mcts(rollout, iterations=5), depth=1)", "sim"),
        ("greedy(mix(random, rollout))", "ewn"),
        ("mcts(perfect, iterations=10)", "tictactoe"),
        ("beam(greedy(rollout), width=4)", "morpion"),
    ],
)
def test_every_search_takes_an_agent_and_repeats_itself(expression, name):
    game = bl.game(name)
    state = random_position(game, 2, 3)
    decisions = [bl.agent(expression, game, seed=4).act(state) for _ in range(2)]
    assert decisions[0].action in state.legal_actions()
    if "threads" not in expression:
        assert decisions[0] == decisions[1]
    assert format_spec(parse(expression)) == bl.agent(expression, game).expression


def test_an_agent_in_python_is_asked_about_what_its_player_sees():
    asked = []

    class Watching:
        def __init__(self, game, seed, share=1.0):
            self.seed = seed

        def act(self, state):
            asked.append(state)
            return state.legal_actions()[0]

    bl.register_agent("watching", Watching)
    game = bl.game("kuhnpoker")
    agent = bl.agent("ismcts(watching(share=2), iterations=20)", game)
    assert agent.expression == "ismcts(watching(share=2.0), iterations=20)"
    agent.act(random_position(game, 1, 0))
    assert asked
    for state in asked:
        assert not state.is_terminal and state.player >= 0
        assert state.fields == state.seen_by(state.player).fields


def test_the_errors_of_an_agent_reach_the_user():
    class Broken:
        def __init__(self, game, seed, action=-1):
            self.action = action

        def act(self, state):
            if self.action < 0:
                raise KeyError("no idea")
            return self.action

    bl.register_agent("broken", Broken)
    state = TICTACTOE.initial_state()
    with pytest.raises(KeyError, match="no idea"):
        bl.agent("mcts(broken, iterations=5)", TICTACTOE).act(state)
    with pytest.raises(ValueError, match="chose action 17, which is not legal there"):
        bl.agent("mcts(broken(action=17), iterations=5)", TICTACTOE).act(state)
    with pytest.raises(bl.BoardLabError, match="a person cannot judge the positions of a search"):
        bl.agent("mcts(human)", TICTACTOE)
    with pytest.raises(ValueError, match="must know how a position came about"):
        _engine.agent_evaluator(_engine.python_search(TICTACTOE.core, lambda state: 0, None, True))


def test_the_garbage_collector_may_look_at_nested_agents():
    """Python parts are counted once, however the agents that hold them are nested."""
    bl.register_evaluator("even", priors=False)(lambda game: lambda planes, legal: np.zeros(len(planes)))
    bl.register_agent("first", lambda game, seed: bl.agent("greedy(even)", game, seed))
    for inner in ("greedy(even)", "mcts(even, iterations=3)", "first", "greedy(first)"):
        evaluator = bl.evaluator(inner, TICTACTOE)
        agent = bl.agent(f"mcts({inner}, iterations=5, threads=2)", TICTACTOE)
        gc.collect()
        assert agent.act(TICTACTOE.initial_state()).action in range(9)
        assert np.isfinite(evaluator.value(TICTACTOE.initial_state())).all()
