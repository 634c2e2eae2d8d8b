"""What seats are worth, and starts that make a game even."""

import math
import sys

import pytest

import boardlab as bl
from boardlab.arena.arena import GameRecord
from boardlab.arena.balance import (
    _imbalance,
    _most_even,
    _Prior,
    _prior,
    balance,
    random_starts,
    seat_report,
    write_openings,
)
from boardlab.arena.openings import read_openings


def played(won, lost):
    """Games of one start that the first seat won and lost."""
    return [GameRecord((0, 1), (), (s, -s), 0, "") for s in [1.0] * won + [-1.0] * lost]


FAIR = [played(won, 4 - won) for won in range(5) for _ in range(math.comb(4, won))]
GROUPS = [played(5, 5), played(5, 5), *[played(9, 1)] * 5, *[played(1, 9)] * 5]


def test_a_solved_game_shows_its_exact_values():
    won = seat_report(bl.game("hex", size=3), ["solved"], games=20)
    assert won.mean_scores == (1, -1) and won.wins == (1, 0) and won.advantage == 1
    drawn = seat_report(bl.game("tictactoe"), ["solved"], games=20)
    assert drawn.mean_scores == (0, 0) and drawn.draws == 1 and drawn.distinct > 1


def test_several_agents_take_every_seat_in_turn():
    """A strong agent against a weak one from an even start: the seats are worth the same."""
    game = bl.game("tictactoe")
    report = seat_report(game, ["solved", "random"], games=400, seed=1)
    assert abs(report.mean_scores[0]) < 0.35  # not the strong agent's 0.9
    three = seat_report(bl.game("nim", players=3), ["random"], games=60)
    assert len(three.mean_scores) == 3 and math.isclose(sum(three.wins), 1)


def test_random_play_of_tic_tac_toe_favours_the_first_as_known():
    report = seat_report(bl.game("tictactoe"), ["random"], games=4000, seed=2)
    assert report.mean_scores[0] == pytest.approx(0.2968, abs=0.05)  # .5850 wins, .2881 losses
    assert abs(report.mean_scores[0] - 0.2968) < 2 * report.intervals[0]


def test_even_starts_are_found_and_judged_by_fresh_games():
    """Hex 3x3 under perfect play: a start is worth 1 or -1, so that no choice can make it even."""
    game = bl.game("hex", size=3)
    result = balance(game, ["solved"], games=10, plies=1, candidates=9, keep=9, screen=2, confirm=4)
    exact = bl.agent("solved", game).act(game.initial_state()).values
    for start in result.starts:
        (name,) = start.actions
        assert start.report.mean_scores[0] == exact[game.initial_state().parse_action(name)]
    assert result.imbalance == pytest.approx(1)


def test_the_choice_does_not_flatter_the_figures():
    """No start of random TicTacToe is even: whatever was chosen, the fresh games tell the truth."""
    game = bl.game("tictactoe")
    result = balance(game, ["random"], games=50, plies=1, candidates=9, keep=3, screen=4, confirm=400, seed=5)
    assert result.together is not None and result.together.games == 1200
    assert result.together.mean_scores[0] > 0.1  # random play favours the first player, wherever it begins
    assert 0.1 < result.imbalance < 0.6


def test_no_game_is_played_twice(monkeypatch):
    """The starts were chosen by luck among others: games with the same seeds would repeat it."""
    seeds = []

    def watched(*arguments, **options):
        played = bl.match(*arguments, **options)
        seeds.append({record.seed for record in played.records})
        return played

    monkeypatch.setattr(sys.modules[balance.__module__], "match", watched)
    balance(bl.game("tictactoe"), ["random"], games=8, plies=1, candidates=4, keep=2, screen=2, confirm=4)
    assert [len(stage) for stage in seeds] == [8, 8, 32, 8]  # usual, screen, screen again, confirm
    assert len(set().union(*seeds)) == 56


