"""Ratings against cases worked by hand, published examples, slow versions, and ladders of known strength."""

import itertools
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import boardlab as bl
from boardlab import BoardLabError
from boardlab.arena.ratings import (
    BayesElo,
    GlickoRating,
    Result,
    SkillRating,
    bayes_elo,
    glicko2,
    openskill,
    read_pgn_results,
    whole_history,
)
from boardlab.cli.rate import _bayeselo

WIN, DRAW, LOSS = (1.0, 0.0), (0.5, 0.5), (0.0, 1.0)


def games(first: str, second: str, wins: int, draws: int, losses: int) -> list[Result]:
    scores = [WIN] * wins + [DRAW] * draws + [LOSS] * losses
    return [Result((first, second), score) for score in scores]


def f(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400))


def ladder(
    rng: random.Random, elos: dict[str, float], rounds: int, advantage: float = 0, draw: float = 0
) -> list[Result]:
    """A double round robin, many times, with results drawn from the model."""
    results = []
    for _ in range(rounds):
        for first, second in itertools.permutations(elos, 2):
            x, chance = elos[first] - elos[second] + advantage, rng.random()
            win, loss = f(x - draw), f(-x - draw)
            score = WIN if chance < win else LOSS if chance < win + loss else DRAW
            results.append(Result((first, second), score))
    return results


# ---- Bayesian Elo ----


def test_two_players_by_hand() -> None:
    """One virtual game and a half each way: with eloDraw 0 a draw is a win and a loss with weight one.

    A prior of 2 puts a quarter of 2 in each seat, from either player: 1 + 1 virtual draws in all. 6 wins of 8 become
    8 wins and 4 losses of virtual Bradley-Terry games: the difference is 400 log10(8 / 4).
    """
    played = games("a", "b", 3, 0, 1) + games("b", "a", 1, 0, 3)
    rated = bayes_elo(played, advantage=0, draw=0)
    assert rated["a"].elo - rated["b"].elo == pytest.approx(400 * math.log10(8 / 4), abs=1e-6)
    assert rated["a"].elo == pytest.approx(-rated["b"].elo)
    # The information is 12 p (1 - p) in natural units of the difference; a rating is half the difference.
    sigma = math.sqrt(1 / (12 * (2 / 3) * (1 / 3))) / 2 * 400 / math.log(10)
    assert rated["a"].plus == rated["a"].minus == pytest.approx(1.959964 * sigma)
    assert rated.superiority[0, 1] == pytest.approx(
        0.5 * math.erfc(-math.log(2) / math.sqrt(2 / (12 * 2 / 9))), abs=1e-9
    )


def test_the_first_move_and_draws_by_hand() -> None:
    """Equal players and next to no prior: P(first wins) = 1/2 and P(first loses) = 1/6, as observed."""
    played = games("a", "b", 60, 40, 20) + games("b", "a", 60, 40, 20)
    rated = bayes_elo(played, prior=0.001)
    win, loss = 1 / 2, 1 / 6
    up, down = -400 * math.log10(1 / win - 1), -400 * math.log10(1 / loss - 1)
    assert rated.advantage == pytest.approx((up - down) / 2, abs=0.01)
    assert rated.draw == pytest.approx(-(up + down) / 2, abs=0.01)
    assert rated["a"].elo == pytest.approx(0, abs=1e-6)
    assert rated["a"].draws == pytest.approx(1 / 3) and rated["a"].score == 0.5


FOUR = {
    ("a", "b"): (15, 9, 6),
    ("b", "a"): (7, 9, 14),
    ("a", "c"): (19, 7, 4),
    ("c", "a"): (2, 8, 20),
    ("a", "d"): (13, 14, 3),
    ("d", "a"): (5, 7, 18),
    ("b", "c"): (13, 10, 7),
    ("c", "b"): (4, 14, 12),
    ("b", "d"): (17, 9, 4),
    ("d", "b"): (7, 10, 13),
    ("c", "d"): (18, 7, 5),
    ("d", "c"): (7, 14, 9),
}
"""Wins, draws and losses of who began."""


@pytest.mark.parametrize(
    ("options", "printed", "superiority"),
    [
        (  # mm, exactdist, ratings
            {"advantage": 32.8, "draw": 97.3, "bounds": "exact-opponents"},
            "a 102 34 33 -34, b 23 32 32 -8, c -45 32 32 15, d -80 32 33 27",
            90,
        ),
        (  # mm, covariance, ratings
            {"advantage": 32.8, "draw": 97.3},
            "a 102 33 33 -34, b 23 32 32 -8, c -45 32 32 15, d -80 33 33 27",
            90,
        ),
        (  # advantage 0, drawelo 300, mm, exactdist, ratings
            {"advantage": 0, "draw": 300, "bounds": "exact-opponents"},
            "a 109 21 21 -36, b 26 21 21 -9, c -48 21 21 16, d -88 21 21 29",
            98,
        ),
        (  # advantage 0, drawelo 300, mm, covariance, ratings
            {"advantage": 0, "draw": 300},
            "a 109 21 21 -36, b 26 21 21 -9, c -48 21 21 16, d -88 21 21 29",
            98,
        ),
        (  # mm 1 1, covariance, ratings
            {},
            "a 109 31 31 -36, b 24 30 30 -8, c -48 30 30 16, d -85 31 31 28",
            92,
        ),
    ],
)
def test_the_list_is_the_one_that_bayeselo_prints(
    options: dict[str, Any], printed: str, superiority: int
) -> None:
    """Version 0057 of the program, fed with a PGN file of these games: readpgn, elo, the commands above.

    It prints Elo + - ... oppo. as whole numbers, and of the likelihood that c is stronger than d (los) whole
    percents, cut off. Where it estimates eloDraw its virtual draws count for that, and
    its bounds know nothing of the error of eloDraw and of the first move's worth.
    """
    rated = bayes_elo([r for pair, told in FOUR.items() for r in games(*pair, *told)], **options)
    for line, theirs in zip(rated.ratings, printed.split(", "), strict=True):
        name, *numbers = theirs.split()
        assert line.name == name
        assert (line.elo, line.plus, line.minus, line.opponents) == pytest.approx(
            tuple(map(float, numbers)), abs=1 if options else 2
        )
    assert 100 * rated.superiority[2, 3] == pytest.approx(superiority + 0.5, abs=1)


