"""Glicko-2 (M. Glickman, 2022): rating, deviation and volatility by period."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from boardlab.arena.intervals import NORMAL_95
from boardlab.arena.ratings.plot import Span
from boardlab.arena.ratings.results import RatingList, Result, as_results, as_start, groups_of, names_of
from boardlab.arena.tables import player_table
from boardlab.errors import BoardLabError, shown

SCALE = 173.7178


@dataclass(frozen=True)
class GlickoRating:
    """A player's rating after the last period."""

    rating: float = 1500.0
    deviation: float = 350.0
    """The 95% interval is rating ± 1.96 deviations."""
    volatility: float = 0.06
    """How erratic the player's results are."""
    games: int = 0


class GlickoRatings(RatingList[GlickoRating]):
    """The rating list."""

    unit = "Glicko-2 rating"

    def table(self, width: int | None = None) -> list[str]:
        """Format one line per player."""
        rated = self.values()
        columns = [
            [" rating ± 95%", *(f" {r.rating:>z6.0f} {NORMAL_95 * r.deviation:>5.0f}" for r in rated)],
            [" volatility", *(f" {r.volatility:>10.4f}" for r in rated)],
            [" games", *(f" {r.games:>5}" for r in rated)],
        ]
        return player_table(list(enumerate(self, 1)), columns, width, heads=("Rank", "Name"), legend=True)

    def spans(self) -> list[Span]:
        """List the ratings with their 95% intervals."""
        return [Span.around(name, r.rating, NORMAL_95 * r.deviation) for name, r in self.items()]


def glicko2(
    results: Sequence[Result],
    *,
    tau: float = 0.5,
    start: Mapping[str, GlickoRating] | None = None,
) -> GlickoRatings:
    """Rate all periods in order and return the ratings, strongest first.

    Results with the same `Result.period` are one period; periods are ordered by first appearance. A smaller
    `tau` changes the volatility more slowly (sensible: 0.3 to 1.2). `start` gives ratings of known players.
    """
    results = as_results(results, players=2)
    if not isinstance(tau, (int, float)) or not 0 < tau <= 10:
        raise BoardLabError(f"tau must be a number above 0 and at most 10, not {shown(tau)}")
    ratings = {name: GlickoRating() for name in names_of(results)} | as_start(start, GlickoRating, RANGES)
    periods: dict[str, list[Result]] = {}
    for result in results:
        periods.setdefault(result.period, []).append(result)
    for played in periods.values():
        ratings = _after_period(ratings, played, tau)
    order = sorted(ratings.items(), key=lambda item: (-item[1].rating, item[0]))
    return GlickoRatings(order, groups_of(results))


RANGES = {"rating": (-10_000, 10_000), "deviation": (1e-3, 10_000), "volatility": (1e-6, 10)}
"""Ranges in which the arithmetic works; real players are far inside."""


def _after_period(
    ratings: dict[str, GlickoRating], played: Sequence[Result], tau: float
) -> dict[str, GlickoRating]:
    games: dict[str, list[tuple[GlickoRating, float]]] = {name: [] for name in ratings}
    for result in played:
        first, second = result.players
        games[first].append((ratings[second], result.first_points))
        games[second].append((ratings[first], 1 - result.first_points))
    return {name: _rated(rating, games[name], tau) for name, rating in ratings.items()}


def _rated(player: GlickoRating, games: Sequence[tuple[GlickoRating, float]], tau: float) -> GlickoRating:
    """Update one player; names follow Glickman's paper."""
    mu, phi, sigma = (player.rating - 1500) / SCALE, player.deviation / SCALE, player.volatility
    if not games:
        return replace(player, deviation=min(350.0, SCALE * math.hypot(phi, sigma)))
    precision = surprise = 0.0
    for opponent, points in games:
        g = 1 / math.sqrt(1 + 3 * (opponent.deviation / SCALE / math.pi) ** 2)
        x = max(-100.0, min(100.0, g * (mu - (opponent.rating - 1500) / SCALE)))  # 17,000 points: certain
        expected = 1 / (1 + math.exp(-x))
        precision += g * g / (2 + math.exp(x) + math.exp(-x))  # E(1 - E), above 0 however certain
        surprise += g * (points - expected)
    v = 1 / precision
    sigma = _volatility(phi, sigma, v, v * surprise, tau)
    phi = 1 / math.sqrt(1 / (phi * phi + sigma * sigma) + precision)
    return GlickoRating(
        SCALE * (mu + phi * phi * surprise) + 1500, SCALE * phi, sigma, player.games + len(games)
    )


def _volatility(phi: float, sigma: float, v: float, delta: float, tau: float) -> float:
    """Step 5: the root of f by the Illinois algorithm."""
    a = math.log(sigma * sigma)

    def f(x: float) -> float:
        e = math.exp(x)
        spread = phi * phi + v + e
        return e * (delta * delta - spread) / (2 * spread * spread) - (x - a) / (tau * tau)

    low = a
    if delta * delta > phi * phi + v:
        high = math.log(delta * delta - phi * phi - v)
    else:
        k = 1
        while f(a - k * tau) < 0:
            k += 1
        high = a - k * tau
    at_low, at_high = f(low), f(high)
    while abs(high - low) > 1e-6:
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = f(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    return math.exp(low / 2)
