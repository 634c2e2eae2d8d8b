"""Evaluators written in Python: what they are shown, what they may answer, and that searches treat them as any other."""

import gc
import re
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
from oracles.positions import random_position

import boardlab as bl
from boardlab.evaluators import EVALUATORS, python_evaluator

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def forget_registered():
    known = dict(EVALUATORS)
    yield
    EVALUATORS.clear()
    EVALUATORS.update(known)


def register(judge, name="test", **options):
    bl.register_evaluator(name, **options)(lambda game: judge)


def values_of(state: bl.State, outcome: str = "score") -> np.ndarray:
    """What the evaluator `score` says, the player to move first."""
    return np.roll(state.outcome(outcome), -state.player)


def score_judge(states, legal):
    return np.array([values_of(state) for state in states])


# Without chance: at chance nodes an evaluator in Python lets nature move on, the engine's `score` does not.
GAMES = [
    bl.game("tictactoe"),
    bl.game("connectfour", rows=4, cols=5),
    bl.game("othello", size=4),
    bl.game("nim", heaps=(2, 3, 2), max_take=2, players=3),
    bl.game("rubiks", twists=2),
]


@pytest.mark.parametrize("game", GAMES, ids=repr)
@pytest.mark.parametrize(
    "search",
    ["mcts(X, iterations=200)", "mcts(X, iterations=60, batch=7)", "greedy(X)", "mc(X, iterations=50)"],
)
def test_plays_as_the_same_evaluator_in_the_engine(game, search):
    register(score_judge, inputs="states", priors=False)
    state = random_position(game, 3, 5)
    ours, theirs = (bl.agent(search.replace("X", e), game, seed=3).act(state) for e in ("test", "score"))
    assert ours.policy == theirs.policy and ours.values == theirs.values and ours.action == theirs.action


def test_the_raw_opinion_and_alphabeta():
    game = bl.game("connectfour")
    state = game.initial_state()

    def judge(planes, legal):
        return (planes[:, 0] - planes[:, 1])[:, :, 2].sum(axis=1), np.arange(7) + np.zeros(legal.shape)

    register(judge)
    priors = bl.evaluator("test", game).priors(state)
    assert priors == pytest.approx({a: np.exp(a) / np.exp(np.arange(7)).sum() for a in range(7)})
    assert bl.agent("policy(test)", game).act(state).action == 6
    assert bl.agent("alphabeta(test, depth=1)", game).act(state).action == 2
    assert bl.evaluator("test", game).action_values(state) == {a: 1.0 * (a == 2) for a in range(7)}


@pytest.mark.parametrize("name", bl.games())
def test_every_game_shows_what_its_states_show(name):
    game = bl.game(name)
    state = random_position(game, 2, 3)
    shown = {}
    for inputs in ("planes", "cells", "features"):

        def judge(rows, legal, inputs=inputs):
            shown[inputs] = rows.copy(), legal.copy()
            return np.zeros((len(rows), game.players))

        try:
            core = python_evaluator(game, judge, inputs=inputs, priors=False)
        except bl.BoardLabError as error:
            assert "has no features" in str(error) and not game.core.feature_count
            continue
        core.value(state.core)
    player = state.player
    for inputs, view in (
        ("planes", state.planes),
        ("cells", state.board_vector),
        ("features", state.features),
    ):
        if inputs in shown:
            rows, legal = shown[inputs]
            assert rows.dtype == view(player).dtype and (rows[0] == view(player)).all() and len(rows) == 1
            assert (
                np.flatnonzero(legal[0]).tolist() == state.legal_actions()
                and legal.shape[1] == game.action_count
            )
    assert {"planes", "cells"} <= shown.keys()


def test_values_are_those_of_the_player_to_move_first():
    game = bl.game("nim", heaps=(3, 3, 3), players=3)
    core = python_evaluator(game, lambda p, legal: np.array([[1.0, 2.0, 3.0]]), priors=False)
    state = game.initial_state()
    assert core.value(state.core).tolist() == [1, 2, 3]
    state.apply(state.legal_actions()[0])
    assert core.value(state.core).tolist() == [3, 1, 2]