def test_draws_do_not_stretch_the_list() -> None:
    """60% of the points, 70% of 400 games drawn: logistic Elo has 70 between the two. BayesElo (mm 1 1) prints
    33 and -33, eloDraw 352.206 and its scale .411249; its model, without the scale, would have 158 between them."""
    rated = bayes_elo(games("a", "b", 50, 140, 10) + games("b", "a", 10, 140, 50))
    assert (rated["a"].elo, rated["b"].elo) == pytest.approx((33, -33), abs=1)
    assert (rated.advantage, rated.draw) == pytest.approx((0, 352.206), abs=3)
    assert rated.scale == pytest.approx(0.411249, abs=0.005)
    # What the model expects is told by the ratings before the scale.
    apart = (rated["a"].elo - rated["b"].elo) / rated.scale
    assert f(apart - rated.draw) == pytest.approx(100 / 400, abs=0.01)
    assert f(-apart - rated.draw) == pytest.approx(20 / 400, abs=0.01)


def test_virtual_draws_say_nothing_about_how_often_a_game_is_drawn() -> None:
    """Equal players who won, drew and lost equally often: f(-eloDraw) = 1/3, whatever the prior."""
    played = games("a", "b", 1, 1, 1) + games("b", "a", 1, 1, 1)
    for prior in (0.1, 2.0, 50.0):
        assert bayes_elo(played, prior=prior).draw == pytest.approx(400 * math.log10(2), abs=0.01)


def slow_fit(results: list[Result], sweeps: int = 3000) -> dict[str, float]:
    """Minorisation-maximisation, from Hunter's and Coulom's update rules, one player after the other; eloDraw and
    eloAdvantage estimated, eloDraw from real games only: in virtual ones a draw is a win and a loss, eloDraw 0."""
    names = list(dict.fromkeys(n for r in results for n in r.players))
    met = {n: [r for r in results if n in r.players] for n in names}
    pairs = list(itertools.permutations(names, 2))
    table: dict[tuple[str, str, bool], list[float]] = {
        (*p, r): [0.0] * 3 for p in pairs for r in (True, False)
    }
    for r in results:
        table[*r.players, True][int(2 * r.first_points)] += 1
    for i, j in pairs:
        shared = sum(j in r.players for r in met[i])
        for pair in ((i, j), (j, i)):
            table[*pair, False][1] += 2 * 0.25 * shared / len(met[i])
    gamma, w, draw = dict.fromkeys(names, 1.0), 1.0, 1.5
    for _ in range(sweeps):
        for i in names:
            up = down = 0.0
            for j, is_real in itertools.product(names, (True, False)):
                if j == i:
                    continue
                d = draw if is_real else 1.0
                (l1, d1, w1), (l2, d2, w2) = table[i, j, is_real], table[j, i, is_real]
                up += w1 + d1 + l2 + d2
                down += (d1 + w1) * w / (w * gamma[i] + d * gamma[j])
                down += (d1 + l1) * d * w / (d * w * gamma[i] + gamma[j])
                down += (d2 + w2) * d / (w * gamma[j] + d * gamma[i])
                down += (d2 + l2) / (d * w * gamma[j] + gamma[i])
            gamma[i] = up / down
        up_w = down_w = up_d = down_d = 0.0
        for (i, j, is_real), (lost, drawn, won) in table.items():
            d = draw if is_real else 1.0
            one, two = w * gamma[i] + d * gamma[j], d * w * gamma[i] + gamma[j]
            up_w += won + drawn
            down_w += (drawn + won) * gamma[i] / one + (drawn + lost) * d * gamma[i] / two
            if is_real:
                up_d += drawn
                down_d += (drawn + won) * gamma[j] / one + (drawn + lost) * w * gamma[i] / two
        c = up_d / down_d
        w, draw = up_w / down_w, c + math.sqrt(c * c + 1)
    elo = {n: 400 * math.log10(g) for n, g in gamma.items()}
    mean = sum(elo.values()) / len(elo)
    return {n: e - mean for n, e in elo.items()} | {
        "advantage": 400 * math.log10(w),
        "draw": 400 * math.log10(draw),
    }


