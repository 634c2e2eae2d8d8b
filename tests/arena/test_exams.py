import math

import pytest

import boardlab as bl
from boardlab.arena.exams import EXAMS, exams_for, starts_up_to


def test_a_perfect_player_reaches_the_best_possible_value():
    game = bl.game("tictactoe")
    result = bl.evaluate("alphabeta(depth=9)", game, "perfect", games=40)
    assert result.value == result.best == 0 and result.games == 40
    nim = bl.game("nim", heaps=(3, 2), max_take=3)
    assert bl.evaluate("bouton", nim, "bouton", games=40).value == bl.evaluate("bouton", nim, "bouton").best


def test_a_weak_player_does_not():
    assert bl.evaluate("random", bl.game("tictactoe"), "perfect", games=100).value < -0.5
    assert bl.evaluate("random", bl.game("nim"), "bouton", games=100).value < -0.5


def test_starts_are_all_running_positions_once():
    assert len(starts_up_to(bl.game("tictactoe"), 1)) == 10
    assert len(starts_up_to(bl.game("tictactoe"), 2)) == 1 + 9 + 72
    assert len(starts_up_to(bl.game("nim", heaps=(1, 1)), 2)) == 3  # both empty is over


def test_cubes_are_solved_by_the_solver_and_not_at_random():
    game = bl.game("rubiks")
    solved = bl.evaluate("greedy(solver)", game, "twists20", games=10)
    assert solved.value == 1 and set(solved.details) == {"11 twists", "12 twists", "13 twists"}
    assert bl.evaluate("random", game, "twists20", games=10).value < 0.1


def test_tiles_are_counted():
    result = bl.evaluate("mc(iterations=40)", bl.game("2048", size=3), "score", games=4)
    assert result.value > 0 and math.isinf(result.best)


def test_wrong_exams_get_a_sentence():
    with pytest.raises(bl.BoardLabError, match='did you mean "perfect"'):
        bl.evaluate("random", bl.game("tictactoe"), "perfct")
    with pytest.raises(bl.BoardLabError, match='has no exam "abdl"'):
        bl.evaluate("random", bl.game("connectfour", rows=4), "abdl")


def test_every_exam_says_what_it_does():
    assert all(exam.sentence for exam in EXAMS.values())
    assert exams_for(bl.game("connectfour")) == ["random", "ab", "abdl"]
