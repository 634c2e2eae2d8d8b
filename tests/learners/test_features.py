"""TD on features: the engine against the slow, obvious version, and what it learns."""

import math

import numpy as np
import pytest

import boardlab as bl
from boardlab.evaluators.features import OWN_FEATURES
from boardlab.games.game import CHANCE
from boardlab.learners import TdFeatures, preset
from tests.oracles.features import ReferenceFeatures

CASES = {
    "tictactoe, linear": ("tictactoe", {}, {"alpha": 0.1, "epsilon": 0.2}),
    "tictactoe, the board": ("tictactoe", {}, {"features": "board", "alpha": 0.1, "hidden": 2}),
    "nim, the board and features": ("nim", {"heaps": (3, 3)}, {"features": "both", "alpha": 0.1}),
    "tictactoe, hidden, lambda": (
        "tictactoe",
        {},
        {"hidden": 3, "lambda_": 0.7, "alpha": 0.1, "alpha_final": 0.02, "learn_from_random": True},
    ),
    "tictactoe, traces that a random action cuts": (
        "tictactoe",
        {},
        {"hidden": 2, "lambda_": 0.7, "traces": "reset", "learn_from_random": True, "epsilon": 0.4},
    ),
    "tictactoe, replacing traces": (
        "tictactoe",
        {},
        {"lambda_": 0.8, "traces": "rep", "alpha": 0.1, "epsilon": 0.4},
    ),
    "tictactoe, replacing traces that a random action cuts, hidden": (
        "tictactoe",
        {},
        {"hidden": 2, "lambda_": 0.8, "traces": "rr", "alpha": 0.1, "learn_from_random": True},
    ),
    "tictactoe, a horizon": (
        "tictactoe",
        {},
        {"hidden": 2, "lambda_": 0.8, "horizon_cut": 0.5, "alpha": 0.1, "epsilon": 0.4},
    ),
    "nim, a horizon of replacing traces": (
        "nim",
        {"heaps": (3, 3, 2)},
        {"lambda_": 0.9, "horizon_cut": 0.7, "traces": "rr", "alpha": 0.1, "epsilon": 0.3},
    ),
    "tictactoe, traces of a discounted game": (
        "tictactoe",
        {},
        {"hidden": 2, "lambda_": 0.5, "gamma": 0.9, "alpha": 0.1, "epsilon": 0.4},
    ),
    "nim, three players, no part 2": (
        "nim",
        {"players": 3, "heaps": (3, 3)},
        {"hidden": 4, "adapt_last": False, "choose_start": 0.5},
    ),
    "nim, others do not adapt": ("nim", {"heaps": (3, 3)}, {"adapt_others": False, "gamma": 0.9}),
    "blackjack, the game's own features": (
        "blackjack",
        {},
        {"sigma": "identity", "alpha": 0.001, "hidden": 2, "epsilon": 0.3},
    ),
    "2048, points now or later": (
        "2048",
        {"size": 3},
        {"sigma": "identity", "alpha": 0.01, "gamma": 0.5, "epsilon": 0.3},
    ),
    "tictactoe, starts after random actions": (
        "tictactoe",
        {},
        {"hidden": 2, "lambda_": 0.7, "choose_start": 0.7, "start_actions": 2, "learn_from_random": True},
    ),
    "tictactoe, replay": (
        "tictactoe",
        {},
        {"hidden": 2, "lambda_": 0.5, "alpha": 0.1, "epsilon": 0.3, "replay": 20, "replay_batch": 3},
    ),
    "nim, three players, replay of features and board": (
        "nim",
        {"players": 3, "heaps": (3, 3)},
        {"features": "both", "gamma": 0.9, "alpha": 0.1, "replay": 7, "learn_from_random": True},
    ),
    "rubiks, step rewards": (
        "rubiks",
        {"twists": 2},
        {"sigma": "identity", "alpha": 0.02, "episode_limit": 5},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_learner_equals_the_slow_version_after_every_episode(name):
    game_name, parameters, settings = CASES[name]
    game = bl.game(game_name, **parameters)
    td = TdFeatures.checked(settings)
    trainee = td.build(game, td.describe(game, 3), 30, 3)
    weights = trainee.weights["weights"]
    before = weights.copy()
    reference = ReferenceFeatures(game, td, before, 30)
    for _ in range(30):
        start, steps = trainee.core.recorded_episode()
        reference.drawn = list(trainee.core.drawn)
        reference.replay(bl.State(game, start), steps)
        assert not reference.drawn
        np.testing.assert_allclose(weights, reference.weights.ravel(), rtol=1e-6, atol=1e-7)
    assert np.abs(weights - before).max() > 0.01, "nothing was learned, so nothing was compared"


def train(path, **more):
    settings = {"lambda_": 0.5, "hidden": 5, "choose_start": 0.5, **more}
    return bl.train(bl.game("tictactoe"), "td-features", episodes=400, out=path, seed=7, **settings)


@pytest.mark.parametrize("more", [{}, {"replay": 50, "replay_batch": 2}], ids=["", "replay"])
def test_an_interrupted_run_ends_where_an_unbroken_one_does(more, tmp_path):
    def stop(standing):
        if 0 < standing.episodes < standing.total:
            raise KeyboardInterrupt

    train(tmp_path / "whole", **more)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "broken", progress=stop, **more)
    assert bl.resume(tmp_path / "broken").episodes == 400

    def arrays(name):
        with np.load(tmp_path / name / "checkpoint.npz") as stored:
            return {key: stored[key].tobytes() for key in stored.files if not key.endswith("seconds")}

    assert arrays("whole") == arrays("broken")


class Bare(bl.PythonGame):
    """One player picks one of two numbers; nothing describes a position."""

    name = "bare"
    players, action_count, horizon = 1, 2, 1

    def initial_state(self, rng):
        return (0,)

    def player(self, position):
        return bl.TERMINAL if position[0] else 0

    def apply(self, position, action):
        return (action + 1,)

    def scores(self, position):
        return [position[0] - 1]


def test_a_game_without_board_and_features_names_what_learns_it(tmp_path):
    with pytest.raises(bl.BoardLabError, match=r"bare has no board vector.*or train the learner q-table"):
        bl.train(bl.Game(Bare()), "td-features", out=tmp_path / "run", exams=[])
    assert not (tmp_path / "run").exists()


def test_replay_buffers_that_do_not_fit_are_refused(tmp_path):
    with pytest.raises(bl.BoardLabError, match=r"a replay buffer of 100000000 steps would take .* 8 GiB"):
        train(tmp_path / "run", replay=100_000_000)
    with pytest.raises(bl.BoardLabError, match="replay_batch does nothing with replay=0"):
        train(tmp_path / "run", replay_batch=2)
    assert not (tmp_path / "run").exists()


def test_the_evaluator_says_what_the_network_says(tmp_path):
    run = train(tmp_path / "run")
    with np.load(run.path / "weights.npz") as stored:
        reference = ReferenceFeatures(run.game, run.settings, stored["weights"], 1)
    state = run.game.initial_state()
    state.apply(4)
    values = {a: reference.after(state, a, 1)[3] for a in state.legal_actions()}
    evaluator = bl.evaluator(f'features("{run.path}")', run.game)
    assert evaluator.action_values(state) == pytest.approx(values)
    best = max(values.values())
    assert evaluator.value(state).tolist() == pytest.approx([-best, best])


@pytest.mark.parametrize("search", ["greedy(NET)", "expectimax(NET, depth=2)", "mcts(NET, iterations=30)"])
def test_searches_work_over_chance(tmp_path, search):
    game = bl.game("2048", size=2)
    run = bl.train(game, "td-features", episodes=20, out=tmp_path / "run", sigma="identity", alpha=0.001)
    agent = bl.agent(search.replace("NET", f'features("{run.path}")'), game)
    state = game.initial_state()
    while state.player == CHANCE:
        state.apply(state.sample_chance(1))
    assert agent.act(state).action in state.legal_actions()


def test_what_cannot_work_is_refused(tmp_path):
    for settings, words in [
        ({"coherence": "exp"}, "coherence"),
        ({"hidden": -1}, "hidden must be"),
        ({"preset": "paper"}, "preset"),
    ]:
        with pytest.raises(bl.BoardLabError, match=words):
            train(tmp_path / "bad", **settings)
        assert not (tmp_path / "bad").exists()
    train(tmp_path / "run")
    with pytest.raises(bl.BoardLabError, match="td-features"):
        bl.agent(f'greedy(ntuple("{tmp_path / "run"}"))', bl.game("tictactoe"))


@pytest.fixture
def lines():
    """Features of our own for tictactoe: how many lines hold 0..3 stones of one side only; a constant."""
    rows = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

    @bl.register_features("lines")
    def features(state, player):
        cells = state.fields
        found = np.zeros(9)
        for row in rows:
            mine, other = (sum(cells[c] == 1 + side for c in row) for side in (player, 1 - player))
            if not (mine and other):
                found[mine if mine else 4 + other] += 0.5
        found[8] = 1
        return found

    yield features
    del OWN_FEATURES["lines"]


def test_features_of_your_own_are_what_is_learned_on(lines, monkeypatch):
    game = bl.game("tictactoe")
    td = TdFeatures.checked({"features": "lines", "hidden": 3, "alpha": 0.05, "lambda_": 0.5, "epsilon": 0.2})
    trainee = td.build(game, td.describe(game, 3), 30, 3)
    assert trainee.core.network.inputs == 9
    weights = trainee.weights["weights"]
    reference = ReferenceFeatures(game, td, weights.copy(), 30)
    monkeypatch.setattr(reference, "inputs", lines)
    for _ in range(30):
        start, steps = trainee.core.recorded_episode()
        reference.replay(bl.State(game, start), steps)
        np.testing.assert_allclose(weights, reference.weights.ravel(), rtol=1e-6, atol=1e-7)


def test_a_run_with_features_of_your_own_plays_and_needs_them(lines, tmp_path):
    run = train(tmp_path / "own", features="lines")
    decision = run.agent().act(run.game.initial_state())
    assert len(set(decision.values.values())) == 3, "corner, edge and centre differ, and no other cells"
    again = bl.agent(run.expression, run.game).act(run.game.initial_state())
    assert again.values == decision.values
    result = bl.match(run.game, [run.expression, "random"], 20, threads=2)
    assert result.errors == 0
    saved = OWN_FEATURES.pop("lines")
    with pytest.raises(bl.BoardLabError, match="unknown features"):
        run.agent()
    OWN_FEATURES["lines"] = saved


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (["what"], "must return numbers"),
        ([1.0, float("nan")], "finite numbers in one row"),
        ([[1.0]], "finite numbers in one row"),
        ([], "finite numbers in one row"),
    ],
)
def test_features_that_cannot_be_used_are_refused(answers, sentence, tmp_path):
    bl.register_features("odd")(lambda state, player: answers)
    with pytest.raises(bl.BoardLabError, match=sentence):
        train(tmp_path / "odd", features="odd")
    assert not (tmp_path / "odd").exists()
    del OWN_FEATURES["odd"]