def test_newton_finds_what_minorisation_maximisation_finds() -> None:
    rng = random.Random(4)
    results = ladder(rng, {"a": 0, "b": 80, "c": -150, "d": 300}, 8, advantage=40, draw=60)
    results += games("e", "a", 0, 0, 7)  # one who only loses
    rated, slow = bayes_elo(results), slow_fit(results)
    elo = {r.name: r.elo / rated.scale for r in rated.ratings}
    assert elo == pytest.approx({n: slow[n] for n in "abcde"}, abs=0.05)
    assert (rated.advantage, rated.draw) == pytest.approx((slow["advantage"], slow["draw"]), abs=0.05)


def grid_maximum(wins: tuple[int, int], advantages: list[float], draw: float) -> tuple[float, float, float]:
    """The best log-posterior of two players on a grid, their difference and the advantage there.

    The first player won so many games in either seat, and two virtual draws are added: each seat has one.
    """
    differences = np.arange(-6000.0, 6000.0)

    def log_f(elo: NDArray[np.float64]) -> NDArray[np.float64]:
        return -np.logaddexp(0, -elo * math.log(10) / 400)

    found = []
    for advantage in advantages:
        value = np.zeros_like(differences)
        for won, x in zip(wins, (differences + advantage, differences - advantage), strict=True):
            value += won * log_f(x - draw) + log_f(x - draw) + log_f(-x - draw)
        found.append((float(value.max()), float(differences[value.argmax()]), advantage))
    return max(found)


@pytest.mark.parametrize(
    ("wins", "advantage", "draw"),
    [
        ((100, 0), -800, 0),
        ((1000, 0), -400, 400),
        ((60, 60), 0, 800),
        ((100, 0), None, 800),
        ((100, 0), -2000, 2000),
        ((100, 0), 2000, 2000),
        ((1, 10_000), 2000, 0),
    ],
)
def test_the_maximum_is_found_from_far_away(
    wins: tuple[int, int], advantage: float | None, draw: float
) -> None:
    """Newton's steps used to overshoot into the flat, whence there is no way back."""
    played = games("a", "b", wins[0], 0, 0) + games("b", "a", 0, 0, wins[1])
    rated = bayes_elo(played, advantage=advantage, draw=draw)
    given = np.arange(-2000.0, 2000.0, 40).tolist() if advantage is None else [advantage]
    _, difference, found = grid_maximum(wins, given, draw)
    apart = (rated["a"].elo - rated["b"].elo) / rated.scale
    assert apart == pytest.approx(difference, abs=1 if len(given) == 1 else 40)
    assert rated.advantage == pytest.approx(found, abs=40)
    for bounds in ("covariance", "exact-opponents"):
        a = bayes_elo(played, advantage=advantage, draw=draw, bounds=bounds)["a"]
        assert 0 < a.plus < 1e5 and 0 < a.minus < 1e5


def numeric_covariance(results: list[Result], rated: BayesElo) -> NDArray[np.float64]:
    """Inverse of the Hessian of the log-posterior by finite differences, with the mean rating fixed by a penalty."""
    names = [r.name for r in rated.ratings]
    n = len(names)
    counts: dict[tuple[str, str], int] = {}
    for r in results:
        for pair in (r.players, r.players[::-1]):
            counts[pair] = counts.get(pair, 0) + 1
    total = {name: sum(c for (i, _), c in counts.items() if i == name) for name in names}

    def log_posterior(p: NDArray[np.float64]) -> float:
        elo, advantage, draw = dict(zip(names, p, strict=False)), p[n], p[n + 1]

        def log_p(first: str, second: str, half_points: int, draw: float = draw) -> float:
            x = elo[first] - elo[second] + advantage
            win, loss = f(x - draw), f(-x - draw)
            return math.log([loss, 1 - win - loss, win][half_points])

        value = sum(log_p(*r.players, int(2 * r.first_points)) for r in results)
        for (i, j), c in counts.items():
            virtual = sum(log_p(*pair, half, 0.0) for pair in ((i, j), (j, i)) for half in (0, 2))
            value += 2 * 0.25 * c / total[i] * virtual
        return value - (float(np.sum(p[:n])) ** 2) * 10

    at = np.array([r.elo / rated.scale for r in rated.ratings] + [rated.advantage, rated.draw])
    step = 0.5
    hessian = np.zeros((n + 2, n + 2))
    for i, j in itertools.product(range(n + 2), repeat=2):
        for si, sj in itertools.product((1, -1), repeat=2):
            moved = at.copy()
            moved[i] += si * step
            moved[j] += sj * step
            hessian[i, j] += si * sj * log_posterior(moved) / (4 * step * step)
    return np.linalg.inv(-hessian)[:n, :n]


def test_the_covariance_is_the_inverse_of_the_hessian() -> None:
    results = ladder(random.Random(2), {"a": 0, "b": 90, "c": -150}, 6, advantage=30, draw=70)
    rated = bayes_elo(results)
    numeric = rated.scale**2 * numeric_covariance(results, rated)
    assert rated.covariance == pytest.approx(numeric, rel=0.01, abs=1)


