"""The five enhancements of Wang et al. (2021) under every command that takes an agent."""

import pytest
from typer.testing import CliRunner

import boardlab as bl
from boardlab.cli import app

NAMES = ("rollout_mcts", "rave_mcts", "rora_mcts", "wro_mcts", "wrora_mcts")
PLAYERS = [f"{name}(score, iterations=8)" for name in NAMES]


def output(*words, given=None):
    result = CliRunner().invoke(app, list(words), input=given, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_they_are_listed_with_their_parameters():
    listing = output("agents")
    assert all(name in listing for name in NAMES)
    assert "weight" in output("agents", "wro_mcts") and "weight" not in output("agents", "rollout_mcts")


def test_they_play_under_every_command(tmp_path):
    assert "20 games" in output("match", "tictactoe", PLAYERS[2], "random", "--games", "20")
    store = str(tmp_path / "boardlab.db")
    standings = output("tournament", "tictactoe", *PLAYERS, "--games", "2", "--store", store)
    assert all(name in standings for name in NAMES)
    examined = output("evaluate", PLAYERS[4], "--game", "tictactoe", "--exam", "random", "--games", "4")
    assert "4 games" in examined
    assert "X plays" in output("play", "tictactoe", "--seat", "1", "--against", PLAYERS[0], given="q\n")
    assert "b2" in output("inspect", "tictactoe", PLAYERS[3])


def test_what_an_enhancement_has_not_is_refused():
    with pytest.raises(bl.BoardLabError, match='unknown parameter of rollout_mcts "weight"'):
        bl.agent("rollout_mcts(score, weight=0.2)", bl.game("tictactoe"))
    with pytest.raises(bl.BoardLabError, match='policy must be one of "visits", "values"'):
        bl.agent('rora_mcts(score, policy="value")', bl.game("tictactoe"))
