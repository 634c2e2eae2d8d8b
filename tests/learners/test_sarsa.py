"""SARSA and Q-learning: the engine against the slow, obvious version, weight by weight after every episode."""

import numpy as np
import pytest

import boardlab as bl
from boardlab.evaluators.ntuple import build_network
from boardlab.games.game import CHANCE
from boardlab.learners import QNTuple, SarsaNTuple
from tests.oracles.sarsa import ReferenceSarsa

KINDS = {"sarsa-ntuple": SarsaNTuple, "q-ntuple": QNTuple}
WALK = {"layout": "walk", "tuples": 6, "length": 4, "alpha": 2.0, "epsilon": 0.2}
CASES = {
    "tictactoe, plain": ("tictactoe", {}, WALK),
    "tictactoe, TC-EXP": (
        "tictactoe",
        {},
        {**WALK, "coherence": "exp", "alpha_final": 0.3, "epsilon_final": 0.0, "choose_start": 0.5},
    ),
    "tictactoe, TC-EXP with rates renewed every 7 episodes": (
        "tictactoe",
        {},
        {**WALK, "coherence": "exp", "tc_interval": 7},
    ),
    "tictactoe, traces that a random action cuts": (
        "tictactoe",
        {},
        {**WALK, "lambda_": 0.8, "horizon_cut": 0.5, "traces": "reset", "epsilon": 0.4},
    ),
    "tictactoe, traces over random actions": (
        "tictactoe",
        {},
        {**WALK, "lambda_": 0.9, "horizon_cut": 0.5, "coherence": "id", "epsilon": 0.4},
    ),
    "tictactoe, replacing traces": (
        "tictactoe",
        {},
        {**WALK, "lambda_": 0.9, "horizon_cut": 0.5, "traces": "rep", "coherence": "exp"},
    ),
    "nim, replacing traces that a random action cuts": (
        "nim",
        {"players": 3, "heaps": (3, 4, 5)},
        {**WALK, "tuples": 2, "length": 2, "lambda_": 0.8, "traces": "rr", "epsilon": 0.4},
    ),
    "tictactoe, traces of a discounted game": (
        "tictactoe",
        {},
        {**WALK, "lambda_": 0.5, "gamma": 0.9, "horizon_cut": 0.01, "epsilon": 0.4},
    ),
    "tictactoe, shared tables, three symmetries": (
        "tictactoe",
        {},
        {**WALK, "tables": "shared", "symmetries": 3, "tc_accumulate": "delta", "coherence": "id"},
    ),
    "tictactoe, others do not adapt": ("tictactoe", {}, {**WALK, "adapt_others": False}),
    "connectfour, compact": (
        "connectfour",
        {"rows": 4, "cols": 5, "connect": 3},
        {**WALK, "tuples": 8, "length": 6, "neighbourhood": 8, "coherence": "exp"},
    ),
    "nim, three players": (
        "nim",
        {"players": 3, "heaps": (3, 4, 5)},
        {**WALK, "tuples": 1, "length": 3, "lambda_": 0.5},
    ),
    "othello 4x4, stages, mobility, discs, discounted": (
        "othello",
        {"size": 4},
        {
            **WALK,
            "staged": True,
            "feature_tables": True,
            "reward": "discs",
            "sigma": "identity",
            "alpha": 0.3,
            "gamma": 0.9,
        },
    ),
    "2048, 2x2": (
        "2048",
        {"size": 2},
        {**WALK, "tuples": 3, "length": 3, "sigma": "identity", "alpha": 0.5, "coherence": "id"},
    ),
    "rubiks, step rewards, symmetries without a fast form": (
        "rubiks",
        {"twists": 2, "metric": "qtm"},
        {**WALK, "symmetries": 5, "sigma": "identity", "episode_limit": 5, "alpha": 0.5},
    ),
    "blackjack": (
        "blackjack",
        {},
        {**WALK, "layout": "points", "tuples": 1, "length": 6, "sigma": "identity", "alpha": 0.3},
    ),
}


def make(kind, game, seed=3, episodes=60, **settings):
    td = KINDS[kind].checked(settings)
    description = td.describe(game, seed)
    network = build_network(game, description, coherent=td.coherence != "off", memory_gb=1, per_action=True)
    learner = td.engine_learner(network, episodes, seed)
    reference = ReferenceSarsa(game, td, description["tuples"], description["symmetries"], episodes)
    return learner, reference


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CASES)
def test_learner_equals_the_slow_version_after_every_episode(name, kind):
    game_name, parameters, settings = CASES[name]
    game = bl.game(game_name, **parameters)
    learner, reference = make(kind, game, **settings)
    network = learner.network
    where = {}  # name of a weight in the reference -> its entry in the engine
    plain = reference.pair_keys

    def remembered(state, action):
        keys = plain(state, action)
        for key, index in zip(keys, network.pair_indices(state.core, action), strict=True):
            assert where.setdefault(key, index) == index, "the same weight must be the same entry"
        return keys

    reference.pair_keys = remembered
    for _ in range(60):
        start, steps = learner.recorded_episode()
        reference.replay(bl.State(game, start), steps)
        keys = list(reference.weights)
        entries = np.array([where[key] for key in keys])
        assert len(set(entries.tolist())) == len(entries), "different weights must be different entries"
        tables = [(network.weights, reference.weights)]
        if network.is_coherent:
            tables += [(network.sums, reference.sums), (network.absolutes, reference.absolutes)]
        for mine, theirs in tables:
            expected = np.array([theirs[key] for key in keys])
            np.testing.assert_allclose(mine[entries], expected, rtol=2e-4, atol=1e-4)
    assert np.count_nonzero(network.weights) == sum(1 for w in reference.weights.values() if w != 0)
    assert np.abs(network.weights).max() > 0.01, "nothing was learned, so nothing was compared"