def test_a_known_ladder_is_recovered_within_its_error_bars() -> None:
    """95% intervals of six players over 150 tournaments cover the truth 95% of the time."""
    truth = {"a": 220.0, "b": 100.0, "c": 30.0, "d": -20.0, "e": -110.0, "f": -220.0}
    rng = random.Random(7)
    covered = total = 0
    offs: list[float] = []
    advantages: list[float] = []
    for _ in range(150):
        rated = bayes_elo(ladder(rng, truth, 8, advantage=50, draw=80))
        for r in rated.ratings:
            covered += r.elo - r.minus <= rated.scale * truth[r.name] <= r.elo + r.plus
            total += 1
            offs.append(r.elo / rated.scale - truth[r.name])
        advantages.append(rated.advantage)
    # 900 intervals, ratings of one tournament being correlated: 95% with a standard deviation of 0.9%
    assert 0.92 < covered / total < 0.98
    assert abs(float(np.mean(offs))) < 1e-6  # both means are 0
    assert float(np.mean(advantages)) == pytest.approx(50, abs=4)


def test_the_likelihood_of_superiority_is_calibrated() -> None:
    """Among pairs that are said to be ordered with 70% to 90%, about 80% are."""
    rng = random.Random(3)
    right = total = 0.0
    for _ in range(150):
        truth = {name: rng.gauss(0, 60) for name in "abcde"}
        rated = bayes_elo(ladder(rng, truth, 4))
        for i, j in itertools.combinations(range(5), 2):
            p = rated.superiority[i, j]
            if 0.7 < p < 0.9:
                total += 1
                right += truth[rated.ratings[i].name] > truth[rated.ratings[j].name]
    assert total > 300
    assert right / total == pytest.approx(0.8, abs=0.09)


def test_bounds_with_exact_opponents_by_hand() -> None:
    """8 wins and 4 losses, virtual ones included: the share of wins has the posterior Beta(8, 4)."""
    played = games("a", "b", 3, 0, 1) + games("b", "a", 1, 0, 3)
    a = bayes_elo(played, advantage=0, draw=0, bounds="exact-opponents")["a"]
    grid = (np.arange(200_000) + 0.5) / 200_000
    below = np.cumsum(grid**7 * (1 - grid) ** 3)
    low, high = (grid[np.searchsorted(below, q * below[-1])] for q in (0.025, 0.975))
    # Half of the difference between two players is the rating of one.
    assert a.elo - a.minus == pytest.approx(200 * math.log10(low / (1 - low)), abs=1)
    assert a.elo + a.plus == pytest.approx(200 * math.log10(high / (1 - high)), abs=1)
    assert a.plus > a.minus


def test_bounds_with_exact_opponents_know_only_who_was_met() -> None:
    played = games("a", "b", 30, 0, 20) + games("b", "a", 25, 0, 25)
    options = {"advantage": 0.0, "draw": 0.0}
    alone = bayes_elo(played, bounds="exact-opponents", **options)["a"]
    others = [r for i, j in itertools.permutations("uvwxyz", 2) for r in games(i, j, 3, 0, 3)]
    among = bayes_elo(played + others, bounds="exact-opponents", **options)["a"]
    assert (among.elo, among.plus, among.minus) == pytest.approx((alone.elo, alone.plus, alone.minus))
    # An anchor is known: the whole difference is the other's, as the covariance has it.
    rated = bayes_elo(played, anchor="b", bounds="exact-opponents", **options)
    assert rated["b"] == replace(rated["b"], elo=0.0, plus=0.0, minus=0.0)
    assert rated["a"].plus == pytest.approx(bayes_elo(played, anchor="b", **options)["a"].plus, rel=0.03)
    assert rated["a"].plus == pytest.approx(2 * alone.plus, abs=2)


def test_no_width_of_draws_is_told_where_all_were_drawn() -> None:
    played = games("a", "b", 0, 50, 0)
    rated = bayes_elo(played)
    assert rated.draw == math.inf and rated["a"].elo == pytest.approx(0, abs=1e-6)
    # Neither certain nor far wider than with a game that was won.
    won = bayes_elo([*played[1:], *games("a", "b", 1, 0, 0)])
    assert 0.5 * won["a"].plus < rated["a"].plus < 2 * won["a"].plus
    assert rated["a"].plus == pytest.approx(5.51, abs=0.01)  # one of 50 not drawn: a width of 400 log10(99)
    assert rated.scale == pytest.approx(4 * 99 / 100**2)
    assert bayes_elo(played[:1])["a"].plus > 20 * rated["a"].plus
    assert bayes_elo(played, draw=97.3).draw == pytest.approx(97.3)
    assert math.isfinite(bayes_elo([*played, *games("a", "b", 1, 0, 0)]).draw)
    assert any("eloDraw unknown (no game was won)" in line for line in _bayeselo(played)[1])


def test_a_player_that_only_lost_reaches_further_down_than_up() -> None:
    """As the random player of Table A.3 in Wang (2021)."""
    results = ladder(random.Random(1), {"a": 0, "b": 50, "c": -50}, 20)
    for name in "abc":
        results += games(name, "random", 20, 0, 0) + games("random", name, 0, 0, 20)
    rated = bayes_elo(results, bounds="exact-opponents")
    last = rated.ratings[-1]
    assert (last.name, last.games, last.score) == ("random", 120, 0)
    assert last.minus > 1.5 * last.plus > 0


