"""The replay buffer against a list of tuples, weight by weight after every episode."""

import numpy as np
import pytest

import boardlab as bl
from boardlab import _engine
from boardlab.evaluators.ntuple import build_network
from boardlab.learners import QNTuple, SarsaNTuple, TdNTuple
from tests.oracles.sarsa import ReferenceSarsa
from tests.oracles.td import ReferenceTd

WALK = {"tuples": 6, "length": 4, "alpha": 1.0, "epsilon": 0.2, "replay": 50, "replay_batch": 3}
CASES = {
    "tictactoe": ("tictactoe", {}, WALK),
    "tictactoe, TC-EXP, lambda, reset": (
        "tictactoe",
        {},
        {**WALK, "coherence": "exp", "lambda_": 0.5, "traces": "reset", "learn_from_random": True},
    ),
    "nim, three players, no part 2": (
        "nim",
        {"players": 3, "heaps": (3, 4)},
        {**WALK, "tuples": 1, "length": 2, "adapt_last": False, "replay_batch": 1},
    ),
    "2048, 2x2": (
        "2048",
        {"size": 2},
        {**WALK, "tuples": 3, "length": 3, "sigma": "identity", "alpha": 0.2, "gamma": 0.9},
    ),
    "rubiks, starts are after-states": (
        "rubiks",
        {"twists": 3},
        {**WALK, "symmetries": 1, "sigma": "identity", "episode_limit": 6, "skip_reversal": True},
    ),
    "connectfour, starts after random actions": (
        "connectfour",
        {"rows": 4, "cols": 4, "connect": 3},
        {**WALK, "choose_start": 0.7, "start_actions": 2},
    ),
    "othello 4x4, stages": ("othello", {"size": 4}, {**WALK, "staged": True, "coherence": "id"}),
}


class Buffer:
    """A replay buffer beside a slow learner."""

    buffer, next_place, drawn = (), 0, ()

    def learned(self, keys, reward, next_keys):
        step = (keys, reward, next_keys)
        if len(self.buffer) < self.td.replay:
            self.buffer = [*self.buffer, step]
        else:
            self.buffer[self.next_place] = step
        self.next_place = (self.next_place + 1) % self.td.replay
        for _ in range(self.td.replay_batch):
            again, paid, following = self.buffer[self.drawn.pop(0)]
            to_come = 0.0 if following is None else self.following_value(following)
            value = self.value(again)
            slope = 1 - value * value if self.td.sigma == "tanh" else 1.0
            self.update(set(again), paid + self.td.gamma * to_come - value, slope)


class ReferenceReplay(Buffer, ReferenceTd):
    def following_value(self, keys):
        return self.value(keys)


class ReplayOfPairs(Buffer, ReferenceSarsa):
    def following_value(self, pairs):
        """The best of the next state's actions (Q-learning), or the one that was played there."""
        return max(self.value(keys) for keys in pairs)


@pytest.mark.parametrize("name", CASES)
def test_learner_equals_the_slow_version_after_every_episode(name):
    game_name, parameters, settings = CASES[name]
    game = bl.game(game_name, **parameters)
    td = TdNTuple.checked(settings)
    description = td.describe(game, 3)
    network = build_network(game, description, coherent=td.coherence != "off", memory_gb=1)
    learner = _engine.TdLearner(network, td.engine_settings(60), td.reward, 3)
    reference = ReferenceReplay(game, td, description["tuples"], description["symmetries"], 60)
    where, plain = {}, reference.keys

    def remembered(state, player):
        keys = plain(state, player)
        where.update(zip(keys, network.indices(state.core, player), strict=True))
        return keys

    reference.keys = remembered
    for _ in range(40):
        start, steps = learner.recorded_episode()
        reference.drawn = list(learner.drawn)
        reference.replay(bl.State(game, start), steps)
        assert reference.drawn == [], "the engine learned more often again"
        keys = list(reference.weights)
        expected = np.array([reference.weights[key] for key in keys])
        np.testing.assert_allclose(
            network.weights[[where[key] for key in keys]], expected, rtol=5e-4, atol=2e-4
        )
    assert learner.replay.size == len(reference.buffer) == 50
    assert np.abs(network.weights).max() > 0.01, "nothing was learned, so nothing was compared"


PAIR_CASES = {name: case for name, case in CASES.items() if "part 2" not in name}
PAIR_CASES["rubiks, starts are after-states"] = (
    "rubiks",
    {"twists": 2, "metric": "qtm"},
    {**WALK, "symmetries": 5, "sigma": "identity", "episode_limit": 5, "alpha": 0.5},
)


