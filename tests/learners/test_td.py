"""The engine's learner against the slow, obvious one, weight by weight after every episode."""

import numpy as np
import pytest

import boardlab as bl
from boardlab import _engine
from boardlab.evaluators.ntuple import build_network
from boardlab.learners.ntuple.settings import TdNTuple
from tests.oracles.td import ReferenceTd


def make(game, seed=3, episodes=60, level=None, **settings):
    td = TdNTuple.checked(settings)
    tuples, symmetries = td.tuple_lists(game, seed), td.symmetry_list(game, seed)
    names = ("compact", "tables", "staged", "feature_tables", "sigma", "reward", "gamma")
    description = {"tuples": tuples, "symmetries": symmetries, **{name: getattr(td, name) for name in names}}
    network = build_network(game, description, coherent=td.coherence != "off", memory_gb=1)
    if level:
        network.kernels = level
    learner = _engine.TdLearner(network, td.engine_settings(episodes), td.reward, seed)
    return learner, ReferenceTd(game, td, tuples, symmetries, episodes)


WALK = {"layout": "walk", "tuples": 6, "length": 4, "alpha": 2.0, "epsilon": 0.2}
CASES = {
    "tictactoe, plain": ("tictactoe", {}, WALK),
    "tictactoe, TC-EXP, learns from random actions": (
        "tictactoe",
        {},
        {
            **WALK,
            "coherence": "exp",
            "tc_beta": 1.5,
            "learn_from_random": True,
            "alpha_final": 0.3,
            "epsilon_final": 0.0,
        },
    ),
    "tictactoe, lambda and reset": (
        "tictactoe",
        {},
        {**WALK, "lambda_": 0.8, "horizon_cut": 0.5, "traces": "reset", "learn_from_random": True},
    ),
    "tictactoe, lambda and normal traces over random actions": (
        "tictactoe",
        {},
        {**WALK, "lambda_": 0.9, "horizon_cut": 0.5, "coherence": "id", "epsilon": 0.4},
    ),
    "tictactoe, a cut at an exact power": (
        "tictactoe",
        {},
        {**WALK, "lambda_": 0.9, "horizon_cut": 0.81, "learn_from_random": True},
    ),
    "tictactoe, replacing traces": (
        "tictactoe",
        {},
        {**WALK, "lambda_": 0.9, "horizon_cut": 0.5, "traces": "rep", "epsilon": 0.4},
    ),
    "connectfour, replacing traces that a random action cuts, TC-EXP": (
        "connectfour",
        {"rows": 4, "cols": 5, "connect": 3},
        {
            **WALK,
            "lambda_": 0.8,
            "horizon_cut": 0.3,
            "traces": "rr",
            "coherence": "exp",
            "learn_from_random": True,
        },
    ),
    "othello 4x4, replacing traces over stages": (
        "othello",
        {"size": 4},
        {
            **WALK,
            "lambda_": 0.8,
            "traces": "rep",
            "staged": True,
            "coherence": "id",
            "tc_accumulate": "delta",
        },
    ),
    "tictactoe, TC-EXP with rates renewed every 7 episodes": (
        "tictactoe",
        {},
        {**WALK, "coherence": "exp", "tc_interval": 7, "lambda_": 0.5, "learn_from_random": True},
    ),
    "othello 4x4, TC-id, replacing traces, rates renewed every other episode": (
        "othello",
        {"size": 4},
        {
            **WALK,
            "coherence": "id",
            "tc_accumulate": "delta",
            "tc_interval": 2,
            "traces": "rep",
            "lambda_": 0.8,
        },
    ),
    "connectfour, traces of 4 positions": (
        "connectfour",
        {"rows": 4, "cols": 5, "connect": 3},
        {**WALK, "lambda_": 0.5, "horizon_cut": 0.1},
    ),
    "tictactoe, shared tables, no symmetry": ("tictactoe", {}, {**WALK, "tables": "shared", "symmetries": 1}),
    "tictactoe, three symmetries, windows": (
        "tictactoe",
        {},
        {**WALK, "symmetries": 3, "layout": "windows", "windows": "2x2 1x3 3x1"},
    ),
    "tictactoe, no final adaptation": ("tictactoe", {}, {**WALK, "adapt_others": False, "adapt_last": False}),
    "tictactoe, part 1 only, starts 01": (
        "tictactoe",
        {},
        {**WALK, "adapt_last": False, "choose_start": 0.5, "start_actions": 2},
    ),
    "nim": ("nim", {}, {**WALK, "tuples": 2, "length": 2, "lambda_": 0.5, "coherence": "id"}),
    "nim, three players": (
        "nim",
        {"players": 3, "heaps": (3, 4, 5)},
        {**WALK, "tuples": 1, "length": 3, "lambda_": 0.5, "traces": "reset", "learn_from_random": True},
    ),
    "kuhnpoker, random play": (
        "kuhnpoker",
        {},
        {**WALK, "tuples": 2, "length": 2, "epsilon": 1.0, "learn_from_random": True, "sigma": "identity"},
    ),
    "nim, discounted": ("nim", {"heaps": (3, 3)}, {**WALK, "tuples": 1, "length": 2, "gamma": 0.9}),
    "connectfour, traces of a discounted game": (
        "connectfour",
        {"rows": 4, "cols": 5, "connect": 3},
        {**WALK, "lambda_": 0.5, "gamma": 0.9, "horizon_cut": 0.01},
    ),
    "tictactoe, discounted, lambda 1": ("tictactoe", {}, {**WALK, "lambda_": 1.0, "gamma": 0.5}),
    "connectfour, compact": (
        "connectfour",
        {"rows": 4, "cols": 5, "connect": 3},
        {**WALK, "tuples": 8, "length": 6, "neighbourhood": 8, "coherence": "exp", "learn_from_random": True},
    ),
    "connectfour, not compact": (
        "connectfour",
        {"rows": 4, "cols": 5, "connect": 3},
        {**WALK, "tuples": 8, "length": 4, "compact": False, "coherence": "exp", "tc_accumulate": "delta"},
    ),
    "connectfour, one small tuple, few slots change": (
        "connectfour",
        {},
        {**WALK, "tuples": 70, "length": 4, "coherence": "exp", "tc_init": 0.01, "learn_from_random": True},
    ),
    "othello 4x4, lambda": (
        "othello",
        {"size": 4},
        {
            **WALK,
            "lambda_": 0.5,
            "coherence": "exp",
            "learn_from_random": True,
            "choose_start": 0.7,
            "start_actions": 4,
        },
    ),
    "othello 4x4, stages, mobility, discs": (
        "othello",
        {"size": 4},
        {
            **WALK,
            "staged": True,
            "feature_tables": True,
            "reward": "discs",
            "sigma": "identity",
            "alpha": 0.3,
        },
    ),
    "2048, 2x2": (
        "2048",
        {"size": 2},
        {
            **WALK,
            "tuples": 3,
            "length": 3,
            "sigma": "identity",
            "alpha": 0.5,
            "coherence": "id",
            "epsilon": 0.1,
        },
    ),
    "2048, empty tiles": (
        "2048",
        {"size": 2},
        {
            **WALK,
            "tuples": 1,
            "length": 4,
            "symmetries": 1,
            "sigma": "identity",
            "alpha": 0.5,
            "reward": "empty_tiles",
        },
    ),
    "rubiks": (
        "rubiks",
        {"twists": 3},
        {
            **WALK,
            "symmetries": 1,
            "sigma": "identity",
            "coherence": "id",
            "episode_limit": 6,
            "skip_reversal": True,
        },
    ),
    "rubiks, more tables than the nearest caches hold": (
        "rubiks",
        {"twists": 4},
        {
            **WALK,
            "tuples": 24,
            "length": 7,
            "symmetries": 1,
            "sigma": "identity",
            "coherence": "id",
            "episode_limit": 6,
            "epsilon": 0.1,
            "skip_reversal": True,
        },
    ),
    "rubiks, symmetries without a fast form": (
        "rubiks",
        {"twists": 2, "metric": "qtm"},
        {**WALK, "alpha": 0.5, "symmetries": 5, "sigma": "identity", "episode_limit": 5, "epsilon": 0.1},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_learner_equals_the_slow_version_after_every_episode(name):
    game_name, parameters, settings = CASES[name]
    game = bl.game(game_name, **parameters)
    learner, reference = make(game, **settings)
    network = learner.network
    where = {}  # name of a weight in the reference -> its entry in the engine

    def locate(state, player):
        for key, index in zip(
            reference.keys(state, player), network.indices(state.core, player), strict=True
        ):
            assert where.setdefault(key, index) == index, "the same weight must be the same entry"

    plain_keys, seen = reference.keys, []

    def remembered(state, player):
        keys = plain_keys(state, player)
        seen.append((keys, network.indices(state.core, player)))
        return keys

    reference.keys = remembered
    for _ in range(60):
        start, steps = learner.recorded_episode()
        seen.clear()
        reference.replay(bl.State(game, start), steps)
        for keys, indices in seen:
            for key, index in zip(keys, indices, strict=True):
                assert where.setdefault(key, index) == index, "the same weight must be the same entry"
        keys = list(reference.weights)
        entries = np.array([where[key] for key in keys], int)
        assert len(set(entries.tolist())) == len(entries), "different weights must be different entries"
        for mine, theirs in [
            (network.weights, reference.weights),
            *(
                [(network.sums, reference.sums), (network.absolutes, reference.absolutes)]
                if network.is_coherent
                else []
            ),
        ]:
            expected = np.array([theirs[key] for key in keys])
            np.testing.assert_allclose(mine[entries], expected, rtol=2e-4, atol=1e-4)
    assert np.count_nonzero(network.weights) == sum(1 for w in reference.weights.values() if w != 0)
    assert np.abs(network.weights).max() > 0.01, "nothing was learned, so nothing was compared"


def test_alpha_one_lands_exactly_on_the_target():
    """Identity, no TCL, a single update: V becomes the target although symmetric boards share weights."""
    game = bl.game("tictactoe")
    settings = {"layout": "walk", "tuples": 7, "length": 5, "sigma": "identity", "alpha": 1.0, "epsilon": 0.0}
    learner, _ = make(game, **settings, adapt_last=False)
    start, steps = learner.recorded_episode()
    states, state = [], bl.State(game, start)
    for action, _, _ in steps:
        state.apply(action)
        states.append(state.copy())
    # The loser's last after-state got one update towards its final score; all weights were zero before.
    loser = 1 - states[-1].last_player if len(steps) < 9 or states[-1].scores.any() else 1
    weights = learner.network.weights
    value = sum(float(weights[i]) for i in learner.network.indices(states[-2].core, states[-2].last_player))
    assert states[-2].last_player == loser
    assert value == pytest.approx(float(states[-1].scores[loser]), abs=1e-6)


@pytest.mark.parametrize(
    ("lambda_", "gamma", "cut", "shares"),
    [
        (0.5, 1.0, 0.01, [1, 0.5, 0.25, 0.125]),
        (1.0, 0.5, 0.01, [1, 0.5, 0.25, 0.125]),  # the discounted return
        (0.5, 0.5, 0.01, [1, 0.25, 0.0625, 0.015625]),
        (0.9, 0.5, 0.3, [1, 0.45, 0, 0]),  # the third would have .2025, below the cut
    ],
)
def test_earlier_positions_are_credited_by_gamma_times_lambda(lambda_, gamma, cut, shares):
    """Sutton and Barto's trace, by hand: one table a player, all zero, so that only the end teaches."""
    game = bl.game("tictactoe")
    settings = {"layout": "cells", "cells": "0,1,2,3,4,5,6,7,8", "symmetries": 1, "sigma": "identity"}
    traces = {"lambda_": lambda_, "gamma": gamma, "horizon_cut": cut}
    learner, _ = make(game, seed=6, **settings, **traces, alpha=1.0, epsilon=0.0, adapt_last=False)
    start, steps = learner.recorded_episode()
    state, indices = bl.State(game, start), ([], [])
    for action, _, _ in steps:
        player = state.player
        state.apply(action)
        indices[player].insert(0, int(learner.network.indices(state.core, player)[0]))
    loser = 1 - state.last_player
    score = float(state.scores[loser])
    assert score == -1 and len(indices[loser]) == 4, "another seed is needed"
    found = learner.network.weights[indices[loser]] / score
    assert found.tolist() == pytest.approx(shares)


class Dial(bl.PythonGame):
    """A puzzle of one's own: turn the dial to 0."""

    name = "dial"
    players = 1
    action_count = 2
    horizon = 20
    score_range = (0.0, 1.0)
    is_zero_sum = False
    step_reward = -0.25
    cell_values = 9

    def initial_state(self, rng):
        return (int(rng.randrange(1, 9)),)

    def player(self, position):
        return 0 if position[0] else bl.TERMINAL

    def legal(self, position):
        return range(2)

    def apply(self, position, action):
        return ((position[0] + (1 if action else 8)) % 9,)

    def scores(self, position):
        return [float(position[0] == 0)]

    def board_vector(self, position, player):
        return position


def first_action(game, seed, **settings):
    """The value of the start after one action, the state that it led to, and the learner.

    One table over the first cells, identity and alpha 1: the value of the start lands on its target.
    """
    cells = ",".join(map(str, range(min(game.core.cells, 4))))
    table = {"layout": "cells", "cells": cells, "symmetries": 1, "sigma": "identity"}
    learner, _ = make(game, seed=seed, **table, **settings, alpha=1.0, epsilon=0.0, episode_limit=1)
    start, steps = learner.recorded_episode()
    start = bl.State(game, start)
    after = start.copy()
    after.apply(steps[0][0])
    maker = 0 if game.players == 1 else start.last_player
    value = sum(float(learner.network.weights[i]) for i in learner.network.indices(start.core, maker))
    return value, after, learner


@pytest.mark.parametrize("name", ["rubiks", "dial"])
def test_the_start_of_a_puzzle_learns_from_the_first_action(name):
    """V of the start becomes the price of an action, and the reward where it was the last one."""
    parameters = {"twists": 2, "step_reward": -0.25} if name == "rubiks" else {}
    game = bl.game(name if parameters else bl.register_game(Dial).name, **parameters)
    found = {}
    for seed in range(60):
        value, after, _ = first_action(game, seed)
        found[after.is_terminal] = value
    assert found == {True: pytest.approx(0.75), False: pytest.approx(-0.25)}


def test_a_start_after_random_actions_is_an_after_state_of_the_last_player():
    """Nim, two heaps of one: the first is taken at random, the second wins for the other player."""
    value, after, _ = first_action(bl.game("nim", heaps=(1, 1)), 0, choose_start=1.0)
    assert after.is_terminal and after.last_player == 1
    assert value == pytest.approx(float(after.scores[0])) and value != 0


def test_a_start_after_chance_is_no_after_state():
    """2048: the tiles were placed after whatever came before, so that the first action teaches nothing."""
    *_, learner = first_action(bl.game("2048", size=2), 0)
    assert not learner.network.weights.any()


@pytest.mark.parametrize("game_name", ["connectfour", "othello", "2048", "rubiks"])
def test_every_level_of_vector_instructions_gives_the_same_bits(game_name):
    game = bl.game(game_name)
    found = []
    for level in _engine.kernel_levels():
        settings = {"tuples": 20, "length": 4, "coherence": "exp", "lambda_": 0.5, "alpha": 1.0}
        learner, _ = make(game, level=level, symmetries=0 if game_name != "rubiks" else 1, **settings)
        learner.train(40)
        found.append((learner.random_state, learner.network.weights.tobytes()))
    assert len(set(found)) == 1


def test_schedules_are_geometric_and_linear():
    learner, _ = make(
        bl.game("tictactoe"), episodes=100, **{**WALK, "alpha_final": 0.5, "epsilon_final": 0.0}
    )
    learner.train(50)
    assert learner.alpha == pytest.approx(1.0)
    assert learner.epsilon == pytest.approx(0.1)
    learner.train(50)
    assert learner.alpha == pytest.approx(0.5)
    assert learner.epsilon == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("given", "stones"),
    [
        ({"choose_start": 1.0, "start_actions": 4}, {4}),
        ({"choose_start": 1.0, "start_actions": 4, "start_actions_min": 2}, {2, 3, 4}),
        ({"choose_start": 1.0, "start_actions": 4, "start_actions_min": 4}, {4}),
        ({"choose_start": 0.5, "start_actions": 3, "start_actions_min": 1}, {0, 1, 2, 3}),
    ],
)
def test_the_number_of_random_actions_at_the_start_may_vary(given, stones):
    game = bl.game("connectfour")
    learner, _ = make(game, **WALK, **given)
    starts = [bl.State(game, learner.recorded_episode()[0]) for _ in range(60)]
    assert {sum(cell > 0 for cell in start.fields[:42]) for start in starts} == stones


def test_an_empty_range_of_random_actions_is_refused(tmp_path):
    with pytest.raises(
        bl.BoardLabError, match="start_actions_min must be at most 3, which is start_actions, not 5"
    ):
        bl.train(
            bl.game("tictactoe"), out=tmp_path / "run", choose_start=0.5, start_actions=3, start_actions_min=5
        )
    with pytest.raises(bl.BoardLabError, match="start_actions_min does nothing with choose_start=0"):
        bl.train(bl.game("tictactoe"), out=tmp_path / "run", choose_start=0.0, start_actions_min=1)
    assert not (tmp_path / "run").exists()


def with_interval(path, **more):
    settings = {"coherence": "exp", "tc_interval": 150, "episodes": 400, **more}
    return bl.train(bl.game("tictactoe"), "td-ntuple", out=path, seed=7, **settings)


def test_rates_that_wait_are_resumed_as_they_were(tmp_path):
    def stop(standing):
        if 0 < standing.episodes < standing.total:
            raise KeyboardInterrupt

    def arrays(name):
        with np.load(tmp_path / name / "checkpoint.npz") as stored:
            return {key: stored[key].tobytes() for key in stored.files if not key.endswith("seconds")}

    with_interval(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        with_interval(tmp_path / "broken", progress=stop)
    assert bl.resume(tmp_path / "broken").episodes == 400
    assert any("held_rates" in name for name in arrays("whole"))
    assert arrays("whole") == arrays("broken")


def test_an_interval_needs_coherence_a_single_thread_and_memory(tmp_path):
    for settings, words in [
        ({"tc_interval": -1}, "tc_interval must be"),
        ({"coherence": "off"}, "tc_interval does nothing with coherence=off"),
        ({"threads": 2}, "an interval of TCL needs a single thread"),
        ({"memory_gb": 0.0016, "tuples": 30, "length": 7}, "and their learning rates would take .* GiB"),
    ]:
        with pytest.raises(bl.BoardLabError, match=words):
            with_interval(tmp_path / "bad", **settings)
        assert not (tmp_path / "bad").exists()