def test_groups_that_never_met_are_named() -> None:
    rated = bayes_elo(games("a", "b", 3, 0, 1) + games("c", "d", 1, 0, 3))
    assert sorted(map(sorted, rated.groups)) == [["a", "b"], ["c", "d"]]
    assert rated["a"].elo == pytest.approx(-rated["b"].elo) and rated["d"].elo == pytest.approx(
        -rated["c"].elo
    )
    assert "2 groups never met" in str(rated)
    assert "never met" not in str(bayes_elo(games("a", "b", 3, 0, 1)))


def test_an_anchor_has_rating_zero_and_no_error() -> None:
    results = ladder(random.Random(2), {"a": 0, "b": 90, "c": -150}, 6)
    rated = bayes_elo(results, anchor="b")
    assert rated["b"].elo == 0 and rated["b"].plus == pytest.approx(0, abs=1e-4)
    free = bayes_elo(results)
    assert rated["a"].elo == pytest.approx(free["a"].elo - free["b"].elo)


def test_players_that_won_everything_get_finite_ratings() -> None:
    rated = bayes_elo(games("a", "b", 200, 0, 0) + games("b", "a", 0, 0, 200))
    assert 300 < rated["a"].elo < 1500 and rated["a"].plus > 50


# ---- the list and the file of Wang (2021), appendix A.4 ----

FIGURE = """.....
[Event "arena_othello_final.pgn"]
[Iteration "926"]
[Site "liacs server, Leiden"]
[Round "6"]
[White "bestmodel_mcts_rave_run2"]
[Black "bestmodel_mcts_rave_run5"]
[Result "1-0"]
Here are detailed game moves for [Iteration "926, round6"]

[Event "arena_othello_final.pgn"]
[Iteration "926"]
[Site "liacs server, Leiden"]
[Round "7"]
[White "bestmodel_mcts_rave_run2"]
[Black "bestmodel_mcts_rave_run5"]
[Result "0-1"]
Here are detailed game moves for [Iteration "926, round7"]

[Event "arena_othello_final.pgn"]
[Round "8"]
[White "bestmodel_mcts_rave_run2"]
[Black "bestmodel_mcts_rave_run5"]
[Result "0-1"]
[Event "arena_othello_final.pgn"]
[White "a \\"quoted\\" name"]
[Black "bestmodel_mcts_rave_run5"]
[Result "1/2-1/2"]
[Event "unfinished"]
[White "x"]
[Black "y"]
[Result "*"]
.....
"""