@pytest.mark.parametrize("kind", [SarsaNTuple, QNTuple], ids=lambda kind: kind.name)
@pytest.mark.parametrize("name", PAIR_CASES)
def test_pairs_are_learned_again_as_the_slow_version_does(name, kind):
    game_name, parameters, settings = PAIR_CASES[name]
    if kind is QNTuple:
        settings = {key: value for key, value in settings.items() if key != "learn_from_random"}
    settings = {key: value for key, value in settings.items() if key not in ("adapt_last", "skip_reversal")}
    game = bl.game(game_name, **parameters)
    td = kind.checked(settings)
    description = td.describe(game, 3)
    network = build_network(game, description, coherent=td.coherence != "off", memory_gb=1, per_action=True)
    learner = td.engine_learner(network, 60, 3)
    reference = ReplayOfPairs(game, td, description["tuples"], description["symmetries"], 60)
    where, plain = {}, reference.pair_keys

    def remembered(state, action):
        keys = plain(state, action)
        where.update(zip(keys, network.pair_indices(state.core, action), strict=True))
        return keys

    reference.pair_keys = remembered
    for _ in range(30):
        start, steps = learner.recorded_episode()
        reference.drawn = list(learner.drawn)
        reference.replay(bl.State(game, start), steps)
        assert reference.drawn == [], "the engine learned more often again"
        keys = list(reference.weights)
        expected = np.array([reference.weights[key] for key in keys])
        np.testing.assert_allclose(
            network.weights[[where[key] for key in keys]], expected, rtol=5e-4, atol=2e-4
        )
    assert learner.replay.size == len(reference.buffer)
    assert np.abs(network.weights).max() > 0.01, "nothing was learned, so nothing was compared"


def train(path, kind="td-ntuple", **more):
    settings = {"replay": 300, "replay_batch": 2, "coherence": "exp", **more}
    return bl.train(bl.game("tictactoe"), kind, episodes=400, out=path, seed=7, **settings)


def arrays(path):
    with np.load(path / "checkpoint.npz") as stored:
        return {key: stored[key] for key in stored.files if not key.endswith("seconds")}


@pytest.mark.parametrize("kind", ["td-ntuple", "sarsa-ntuple", "q-ntuple"])
def test_an_interrupted_run_ends_where_an_unbroken_one_does(tmp_path, kind):
    def stop(standing):
        if 0 < standing.episodes < standing.total:
            raise KeyboardInterrupt

    train(tmp_path / "whole", kind)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "broken", kind, progress=stop)
    assert bl.resume(tmp_path / "broken").episodes == 400
    whole, broken = arrays(tmp_path / "whole"), arrays(tmp_path / "broken")
    assert {"replay_indices", "replay_facts", "replay_place"} <= whole.keys()
    assert ("replay_actions" in whole) == (kind == "q-ntuple")
    assert {key: value.tobytes() for key, value in whole.items()} == {
        key: value.tobytes() for key, value in broken.items()
    }


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("replay_indices", 2**32 - 1, "td-ntuple"),
        ("replay_facts", 9, "td-ntuple"),
        ("replay_place", 10**6, "td-ntuple"),
        ("replay_indices", 2**32 - 1, "sarsa-ntuple"),
        ("replay_facts", 1, "sarsa-ntuple"),
        ("replay_facts", 2, "q-ntuple"),
        ("replay_actions", 10, "q-ntuple"),
        ("replay_actions", 0, "q-ntuple"),
    ],
)
def test_a_damaged_buffer_is_refused(tmp_path, name, value, kind):
    train(tmp_path / "run", kind)
    stored = arrays(tmp_path / "run")
    stored[name][:] = value
    np.savez(tmp_path / "run" / "checkpoint.npz", seconds=np.zeros(1), **stored)
    with pytest.raises(bl.BoardLabError, match="replay buffer"):
        bl.resume(tmp_path / "run", episodes=500)


def test_what_cannot_work_is_refused(tmp_path):
    for settings, words in [
        ({"replay": -1}, "replay must be"),
        ({"replay_batch": 0}, "replay_batch must be"),
        ({"threads": 2}, "single thread"),
        ({"replay": 10**8, "memory_gb": 1}, "would take .* GiB; the limit is 1 GiB"),
        ({"replay": 10**8}, "replay buffer of 100000000 steps would take .* GiB; the limit is 8 GiB"),
    ]:
        with pytest.raises(bl.BoardLabError, match=words):
            train(tmp_path / "bad", **settings)
        assert not (tmp_path / "bad").exists()


@pytest.mark.parametrize("kind", ["td-ntuple", "q-ntuple"])
def test_the_memory_that_is_counted_is_what_the_buffer_takes(tmp_path, monkeypatch, kind):
    """The limit is passed by one step more."""
    monkeypatch.setattr("boardlab.runs.sparse.SMALLEST", 1 << 60)  # store it as memory holds it
    buffer = arrays(train(tmp_path / "run", kind, coherence="off", replay=3000).path)
    names = ("weights", "replay_indices", "replay_facts", "replay_actions")
    taken = sum(buffer[name].nbytes for name in names if name in buffer)
    limit = (taken + 8) / 2**30
    assert train(tmp_path / "fits", kind, coherence="off", replay=3000, memory_gb=limit).is_finished
    with pytest.raises(bl.BoardLabError, match="replay buffer of 3001 steps would take"):
        train(tmp_path / "larger", kind, coherence="off", replay=3001, memory_gb=limit)


def test_memory_that_is_not_there_is_refused_with_a_sentence(tmp_path, monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("boardlab.learners.ntuple.settings._engine.TdLearner", fail)
    with pytest.raises(bl.BoardLabError, match="there is not enough memory"):
        train(tmp_path / "run")
