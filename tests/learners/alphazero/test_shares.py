"""Self-play in lanes and processes: the same games wherever they are played, and clean ends."""

import dataclasses
import gc
import io
import os
import signal
from concurrent.futures import Future

import numpy as np
import pytest

import boardlab as bl
from boardlab.errors import BoardLabError
from boardlab.jobs import Here, Job
from boardlab.jobs.messages import read_message, write_message

torch = pytest.importorskip("torch")

from boardlab.learners.alphazero import shares  # noqa: E402
from boardlab.learners.alphazero.ranked import Ranking  # noqa: E402
from boardlab.learners.alphazero.replay import NAMES as ARRAYS  # noqa: E402
from boardlab.learners.alphazero.searchers import ArenaSearcher  # noqa: E402
from boardlab.learners.alphazero.settings import AlphaZero  # noqa: E402
from boardlab.learners.alphazero.shares import SelfPlay, shares_of  # noqa: E402
from boardlab.learners.alphazero.warm_start import WarmStart, WarmStartOptions  # noqa: E402
from boardlab.nets.stored import build_net, net_description  # noqa: E402

SMALL = {"blocks": 1, "channels": 8, "head_filters": 2, "hidden": 8, "simulations": 8, "device": "cpu"}
SMALL |= {"games": 10, "parallel": 6, "threads": 1}


def player(**settings):
    game = bl.game("tictactoe")
    chosen = AlphaZero.checked({**SMALL, **settings})
    return SelfPlay(game, chosen.self_play, net_description(game, chosen.net), "cpu", 1)


def net_of(player, seed=3):
    torch.manual_seed(seed)
    return build_net(player.description)


def test_shares_are_all_games_and_have_seeds_of_their_own():
    settings = AlphaZero.flat(games=10, parallel=7)
    assert [(s.games, s.parallel) for s in shares_of(settings.self_play, 1, 5)] == [(10, 7)]
    assert shares_of(settings.self_play, 1, 5)[0].seed == 5
    shares = shares_of(settings.self_play, 3, 5)
    assert sum(share.games for share in shares) == 10
    assert sum(share.parallel for share in shares) == 7
    assert len({share.seed for share in shares}) == 3
    assert [share.first for share in shares] == [0, shares[0].games, 10 - shares[2].games]
    assert len(shares_of(settings.self_play, 64, 5)) == 10  # none without a game
    assert all(
        share.parallel >= 1 for share in shares_of(AlphaZero.flat(games=10, parallel=2).self_play, 5, 5)
    )


def test_lanes_play_all_games_and_the_same_ones_each_time():
    first = player(lanes=3)
    net = net_of(first)
    examples, counts = first.play(net, (-1.0, 1.0), 8, 7)
    again, _ = player(lanes=3).play(net, (-1.0, 1.0), 8, 7)
    for name in ARRAYS:
        assert np.array_equal(getattr(examples, name), getattr(again, name))
    start = np.array(bl.game("tictactoe").initial_state().fields)
    assert (examples.fields == start).all(axis=1).sum() == 10
    assert counts.moves == len(examples)
    assert counts.simulations == 8 * counts.moves


def test_lanes_have_the_seats_of_the_whole_generation(monkeypatch):
    """In an adaptive warm start the enhancement begins in the first half of all games: those of the first lane."""
    both = player(lanes=2)
    warm = WarmStart(WarmStartOptions("rollout", "adaptive")).generation(1)
    seats, restart = [], ArenaSearcher.restart

    def watched(arena, games):
        restart(arena, games)
        seats.extend(arena.seat[games].tolist())

    monkeypatch.setattr(ArenaSearcher, "restart", watched)
    both.play(net_of(both), (-1.0, 1.0), 2, 7, warm=warm)
    assert sorted(seats) == [0] * 5 + [1] * 5


def test_a_lane_that_fails_ends_all():
    failing = player(lanes=3)
    net = net_of(failing)
    failing.play(net, (-1.0, 1.0), 2, 1)
    calls = []

    def judge(planes, legal):
        calls.append(len(planes))
        if len(calls) == 5:
            raise KeyboardInterrupt
        return np.zeros((len(planes), 1), np.float32), np.zeros(legal.shape, np.float32)

    judge.load = lambda *_: None
    judge.prepare = lambda *_: None
    failing._judge = judge
    with pytest.raises(KeyboardInterrupt):
        failing.play(net, (-1.0, 1.0), 64, 1)
    assert len(calls) < 20