def test_pgn_with_free_text_where_moves_should_be(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text("\ufeff" + FIGURE)
    results = read_pgn_results(tmp_path / "a.pgn")
    two, five = "bestmodel_mcts_rave_run2", "bestmodel_mcts_rave_run5"
    assert results == [
        Result((two, five), WIN),
        Result((two, five), LOSS),
        Result((two, five), LOSS),
        Result(('a "quoted" name', five), DRAW),
    ]


def test_games_that_are_cut_off_are_left_out_and_counted(tmp_path: Path) -> None:
    """Figure A.2 of Wang (2021) ends in the tags of a game whose players are not printed."""
    cut = '[Event "arena_othello_final.pgn"]\n[Site "liacs server, Leiden"]\n[Round "9"]\n.....\n'
    file = tmp_path / "a.pgn"
    file.write_text(FIGURE + cut)
    found = read_pgn_results(file)
    line = FIGURE.count("\n") + 1
    assert found.left_out == (
        f"1 game left out: incomplete ({file}, line {line}: a game lacks the tag White)",
        "1 game left out: without a result",
    )
    (tmp_path / "whole.pgn").write_text(FIGURE)
    assert found == read_pgn_results(tmp_path / "whole.pgn")
    with pytest.warns(UserWarning, match="left out") as warned:
        rated = bl.rate(file)
    assert [str(w.message) for w in warned] == list(found.left_out)
    assert rated["bestmodel_mcts_rave_run5"].games == 4
    file.write_text(cut + FIGURE)  # such files are joined, too
    assert read_pgn_results(file) == found and "line 1:" in read_pgn_results(file).left_out[0]
    file.write_text(cut)
    with pytest.raises(BoardLabError, match="line 1: a game lacks the tag White"):
        read_pgn_results(file)


def test_like_bayeselo_is_what_the_program_does_without_options() -> None:
    played = [r for pair, told in FOUR.items() for r in games(*pair, *told)]
    by_hand = bayes_elo(played, advantage=32.8, draw=97.3, bounds="exact-opponents")
    assert bayes_elo(played, like="bayeselo") == by_hand == bl.rate(played, like="bayeselo")
    assert bayes_elo(played, like="bayeselo", draw=0) == bayes_elo(
        played, advantage=32.8, draw=0, bounds="exact-opponents"
    )
    with pytest.raises(BoardLabError, match=r'"bayselo"; did you mean "bayeselo"'):
        bayes_elo(played, like="bayselo")


def test_games_that_a_match_saved_are_rated_alike(tmp_path: Path) -> None:
    game = bl.game("connectfour")
    result = bl.match(game, ["mcts(rollout, iterations=10)", "random"], games=10, seed=1)
    result.save(tmp_path / "games.pgn")
    assert bl.rate(tmp_path / "games.pgn") == bl.rate(result)
    three = bl.match(
        bl.game("nim", players=3, heaps=(3, 3)), ["random", "maxn(depth=2)", "maxn(depth=4)"], games=12
    )
    three.save(tmp_path / "three.pgn")
    assert bl.rate(tmp_path / "three.pgn", "openskill") == bl.rate(three, "openskill")
    with pytest.raises(BoardLabError, match="openskill takes any number"):
        bl.rate(tmp_path / "three.pgn")


def test_the_list_has_the_form_of_table_a3() -> None:
    text = str(bayes_elo(games("strong", "w", 9, 1, 0) + games("w", "strong", 1, 0, 9), advantage=0))
    head, first, second = text.splitlines()
    assert head.split() == ["Rank", "Name", "Elo", "+", "-", "games", "score", "oppo.", "draws"]
    rank, name, elo, plus, minus, number, score, opponents, draws = first.split()
    assert (rank, name, number, score, draws) == ("1", "strong", "20", "92%", "5%")
    assert int(elo) == -int(opponents) > 0 and int(plus) == int(minus) > 0
    assert second.split()[:2] == ["2", "w"]


def test_files_that_cannot_be_rated_are_refused(tmp_path: Path) -> None:
    def refused(words: str, text: str) -> None:
        (tmp_path / "x.pgn").write_text(text)
        with pytest.raises(BoardLabError, match=words):
            read_pgn_results(tmp_path / "x.pgn")

    refused("no game with the tags", "")
    refused("no game with the tags", "1. e4 e5 2. f4")
    refused("line 1: a game lacks the tag Black", '[White "a"]\n[Result "1-0"]\n')
    unfinished = '[White "a"]\n[Black "b"]\n[Result "*"]\n\n1. e4 *\n\n'
    alone = '[Player1 "a"]\n[Result "*"]\n[Scores "1024"]\n\n*\n\n'
    refused("holds no finished game: 2 games without a result", 2 * unfinished)
    refused(r"holds games of one player \(2\): nobody beat anybody", 2 * alone)
    refused("nothing to rate: 1 game without a result, and 1 game of one player", unfinished + alone)
    refused('line 2: the result "3-0"', '\n[White "a"]\n[Black "b"]\n[Result "3-0"]\n')
    with pytest.raises(BoardLabError, match="there is no file"):
        read_pgn_results(tmp_path / "missing.pgn")


@pytest.mark.parametrize("system", ["bayeselo", "glicko2", "openskill", "whole-history"])
def test_games_of_a_player_against_itself_are_left_out(system: str) -> None:
    met = games("a", "b", 3, 1, 1)
    with pytest.warns(UserWarning, match="^2 games of a player against itself left out$"):
        rated = bl.rate([*games("a", "a", 1, 0, 1), *met], system)
    assert str(rated) == str(bl.rate(met, system))


def test_ratings_refuse_what_they_cannot_rate() -> None:
    two = games("a", "b", 1, 0, 0)
    with pytest.raises(BoardLabError, match="list of results"):
        bayes_elo("a beats b")  # type: ignore[arg-type]
    with pytest.raises(BoardLabError, match="no game"):
        bayes_elo([])
    with pytest.raises(BoardLabError, match="against itself"):
        bayes_elo(games("a", "a", 1, 0, 0))
    with pytest.raises(BoardLabError, match="openskill takes any number"):
        bayes_elo([Result(("a", "b", "c"), (1, 0, 0))])
    with pytest.raises(BoardLabError, match="one score per player"):
        openskill([Result(("a", "b"), (1,))])
    with pytest.raises(BoardLabError, match="finite"):
        openskill([Result(("a", "b"), (math.nan, 1))])
    for wrong in (0, -1, math.nan, "2", True):
        with pytest.raises(BoardLabError, match="prior"):
            bayes_elo(two, prior=wrong)  # type: ignore[arg-type]
    with pytest.raises(BoardLabError, match="draw must be"):
        bayes_elo(two, draw=-3)
    with pytest.raises(BoardLabError, match='did you mean "a"'):
        bayes_elo(two, anchor="A")
    with pytest.raises(BoardLabError, match="bounds"):
        bayes_elo(two, bounds="none")
    with pytest.raises(BoardLabError, match="tau"):
        glicko2(two, tau=0)


# ---- Glicko-2 ----


def test_glickmans_worked_example() -> None:
    """Glickman, Example of the Glicko-2 system: 1500/200 wins against 1400/30, loses to 1550/100 and 1700/300."""
    start = {
        "me": GlickoRating(1500, 200, 0.06),
        "x": GlickoRating(1400, 30, 0.06),
        "y": GlickoRating(1550, 100, 0.06),
        "z": GlickoRating(1700, 300, 0.06),
    }
    played = [Result(("me", "x"), WIN), Result(("y", "me"), WIN), Result(("me", "z"), LOSS)]
    me = glicko2(played, tau=0.5, start=start)["me"]
    assert me.rating == pytest.approx(1464.06, abs=0.02)
    assert me.deviation == pytest.approx(151.52, abs=0.01)
    assert me.volatility == pytest.approx(0.05999, abs=1e-5)


@pytest.mark.parametrize(
    ("start", "says"),
    [
        (
            {"a": GlickoRating(rating=1e5)},
            "the rating of a must be a number from -10000 to 10000, not 100000",
        ),
        ({"a": GlickoRating(rating=math.nan)}, "the rating of a"),
        ({"a": GlickoRating(deviation=0)}, "the deviation of a"),
        ({"a": GlickoRating(volatility=0)}, "the volatility of a must be a number from 1e-06 to 10, not 0"),
        ({"b": GlickoRating(volatility="x")}, "the volatility of b"),  # type: ignore[arg-type]
        ({"a": 1500}, "start must give a GlickoRating for each name"),
        ([1500], "start must give a GlickoRating for each name"),
    ],
)
def test_a_start_that_cannot_be_is_refused(start: object, says: str) -> None:
    with pytest.raises(BoardLabError, match=says):
        glicko2([Result(("a", "b"), WIN)], start=start)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("start", "says"),
    [
        ({"a": 3}, "start must give a SkillRating for each name"),
        (5, "start must give a SkillRating for each name, not 5"),
        ({"a": SkillRating(mean=1e6)}, "the mean of a must be a number from -100000 to 100000, not 1000000"),
        ({"a": SkillRating(mean=math.nan)}, "the mean of a"),
        ({"b": SkillRating(deviation=-1)}, "the deviation of b must be a number from 0 to 100000, not -1"),
    ],
)
def test_a_skill_that_cannot_be_is_refused(start: object, says: str) -> None:
    with pytest.raises(BoardLabError, match=says):
        openskill([Result(("a", "b"), WIN)], start=start)  # type: ignore[arg-type]


