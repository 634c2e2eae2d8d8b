"""Numbers as a person reads them, wherever they are printed."""

import dataclasses
import math
import re
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardlab as bl
from boardlab import cli
from boardlab.arena.ratings import BayesElo
from boardlab.arena.records import Record
from boardlab.cli.progress import _short, teller, training_bar
from boardlab.learners import Progress
from boardlab.learners.curve import text_curve
from boardlab.numbers import counted, duration, in_words, memory, plain
from boardlab.search.agent import Agent, Decision


def test_small_numbers_are_words():
    assert [in_words(number) for number in (2, 4, 12, 13, 1000)] == ["two", "four", "twelve", "13", "1,000"]


def test_memory_is_told_in_units():
    sizes = (1, 1000, 1536, 2**20, 9.5 * 2**30, 2**60)
    assert [memory(size) for size in sizes] == [
        "1 byte", "1,000 bytes", "1.5 KiB", "1 MiB", "9.5 GiB", "1,048,576 TiB",
    ]  # fmt: skip


def test_one_is_no_plural():
    counts = [counted(number, "random actions") for number in (0, 1, 2, 1000)]
    assert counts == ["0 random actions", "1 random action", "2 random actions", "1,000 random actions"]


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (1 / 3, 4, "0.3333"), (1456.6, 3, "1,457"), (141242, 5, "141,242"), (99.7, 2, "100"), (1.0, 4, "1"),
        (-0.0, 4, "0"), (-1e-12, 4, "0"), (0.00012345, 2, "0.00012"), (math.nan, 4, "nan"), (-math.inf, 4, "-inf"),
        (9.9996, 4, "10"), (9.9994, 4, "9.999"),
    ],
)  # fmt: skip
def test_plain_numbers(value: float, digits: int, text: str) -> None:
    assert plain(value, digits) == text


def test_the_greatest_number_is_plain_too() -> None:
    assert len(plain(1.7976e308)) == 309 + 102


@settings(derandomize=True, deadline=None)
@given(st.floats(-1e15, 1e15), st.integers(1, 8))
def test_plain_numbers_are_near_and_have_no_exponent_and_no_negative_zero(value: float, digits: int) -> None:
    text = plain(value, digits)
    assert re.fullmatch(r"-?\d[\d,]*(\.\d*[1-9])?", text) and text != "-0"
    assert float(text.replace(",", "")) == pytest.approx(value, rel=0.51 * 10 ** (1 - digits), abs=1e-9)
    signed = plain(value, digits, sign=True)
    assert signed == (text if text.startswith("-") else f"+{text}")


def test_standings_and_ratings_are_plain_numbers(tmp_path) -> None:
    game = bl.game("blackjack", rounds=1)
    result = bl.tournament(game, ["random", "mc(iterations=5)"], games=2, store=tmp_path / "scores.db")
    high = [dataclasses.replace(s, mean_score=141_242.0, score_interval=1e5) for s in result.standings]
    text = str(dataclasses.replace(result, standings=tuple(high)))
    assert text.count("141,242 100,000") == 2 and "e+" not in text
    result = bl.tournament(
        bl.game("tictactoe"), ["random", "mc(iterations=5)"], games=2, store=tmp_path / "elo.db"
    )
    assert isinstance(result.ratings, BayesElo)
    level = tuple(dataclasses.replace(r, elo=-0.2, opponents=-0.3) for r in result.ratings.ratings)
    rated = dataclasses.replace(result.ratings, ratings=level)
    for text in (str(rated), str(dataclasses.replace(result, ratings=rated))):
        assert re.search(r" 0 ", text) and "-0" not in text


def test_records_and_decisions_are_plain_numbers(tmp_path, monkeypatch, capsys) -> None:
    """Scores of 0 for both, what a search found out, and long times."""
    game = bl.game("tictactoe")
    drawn = Record(game, ("a", "b"), (), (0.0, -0.0), values=(), ending="adjudication")
    bl.write_records(tmp_path / "drawn.pgn", [drawn])
    found = Decision(
        0, {0: 1.0}, {0: -0.0}, np.array([-0.0, 1130.4]), {"fitness": 0.96, "iterations": 1234567.0}
    )
    monkeypatch.setattr(Agent, "act", lambda self, state: found)
    said = []
    for words in (["replay", tmp_path / "drawn.pgn", "--list"], ["inspect", "tictactoe", "random"]):
        monkeypatch.setattr(sys, "argv", ["boardlab", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            cli.main()
        assert not end.value.code
        said.append(capsys.readouterr().out)
    assert "(scores 0 0)" in said[0]
    assert "expects +0, +1,130; fitness 0.96, iterations 1,234,567; " in said[1] and "-0" not in said[1]
    assert duration(12345) == "12,345 s"


def test_a_resumed_run_tells_its_present_speed(capsys) -> None:
    resumed = Progress(episodes=300, total=400, actions=5000, seconds=110.0, exam={}, exams=1)
    assert resumed.speed == (300 / 110, 5000 / 110)
    resumed = dataclasses.replace(resumed, before=(100, 1000, 100.0))
    assert resumed.speed == (20, 400)
    teller(training_bar())(resumed)
    assert capsys.readouterr().err == "300 of 400 episodes, 20 episodes/s, 400 actions/s\n"
    assert dataclasses.replace(resumed, seconds=100.0).speed is None


def test_the_speed_of_a_resumed_run_counts_from_its_checkpoint(tmp_path) -> None:
    game = bl.game("tictactoe")
    bl.train(game, episodes=50, out=tmp_path / "run")
    told: list[Progress] = []
    bl.resume(tmp_path / "run", episodes=60, progress=told.append)
    assert told and all(standing.before[0] == 50 and standing.before[2] > 0 for standing in told)


def test_exams_are_plain_numbers(capsys) -> None:
    told = Progress(episodes=2, total=4, actions=0, seconds=0.0, exam={"score": 1456.6}, exams=1)
    teller(training_bar())(told)
    assert capsys.readouterr().err == "2 of 4 episodes, 1,457 score\n"
    assert _short(1456.6) == "1.46k" and _short(0.00001) == "0.00001" and _short(999.9) == "1,000"
    log = [{"episodes": str(n), "score": str(value)} for n, value in ((1, 1456.6), (2, 14104))]
    assert text_curve(log, "score").splitlines()[0].split()[0] == "14,104"