@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupted_run_ends_where_an_unbroken_one_does(tmp_path, kind):
    game = bl.game("connectfour", rows=4, cols=5, connect=3)

    def train(path, **more):
        settings = {"coherence": "exp", "lambda_": 0.5, "tuples": 5, "length": 5, "layout": "walk"}
        return bl.train(game, kind, episodes=400, out=path, seed=7, **settings, **more)

    def stop(standing):
        if 0 < standing.episodes < standing.total:
            raise KeyboardInterrupt

    train(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "broken", progress=stop)
    assert bl.resume(tmp_path / "broken").episodes == 400

    def arrays(name):
        with np.load(tmp_path / name / "checkpoint.npz") as stored:
            return {key: stored[key].tobytes() for key in stored.files if not key.endswith("seconds")}

    assert arrays("whole").keys() == {"weights", "sums", "absolutes", "progress", "random"}
    assert arrays("whole") == arrays("broken")


@pytest.mark.parametrize("kind", KINDS)
def test_the_evaluator_says_what_the_tables_say(tmp_path, kind):
    game = bl.game("nim", players=3, heaps=(3, 4))
    run = bl.train(game, kind, episodes=500, out=tmp_path / "run", seed=1)
    evaluator = bl.evaluator(f'ntuple("{run.path}")', game)
    td = KINDS[kind].checked(run.settings.as_dict())
    description = td.describe(game, 1)
    network = build_network(game, description, coherent=False, memory_gb=1, per_action=True)
    with np.load(run.path / "weights.npz") as stored:
        weights = stored["weights"]
    state = game.initial_state()
    state.apply(state.legal_actions()[0])
    values = {a: np.tanh(weights[network.pair_indices(state.core, a)].sum()) for a in state.legal_actions()}
    assert evaluator.action_values(state) == pytest.approx(values, abs=1e-5)
    mine, best = evaluator.value(state), max(values.values())
    others = -best / 2 if game.core.is_zero_sum else 0
    assert mine.tolist() == pytest.approx([others, best, others], abs=1e-5)


@pytest.mark.parametrize("search", ["greedy(NET)", "expectimax(NET, depth=2)", "mcts(NET, iterations=30)"])
def test_searches_work_over_chance(tmp_path, search):
    game = bl.game("2048", size=2)
    run = bl.train(game, "sarsa-ntuple", episodes=50, out=tmp_path / "run")
    agent = bl.agent(search.replace("NET", f'ntuple("{run.path}")'), game)
    state = game.initial_state()
    while state.player == CHANCE:
        state.apply(state.sample_chance(1))
    assert agent.act(state).action in state.legal_actions()


@pytest.mark.parametrize("kind", KINDS)
def test_tictactoe_is_not_lost_from_any_opening(tmp_path, kind):
    game = bl.game("tictactoe")
    run = bl.train(game, kind, out=tmp_path / "run", seed=2)
    for opening in (0, 1):
        result = bl.match(game, [run.agent(), "maxn(depth=9)"], games=200, seed=3, random_actions=opening)
        assert result.mean_scores[0] == 0.0


@pytest.mark.parametrize(
    ("game", "settings", "words"),
    [
        ("tictactoe", {"adapt_last": False}, "adapt_last"),
        ("tictactoe", {"alpha": 0}, "q-ntuple: alpha must be"),
        ("tictactoe", {"preset": "paper"}, "preset"),
        ("othello", {"length": 9}, "would take"),
    ],
)
def test_what_cannot_work_is_refused(tmp_path, game, settings, words):
    with pytest.raises(bl.BoardLabError, match=words):
        bl.train(bl.game(game), "q-ntuple", out=tmp_path / "run", **settings)
    assert not (tmp_path / "run").exists()


def test_a_network_without_tables_for_every_action_is_refused():
    game = bl.game("tictactoe")
    td = SarsaNTuple.checked(WALK)
    network = build_network(game, td.describe(game, 0), coherent=False, memory_gb=1)
    with pytest.raises(ValueError, match="tables for every action"):
        td.engine_learner(network, 10, 0)