def test_results_that_were_certain_or_impossible_are_rated() -> None:
    start = {"a": GlickoRating(10_000, 0.001, 10), "b": GlickoRating(-10_000, 10_000, 1e-6)}
    for score in (WIN, LOSS):
        for tau in (1e-3, 0.5, 10):
            rated = glicko2([Result(("a", "b"), score)], tau=tau, start=start)
            assert all(
                math.isfinite(x) for r in rated.values() for x in (r.rating, r.deviation, r.volatility)
            )
    usual = {"a": GlickoRating(10_000), "b": GlickoRating(-10_000)}
    expected, upset = (glicko2([Result(("a", "b"), score)], start=usual) for score in (WIN, LOSS))
    assert expected["a"].rating == pytest.approx(10_000)
    # phi^2 g, where one game that says nothing about phi leaves it: 2.0148^2 * 0.6690
    assert upset["a"].rating == pytest.approx(10_000 - 173.7178 * 2.0148**2 * 0.6690, abs=2)
    far = [Result(("a", "b"), LOSS, str(i // 100)) for i in range(1000)]
    assert math.isfinite(glicko2(far, start={"a": GlickoRating(10_000, 10_000, 10)})["a"].rating)


def test_who_does_not_play_becomes_uncertain() -> None:
    played = [Result(("a", "b"), WIN, "1"), Result(("a", "c"), WIN, "2")]
    rated = glicko2(played, start={"b": GlickoRating(1500, 50)})
    one = glicko2(played[:1], start={"b": GlickoRating(1500, 50)})
    assert rated["b"].deviation == pytest.approx(
        math.hypot(one["b"].deviation, 173.7178 * one["b"].volatility)
    )
    assert next(iter(rated)) == "a" and rated["a"].games == 2


# ---- openskill ----


def test_one_game_of_two_by_hand() -> None:
    """Weng and Lin: c = sqrt(2 (sigma^2 + beta^2)), omega = sigma^2 / c / 2, delta = gamma sigma^2 / c^2 / 4; the loser
    also has the term of its own rank, in which it stands alone."""
    sigma, beta = 25 / 3, 25 / 6
    c = math.sqrt(2 * (sigma**2 + beta**2))
    rated = openskill([Result(("a", "b"), WIN)])
    assert rated["a"].mean == pytest.approx(25 + sigma**2 / c / 2)
    assert rated["b"].mean == pytest.approx(25 - sigma**2 / c / 2)
    narrowed = sigma * math.sqrt(1 - sigma / c * sigma**2 / c**2 / 4)
    assert rated["a"].deviation == pytest.approx(narrowed)
    assert rated["b"].deviation == pytest.approx(narrowed)


def test_tau_widens_deviations_before_every_game() -> None:
    played = [Result(("a", "b"), WIN)]
    wide = SkillRating(deviation=math.hypot(25 / 3, 2))
    found, expected = openskill(played, tau=2), openskill(played, start={"a": wide, "b": wide})
    for name in "ab":
        assert found[name].mean == pytest.approx(expected[name].mean)
        assert found[name].deviation == pytest.approx(expected[name].deviation)


def test_skills_are_finite_wherever_they_are_allowed() -> None:
    """A small beta puts players a thousand spreads apart."""
    played = [Result(("a", "b"), WIN), Result(("b", "a"), WIN), Result(("a", "b", "c"), (1, 2, 2))] * 200
    far = {"a": SkillRating(100_000, 0), "b": SkillRating(-100_000, 100_000)}
    for beta in (1e-6, 0.01, 1e6):
        for start in (None, far):
            rated = openskill(played, beta=beta, start=start)
            assert all(math.isfinite(r.mean) and math.isfinite(r.deviation) for r in rated.values())
    # who was far ahead and won has told nothing; who lost moves by variance / c
    ahead = {"a": SkillRating(1000, 0.1), "b": SkillRating(0, 0.1)}
    assert openskill([Result(("a", "b"), WIN)], beta=0.1, start=ahead)["a"].mean == 1000
    upset = openskill([Result(("a", "b"), LOSS)], beta=0.1, start=ahead)
    assert upset["a"].mean == pytest.approx(1000 - 0.01 / math.sqrt(0.04))


@pytest.mark.parametrize("tau", [0.0, 0.5])
def test_the_same_as_the_package_openskill(tau: float) -> None:
    """Random games of two to five players with ties, after which all ratings agree."""
    models = pytest.importorskip("openskill.models")
    model = models.PlackettLuce(tau=tau)
    rng = random.Random(5)
    names = list("abcdefg")
    theirs = {name: model.rating(name=name) for name in names}
    played = []
    for _ in range(60):
        players = tuple(rng.sample(names, rng.randint(2, 5)))
        scores = tuple(float(rng.randint(0, 3)) for _ in players)
        played.append(Result(players, scores))
        rated = model.rate([[theirs[p]] for p in players], scores=list(scores))
        theirs.update({p: team[0] for p, team in zip(players, rated, strict=True)})
    ours = openskill(played, tau=tau)
    for name in names:
        assert (ours[name].mean, ours[name].deviation) == pytest.approx(
            (theirs[name].mu, theirs[name].sigma), rel=1e-6
        )


def test_three_players_of_known_strength_are_ranked() -> None:
    rng = random.Random(1)
    skill = {"a": 3.0, "b": 1.0, "c": 0.0, "d": -2.0}
    played = []
    for _ in range(400):
        players = tuple(rng.sample(list(skill), 3))
        played.append(Result(players, tuple(skill[p] + rng.gauss(0, 2) for p in players)))
    rated = openskill(played)
    assert list(rated) == ["a", "b", "c", "d"]
    assert rated["a"].ordinal == rated["a"].mean - 3 * rated["a"].deviation
    assert all(r.deviation < 2 for r in rated.values())


# ---- whole history ----


@pytest.mark.parametrize("time", ["nan", "inf", "-inf", "1e400", "-2e15"])
def test_a_time_that_is_none_is_refused(time: str) -> None:
    played = [Result((f"a@{time}", "b@1"), WIN), Result(("a@2", "b@1"), LOSS)]
    with pytest.raises(BoardLabError, match=rf"the time in 'a@{time}' must be a number from -1e15 to 1e15"):
        whole_history(played)
    assert whole_history([Result(("a@home", "b@1"), WIN)])["a@home"][0].time == 0  # a name as it is


@pytest.mark.parametrize("drift", [None, 1e-6, 1e9])
def test_times_that_are_close_or_far_are_rated(drift: float | None) -> None:
    for first, second in (("1e-300", "2e-300"), ("0", "5e-324"), ("-1e15", "1e15")):
        played = [Result((f"a@{first}", "b"), WIN), Result((f"a@{second}", "b"), LOSS)]
        curves = whole_history(played, drift=drift)
        assert all(math.isfinite(x) for curve in curves.values() for p in curve for x in (p.elo, p.error))


def test_one_point_a_player_is_bradley_terry() -> None:
    """Without history the model is Bradley-Terry with virtual draws against 0: by hand for two players.

    By symmetry r and -r: gradient 6 - 8 s(2r) + 2 (1/2 - s(r)) = 0.
    """
    curves = whole_history(games("a", "b", 6, 0, 2))
    low, high = 0.0, 5.0
    for _ in range(200):
        r = (low + high) / 2
        slope = 6 - 8 / (1 + math.exp(-2 * r)) + 2 * (0.5 - 1 / (1 + math.exp(-r)))
        low, high = (r, high) if slope > 0 else (low, r)
    assert curves["a"][0].elo == pytest.approx(r * 400 / math.log(10), abs=1e-4)
    assert curves["b"][0].elo == pytest.approx(-curves["a"][0].elo)
    assert curves["a"][0].games == 8


def test_growing_strength_is_followed_and_its_intervals_cover_the_truth() -> None:
    """A run that gains 80 Elo a step against a fixed player, measured at 8 checkpoints."""
    rng = random.Random(6)
    covered = total = 0
    for _ in range(40):
        truth = {f"run@{1000 * t}": 80.0 * t for t in range(8)} | {"fixed": 250.0}
        results = []
        for t in range(8):
            name = f"run@{1000 * t}"
            for opponent in ["fixed", f"run@{1000 * (t - 1)}"] if t else ["fixed"]:
                for _ in range(15):
                    for pair in ((name, opponent), (opponent, name)):
                        won = rng.random() < f(truth[pair[0]] - truth[pair[1]])
                        results.append(Result(pair, WIN if won else LOSS))
        curves = whole_history(results)
        mean = sum(truth.values()) / len(truth)
        for point in curves["run"]:
            covered += abs(point.elo - (truth[f"run@{point.time:.0f}"] - mean)) <= point.error
            total += 1
        assert curves["run"][-1].elo > curves["run"][0].elo + 200
    assert 0.90 < covered / total <= 1.0


def test_a_small_drift_ties_the_points_together() -> None:
    results = games("run@0", "x", 2, 0, 8) + games("run@1", "x", 8, 0, 2)
    loose, tight = whole_history(results, drift=1e6), whole_history(results, drift=1e-3)
    assert loose["run"][1].elo - loose["run"][0].elo > 200
    assert tight["run"][1].elo - tight["run"][0].elo == pytest.approx(0, abs=0.1)
    assert [p.time for p in tight["run"]] == [0, 1] and tight["x"][0].time == 0
