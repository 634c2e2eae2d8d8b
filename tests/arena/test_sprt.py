"""The sequential test: its ratio against a slow maximiser, its error rates, its stop."""

import math
import random

import numpy as np
import pytest

import boardlab as bl
from boardlab import BoardLabError
from boardlab.arena.sprt import RunningSprt, Sprt, expected_points

FOUR = bl.game("connectfour")
TICTACTOE = bl.game("tictactoe")


def slow_log_likelihood(counts: list[int], mean: float) -> float:
    """The best log-likelihood of three outcomes 0, 1/2, 1 with this mean: one free number, tried on a grid."""
    lost, drawn, won = counts
    p_won = np.linspace(1e-9, mean - 1e-9, 400_001)
    p_drawn = 2 * (mean - p_won)
    p_lost = 1 - p_won - p_drawn
    fine = (p_drawn > 0) & (p_lost > 0)
    p_won, p_drawn, p_lost = p_won[fine], p_drawn[fine], p_lost[fine]
    return float(np.max(lost * np.log(p_lost) + drawn * np.log(p_drawn) + won * np.log(p_won)))


@pytest.mark.parametrize("counts", [[30, 40, 50], [100, 3, 110], [5, 200, 1]])
def test_the_ratio_is_that_of_the_most_likely_distributions(counts: list[int]) -> None:
    test = Sprt(0, 20)
    slow = slow_log_likelihood(counts, expected_points(20)) - slow_log_likelihood(counts, expected_points(0))
    assert test.llr(counts) == pytest.approx(slow, abs=2e-3)


def test_without_draws_the_ratio_is_walds_by_hand() -> None:
    """Two outcomes leave nothing to maximise: n1 log(p1/p0) + n0 log((1-p1)/(1-p0))."""
    test = Sprt(0, 30)
    p0, p1 = expected_points(0), expected_points(30)
    by_hand = 60 * math.log(p1 / p0) + 40 * math.log((1 - p1) / (1 - p0))
    assert test.llr([40, 60]) == pytest.approx(by_hand)
    assert test.bounds == pytest.approx((math.log(0.05 / 0.95), math.log(0.95 / 0.05)))
    shy = Sprt(0, 30, alpha=0.01, beta=0.2)
    assert shy.bounds == pytest.approx((math.log(0.2 / 0.99), math.log(0.8 / 0.01)))


def decide(
    test: Sprt, elo: float, rng: random.Random, draws: float = 0.4, most: int = 20_000
) -> tuple[str, int]:
    """Pairs of games whose opening favours one seat, for a player this much stronger."""
    running = RunningSprt(test, 5)
    mean = expected_points(elo)
    for pair in range(most):
        bias = rng.choice((-0.15, 0.15))
        half_points = 0
        for side in (1, -1):
            win = mean - draws / 2 + side * bias
            chance = rng.random()
            half_points += 2 if chance < win else 1 if chance < win + draws else 0
        if running.add(half_points):
            return running.result.accepted, pair + 1
    return "", most


def test_error_rates_are_what_was_asked_for() -> None:
    """300 tests of H0 and of H1 with alpha = 10% and beta = 5%: no more errors than that and three deviations."""
    test, rng = Sprt(0, 60, alpha=0.10, beta=0.05), random.Random(1)
    false_h1 = sum(decide(test, 0, rng)[0] == "H1" for _ in range(300))
    false_h0 = sum(decide(test, 60, rng)[0] == "H0" for _ in range(300))
    assert false_h1 / 300 < 0.10 + 3 * math.sqrt(0.10 * 0.90 / 300)
    assert false_h0 / 300 < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)
    assert false_h1 > 3  # the test is not so shy that it never errs


def test_a_clear_case_stops_early() -> None:
    rng = random.Random(2)
    assert decide(Sprt(0, 20), 150, rng)[1] < decide(Sprt(0, 20), 25, rng)[1]


# ---- in a match ----


def test_a_match_stops_when_the_test_is_decided() -> None:
    result = bl.match(
        FOUR, ["mcts(rollout, iterations=50)", "random"], games=400, seed=1, random_actions=2, sprt=(0, 50)
    )
    assert result.sprt is not None and result.sprt.accepted == "H1"
    assert result.games < 100 and result.games % 2 == 0
    assert result.sprt.llr == pytest.approx(result.sprt.test.llr(result.rounds))
    assert "H1 accepted" in str(result)
    weaker = bl.match(
        FOUR, ["random", "mcts(rollout, iterations=50)"], games=400, seed=1, random_actions=2, sprt=(0, 50)
    )
    assert weaker.sprt is not None and weaker.sprt.accepted == "H0"


def test_the_test_stops_at_the_same_game_on_any_number_of_threads() -> None:
    agents = ["mcts(rollout, iterations=15)", "mcts(rollout, iterations=5)"]
    one = bl.match(TICTACTOE, agents, games=5000, seed=3, sprt=Sprt(0, 30, 0.2, 0.2))
    assert one.sprt is not None and one.sprt.accepted
    for threads in (2, 7):
        assert (
            bl.match(TICTACTOE, agents, games=5000, seed=3, sprt=Sprt(0, 30, 0.2, 0.2), threads=threads)
            == one
        )


def test_games_may_run_out_first() -> None:
    result = bl.match(TICTACTOE, ["random", "random"], games=20, sprt=(0, 5))
    assert result.games == 20 and result.sprt is not None and result.sprt.accepted == ""
    assert "undecided" in str(result)


def test_tests_that_make_no_sense_are_refused() -> None:
    for wrong in ((10, 0), (0, 0)):
        with pytest.raises(BoardLabError, match="elo0 below elo1"):
            Sprt(*wrong)
    with pytest.raises(BoardLabError, match="alpha of the SPRT must be a number between 0 and"):
        Sprt(0, 10, alpha=0)
    with pytest.raises(BoardLabError, match="elo1 of the SPRT"):
        Sprt(0, math.nan)
    with pytest.raises(BoardLabError, match="pair of Elo"):
        bl.match(TICTACTOE, ["random", "random"], sprt=3)  # type: ignore[arg-type]
    with pytest.raises(BoardLabError, match="between two agents"):
        bl.match(bl.game("nim", players=3), ["random"] * 3, sprt=(0, 10))
