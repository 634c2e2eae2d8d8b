"""Whole-history ratings (Coulom 2008): strength over time, from all games.

A player's strength is a random walk with variance `drift` per unit of time, and every game is a Bradley-Terry
comparison of two strengths at their times; a draw is half a win. For agents in training, time is the number
of episodes (or generations) of a checkpoint. Newton's method on all strengths together finds the maximum of
the concave posterior; the error bars come from its Hessian.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from boardlab.arena.intervals import NORMAL_95
from boardlab.arena.ratings.bayeselo import SCALE, Vector, _logistic
from boardlab.arena.ratings.plot import Span, draw_histories
from boardlab.arena.ratings.results import RatingList, Result, as_results, groups_of, never_met
from boardlab.arena.tables import player_table
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import is_number
from boardlab.html import Html

MOST_POINTS = 4000
LATEST = 1e15
LEAST_VARIANCE = 1e-9
"""Least variance between two points, in natural units: closer points count as equal."""
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class HistoryPoint:
    """A player's rating at one time."""

    time: float
    elo: float
    error: float
    """Half width of the 95% interval."""
    games: int


class HistoryCurves(RatingList[tuple[HistoryPoint, ...]]):
    """The curves of all players."""

    def table(self, width: int | None = None) -> list[str]:
        """Format one line per point."""
        rows = [(number, name) for number, (name, curve) in enumerate(self.items(), 1) for _ in curve]
        points = [p for curve in self.values() for p in curve]
        columns = [
            [f" {'time':>10}", *(f" {p.time:>10g}" for p in points)],
            ["   Elo ± 95%", *(f" {p.elo:>z5.0f} {p.error:>5.0f}" for p in points)],
            [" games", *(f" {p.games:>5}" for p in points)],
        ]
        return player_table(rows, columns, width, heads=(None, "Name"), legend=True)

    def plot(self, path: str | os.PathLike[str]) -> Path:
        """Draw the curves with their 95% intervals into a file: .png, .svg or .pdf."""
        curves = {
            name: [(p.time, Span.around(name, p.elo, p.error)) for p in curve] for name, curve in self.items()
        }
        return draw_histories(path, curves)

    def _page(self) -> Html:
        from boardlab.arena.pages import history_page  # pages import results

        return history_page(self, never_met(self.groups))


def split_time(name: str) -> tuple[str, float]:
    """Split `run@2000` into player `run` and time 2000.

    A name without @ is at time 0.
    """
    player, mark, text = name.rpartition("@")
    try:
        time = float(text) if mark and player else None
    except ValueError:
        time = None
    if time is None:
        return name, 0.0
    if not abs(time) <= LATEST:
        raise BoardLabError(f"the time in {shown(name)} must be a number from -1e15 to 1e15")
    return player, time


def whole_history(
    results: Sequence[Result], *, drift: float | None = None, prior: float = 2.0
) -> HistoryCurves:
    """Return the rating curve of every player, best last point first.

    The mean of all points is 0.

    Names such as `run@2000` carry the time. `drift` is the variance of the walk in Elo^2 per unit of time; by
    default 300 Elo of standard deviation over the longest history. `prior` is the number of virtual draws of
    each player's first point against a player of rating 0.
    """
    results = as_results(results, players=2)
    for name, given in (("drift", drift), ("prior", prior)):
        if given is not None and (not is_number(given) or not 1e-6 <= given <= 1e9):
            raise BoardLabError(f"{name} must be a number from 0.000001 to 1000000000, not {shown(given)}")
    points = sorted({split_time(name) for result in results for name in result.players})
    if len(points) > MOST_POINTS:
        raise BoardLabError(f"a whole history can have at most {MOST_POINTS} points, not {len(points)}")
    index = {point: i for i, point in enumerate(points)}
    longest = max(t - next(u for q, u in points if q == p) for p, t in points)
    walk = (300.0**2 / max(longest, 1e-15) if longest else 1.0) if drift is None else float(drift)
    first = np.array([index[split_time(r.players[0])] for r in results])
    second = np.array([index[split_time(r.players[1])] for r in results])
    strength, covariance = _fit(
        points, first, second, np.array([r.first_points for r in results]), walk / SCALE**2, prior
    )
    errors = NORMAL_95 * SCALE * np.sqrt(np.maximum(np.diag(covariance), 0))
    games = np.bincount(first, minlength=len(points)) + np.bincount(second, minlength=len(points))
    elo = SCALE * (strength - strength.mean())
    curves: dict[str, list[HistoryPoint]] = {}
    for i, (player, time) in enumerate(points):
        curves.setdefault(player, []).append(
            HistoryPoint(time, float(elo[i]), float(errors[i]), int(games[i]))
        )
    order = sorted(curves, key=lambda player: (-curves[player][-1].elo, player))
    # All points of one player's curve are connected.
    met = [replace(r, players=tuple(split_time(name)[0] for name in r.players)) for r in results]
    return HistoryCurves(((player, tuple(curves[player])) for player in order), groups_of(met))


def _fit(
    points: Sequence[tuple[str, float]],
    first: Indices,
    second: Indices,
    score: Vector,
    walk: float,
    prior: float,
) -> tuple[Vector, Vector]:
    """Return strengths in natural units, and their covariance around the mean."""
    n = len(points)
    # The random walk is a quadratic form; the prior is virtual draws against strength 0.
    precision = np.zeros((n, n))
    starts = np.zeros(n)
    for i, (player, time) in enumerate(points):
        if i == 0 or points[i - 1][0] != player:
            starts[i] = prior
            continue
        weight = 1 / max(walk * (time - points[i - 1][1]), LEAST_VARIANCE)
        precision[i, i] += weight
        precision[i - 1, i - 1] += weight
        precision[i, i - 1] -= weight
        precision[i - 1, i] -= weight

    def log_posterior(r: Vector) -> float:
        x = r[first] - r[second]
        games = score @ np.logaddexp(0, -x) + (1 - score) @ np.logaddexp(0, x)
        virtual = starts @ (np.logaddexp(0, -r) + np.logaddexp(0, r)) / 2
        return -float(games + virtual + 0.5 * r @ precision @ r)

    r = np.zeros(n)
    value = log_posterior(r)
    for _ in range(100):
        gradient, hessian = _slopes(r, first, second, score, precision, starts)
        step, size = np.linalg.solve(hessian, gradient), 1.0
        while (new := log_posterior(r + size * step)) < value and size > 1e-12:
            size /= 2
        r, gain, value = r + size * step, new - value, new
        if gain < 1e-10:
            break
    _, hessian = _slopes(r, first, second, score, precision, starts)
    centre = np.eye(n) - 1 / n
    return r, centre @ np.linalg.inv(hessian) @ centre


def _slopes(
    r: Vector, first: Indices, second: Indices, score: Vector, precision: Vector, starts: Vector
) -> tuple[Vector, Vector]:
    """Return the gradient and the negative Hessian of the log-posterior."""
    p = _logistic(r[first] - r[second])
    bend = p * (1 - p)
    at_zero = _logistic(r)
    gradient = starts * (0.5 - at_zero) - precision @ r
    hessian = precision + np.diag(starts * at_zero * (1 - at_zero))
    np.add.at(gradient, first, score - p)
    np.add.at(gradient, second, p - score)
    np.add.at(hessian, (first, first), bend)
    np.add.at(hessian, (second, second), bend)
    np.add.at(hessian, (first, second), -bend)
    np.add.at(hessian, (second, first), -bend)
    return gradient, hessian
