"""Compare training runs: curves, differing settings, and a significance test.

An entrant is a run, or a folder of runs over seeds. Where two entrants have runs with the same seeds the
test is paired by seed; single runs are compared by the intervals of their exams.
"""

import functools
import math
import os
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardlab.arena.match import match
from boardlab.arena.match_result import MatchResult
from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.html import Html
from boardlab.learners.curve import (
    Point,
    band,
    draw_panels,
    exam_panel,
    interval_of_runs,
    mean_curve,
    points,
)
from boardlab.learners.exams import exam_names, exam_range
from boardlab.learners.run import Run, open_run, run_expression
from boardlab.numbers import counted, plain
from boardlab.paths import as_path
from boardlab.plots import picture_file
from boardlab.reports import Report
from boardlab.runs import runs_in, write_file


@dataclass(frozen=True)
class Compared:
    """One run, or several that differ in their seed."""

    name: str
    runs: tuple[Run, ...]

    def curve(self, exam: str) -> list[Point]:
        """The exam's values over episodes: a run's own, or the mean over runs."""
        logs = [run.log for run in self.runs]
        return points(logs[0], exam) if len(logs) == 1 else mean_curve(logs, exam)

    def by_seed(self, exam: str, value: Callable[[Run], Point | None]) -> dict[int, Point]:
        """One point of each run, by seed; runs without one are left out."""
        found = {run.seed: value(run) for run in self.runs if exam in exam_names(run.log)}
        return {seed: point for seed, point in found.items() if point is not None}


@dataclass(frozen=True)
class Difference:
    """The difference of two entrants in an exam, at equal episodes or equal time."""

    exam: str
    first: str
    second: str
    at: str
    """For example "60,000 episodes"."""
    value: float
    half: float
    """Half the width of its 95% interval; NaN where there is none."""
    how: str
    """How many runs it rests on."""

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes 0."""
        return abs(self.value) > self.half

    def __str__(self) -> str:
        width = f" ± {plain(self.half, 2)}" if self.half == self.half else ""
        verdict = "clear" if self.is_clear else "not clear"
        return (
            f"{self.exam} at {self.at}: {self.first} {plain(self.value, 3, sign=True)}{width} beside "
            f"{self.second} ({self.how}; {verdict} at 95%)"
        )


@dataclass(frozen=True, repr=False)
class Comparison(Report):
    """Runs side by side; printed as `boardlab compare` does."""

    game: Game
    entrants: tuple[Compared, ...]
    settings: dict[str, list[str]]
    """The settings that differ: a value for each entrant."""
    differences: tuple[Difference, ...]
    result: MatchResult | None = None
    """Of the match between them, where one was played."""

    def __str__(self) -> str:
        lines = [f"{self.game!r}: {', '.join(entrant.name for entrant in self.entrants)}"]
        lines += [f"{name}: {' | '.join(values)}" for name, values in self.settings.items()]
        lines += list(map(str, self.differences)) or ["no exam that all of them took at the same episodes"]
        return "\n".join(lines + ([str(self.result)] if self.result else []))

    def _page(self) -> Html:
        from boardlab.learners.pages import comparison_page  # pages import results

        return comparison_page(self)

    def draw(self, path: str | os.PathLike[str]) -> Path:
        """Draw the curves into a file: .png, .svg or .pdf."""
        file = picture_file(path)
        write_file(file, _draw(self.game, self.entrants, file.suffix[1:].lower()))
        return file


def compare(
    *paths: str | os.PathLike[str], match_games: int = 0, seed: int = 0, threads: int = 1
) -> Comparison:
    """Compare runs, or folders of runs over seeds, of one game.

    With `match_games` their agents also play a match of that number of games.
    """
    if len(paths) < 2:
        raise BoardLabError("compare needs two runs or more")
    entrants = tuple(_entrant(path) for path in paths)
    game = entrants[0].runs[0].game
    for entrant in entrants[1:]:
        if repr(entrant.runs[0].game) != repr(game):
            raise BoardLabError(
                f"{entrant.name} plays {entrant.runs[0].game!r}, but {entrants[0].name} plays {game!r}"
            )
    result = None
    if match_games:
        agents = [run_expression(path) for path in paths]
        result = match(game, agents, match_games, seed, threads=threads)
    return Comparison(game, entrants, _different_settings(entrants), tuple(_differences(entrants)), result)


def _entrant(path: str | os.PathLike[str]) -> Compared:
    folder = as_path("a run", path)
    found = runs_in(folder)
    if not found:
        return Compared(str(folder), (open_run(folder),))
    runs = sorted((open_run(run) for run in found), key=lambda run: run.seed)
    return Compared(str(folder), tuple(runs))


def _described(entrant: Compared) -> dict[str, Any]:
    run = entrant.runs[0]
    seeds = [str(run.seed) for run in entrant.runs]
    known = {"learner": run.settings.name, "episodes": run.total, "seed": ",".join(seeds)}
    timed = {} if run.minutes is None else {"minutes": run.minutes}
    return {**known, **timed, **run.settings.as_dict()}


def _different_settings(entrants: Sequence[Compared]) -> dict[str, list[str]]:
    tables: list[Mapping[str, Any]] = [_described(entrant) for entrant in entrants]
    names = dict.fromkeys(name for table in tables for name in table)
    rows = {name: [str(table.get(name, "-")) for table in tables] for name in names}
    return {name: values for name, values in rows.items() if len(set(values)) > 1}


def _differences(entrants: Sequence[Compared]) -> list[Difference]:
    """The first entrant beside each other one, in every exam that both took."""
    first, *others = entrants
    found = []
    for other in others:
        for exam in _shared_exams(first, other):
            found += [d for test in (at_equal_episodes, at_equal_time) if (d := test(exam, first, other))]
    return found


def _shared_exams(*entrants: Compared) -> list[str]:
    names = [{name for run in entrant.runs for name in exam_names(run.log)} for entrant in entrants]
    order = [name for run in entrants[0].runs for name in exam_names(run.log)]
    return [name for name in dict.fromkeys(order) if all(name in known for known in names)]


def at_equal_episodes(exam: str, a: Compared, b: Compared) -> Difference | None:
    """The difference at the last number of episodes where all runs took the exam."""
    taken = [{x for x, _, _ in points(run.log, exam)} for e in (a, b) for run in e.runs]
    shared = set.intersection(*taken)
    if not shared:
        return None
    at = max(shared)

    def value(run: Run) -> Point | None:
        return next((point for point in points(run.log, exam) if point[0] == at), None)

    return _test(exam, a, b, counted(at, "episodes"), value)


def at_equal_time(exam: str, a: Compared, b: Compared) -> Difference | None:
    """At the training time that all runs reached: each run's last exam within it."""
    limit = min(max((_seconds(row) for row in run.log), default=0.0) for e in (a, b) for run in e.runs)

    def value(run: Run) -> Point | None:
        within = points([row for row in run.log if _seconds(row) <= limit], exam)
        return within[-1] if within else None

    return _test(exam, a, b, f"{plain(limit, 3)} s of training", value)


