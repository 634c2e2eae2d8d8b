"""TD on features: the engine against the slow, obvious version, and what it learns."""

import numpy as np
import pytest

import boardlab as bl
from boardlab.games.game import CHANCE
from boardlab.learning import TdFeatures
from tests.reference.features import ReferenceFeatures

CASES = {
    "tictactoe, linear": ("tictactoe", {}, {"alpha": 0.1, "epsilon": 0.2}),
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
        reference.replay(bl.State(game, start), steps)
        np.testing.assert_allclose(weights, reference.weights.ravel(), rtol=1e-6, atol=1e-7)
    assert np.abs(weights - before).max() > 0.01, "nothing was learned, so nothing was compared"


def train(path, **more):
    settings = {"lambda_": 0.5, "hidden": 5, "choose_start": 0.5, **more}
    return bl.train(bl.game("tictactoe"), "td-features", episodes=400, out=path, seed=7, **settings)


def test_an_interrupted_run_ends_where_an_unbroken_one_does(tmp_path):
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

    assert arrays("whole") == arrays("broken")


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
