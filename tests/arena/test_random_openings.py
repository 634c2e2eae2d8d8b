"""The exam `openings`: positions after random actions, and whether an agent keeps their exact result."""

import sys

import pytest

import boardlab as bl
from boardlab.arena.exams import EXAMS, exams_for
from boardlab.arena.exams.openings import random_openings
from boardlab.arena.exams.optimal import is_best
from boardlab.references import connectfour

SMALL = bl.game("connectfour", rows=4, cols=5)


def test_openings_are_different_undecided_and_decided_by_the_seed():
    openings = random_openings(SMALL, 30, seed=3)
    assert len({opening.state.core.to_bytes() for opening in openings}) == 30
    for opening in openings:
        assert sum(cell > 0 for cell in opening.state.fields[:20]) == opening.actions
        assert 2 <= opening.actions <= 10
        assert sorted(opening.values) == sorted(opening.state.legal_actions())
        assert len(set(opening.values.values())) > 1
    again = random_openings(SMALL, 30, seed=3)
    assert [o.state.core.to_bytes() for o in again] == [o.state.core.to_bytes() for o in openings]
    other = random_openings(SMALL, 30, seed=4)
    assert [o.state.core.to_bytes() for o in other] != [o.state.core.to_bytes() for o in openings]


def test_their_values_are_those_of_an_exhaustive_search():
    game = bl.game("tictactoe")
    search = bl.agent("alphabeta(depth=9)", game)
    for opening in random_openings(game, 30, seed=1):
        best = search.act(opening.state)
        assert is_best(opening.values, best.action)
        assert max(opening.values.values()) == pytest.approx(best.scores[opening.state.player])


@pytest.mark.parametrize(
    "game", [SMALL, bl.game("tictactoe"), bl.game("nim"), bl.game("ewn", size=3)], ids=repr
)
def test_perfect_play_gives_nothing_away_and_random_play_does(game):
    solved = "abdl" if game is SMALL else "solved"
    result = bl.evaluate(solved, game, "openings", games=20)
    assert result.value == result.best == 1
    weak = bl.evaluate("random", game, "openings", games=60)
    assert weak.value < 0.9 and weak.units == "positions"


def test_a_game_without_an_exact_solver_does_not_have_it():
    assert "openings" in exams_for(bl.game("connectfour"))
    for game in (
        bl.game("othello"),
        bl.game("connectfour", rows=6, cols=6),
        bl.game("kuhnpoker"),
        bl.game("2048"),
    ):
        assert "openings" not in exams_for(game)
    with pytest.raises(bl.BoardLabError, match='has no exam "openings", which is for connectfour on 6x7'):
        bl.evaluate("random", bl.game("othello"), "openings")


def test_a_game_in_which_nothing_matters_gets_a_sentence():
    game = bl.game("nim", heaps=(1, 1, 1, 1))
    with pytest.raises(
        bl.BoardLabError, match="has no opening of 2 to 10 actions in which the choice matters"
    ):
        bl.evaluate("random", game, "openings", games=4)


def test_the_exam_watches_a_run(tmp_path):
    run = bl.train(SMALL, out=tmp_path / "run", episodes=20, exams=["openings"], exam_games=10)
    assert 0 <= float(run.log[-1]["openings"]) <= 1
    assert EXAMS["openings"].values == (0.0, 1.0)


def test_perfect_connect_four_makes_no_error():
    pytest.importorskip("bitbully")
    result = bl.evaluate("abdl", bl.game("connectfour"), "openings", games=10)
    assert result.value == 1
    groups = ("2-4", "5-7", "8-10")
    assert result.details == {f"errors after {group} actions": 0.0 for group in groups}


def test_a_missing_package_is_told_before_a_run_begins(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "bitbully", None)
    monkeypatch.setattr(
        connectfour, "_bitbully", connectfour._bitbully.__wrapped__
    )  # another test may have it
    with pytest.raises(bl.BoardLabError, match="needs bitbully"):
        bl.train(bl.game("connectfour"), out=tmp_path / "run", exams=["openings"], episodes=100)
    assert not (tmp_path / "run").exists()
