"""Value iteration on n-tuple networks: against a slow version of itself, and until every near cube is solved."""

import numpy as np
import pytest

import boardlab as bl
from boardlab import _engine
from boardlab.arena.exams import Paper, solved_by_twists
from boardlab.errors import BoardLabError
from boardlab.evaluators.ntuple import build_network
from boardlab.learners.puzzles.settings import Davi
from boardlab.references.rubiks import distance
from tests.oracles.davi import ReferenceDavi

SMALL = {"tuples": 5, "length": 4, "symmetries": 1, "alpha": 1.0, "episode_limit": 6}


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"coherence": "id", "epsilon": 0.3, "alpha_final": 0.2},
        {"coherence": "exp", "sigma": "tanh", "gamma": 0.9},
        {"coherence": "id", "tc_interval": 5, "epsilon": 0.3},
        {"symmetries": 3, "epsilon": 0.5, "episode_limit": 1},
    ],
    ids=str,
)
def test_every_weight_is_that_of_the_slow_version(settings):
    game, seed, episodes = bl.game("rubiks", twists=4), 3, 40
    davi = Davi.checked({**SMALL, **settings})
    description = davi.describe(game, seed)
    network = build_network(game, description, coherent=davi.coherence != "off", memory_gb=1)
    learner = davi.engine_learner(network, episodes, seed)
    slow = ReferenceDavi(game, davi, description["tuples"], description["symmetries"], episodes)
    random_steps = 0
    for _ in range(episodes):
        start, steps = learner.recorded_episode()
        random_steps += sum(is_random for *_, is_random in steps)
        slow.replay(bl.State(game, start), steps)
    assert (random_steps > 0) == (davi.epsilon > 0)
    assert len(slow.weights) > 50
    for seed in range(20):
        state = game.initial_state(seed=seed)
        keys, indices = slow.keys(state, 0), network.indices(state.core, 0)
        assert np.allclose(network.weights[indices], [slow.weights[key] for key in keys], atol=2e-5)


def test_it_learns_to_solve_every_near_cube(tmp_path):
    game = bl.game("rubiks", twists=4)
    run = bl.train(game, "davi", episodes=40_000, out=tmp_path / "run", seed=1, episode_limit=6)
    assert run.expression == f'greedy(ntuple("{(tmp_path / "run").as_posix()}"))'
    paper = Paper("near", run.agent(), game, 100, 1, 1)
    assert solved_by_twists(paper, range(1, 5), 50).value == 1
    assert solved_by_twists(paper, range(1, 4), distance).value == 1
    evaluator = bl.evaluator(f'ntuple("{run.path}")', game)
    farther = bl.evaluator(f'ntuple("{run.path}")', bl.game("rubiks", twists=9))
    values = {d: [] for d in range(1, 5)}
    for twists in range(1, 5):
        for seed in range(50):
            state = game.from_fields(bl.game("rubiks", twists=twists).initial_state(seed=seed).fields)
            values[distance(state)].append(evaluator.value(state)[0])
            assert farther.value(farther.game.from_fields(state.fields))[0] == evaluator.value(state)[0]
    means = [np.mean(values[d]) for d in range(1, 5)]
    assert means == sorted(means, reverse=True)
    assert means[:2] == pytest.approx([0.96, 0.92], abs=0.02)


def test_far_cubes_and_a_large_step_do_not_let_values_grow_without_end(tmp_path):
    game = bl.game("rubiks", twists=100)
    run = bl.train(
        game, "davi", episodes=20_000, out=tmp_path / "run", seed=1, alpha=1.9, tuples=20, length=5
    )
    evaluator = bl.evaluator(f'ntuple("{run.path}")', game)
    values = [evaluator.value(game.initial_state(seed=seed))[0] for seed in range(50)]
    assert -3 < min(values) <= max(values) < 2


def test_a_resumed_run_ends_with_the_same_bits(tmp_path):
    game = bl.game("rubiks", twists=6)
    whole = bl.train(game, "davi", episodes=3000, out=tmp_path / "whole", seed=2, tuples=8, length=5)
    stopped = bl.train(
        game, "davi", episodes=3000, out=tmp_path / "parts", seed=2, tuples=8, length=5,
        progress=lambda now: now.episodes > 100,
    )  # fmt: skip
    assert stopped.episodes < 3000
    assert bl.resume(tmp_path / "parts").episodes == 3000
    one, other = (np.load(path / "weights.npz")["weights"] for path in (whole.path, stopped.path))
    assert np.array_equal(one, other) and one.any()


@pytest.mark.parametrize("learner", ["davi", "davi-net", "random-walk"])
@pytest.mark.parametrize(
    ("name", "parameters", "why"),
    [
        ("connectfour", {}, "it has 2 players"),
        ("2048", {}, "it has chance"),
        ("morpion", {}, "its actions cost nothing"),
        ("rubiks", {"step_reward": 0}, "its actions cost nothing"),
    ],
)
def test_what_is_no_puzzle_is_refused(tmp_path, learner, name, parameters, why):
    with pytest.raises(BoardLabError, match=f"{learner} learns puzzles .*{why}"):
        bl.train(bl.game(name, **parameters), learner, episodes=10, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_engine_refuses_what_is_no_puzzle():
    game = bl.game("tictactoe")
    description = {
        "tuples": [[0, 1]], "symmetries": [0], "compact": False, "tables": "player", "staged": False,
        "feature_tables": False, "sigma": "tanh", "reward": "score", "gamma": 1.0,
    }  # fmt: skip
    network = build_network(game, description, coherent=False, memory_gb=1)
    with pytest.raises(BoardLabError, match="one-player puzzle"):
        _engine.DaviLearner(network, _engine.TdSettings(), "score", 0)


@pytest.mark.parametrize("name", ["lambda_", "traces", "choose_start", "skip_reversal"])
def test_settings_that_value_iteration_does_not_have_are_unknown(tmp_path, name):
    with pytest.raises(BoardLabError, match="parameter of davi"):
        bl.train(bl.game("rubiks"), "davi", episodes=10, out=tmp_path / "run", **{name: 1})
