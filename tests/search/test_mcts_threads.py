"""Several threads on one decision of MCTS: trees of their own, whose root visits are added up."""

import numpy as np
import pytest
from reference.positions import random_position
from reference.tree import derive_seed

import boardlab as bl
from boardlab.evaluators import EVALUATORS

GAMES = [
    bl.game("connectfour"),
    bl.game("othello", size=6),
    bl.game("2048", size=3),
    bl.game("sim", players=3),
]


def alone(game, state, seed, iterations, more):
    return bl.agent(f"mcts(iterations={iterations}, {more})", game, seed=seed).act(state)


@pytest.mark.parametrize("game", GAMES, ids=repr)
@pytest.mark.parametrize("more", ["solver=False", 'select="puct", solver=False, noise=0.5'])
def test_three_threads_are_three_searches_added_up(game, more):
    state = random_position(game, 3, 6)
    together = alone(game, state, 9, 1000, more + ", threads=3")
    seeds = [9, derive_seed(9, 1), derive_seed(9, 2)]
    parts = [alone(game, state, seed, n, more) for seed, n in zip(seeds, (333, 333, 334), strict=True)]
    visits = {a: sum(round(p.policy[a] * p.info["iterations"]) for p in parts) for a in state.legal_actions()}
    assert together.info["iterations"] == 1000 == sum(visits.values())
    assert together.policy == pytest.approx({a: n / 1000 for a, n in visits.items()})
    for action, value in together.values.items():
        sums = [p.values.get(action, 0) * round(p.policy[action] * p.info["iterations"]) for p in parts]
        assert value == pytest.approx(sum(sums) / visits[action])
    weights = [p.info["iterations"] / 1000 for p in parts]
    assert together.scores == pytest.approx(sum(w * p.scores for w, p in zip(weights, parts, strict=True)))


def test_the_same_seed_and_number_of_threads_play_the_same_game():
    game = bl.game("connectfour")
    agents = ["mcts(iterations=200, threads=2)", "mcts(iterations=100)"]
    one, two = (bl.match(game, agents, games=4, seed=3) for _ in range(2))
    assert one.records == two.records and one.errors == 0
    assert one.records == bl.match(game, agents, games=4, seed=3, threads=2).records


def test_a_decision_leaves_the_tree_as_it_was():
    """The next search of the same position only adds its own iterations to those that were kept."""
    game = bl.game("othello")
    agent = bl.agent("mcts(iterations=300, threads=3, solver=False)", game, seed=2)
    state = game.initial_state()
    agent.act(state)
    decision = agent.act(state)
    counts = [p * 600 for p in decision.policy.values()]
    assert counts == pytest.approx([round(n) for n in counts]) and sum(counts) == pytest.approx(600)


def test_what_one_tree_proves_is_proven():
    game = bl.game("tictactoe")
    state = game.initial_state()
    for action in (0, 3, 1, 4):
        state.apply(action)
    decision = bl.agent("mcts(iterations=20000, threads=3)", game, seed=1).act(state)
    assert decision.action == 2 and decision.info["proven"] == 1 and decision.scores.tolist() == [1, -1]
    assert decision.policy[2] == 1


def test_an_exception_in_any_thread_comes_out():
    calls = []

    def judge(planes, legal):
        calls.append(len(planes))
        if len(calls) > 20:
            raise KeyError("enough")
        return np.zeros(len(planes)), np.zeros(legal.shape)

    bl.register_evaluator("failing")(lambda game: judge)
    try:
        agent = bl.agent("mcts(failing, iterations=1000, threads=4)", bl.game("connectfour"), seed=1)
        with pytest.raises(KeyError, match="enough"):
            agent.act(bl.game("connectfour").initial_state())
        calls[:] = []
        with pytest.raises(KeyError, match="enough"):  # nothing was left behind
            agent.act(bl.game("connectfour").initial_state())
    finally:
        EVALUATORS.pop("failing")


def test_what_is_refused():
    game = bl.game("connectfour")
    with pytest.raises(bl.BoardLabError, match="threads must be a whole number from 1 to 1024"):
        bl.agent("mcts(threads=0)", game)
    with pytest.raises(bl.BoardLabError, match="each of its threads needs at least one iteration"):
        bl.agent("mcts(iterations=3, threads=4)", game)
    with pytest.raises(bl.BoardLabError, match=r"gumbel and the policy .* are for one thread"):
        bl.agent('mcts(threads=2, gumbel=4, select="puct")', game)