def test_an_error_in_the_midst_of_an_episode_leaves_the_last_checkpoint(tmp_path):
    """Half of an episode is in the weights by then: what is kept must go on as though nothing had happened."""
    calls, answers = [], [1.0]

    @bl.register_features("sometimes")
    def sometimes(state, player):
        calls.append(1)
        return [sum(state.fields), answers[0]]

    settings = {"features": "sometimes", "episodes": 60, "seed": 1, "exams": []}
    game = bl.game("tictactoe")
    whole = bl.train(game, "td-features", out=tmp_path / "whole", **settings)

    def tell(standing):
        answers[0] = math.nan if standing.episodes >= 5 else 1.0

    with pytest.raises(bl.BoardLabError, match="finite numbers"):
        bl.train(game, "td-features", out=tmp_path / "broken", progress=tell, **settings)
    answers[0] = 1.0
    bl.resume(tmp_path / "broken")
    assert (whole.path / "weights.npz").read_bytes() == (tmp_path / "broken" / "weights.npz").read_bytes()
    del OWN_FEATURES["sometimes"]


def test_an_agent_whose_features_fail_loses_its_games(tmp_path):
    fails = []

    @bl.register_features("late")
    def late(state, player):
        if fails and any(state.fields):
            raise ZeroDivisionError("mine")
        return [1.0]

    game = bl.game("tictactoe")
    run = bl.train(game, "td-features", episodes=1, out=tmp_path / "run", features="late")
    fails.append(True)
    lost = bl.match(game, [run.expression, "random"], games=4)
    assert lost.errors == 4 and lost.wins == (0, 4)
    assert "ZeroDivisionError: mine" in lost.records[0].error
    with pytest.raises(ZeroDivisionError, match="mine"):
        bl.agent(run.expression, game).act(game.initial_state())
    del OWN_FEATURES["late"]


