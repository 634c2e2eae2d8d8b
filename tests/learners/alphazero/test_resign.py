"""Resigning in self-play: off by default, games end where the search gives up, some are played out."""

import json

import numpy as np
import pytest

import boardlab as bl
from boardlab.errors import BoardLabError
from boardlab.games import Game
from boardlab.learners.alphazero.resign import Resigning

torch = pytest.importorskip("torch")

from boardlab.learners.alphazero.self_play import play_games  # noqa: E402
from boardlab.learners.alphazero.settings import AlphaZero  # noqa: E402
from boardlab.learners.alphazero.warm_start import WarmStart  # noqa: E402

GAME = bl.game("connectfour", rows=4, cols=4, connect=3)


def even(planes, legal):
    return np.zeros((len(planes), 1), np.float32), np.zeros(legal.shape, np.float32)


def play(**more):
    """Games one after the other: lists of (value of the player to move, result for it, the state)."""
    settings = AlphaZero.flat(games=40, parallel=1, simulations=40, temperature_moves=6, **more)
    examples, counts = play_games(GAME, even, settings.self_play, 40, 1, seed=5, threads=1)
    games = []
    for fields, q, z in zip(examples.fields, examples.q[:, 0], examples.z[:, 0], strict=True):
        state = GAME.from_fields(fields.tolist())
        if state == GAME.initial_state():
            games.append([])
        games[-1].append((q, z, state))
    assert len(games) == 40
    return games, counts, examples


def test_played_out_games_are_those_without_resigning_and_show_its_mistakes():
    plain, nobody, there = play()
    watched, counts, here = play(resign=-0.11, resign_played_out=1.0)
    assert np.array_equal(there.fields, here.fields) and np.array_equal(there.z, here.z)
    assert nobody.resign.facts() == {"resigned": 0, "resign_played_out": 0}
    would = [next(((q, z) for q, z, _ in game if q < -0.11), None) for game in watched]
    would = [found for found in would if found is not None]
    mistakes = sum(z > -1 for _, z in would)
    assert counts.resign.resigned == 0
    assert counts.resign.played_out == len(would) > 10
    assert counts.resign.mistakes == mistakes > 0  # -.11 is far too early
    assert len(plain) == len(watched)


class Margin(bl.PythonGame):
    """One action each, and player 0 wins by 16."""

    name = "margin"
    action_count = 1
    horizon = 2
    score_range = (-16.0, 16.0)

    def initial_state(self, rng):
        return (0,)

    def player(self, position):
        return position[0] if position[0] < 2 else bl.TERMINAL

    def legal(self, position):
        return [0]

    def apply(self, position, action):
        return (position[0] + 1,)

    def scores(self, position):
        return (16.0, -16.0)


def test_where_margins_count_a_resigned_game_is_worth_what_was_expected_and_any_loss_is_one():
    for played_out, outcome, mistakes in ((0, (0, 0), 0), (1, (-3, 3), 0), (1, (0, 0), 1), (1, (2, -2), 1)):
        resigning = Resigning(Game(Margin()), -0.9, played_out, trees=2, seed=1)
        resigning.look(np.array([True, True]), np.array([0, 0]), np.array([[-14.5, 14.5], [-14.3, 14.3]]))
        assert resigning.loser.tolist() == [0, -1]  # nine tenths of the way from 16 to -16 are -14.4
        found = resigning.close(0, np.array(outcome, float))
        assert found.tolist() == ([-14.5, 14.5] if not played_out else list(outcome))
        assert (resigning.counts.played_out, resigning.counts.mistakes) == (played_out, mistakes)


def test_a_game_ends_where_its_player_gives_up_and_is_worth_what_was_expected():
    games, counts, _ = play(resign=-0.9, resign_played_out=0.0)
    resigned = 0
    for game in games:
        assert all(q >= -0.9 for q, _, _ in game[:-1])
        q, z, state = game[-1]
        if q < -0.9:
            resigned += 1
            assert z == pytest.approx(q, abs=1e-6)
        else:  # played to its end: one action is missing
            assert any(child.is_terminal for _, child in state.children())
        movers = [state.player for _, _, state in game]
        assert (
            len({z if mover == movers[-1] else -z for (_, z, _), mover in zip(game, movers, strict=True)})
            == 1
        )
    assert counts.resign.resigned == resigned > 10
    assert counts.resign.played_out == counts.resign.mistakes == 0


def test_many_games_side_by_side_are_all_played():
    settings = AlphaZero.flat(games=50, parallel=16, simulations=20, resign=-0.8, resign_played_out=0.5)
    examples, counts = play_games(GAME, even, settings.self_play, 20, 1, seed=1, threads=1)
    begins = sum(GAME.from_fields(f.tolist()) == GAME.initial_state() for f in examples.fields)
    assert begins == len(counts.scores) == 50
    assert counts.resign.resigned > 5 and counts.resign.played_out > 5


def test_the_run_tells_how_often_resigning_was_wrong(tmp_path):
    options = {"games": 16, "parallel": 8, "simulations": 16, "blocks": 1, "channels": 8, "threads": 1}
    options |= {"resign": -0.7, "resign_played_out": 0.5, "device": "cpu", "lanes": 2}
    run = bl.train(GAME, "alphazero", episodes=32, out=tmp_path / "run", **options)
    told = [json.loads(line) for line in (run.path / "generations.jsonl").read_text().splitlines()]
    assert all({"resigned", "resign_played_out"} <= set(row) for row in told)
    assert sum(row["resigned"] for row in told) > 0
    assert all(0 <= row.get("resign_mistakes", 0) <= 1 for row in told)


@pytest.mark.parametrize(("switch", "may"), [("fixed", True), ("adaptive", False)])
def test_a_warm_start_resigns_but_where_two_are_compared(switch, may):
    settings = AlphaZero.flat(
        games=20,
        parallel=20,
        simulations=20,
        resign=-0.5,
        resign_played_out=0,
        warm_start="rollout",
        switch=switch,
    )
    warm = WarmStart(settings.warm_start).generation(1)
    _, counts = play_games(GAME, even, settings.self_play, 20, 1, seed=1, threads=1, warm=warm)
    assert bool(counts.resign.resigned) == may


@pytest.mark.parametrize("name", ["2048", "morpion"])
def test_only_two_players_can_resign(tmp_path, name):
    with pytest.raises(BoardLabError, match="resign is for two-player zero-sum games"):
        bl.train(bl.game(name), "alphazero", out=tmp_path / "run", resign=-0.9)
