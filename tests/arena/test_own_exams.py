"""Exams of a user's own: known by name to `evaluate` and to training runs."""

import math
import re
import sys

import pytest

import boardlab as bl
from boardlab.arena.exams import EXAMS, exams_for

TICTACTOE = bl.game("tictactoe")


def length(paper):
    """how long games against a random player are

    In actions.
    """
    result = bl.match(paper.game, [paper.agent, "random"], paper.games, paper.seed)
    return [len(record.actions) for record in result.records]


def test_numbers_become_a_mean_with_its_error():
    assert bl.register_exam("length", length, values=(5, 9), best=5) is length
    found = bl.evaluate("random", TICTACTOE, "length", games=20, seed=3)
    lengths = [len(r.actions) for r in bl.match(TICTACTOE, ["random", "random"], 20, 3).records]
    assert found.value == sum(lengths) / 20 and found.games == 20 and found.exam == "length"
    assert found.best == 5 and 0 < found.error < found.interval < 4
    assert EXAMS["length"].sentence == "how long games against a random player are"
    assert EXAMS["length"].best_in_words(TICTACTOE) == "5"
    assert exams_for(TICTACTOE)[-1] == "length" and exams_for(TICTACTOE)[0] == "random"
    bl.register_exam("length", length, values=(5, 9))
    bound = bl.evaluate("random", TICTACTOE, "length", games=20, seed=3)
    assert (bound.best, bound.is_bound) == (9, True) and ", at most 9, 20 games\n" in str(bound)


def test_a_result_is_taken_as_it_is():
    @bl.register_exam("eager", applies=lambda game: game.players == 2)
    def eager(paper):
        return paper.play("mc(iterations=5)", best=0.5)

    said = bl.evaluate("random", TICTACTOE, against="mc(iterations=5)", games=10, seed=2)
    found = bl.evaluate("random", TICTACTOE, "eager", games=10, seed=2)
    assert (found.exam, found.value, found.interval) == ("eager", said.value, said.interval)
    assert "eager" not in exams_for(bl.game("2048"))
    with pytest.raises(bl.BoardLabError, match='has no exam "eager"'):
        bl.evaluate("random", bl.game("2048"), "eager")


def test_a_run_takes_it_and_stops_by_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)  # no picture: importing it takes seconds
    bl.register_exam("length", length)
    run = bl.train(TICTACTOE, "q-table", episodes=40, out=tmp_path / "run", exams=["length"], exam_every=20)
    assert [row["episodes"] for row in run.log] == [20, 40]
    assert all(5 <= row["length"] <= 9 and row["length interval"] > 0 for row in run.log)
    with pytest.raises(bl.BoardLabError, match="stop_at must be given: nobody knows the best"):
        bl.train(TICTACTOE, "q-table", episodes=40, out=tmp_path / "no", stop_exam="length")
    stopped = bl.train(
        TICTACTOE, "q-table", episodes=400, out=tmp_path / "stop", stop_exam="length", stop_at=5,
        stop_after=2, exam_every=20,
    )  # fmt: skip
    assert stopped.episodes == 40
    assert bl.resume(tmp_path / "run", episodes=60).log[-1]["length"] > 4


def test_an_exam_that_fails_loses_nothing_that_was_learned(tmp_path):
    @bl.register_exam("broken")
    def broken(paper):
        return 1 // 0

    with pytest.raises(ZeroDivisionError):
        bl.train(TICTACTOE, "q-table", episodes=30, out=tmp_path, exams=["broken"], exam_every=0)
    assert bl.open_run(tmp_path).episodes == 30
    bl.register_exam("broken", lambda paper: [1.0])
    assert bl.resume(tmp_path).log[-1]["broken"] == 1


@pytest.mark.parametrize(
    "answer", [None, [], "abc", ["a"], [[1.0]], 3.0, [math.nan], {"a": 1}, [math.inf]], ids=repr
)
def test_an_answer_that_is_none_is_said(answer):
    bl.register_exam("own", lambda paper: answer)
    with pytest.raises(bl.BoardLabError, match="the exam own must return an ExamResult or numbers, not"):
        bl.evaluate("random", TICTACTOE, "own")


def test_numbers_out_of_range_are_said():
    bl.register_exam("own", lambda paper: [0.5, 7], values=(0, 1))
    with pytest.raises(bl.BoardLabError, match="the exam own has values from 0 to 1, not 7"):
        bl.evaluate("random", TICTACTOE, "own")


def test_what_cannot_be_registered_is_refused():
    for arguments, options, words in [
        (("perfect", length), {}, '"perfect" is a built-in exam; choose another name'),
        (("uct", length), {}, '"uct" is an agent, which is already an exam'),
        (("a b", length), {}, "the name of an exam is a letter"),
        (("own", 7), {}, "register_exam needs a function of the paper, not 7"),
        (("own", length), {"best": "all"}, "best must be a number or None, not 'all'"),
        (
            ("own", length),
            {"values": (1, 0)},
            "values must be the least and the greatest, as (0, 1), not (1, 0)",
        ),
        (("own", length), {"values": 1}, "values must be the least and the greatest, as (0, 1), not 1"),
        (("own", length), {"applies": "nim"}, "applies must be a function of a game, not 'nim'"),
    ]:
        with pytest.raises(bl.BoardLabError, match=re.escape(words)):
            bl.register_exam(*arguments, **options)
    with pytest.raises(bl.BoardLabError, match=r"unknown exam \"nobody\"; there are .*--plugin FILE"):
        bl.evaluate("random", TICTACTOE, "nobody")