def _seconds(row: Mapping[str, float]) -> float:
    return float(row.get("seconds", math.inf))


def _test(
    exam: str, a: Compared, b: Compared, at: str, value: Callable[[Run], Point | None]
) -> Difference | None:
    left, right = a.by_seed(exam, value), b.by_seed(exam, value)
    if not left or not right:
        return None
    shared = sorted(set(left) & set(right))
    if len(shared) > 1:
        pairs = [left[seed][1] - right[seed][1] for seed in shared]
        how = f"{len(shared)} pairs of runs with the same seed"
        return Difference(exam, a.name, b.name, at, statistics.mean(pairs), interval_of_runs(pairs), how)
    means = [statistics.mean(y for _, y, _ in side.values()) for side in (left, right)]
    halves = [_half(list(side.values())) for side in (left, right)]
    how = f"{counted(len(left), 'runs')} beside {len(right)}, not paired"
    return Difference(exam, a.name, b.name, at, means[0] - means[1], math.hypot(*halves), how)


def _half(found: Sequence[Point]) -> float:
    """Half the interval of a mean over runs; of one run, that of its exam's games."""
    return found[0][2] if len(found) == 1 else interval_of_runs([y for _, y, _ in found])


def _draw(game: Game, entrants: Sequence[Compared], form: str) -> bytes:
    exams = list(dict.fromkeys(name for e in entrants for run in e.runs for name in exam_names(run.log)))
    if not exams:
        raise BoardLabError("there is nothing to draw: no run took an exam")

    def draw(exam: str, axes: Any) -> None:
        for number, entrant in enumerate(entrants):
            _draw_entrant(axes, entrant, exam, exam_range(exam, game), f"C{number % 10}")
        axes.legend(fontsize=8)

    return draw_panels([exam_panel(game, exam, functools.partial(draw, exam)) for exam in exams], form)


def _draw_entrant(axes: Any, entrant: Compared, exam: str, possible: tuple[float, float], color: str) -> None:
    curve = entrant.curve(exam)
    if not curve:
        return
    xs, ys = [x for x, _, _ in curve], [y for _, y, _ in curve]
    low, high = band(curve, possible)
    axes.fill_between(xs, low, high, color=color, alpha=0.15, linewidth=0)
    runs = f" (mean of {len(entrant.runs)} runs)" if len(entrant.runs) > 1 else ""
    axes.plot(xs, ys, color=color, marker="o", markersize=3, label=entrant.name + runs)