def test_the_choice_sees_through_luck():
    """Two even starts among many lopsided ones, ten games each: expected squares find them."""
    prior = [_prior(GROUPS, seat) for seat in (0, 1)]
    assert set(_most_even(GROUPS, prior, range(len(GROUPS)))[:2]) == {0, 1}
    # One that was 4:6 in ten games is likelier to be even than one that was 5:5, when nearly all are lopsided
    # towards the first seat: the 5:5 was probably lucky.
    lopsided = [played(9, 1), played(8, 2), played(9, 1), played(10, 0), played(5, 5), played(4, 6)]
    belief = [_prior(lopsided, seat) for seat in (0, 1)]
    assert _most_even(lopsided, belief, [4, 5]) == [5, 4]


def test_the_scatter_of_few_games_is_not_that_of_the_starts():
    """All 16 ways that four fair games end: the means have the variance 1/4, and chance explains all of it."""
    belief = _prior(FAIR, 0)
    assert belief.mean == 0 and belief.noise == pytest.approx(1)
    assert belief.variance == pytest.approx(16 / 4 / 15 - 1 / 4)


def test_of_two_starts_that_look_alike_the_better_known_one_is_more_even():
    """By hand: ten games leave a variance of 1/2 * 1/10, forty of 4/5 * 1/40."""
    groups = [played(5, 5), played(20, 20), played(5, 5)]
    assert _most_even(groups, [_Prior(mean=0.0, variance=0.1, noise=1.0)] * 2, range(3)) == [1, 0, 2]


def test_the_imbalance_is_without_the_luck_of_few_games():
    """By hand: nine of ten games won are off by .8, and the variance of that mean is .04."""
    assert _imbalance(FAIR) == pytest.approx(0, abs=1e-6)
    assert _imbalance([played(9, 1), played(1, 9)]) == pytest.approx(math.sqrt(0.8**2 - 0.04))


def test_even_starts_make_an_uneven_game_even():
    """TicTacToe under perfect play after three random actions: many are lost, the drawn ones are kept."""
    game = bl.game("tictactoe")
    result = balance(game, ["solved"], games=10, plies=3, candidates=60, keep=5, screen=2, confirm=10)
    assert [start.report.mean_scores[0] for start in result.starts] == [0.0] * 5
    assert result.imbalance == 0


def test_files_can_be_played_from(tmp_path):
    for name, parameters in (("tictactoe", {}), ("ewn", {"size": 3}), ("kuhnpoker", {})):
        game = bl.game(name, **parameters)
        result = balance(game, ["random"], games=4, plies=1, candidates=4, keep=2, screen=2, confirm=4)
        file = tmp_path / f"{name}.txt"
        write_openings(result, file)
        assert read_openings(game, file) == [start.state for start in result.starts]
        assert bl.match(game, ["random", "random"], 8, starts=read_openings(game, file)).games == 8
    (tmp_path / "other").touch()
    assert (
        file.stat().st_mode == (tmp_path / "other").stat().st_mode
    )  # whoever may read other files may read it
    with pytest.raises(bl.BoardLabError, match='nowhere/file" cannot be written: No such file'):
        write_openings(result, tmp_path / "nowhere" / "file")
    with pytest.raises(bl.BoardLabError, match="cannot be written"):
        write_openings(result, tmp_path)


def test_the_same_seed_gives_the_same_starts():
    game = bl.game("othello")
    assert random_starts(game, 4, 5, seed=1) == random_starts(game, 4, 5, seed=1)
    one, two = (
        balance(game, ["random"], 4, 7, plies=4, candidates=4, keep=2, screen=2, confirm=4) for _ in "ab"
    )
    assert [s.actions for s in one.starts] == [s.actions for s in two.starts]
    assert [s.report for s in one.starts] == [s.report for s in two.starts]


@pytest.mark.parametrize(
    ("game", "agents", "more", "message"),
    [
        ("2048", ["random"], {}, "nothing to balance"),
        ("tictactoe", ["random"] * 3, {}, "one agent that plays itself, or 2"),
        ("tictactoe", [7], {}, "an agent must be an expression"),
        ("tictactoe", ["random"], {"plies": 1, "keep": 200}, "keep must be"),
        ("tictactoe", ["random"], {"plies": 9}, "every game of tictactoe is over"),
    ],
)
def test_mistakes_get_a_sentence(game, agents, more, message):
    with pytest.raises(bl.BoardLabError, match=message):
        balance(bl.game(game), agents, games=2, **more)
