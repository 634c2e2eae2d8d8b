"""Counts and error bars as the commands print them."""

import re

import pytest

import boardlab as bl
from boardlab.numbers import plain


@pytest.mark.parametrize(
    ("game", "exam", "asked", "played"),
    [
        ("tictactoe", "perfect", 50, "40 games (50 requested)"),
        ("rubiks", "twists50", 2, "6 cubes (2 requested)"),
        ("tictactoe", "perfect", 40, "40 games, "),
    ],
)
def test_an_exam_says_how_many_games_it_played(boardlab, game, exam, asked, played):
    _, out, _ = boardlab("evaluate", "random", "--game", game, "--exam", exam, "-n", asked)
    assert played in out


def test_error_bars_are_plain_numbers(boardlab, tmp_path):
    _, out, _ = boardlab("evaluate", "random", "--game", "2048", "-n", "3")
    assert re.search(r"^score: 1,\d{3} ± \d[\d,]* \(95%\), 3 games, 3 distinct$", out, re.MULTILINE)
    _, out, _ = boardlab("match", "2048", "random", "-n", "3")
    assert re.search(r"mean score 1,\d{3} ± \d[\d,]*$", out, re.MULTILINE)
    words = (
        "--size",
        "3",
        "--episodes",
        "2",
        "--exam-games",
        "3",
        "--exam-every",
        "0",
        "--out",
        tmp_path / "run",
    )
    _, out, _ = boardlab("train", "2048", *words)
    assert re.search(r"^score: \d+(\.\d)? ± \d[\d,.]* \(95%\), 3 samples, 3 distinct$", out, re.MULTILINE)
    assert (plain(99.7, 2), plain(0.123, 2), plain(1234.5, 2)) == ("100", "0.12", "1,234")


def test_one_game_has_no_error_bar(boardlab):
    _, out, _ = boardlab("match", "morpion", "nrpa(level=1)", "--games", "1")
    assert "nan" not in out and "± " not in out
    assert "\n1 game, 1 distinct: too few for a ±\n" in out


def test_an_elo_that_few_games_cannot_bound_is_no_number():
    few = bl.match(bl.game("tictactoe"), ["random", "random"], games=4, seed=1)  # a pair lost, a pair won
    assert "too few games for an Elo" in str(few) and "inf" not in str(few)
    many = bl.match(bl.game("connectfour"), ["mcts(rollout, iterations=100)", "random"], games=40)
    assert many.points[0] == 1
    assert re.search(r"Elo above \+\d+, stronger with", str(many))


def test_what_nobody_can_exploit_is_zero(boardlab):
    _, out, _ = boardlab(
        "evaluate", "nash", "--game", "kuhnpoker", "--exam", "exploitability", "--games", "5"
    )
    assert out.startswith("exploitability: 0 ± 0 ")


def test_one_game_of_a_balance_has_no_error_bar(boardlab):
    status, out, _ = boardlab("balance", "tictactoe", "--agent", "random", "--games", "1")
    assert status == 0 and "nan" not in out and "1 game," in out


def test_large_scores_of_famous_agents_are_plain_numbers(boardlab, tmp_path):
    store = tmp_path / "store.db"
    assert boardlab("tournament", "2048", "random", "tiles", "-n", "3", "--store", store)[0] == 0
    _, out, _ = boardlab("fame", "--store", store)
    assert "e+" not in out and re.search(r"\d,\d{3} \(", out)
