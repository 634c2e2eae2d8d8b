"""Games that are played again: counted, told, and worth nothing in an interval."""

import math

import pytest

import boardlab as bl
from boardlab.arena.intervals import above, fresh_share, interval, standard_error
from boardlab.arena.openings import varied_openings
from boardlab.arena.played import is_dealt
from boardlab.errors import MissingPackageError

OTHELLO = bl.game("othello")
TICTACTOE = bl.game("tictactoe")


def test_a_repeated_sample_counts_once_by_hand():
    assert fresh_share("abcd") == 1 and fresh_share([]) == 1
    assert fresh_share("aabb") == 1 / 2 and fresh_share("aaab") * 4 == 16 / 10  # Kish
    scores = [1.0, -1.0, 0.0, 1.0, 1.0]
    for times in (1, 2, 20):
        repeated = scores * times
        fresh = fresh_share(list(range(5)) * times)
        assert standard_error(repeated, fresh=fresh) == pytest.approx(standard_error(scores))
        assert interval(repeated, (-1, 1), fresh=fresh) == pytest.approx(interval(scores, (-1, 1)))
        shares = [(score + 1) / 2 for score in repeated]
        assert above(shares, 0.5, fresh=fresh) == pytest.approx(above(shares[:5], 0.5))
        lost = interval([-1.0] * 5 * times, (-1, 1), fresh=fresh)
        assert lost == pytest.approx(interval([-1.0] * 5, (-1, 1)))


def test_two_games_again_and_again_have_no_interval():
    first = bl.python_agent(TICTACTOE, lambda state: min(state.legal_actions()), "first")
    last = bl.python_agent(TICTACTOE, lambda state: max(state.legal_actions()), "last")
    match = bl.match(TICTACTOE, [first, last], games=40)
    assert match.distinct == 2 and all(map(math.isnan, match.intervals))
    assert "40 games, 0 without a winner, 2 distinct: too few for a ±" in str(match)
    exam = bl.evaluate(first, TICTACTOE, against=last, games=40, starts="0")
    assert (exam.games, exam.distinct) == (40, 2) and math.isnan(exam.interval)
    assert str(exam).startswith(f"against last: {exam.value:g}, at most 1, 40 games, 2 distinct\n")
    varied = bl.evaluate(first, TICTACTOE, against=last, games=40)
    assert varied.distinct > 20 and varied.interval > 0


def test_repeats_widen_an_interval():
    """heur and bench draw among equal actions: from the start they soon play the same games again."""
    few = bl.match(OTHELLO, ["heur", "bench"], games=60, seed=1)
    assert few.distinct < 60 and 0 < few.fresh[0] < few.distinct / 60 + 1e-9
    varied = bl.evaluate("heur", OTHELLO, "bench", games=60, seed=1)
    assert varied.distinct == varied.games == 60
    assert bl.evaluate("heur", OTHELLO, against="bench", games=60, seed=1).value == varied.value


def test_what_nature_deals_twice_is_two_samples():
    poker = bl.game("kuhnpoker")
    result = bl.match(poker, ["random", "random"], games=400)
    assert result.distinct < 100 and result.fresh == (1, 1)
    cube = bl.game("rubiks", twists=1)
    assert is_dealt(cube, bl.match(cube, ["random"], games=4).records)
    assert not is_dealt(TICTACTOE, bl.match(TICTACTOE, ["random", "random"], games=4).records)


def test_varied_openings_are_many_and_early():
    found = {name: len(varied_openings(bl.game(name))) for name in ("othello", "connectfour", "tictactoe")}
    assert found == {"othello": 236, "connectfour": 238, "tictactoe": 72}
    assert varied_openings(bl.game("ewn")) == varied_openings(bl.game("kuhnpoker")) == ()
    tiny = bl.game("nim", heaps=(1, 1))
    assert varied_openings(tiny) and not any(state.is_terminal for state in varied_openings(tiny))


@pytest.mark.parametrize("name", bl.games())
def test_every_exam_tells_how_many_samples_were_distinct(name):
    game = bl.game(name)
    for exam in bl.arena.exams_for(game):
        if exam in ("maxn", "mcts", "mcts01", "ab", "abdl", "abdl01", "heur4", "bench4", "equity", "tight"):
            continue  # matches as others are, and slow
        try:
            result = bl.evaluate("random", game, exam, games=2)
        except MissingPackageError:
            continue
        assert 0 < result.distinct <= result.games
        assert f", {result.distinct} distinct" in str(result)


def test_positions_that_are_asked_about_twice_count_once():
    result = bl.evaluate("solved", bl.game("nim", heaps=(3, 3)), "optimal", games=60)
    assert 2 < result.distinct < 20 and result.interval > interval([1.0] * 60, (0, 1))


def test_a_balance_counts_repeated_games_once():
    first = bl.python_agent(TICTACTOE, lambda state: min(state.legal_actions()), "first")
    report = bl.balance(TICTACTOE, first, games=20).usual
    assert report.distinct == 1 and all(map(math.isnan, report.intervals))
