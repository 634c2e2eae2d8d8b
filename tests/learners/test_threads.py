"""Several threads train one network: nothing is lost but reproducibility; one thread stays deterministic."""

import signal
import threading

import numpy as np
import pytest

import boardlab as bl
from boardlab import _engine
from boardlab.evaluators.ntuple import build_network
from boardlab.learners import TdNTuple
from tests.oracles.tree import SplitMix, derive_seed


def make(threads, episodes=2000, game="tictactoe", **settings):
    game = bl.game(game)
    td = TdNTuple.checked({"tuples": 6, "length": 4, "coherence": "exp", "alpha": 1.0, **settings})
    network = build_network(game, td.describe(game, 3), coherent=td.coherence != "off", memory_gb=1)
    return _engine.TdLearner(network, td.engine_settings(episodes), td.reward, 3, threads)


@pytest.mark.parametrize("coherence", ["off", "id", "exp"])
def test_every_episode_is_played_once_and_learned_from(coherence):
    learner = make(3, coherence=coherence)
    assert learner.train(700) == 700
    assert learner.train(800) == 800
    assert learner.episodes_done == 1500
    assert 5 * 1500 <= learner.actions_done <= 9 * 1500
    weights = learner.network.weights
    assert np.isfinite(weights).all() and np.count_nonzero(weights) > 100


def test_every_thread_learns_about_the_start_of_a_puzzle():
    learner = make(2, game="rubiks", sigma="identity", symmetries=1, coherence="off", episode_limit=1)
    learner.train(50)  # of one action each: only starts have a next after-state
    assert learner.actions_done == 50 and learner.network.weights.any()


def test_the_network_gets_its_own_kernels_back():
    learner = make(2)
    before = learner.network.kernels
    learner.train(10)
    assert learner.network.kernels == before
    assert learner.network.indices(learner.recorded_episode()[0], 0)


def test_what_changes_while_it_trains_is_not_read_meanwhile():
    learner = make(1, episodes=10**9, replay=50)

    def read(*_):
        return learner.drawn

    before = signal.signal(signal.SIGVTALRM, read)  # a handler runs in the middle of the training
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)
        with pytest.raises(ValueError, match="already training"):
            learner.train(50_000)
    finally:
        signal.signal(signal.SIGVTALRM, before)
    assert isinstance(learner.drawn, list)


def test_one_thread_stays_deterministic():
    found = []
    for _ in range(2):
        learner = make(1)
        learner.train(500)
        found.append((learner.random_state, learner.network.weights.tobytes()))
    assert found[0] == found[1]


@pytest.mark.parametrize("level", _engine.kernel_levels())
@pytest.mark.parametrize("coherence", ["off", "id", "exp"])
def test_an_episode_on_shared_tables_learns_what_one_thread_alone_would(level, coherence):
    # An episode's number decides its alpha and epsilon, whoever plays it.
    shared, alone = (
        make(threads, episodes=30, coherence=coherence, alpha_final=0.01, epsilon=0.9, epsilon_final=0.0)
        for threads in (2, 1)
    )
    shared.network.kernels = alone.network.kernels = level
    for _ in range(30):
        rng = SplitMix(shared.random_state)
        seed = rng.next()
        shared.train(1)
        # One of the two threads played it: the first goes on with its own numbers, the other one gets a seed.
        took_it = shared.random_state != rng.word
        alone.random_state = rng.word if took_it else derive_seed(seed, 0)
        alone.train(1)
        for name in ("weights", "sums", "absolutes") if coherence != "off" else ("weights",):
            assert getattr(shared.network, name).tobytes() == getattr(alone.network, name).tobytes()


def test_threads_learn_tictactoe_and_resume(tmp_path):
    game = bl.game("tictactoe")

    def stop(standing):
        if 0 < standing.episodes < standing.total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bl.train(game, out=tmp_path / "run", seed=2, threads=2, progress=stop)
    run = bl.resume(tmp_path / "run")
    assert run.episodes == run.total
    result = bl.match(game, [run.agent(), "maxn(depth=9)"], games=200, seed=3)
    assert result.mean_scores[0] == 0.0


@pytest.mark.parametrize("threads", [0, -1, 1025, "two"])
def test_a_bad_number_of_threads_is_refused(tmp_path, threads):
    with pytest.raises(bl.BoardLabError, match="threads must be"):
        bl.train(bl.game("tictactoe"), out=tmp_path / "run", threads=threads)


def test_every_thread_has_random_numbers_of_its_own():
    """Each plays one of three episodes: they begin when all are there."""
    meeting, drawn = threading.Barrier(3), []

    @bl.register_game
    class Step(bl.PythonGame):
        name = "step"
        action_count = 2
        cell_values = 2

        def initial_state(self, rng):
            if armed:
                drawn.append(rng.random())
                meeting.wait(60)
            return (0,)

        def player(self, position):
            return 0 if position == (0,) else bl.TERMINAL

        def legal(self, position):
            return [0, 1]

        def apply(self, position, action):
            return (1,)

        def scores(self, position):
            return [0, 0]

        def board_vector(self, position, player):
            return position

    armed = False
    game = bl.game("step")
    td = TdNTuple.checked({"layout": "points", "tuples": 1, "length": 1})
    network = build_network(game, td.describe(game, 3), coherent=td.coherence != "off", memory_gb=1)
    learner = _engine.TdLearner(network, td.engine_settings(3), td.reward, 3, 3)
    armed = True
    learner.train(3)
    assert len(set(drawn)) == 3
