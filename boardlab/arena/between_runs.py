"""The spread between the runs of a folder: what another seed would have given.

Games of one run share what it has learned, so an interval of a folder's mean is taken over its runs, one mean
each (Student's t). Where several entrants are folders, each adds its spread.
"""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from boardlab.arena.arena import GameRecord
from boardlab.arena.intervals import interval, likely_above
from boardlab.arena.played import game_points
from boardlab.numbers import counted, plain
from boardlab.search.entrants import Entrant


@dataclass(frozen=True)
class RunScore:
    """One run's part of a match."""

    run: str
    games: int
    wins: int
    draws: int
    losses: int
    mean_score: float
    points: float
    """Mean points per game."""


def run_scores(
    entrants: Sequence[Entrant], records: Sequence[GameRecord]
) -> tuple[tuple[RunScore, ...], ...]:
    """Return the results of every run; none for entrants that are not folders."""
    return tuple(_scores_of(i, entrant, records) for i, entrant in enumerate(entrants))


def _scores_of(number: int, entrant: Entrant, records: Sequence[GameRecord]) -> tuple[RunScore, ...]:
    played: list[list[tuple[float, float, bool, bool]]] = [[] for _ in entrant.runs]
    for record in records if entrant.runs else ():
        for seat, run in _seats_of(record, number):
            score, best = record.scores[seat], max(record.scores)
            is_draw = len(set(record.scores)) == 1
            points = game_points(record.scores)[seat]
            played[run].append((score, points, score == best and not is_draw, is_draw))
    found = []
    for name, games in zip(entrant.runs, played, strict=True):
        if not games:  # stopped before its turn
            continue
        wins, draws = sum(game[2] for game in games), sum(game[3] for game in games)
        means = [statistics.mean(game[i] for game in games) for i in (0, 1)]
        found.append(RunScore(name, len(games), wins, draws, len(games) - wins - draws, *means))
    return tuple(found)


def _seats_of(record: GameRecord, entrant: int) -> list[tuple[int, int]]:
    """Return the seats of an entrant with the run in each."""
    return [(seat, record.runs[seat]) for seat, number in enumerate(record.seats) if number == entrant]


Value = Callable[[GameRecord, int], float]
"""A number of a record's seat."""


def score_of(record: GameRecord, seat: int) -> float:
    """Return the score of a seat."""
    return record.scores[seat]


def points_of(record: GameRecord, seat: int) -> float:
    """Return the points of a seat."""
    return game_points(record.scores)[seat]


@dataclass(frozen=True)
class Spread:
    """The uncertainty of a mean that comes from the runs."""

    error: float
    half: float
    """Half width of the 95% interval; 0 if all runs ended alike, or there is one."""
    degrees: int


def spread(
    entrants: Sequence[Entrant], records: Sequence[GameRecord], of: int, value: Value, *, own: bool = False
) -> Spread | None:
    """Return the spread of entrant `of`'s mean over the runs of all folders; None without folders.

    `own` counts only its own runs: in a tournament those of its opponents are opponents like others.
    """
    spreads = [
        _spread_over(number, records, of, value)
        for number, entrant in enumerate(entrants)
        if entrant.runs and (number == of or not own)
    ]
    if not spreads:
        return None
    return Spread(
        math.hypot(*(one.error for one in spreads)),
        math.hypot(*(one.half for one in spreads)),
        min(one.degrees for one in spreads),
    )


def _spread_over(folder: int, records: Sequence[GameRecord], of: int, value: Value) -> Spread:
    """Return the spread over the runs of one folder."""
    by_run: dict[int, list[float]] = {}
    for record in records:
        for _, run in _seats_of(record, folder)[:1]:
            by_run.setdefault(run, []).extend(
                value(record, seat) for seat, number in enumerate(record.seats) if number == of
            )
    means = [statistics.mean(values) for values in by_run.values() if values]
    return spread_of(means)


def spread_of(means: Sequence[float]) -> Spread:
    """Return the spread of the mean of some runs' means."""
    if len(means) < 2 or max(means) - min(means) <= 1e-12 * max(map(abs, means)):
        return Spread(0.0, 0.0, max(1, len(means) - 1))
    error = statistics.stdev(means) / math.sqrt(len(means))
    return Spread(error, interval(list(means), (-math.inf, math.inf)), len(means) - 1)


def wider(games: float, runs: Spread | None, mean: float, possible: tuple[float, float]) -> float:
    """Return the wider of the interval of the games and that between runs, within what is possible.

    The spread between runs can be small by chance; a mean is never surer than its games make it.
    """
    if runs is None or not runs.half:
        return games
    half = runs.half if math.isnan(games) else max(games, runs.half)
    return min(half, max(mean - possible[0], possible[1] - mean))


def superiority(points: float, runs: Spread) -> float | None:
    """Return the likelihood that the mean points are above 1/2; None if all runs ended alike."""
    return likely_above(points, 0.5, runs.error, runs.degrees) if runs.error else None


def spread_text(values: Sequence[float], digits: int = 3) -> str:
    """Format how far runs lie apart."""
    if len(values) < 2:
        return counted(len(values), "runs")
    deviation = plain(statistics.stdev(values), digits)
    ends = f"from {plain(min(values))} to {plain(max(values))}"
    return f"{counted(len(values), 'runs')}, {ends}, standard deviation {deviation}"