def test_a_batch_is_one_call():
    sizes = []

    def judge(planes, legal):
        sizes.append(len(planes))
        return np.zeros(len(planes)), np.zeros(legal.shape)

    register(judge)
    game = bl.game("gobang")
    bl.agent("mcts(test, iterations=64, batch=16, leaf_visits=0)", game).act(game.initial_state())
    assert sizes == [1, 16, 16, 16, 16]  # the root's priors first
    sizes.clear()
    bl.agent("greedy(test)", game).act(game.initial_state())
    assert sizes == [game.action_count]


def test_nature_moves_on_before_the_question():
    seen = []

    def judge(states, legal):
        seen.extend(state.player for state in states)
        return np.zeros(len(states))

    register(judge, inputs="states", priors=False)
    game = bl.game("2048", size=3)
    bl.agent("mcts(test, iterations=100)", game).act(random_position(game, 4, 1))
    assert set(seen) == {0}


WRONG = [
    (lambda n, a: (np.zeros(n), None), "logits must be an array of numbers, not NoneType"),
    (lambda n, a: np.zeros(n), r"it returns \(values, logits\), not ndarray of shape"),
    (lambda n, a: (np.zeros(n + 1), np.zeros((n, a))), r"values must have the shape \[1, 2\] or one number for each position, not \[2, 1\]"),
    (lambda n, a: (np.zeros((n, 3)), np.zeros((n, a))), r"values must have the shape \[1, 2\].*not \[1, 3\]"),
    (lambda n, a: (np.zeros((n, 1, 1)), np.zeros((n, a))), r"values must be \[n\] or \[n, players\], not \[1, 1, 1\]"),
    (lambda n, a: (np.zeros(n), np.zeros((n, a - 1))), r"logits must have the shape \[1, 9\], not \[1, 8\]"),
    (lambda n, a: (np.zeros(n), np.zeros(a)), r"logits must be \[n, actions\], not \[9\]"),
    (lambda n, a: (np.full(n, np.nan), np.zeros((n, a))), "value of position 0 of the batch is nan"),
    (lambda n, a: (np.zeros(n), np.full((n, a), np.inf)), "logit of action 0, which is legal in position 0 of the batch, is inf"),
    (lambda n, a: (["x"], np.zeros((n, a))), "values must be an array of numbers"),
    (lambda n, a: ([[1], [1, 2]], np.zeros((n, a))), "values are no array"),
    (lambda n, a: 1 / 0, "division by zero"),
]  # fmt: skip


@pytest.mark.parametrize("answer, message", WRONG, ids=[m for _, m in WRONG])
def test_a_wrong_answer_is_one_sentence(answer, message):
    register(lambda planes, legal: answer(*legal.shape))
    game = bl.game("tictactoe")
    expected = ZeroDivisionError if "division" in message else bl.BoardLabError
    for search in ("mcts(test, iterations=9)", "policy(test)"):
        agent = bl.agent(search, game)
        for _ in range(2):  # a failed search leaves nothing behind
            with pytest.raises(expected, match=message):
                agent.act(game.initial_state())
    with pytest.raises(expected, match=message):
        bl.evaluator("test", game).priors(game.initial_state())


def test_minus_infinity_is_allowed_where_nothing_is_legal():
    register(lambda planes, legal: (np.zeros(len(legal)), np.where(legal, 0, -np.inf)))
    game = bl.game("tictactoe")
    assert bl.agent("mcts(test, iterations=50)", game).act(random_position(game, 3, 1)).action >= 0


def test_three_players_need_a_value_each():
    register(lambda planes, legal: np.zeros(len(legal)), priors=False)
    game = bl.game("sim", players=3)
    with pytest.raises(bl.BoardLabError, match=r"must have the shape \[15, 3\], not \[15, 1\]"):
        bl.agent("greedy(test)", game).act(game.initial_state())


def test_an_evaluator_that_fails_loses_its_games():
    judge = lambda planes, legal: 1 / 0  # noqa: E731
    register(judge)
    result = bl.match(bl.game("tictactoe"), ["mcts(test, iterations=5)", "random"], games=4)
    assert result.errors == 4 and result.wins == (0, 4)
    place = f"{__file__}, line {judge.__code__.co_firstlineno}"
    said = f"mcts(test, iterations=5): {place}: ZeroDivisionError: division by zero"
    assert result.records[0].error == said