def test_processes_play_what_lanes_play_and_a_killed_one_starts_again():
    there = player(processes=2)
    net = net_of(there)
    try:
        for seed in (7, 8, 9):  # the second time with the processes of the first
            examples, counts = there.play(net, (-1.0, 1.0), 8, seed)
            here, counted = player(lanes=2).play(net, (-1.0, 1.0), 8, seed)
            assert counts == counted
            for name in ARRAYS:
                assert np.array_equal(getattr(examples, name), getattr(here, name))
                assert getattr(examples, name).dtype == getattr(here, name).dtype
            net = net_of(there, seed)
            processes = [worker.process for worker in there._executor._crew]
            os.kill(processes[seed % 2].pid, signal.SIGKILL)
    finally:
        there.close()
    assert all(process.poll() is not None for process in processes)  # nobody is left behind


def test_processes_end_with_their_player():
    there = player(processes=2)
    there.play(net_of(there), (-1.0, 1.0), 2, 7)
    processes = [worker.process for worker in there._executor._crew]
    del there
    gc.collect()
    assert len(processes) == 2 and all(process.poll() is not None for process in processes)


@pytest.mark.parametrize(
    "settings",
    [
        {"warm_start": "wrora", "switch": "adaptive"},
        {"resign": -0.5},
        pytest.param({"ranked_reward": 0.75}, marks=pytest.mark.slow),
    ],
)
def test_whatever_a_generation_has_reaches_the_processes(settings, monkeypatch):
    """A share that crossed a pipe twice is the share that did not."""
    chosen = AlphaZero.checked({**SMALL, **settings, "games": 2})
    one_player = chosen.ranked.reward is not None
    game = bl.game("morpion", variant="4D") if one_player else bl.game("tictactoe")
    description = net_description(game, chosen.net)
    warm = WarmStart(chosen.warm_start).generation(1)
    ranking = Ranking(0.75, float("nan")) if one_player else None
    net = build_net(description)

    class Piped(Here):
        def submit(self, job, /, tell=None):
            pipe = io.BytesIO()
            write_message(pipe, dataclasses.asdict(job))
            pipe.seek(0)
            future = super().submit(Job(**read_message(pipe)), tell)
            pipe = io.BytesIO()
            write_message(pipe, future.result())
            pipe.seek(0)
            answer = Future()
            answer.set_result(read_message(pipe))
            return answer

    monkeypatch.setattr(shares, "executor_for", lambda processes: Piped())
    results = []
    for lanes, processes in ((2, 1), (1, 2)):
        options = dataclasses.replace(chosen.self_play, lanes=lanes, processes=processes)
        play = SelfPlay(game, options, description, "cpu", 1)
        results.append(play.play(net, (-1.0, 1.0), 2, 5, warm=warm, ranking=ranking))
    (here, counts), (there, counted) = results
    assert counts == counted
    for name in ARRAYS:
        assert np.array_equal(getattr(here, name), getattr(there, name), equal_nan=True)


def test_a_run_in_processes_resumes_to_what_an_unbroken_one_in_lanes_learns(tmp_path):
    game = bl.game("tictactoe")
    bl.train(game, "alphazero", episodes=30, out=tmp_path / "whole", seed=5, lanes=2, **SMALL)
    bl.train(
        game,
        "alphazero",
        episodes=30,
        out=tmp_path / "broken",
        seed=5,
        processes=2,
        progress=lambda _: True,
        **SMALL,
    )
    resumed = bl.resume(tmp_path / "broken")
    assert resumed.episodes == 30
    with np.load(tmp_path / "whole/weights.npz") as one, np.load(tmp_path / "broken/weights.npz") as other:
        for key in one.files:
            assert np.array_equal(one[key], other[key]), key


def test_an_error_in_a_process_is_said():
    there = player(processes=2)
    net = net_of(there)
    try:
        with pytest.raises(BoardLabError, match="self-play failed in a process: TypeError"):
            there.play(net, (-1.0, 1.0), None, 7)
    finally:
        there.close()
