"""Several threads that grow one tree: nothing is lost, nothing is left behind, and what is proven is proven."""

import threading

import numpy as np
import pytest
from oracles.positions import random_position

import boardlab as bl
from boardlab.evaluators import EVALUATORS

GAMES = [
    bl.game("connectfour"),
    bl.game("othello", size=6),
    bl.game("2048", size=3),
    bl.game("sim", players=3),
    bl.game("rubiks", twists=6),
]


def shares(decision):
    """Visits by action."""
    n = decision.info["iterations"]
    return {action: p * n for action, p in decision.policy.items()}


@pytest.mark.parametrize("game", GAMES, ids=repr)
@pytest.mark.parametrize(
    "more", ["", 'select="puct", noise=0.5', "rave=True", "batch=5, leaf_visits=0", "max_nodes=1024"]
)
def test_every_iteration_is_counted_once_and_no_virtual_loss_stays(game, more):
    """The root's mean is that of its actions: a virtual loss or a visit too many would show."""
    state = random_position(game, 3, 6)
    agent = bl.agent(
        f"mcts(iterations=3000, threads=3, solver=False, reuse=False, {more})".replace(", )", ")"), game
    )
    for _ in range(3):
        decision = agent.act(state)
        visits = shares(decision)
        assert decision.info["iterations"] == 3000
        assert sum(visits.values()) == pytest.approx(3000)
        assert all(n == pytest.approx(round(n), abs=1e-6) for n in visits.values())
        mover = state.player
        mean = sum(visits[a] * value for a, value in decision.values.items() if visits[a]) / 3000
        assert decision.scores[mover] == pytest.approx(mean)


def test_where_every_leaf_is_worth_the_same_so_is_every_action():
    def level(planes, legal):
        return np.full(len(planes), 0.25), np.zeros(legal.shape)

    bl.register_evaluator("level")(lambda game: level)
    try:
        game = bl.game("hex", size=5)
        agent = bl.agent("mcts(level, iterations=2000, threads=4, solver=False, depth=1)", game)
        decision = agent.act(game.initial_state())
    finally:
        EVALUATORS.pop("level")
    assert len(decision.values) == 25 and decision.info["iterations"] == 2000
    assert set(decision.values.values()) == {-0.25}  # the opponent is to move


def test_nim_is_proven_as_exhaustion_knows_it():
    game = bl.game("nim")
    agent = bl.agent("mcts(iterations=100000, threads=4)", game, seed=3)
    exact = bl.agent("solved", game)
    for seed in range(6):
        state = random_position(game, seed, 5)
        decision = agent.act(state)
        assert decision.info["proven"] == 1
        assert decision.scores.tolist() == exact.act(state).scores.tolist()


def test_the_kept_tree_is_searched_on():
    game = bl.game("othello")
    state = game.initial_state()
    nodes = {}
    for reuse in (True, False):
        agent = bl.agent(f"mcts(iterations=300, threads=3, solver=False, reuse={reuse})", game, seed=2)
        first = agent.act(state).info["nodes"]
        nodes[reuse] = agent.act(state).info["nodes"] / first
    assert nodes[True] > 1.7 and nodes[False] < 1.3


def test_what_one_thread_proves_is_proven():
    game = bl.game("tictactoe")
    state = game.initial_state()
    for action in (0, 3, 1, 4):
        state.apply(action)
    decision = bl.agent("mcts(iterations=20000, threads=3)", game, seed=1).act(state)
    assert decision.action == 2 and decision.info["proven"] == 1 and decision.scores.tolist() == [1, -1]
    assert decision.policy[2] == 1


def test_fewer_iterations_than_threads_and_a_time_limit():
    game = bl.game("connectfour")
    state = game.initial_state()
    assert bl.agent("mcts(iterations=3, threads=8)", game).act(state).info["iterations"] == 3
    decision = bl.agent("mcts(seconds=0.02, threads=3, reuse=False)", game).act(state)
    counts = shares(decision).values()
    assert list(counts) == pytest.approx([round(n) for n in counts], abs=1e-6) and sum(counts) > 3


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
    with pytest.raises(bl.BoardLabError, match="gumbel is for one thread"):
        bl.agent('mcts(threads=2, gumbel=4, select="puct")', game)


def test_every_thread_has_random_numbers_of_its_own():
    """What each draws first: a leaf is judged when all threads have theirs."""
    meeting, drawn = threading.Barrier(3), {}

    @bl.register_game
    class Blind(bl.PythonGame):
        name = "blind"
        action_count = 9

        def initial_state(self, rng):
            return (0,)

        def player(self, position):
            return position[0] % 2 if position[0] < 6 else bl.TERMINAL

        def legal(self, position):
            return range(9)

        def apply(self, position, action):
            return (position[0] + 1,)

        def scores(self, position):
            return [0, 0]

        def conceal(self, position, player):
            return position

        def determinize(self, position, player, rng):
            drawn.setdefault(threading.get_ident(), rng.random())
            return position

    def judge(states, legal):
        meeting.wait(60)
        return np.zeros(len(states))

    bl.register_evaluator("late", inputs="states", priors=False)(lambda game: judge)
    game = bl.game("blind")
    state = game.initial_state()
    agent = bl.agent("mcts(late, iterations=3, threads=3)", game, seed=1)
    agent.act(state)
    assert len(drawn) == len(set(drawn.values())) == 3