def test_keyword_arguments_are_parameters():
    asked = []

    @bl.register_evaluator("test", inputs="cells", priors=False)
    def own(game, weight=1.0, *, depth: "int | None" = None, cells=(1, 2), mode="fast", kept=asked):
        """Mine."""
        kept.append((weight, depth, cells, mode))
        return lambda cells, legal: weight * np.ones(len(cells))

    game = bl.game("tictactoe")
    state = game.initial_state()
    assert bl.evaluator("test", game).value(state).tolist() == [1, -1]
    judge = bl.evaluator("test(weight=2, depth=3, cells=(4, 5), mode='slow')", game)
    assert judge.expression == 'test(weight=2.0, depth=3, cells=(4, 5), mode="slow")'
    assert judge.value(state).tolist() == [2, -2]
    assert asked == [(1.0, None, (1, 2), "fast"), (2.0, 3, (4, 5), "slow")]
    assert bl.agent("mcts(mix(test(weight=0), rollout), iterations=2)", game).expression.startswith(
        "mcts(mix(test(weight=0.0), rollout)"
    )
    for expression, words in {
        "test(wieght=2)": 'unknown parameter of test "wieght"; did you mean "weight"?',
        "test(kept=2)": 'unknown parameter of test "kept"',
        "test(weight='a')": "test: weight must be a number, not 'a'",
        "test(depth=1.5)": "test: depth must be a whole number or None, not 1.5",
        "test(mode=1)": "test: mode must be text, not 1",
    }.items():
        with pytest.raises(bl.BoardLabError, match=re.escape(words)):
            bl.evaluator(expression, game)


def test_keyword_arguments_that_cannot_be_parameters():
    with pytest.raises(bl.BoardLabError, match="test: its argument weight needs a default, as in weight="):
        bl.register_evaluator("test")(lambda game, weight: None)
    with pytest.raises(bl.BoardLabError, match='test: an argument cannot be called "name"; choose another'):
        bl.register_evaluator("test")(lambda game, name="a": None)

    def wrong(game, weight: float = "a"):
        return None

    with pytest.raises(bl.BoardLabError, match="test: weight must be a number, not 'a'"):
        bl.register_evaluator("test")(wrong)
    with pytest.raises(bl.BoardLabError, match=r"test is made by a function of \(game\), not \(\)"):
        bl.register_evaluator("test")(lambda: None)
    bl.register_evaluator("test")(lambda *anything, **more: None)
    with pytest.raises(bl.BoardLabError, match='unknown parameter of test "weight"; there is none'):
        bl.agent("mcts(test(weight=1))", bl.game("tictactoe"))


def test_many_states_are_judged_as_one_batch():
    batches = []

    def judge(planes, legal):
        batches.append(len(planes))
        return planes[:, 0].sum(axis=(1, 2)) / 10, np.zeros(legal.shape)

    register(judge)
    game = bl.game("tictactoe")
    over = game.initial_state()
    for action in (0, 3, 1, 4, 2):
        over.apply(action)
    states = [random_position(game, seed, 5) for seed in range(6)] + [over]
    evaluator = bl.evaluator("test", game)
    values = evaluator.values(states)
    assert batches == [6]  # the rules decide the last one
    assert values.shape == (7, 2) and values[6].tolist() == [1, -1]
    assert (values == [evaluator.value(state) for state in states]).all()
    assert evaluator.values([]).shape == (0, 2)


@pytest.mark.parametrize("expression", ["rollout(rollouts=3)", "score", "mix(score, rollout, weight=0.5)"])
@pytest.mark.parametrize("game", [bl.game("2048"), bl.game("nim", players=3), bl.game("blackjack")], ids=repr)
def test_the_engine_judges_many_states_too(game, expression):
    states = [random_position(game, seed, 5) for seed in range(3)]
    evaluator = bl.evaluator(expression, game)
    values = evaluator.values(states, seed=4)
    assert values.shape == (3, game.players)
    assert values[0].tolist() == evaluator.value(states[0], seed=4).tolist()
    assert values.tolist() == evaluator.values(states, seed=4).tolist()