def test_an_error_inside_features_reaches_the_caller(tmp_path):
    calls = []

    @bl.register_features("failing")
    def failing(state, player):
        calls.append(player)
        if len(calls) > 20:
            raise ZeroDivisionError("mine")
        return [1.0]

    with pytest.raises(ZeroDivisionError, match="mine"):
        train(tmp_path / "failing", features="failing")
    bl.register_features("failing")(lambda state, player: [1.0] * (1 + state.fields.count(0) // 9))
    with pytest.raises(ValueError, match="always be the same"):
        train(tmp_path / "changing", features="failing")
    del OWN_FEATURES["failing"]
    for name in ("", "a b", 3):
        with pytest.raises(bl.BoardLabError, match="the name of features"):
            bl.register_features(name)
    with pytest.raises(bl.BoardLabError, match="decorates a function"):
        bl.register_features("good")(7)


@pytest.mark.parametrize("inputs", ["game", "board", "both", "usual"])
def test_a_run_keeps_the_inputs_it_was_trained_with(inputs, tmp_path):
    given = {} if inputs == "usual" else {"features": inputs}
    run = train(tmp_path / "run", **given)
    named = {"usual": "game"}.get(inputs, inputs)
    assert f'features = "{named}"' in (run.path / "agent.toml").read_text(encoding="utf-8")
    assert run.agent().act(run.game.initial_state()).action in range(9)
    assert bl.resume(run.path, episodes=410).episodes == 410


def test_a_run_of_before_the_game_had_features_still_plays_and_resumes(tmp_path):
    run = train(tmp_path / "run", features="board")
    file = run.path / "agent.toml"
    file.write_text(file.read_text(encoding="utf-8").replace('features = "board"', 'features = ""'))
    assert run.agent().act(run.game.initial_state()).action in range(9)
    assert bl.resume(run.path, episodes=410).episodes == 410


def test_inputs_that_a_game_lacks_are_refused(tmp_path):
    for inputs, words in [("game", "rubiks has no features"), ("bord", 'unknown features .*"bord"')]:
        with pytest.raises(bl.BoardLabError, match=words):
            bl.train(bl.game("rubiks"), "td-features", features=inputs, out=tmp_path / "bad", episodes=5)
        assert not (tmp_path / "bad").exists()
    with pytest.raises(bl.BoardLabError, match='cannot be "board"'):
        bl.register_features("board")


def test_the_preset_reaches_the_outcomes():
    chosen = preset(bl.game("2048"), "default", "td-features", {})
    assert chosen["sigma"] == "identity" and chosen["hidden"] == 0
    chosen = preset(bl.game("blackjack"), "default", "td-features", {})
    assert chosen["sigma"] == "identity" and chosen["hidden"] == 30
    assert "sigma" not in preset(bl.game("nim"), "default", "td-features", {})


def test_features_make_a_perfect_player_of_nim(tmp_path):
    game = bl.game("nim")
    run = bl.train(game, "td-features", episodes=8000, out=tmp_path / "run", seed=1, exams=[])
    assert bl.match(game, [run.agent(), "bouton"], games=60, random_actions=1).mean_scores[0] == 0
