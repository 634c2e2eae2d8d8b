"""Speed: what is counted, not how fast this machine is."""

import math

import pytest
from typer.testing import CliRunner

import boardlab as bl
from boardlab.arena.arena import Arena
from boardlab.arena.speed import Speed
from boardlab.cli import app

NIM = bl.game("nim", heaps=(2, 3, 2), max_take=2, players=3)


@pytest.mark.parametrize("game", [bl.game("tictactoe"), NIM, bl.game("blackjack"), bl.game("2048", size=2)])
def test_every_decision_of_every_seat_counts(game):
    found = bl.speed("random", game, seconds=0.01)
    assert found.games <= found.actions <= found.games * game.horizon
    assert found.cpu_seconds > 0 and found.seconds > 0
    assert found.actions_per_second * found.seconds_per_action == pytest.approx(1)


def test_a_slow_agent_plays_one_whole_game_and_has_no_interval():
    game = bl.game("tictactoe")
    found = bl.speed("mcts(rollout, iterations=20000)", game, seconds=1e-4, seed=5)
    records = []
    Arena(game, ["mcts(rollout, iterations=20000)"] * 2, 5).play([[0, 1]], 1, records.extend)
    assert (found.games, found.actions) == (1, sum(records[0].decisions)) and math.isnan(found.interval)


def test_agents_written_in_python_have_a_speed():
    game = bl.game("tictactoe")
    first = bl.python_agent(game, lambda state: state.legal_actions()[0], "first")
    found = bl.speed(first, game, seconds=0.01)
    assert found.agent == "first" and found.actions == 7 * found.games  # X completes 2, 4, 6


def test_speed_by_hand():
    found = Speed(NIM, "A", 10, 60, 0.03, 0.06, 12.5)
    assert str(found) == (
        "A: 2,000 ± 12.5 actions per second of CPU time, 500 µs per action (1 ms by the clock)\n"
        "  10 games of nim against itself, 60 actions"
    )
    slow = Speed(NIM, "A", 1, 6, 3.0, 3.0, math.nan)
    assert str(slow).startswith("A: 2 actions per second of CPU time, 500 ms per action (500 ms by")


def test_agents_without_a_speed_get_a_sentence():
    game = bl.game("tictactoe")

    def refused(words, *args, **more):
        with pytest.raises(bl.BoardLabError, match=words):
            bl.speed(*args, **more)

    refused("only programs have a speed", "human", game)
    refused(
        "a game ended by an error, so there is no speed: bad",
        bl.python_agent(game, lambda s: 99, "bad"),
        game,
    )
    for seconds in (0, -1, math.nan, math.inf, "2", None):
        refused("seconds must be above 0", "random", game, seconds)
    refused("seed must be", "random", game, seed=-1)
    refused("a game is made with", "random", "tictactoe")


def test_one_command_measures_several_agents():
    words = ("evaluate", "A=random", "greedy", "--game", "tictactoe", "--speed", "--seconds", "0.01")
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    lines = result.output.splitlines()
    assert result.exit_code == 0 and len(lines) == 4
    assert lines[0].startswith("A: ") and lines[2].startswith("greedy(rollout): ")
    for more, words in (
        (("--exam", "perfect"), "--exam does nothing with --speed"),
        (("--against", "random"), "--against does nothing with --speed"),
        (("-n", "7"), "--games does nothing with --speed"),
        (("--jobs", "2"), "--jobs does nothing with --speed"),
    ):
        with pytest.raises(bl.BoardLabError, match=words):
            CliRunner().invoke(
                app, ("evaluate", "random", "-g", "nim", "--speed", *more), catch_exceptions=False
            )
    with pytest.raises(bl.BoardLabError, match="--seconds does nothing without --speed"):
        CliRunner().invoke(app, ("evaluate", "random", "-g", "nim", "--seconds", "1"), catch_exceptions=False)