@pytest.mark.parametrize("states", [7, None, "state", [7], [None]])
def test_what_are_no_states_is_refused(states):
    evaluator = bl.evaluator("score", bl.game("tictactoe"))
    with pytest.raises(
        bl.BoardLabError, match=r"an evaluator judges a state, not|values needs a list of states"
    ):
        evaluator.values(states)
    with pytest.raises(bl.BoardLabError, match=r"values needs a list of states, not .*; value judges one"):
        evaluator.values(bl.game("tictactoe").initial_state())
    with pytest.raises(bl.BoardLabError, match="the state belongs to another game"):
        evaluator.values([bl.game("othello").initial_state()])


def test_matches_on_threads_are_the_same():
    register(lambda planes, legal: (planes[:, 0, 1, 1] - planes[:, 1, 1, 1], np.zeros(legal.shape)))
    played = [
        bl.match(
            bl.game("tictactoe"), ["mcts(test, iterations=30, batch=3)", "random"], games=12, threads=threads
        )
        for threads in (1, 3)
    ]
    assert played[0].records == played[1].records


def test_registering():
    game = bl.game("tictactoe")
    with pytest.raises(bl.BoardLabError, match="is an evaluator of BoardLab itself"):
        bl.register_evaluator("rollout")
    with pytest.raises(bl.BoardLabError, match="the name of an evaluator is a letter"):
        bl.register_evaluator("1 2")
    with pytest.raises(bl.BoardLabError, match='inputs must be one of "planes"'):
        bl.register_evaluator("test", inputs="pixels")
    with pytest.raises(bl.BoardLabError, match="decorates a function"):
        bl.register_evaluator("test")(3)
    bl.register_evaluator("test")(lambda game: None)
    with pytest.raises(bl.BoardLabError, match=r"a function judge\(inputs, legal\), not None"):
        bl.agent("mcts(test)", game)
    register(score_judge, inputs="states", priors=False)  # a later one takes the name over
    assert bl.agent("mcts(test, iterations=9)", game).expression == "mcts(test, iterations=9)"
    register(score_judge, outcome="discs")
    with pytest.raises(bl.BoardLabError, match='unknown outcome of tictactoe "discs"'):
        bl.agent("mcts(test)", game)


@pytest.mark.parametrize(
    "agent",
    [
        "mcts(test, iterations=5)",
        "mcts(test, iterations=5, threads=2)",
        "mcts(mix(test, rollout, weight=0.5), iterations=5)",
        "greedy(endgame(mix(rollout, test, weight=0.5), below=2))",
    ],
)
def test_a_net_that_holds_its_own_agent_is_collected(agent):
    class Net:
        def judge(self, planes, legal):
            return np.zeros(len(legal)), np.zeros(legal.shape)

    net = Net()
    game = bl.game("tictactoe")
    gone = weakref.ref(net)
    bl.register_evaluator("test")(lambda game: gone().judge)
    net.agent = bl.agent(agent, game)
    net.evaluator = bl.evaluator("mix(test, rollout, weight=0.5)", game)
    net.agent.rebuild = None
    net.agent.act(game.initial_state())
    del net
    gc.collect()
    assert gone() is None


def test_what_a_judge_keeps_stays_readable():
    kept = []

    def judge(planes, legal):
        kept.append((planes, legal))
        return np.zeros(len(legal)), np.zeros(legal.shape)

    game = bl.game("othello")
    core = python_evaluator(game, judge)
    core.value(game.initial_state().core)
    register(judge)
    bl.agent("mcts(test, iterations=100, batch=50)", game).act(game.initial_state())
    del core
    gc.collect()
    assert all(np.isfinite(planes).all() and legal.any() for planes, legal in kept)


def test_the_example_runs():
    command = [sys.executable, "-m", "boardlab", "--plugin", "examples/numpy_evaluator.py"]
    agents = subprocess.run([*command, "agents"], cwd=ROOT, capture_output=True, text=True)
    assert "Count the lines through each stone" in agents.stdout
    played = subprocess.run(
        [*command, "match", "connectfour", "mcts(lines, iterations=50, batch=8)", "random", "--games", "20"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert played.returncode == 0 and "mcts(lines, iterations=50, batch=8)  wins" in played.stdout
    refused = subprocess.run(
        [*command[:3], "--plugin", "no.py", "agents"], cwd=ROOT, capture_output=True, text=True
    )
    assert refused.returncode == 2
    assert refused.stderr == 'boardlab: there is no file "no.py" to run as a plugin\n'
