"""Learning curves, exam values over episodes, as pictures and as text."""

import functools
import itertools
import math
import statistics
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boardlab.arena.exams.exam import OUTCOMES
from boardlab.arena.intervals import NORMAL_95, interval
from boardlab.games.game import Game
from boardlab.learners.exams import exam_names, exam_outcomes, exam_range, exam_title, exam_unit
from boardlab.numbers import plain
from boardlab.plots import figure_bytes, has_matplotlib, new_figure

Rows = Sequence[Mapping[str, Any]]
"""The rows of a log."""
Point = tuple[int, float, float]
"""Episodes, value, half width of its 95% interval or NaN."""


def points(rows: Rows, exam: str) -> list[Point]:
    """The points of every row that has the exam."""
    return [
        (int(row["episodes"]), float(row[exam]), _half_width(row, exam))
        for row in rows
        if row.get(exam) not in (None, "")
    ]


def _half_width(row: Mapping[str, Any], exam: str) -> float:
    interval = row.get(f"{exam} interval")
    if interval not in (None, ""):
        return float(interval)
    # Earlier versions wrote only the standard error; where all games ended alike it is 0 and means nothing.
    return NORMAL_95 * float(row.get(f"{exam} error") or "nan") or math.nan


def band(found: Sequence[Point], possible: tuple[float, float]) -> tuple[list[float], list[float]]:
    """Ends of the 95% intervals, cut to possible values; NaN for none."""
    low = [min(y, max(y - half, possible[0])) if half == half else math.nan for _, y, half in found]
    high = [max(y, min(y + half, possible[1])) if half == half else math.nan for _, y, half in found]
    return low, high


@dataclass(frozen=True)
class Panel:
    """A graph over episodes; `draw(axes)` fills it."""

    title: str
    unit: str
    draw: Callable[[Any], None]


def draw_curve(game: Game, logs: Sequence[tuple[str, Rows]]) -> bytes | None:
    """A PNG with a panel an exam; None where matplotlib is not installed.

    One log gets its 95% intervals, several get a thin line each and their mean with that of its own. An exam
    that is a match gets a second panel: shares of wins, draws and losses (Church 2019, Figs. 4 and 5).
    """
    exams = list(dict.fromkeys(name for _, rows in logs for name in exam_names(rows)))
    if not exams or not has_matplotlib():
        return None
    panels = []
    for exam in exams:
        panels.append(exam_panel(game, exam, functools.partial(_draw_values, game, logs, exam)))
        if all(outcome_shares(rows, exam) for _, rows in logs):
            draw = functools.partial(_draw_outcomes, [rows for _, rows in logs], exam)
            panels.append(Panel(f"{panels[-1].title}: wins, draws and losses", "share", draw))
    return draw_panels(panels, "png")


def exam_panel(game: Game, exam: str, draw: Callable[[Any], None]) -> Panel:
    """The panel of an exam's values."""
    return Panel(f"{game.name}: {exam_title(exam)}", exam_unit(exam), draw)


def _draw_values(game: Game, logs: Sequence[tuple[str, Rows]], exam: str, axes: Any) -> None:
    possible = exam_range(exam, game)
    for _, rows in logs:
        found = points(rows, exam)
        xs, ys = [x for x, _, _ in found], [y for _, y, _ in found]
        if len(logs) == 1:
            _draw_band(axes, found, possible, color="tab:blue", alpha=0.2)
            axes.plot(xs, ys, color="tab:blue", marker="o", markersize=3)
        else:
            axes.plot(xs, ys, linewidth=0.7, alpha=0.5, marker="o", markersize=1.5 if xs[1:] else 4)
    if len(logs) > 1:
        _draw_mean(axes, mean_curve([rows for _, rows in logs], exam), possible, len(logs))
    _begin_at_0(axes, {x for _, rows in logs for x, _, _ in points(rows, exam)})


def _begin_at_0(axes: Any, episodes: Collection[int]) -> None:
    """Begin the axis at 0 if there is one exam; it would show some episodes around it."""
    if len(episodes) == 1:
        axes.set_xlim(0, 1.1 * max(*episodes, 1))


def outcome_shares(rows: Rows, exam: str) -> list[tuple[int, tuple[float, float, float]]]:
    """Episodes, and the shares of wins, draws and losses; nothing of exams that are no matches."""
    found = ((int(row["episodes"]), exam_outcomes(row, exam)) for row in rows)
    return [
        (x, (wins / games, draws / games, losses / games))
        for x, (wins, draws, losses) in ((x, counts) for x, counts in found if counts)
        if (games := wins + draws + losses)
    ]


def _draw_outcomes(logs: Sequence[Rows], exam: str, axes: Any) -> None:
    """Draw three lines: the run's own shares, or the means of several runs."""
    curves = [dict(outcome_shares(rows, exam)) for rows in logs]
    shared = sorted(set(curves[0]).intersection(*curves[1:]))
    for place, (name, color) in enumerate(zip(OUTCOMES, OUTCOME_COLORS, strict=True)):
        ys = [statistics.mean(curve[x][place] for curve in curves) for x in shared]
        axes.plot(shared, ys, color=color, marker="o", markersize=3, label=name)
    axes.set_ylim(-0.03, 1.03)
    axes.legend(fontsize=8, title=f"mean of {len(logs)} runs" if len(logs) > 1 else None)
    _begin_at_0(axes, shared)


OUTCOME_COLORS = ("tab:green", "tab:gray", "tab:red")


def draw_panels(panels: Sequence[Panel], form: str) -> bytes:
    """Draw panels below each other, over episodes."""
    figure = new_figure(7, 0.6 + 2.9 * len(panels))
    for place, panel in enumerate(panels, 1):
        axes = figure.add_subplot(len(panels), 1, place)
        axes.set_title(panel.title, fontsize=10, parse_math=False)
        axes.set_ylabel(panel.unit)
        axes.grid(alpha=0.3)
        panel.draw(axes)
    axes.set_xlabel("episodes")
    return figure_bytes(figure, form)


def _draw_band(
    axes: Any, found: Sequence[Point], possible: tuple[float, float], color: str, alpha: float
) -> None:
    """The intervals; one exam has no band, but an error bar."""
    low, high = band(found, possible)
    if len(found) == 1:
        x, y, _ = found[0]
        axes.errorbar([x], [y], [[y - low[0]], [high[0] - y]], color=color, capsize=4)
    else:
        axes.fill_between([x for x, _, _ in found], low, high, color=color, alpha=alpha, linewidth=0)


def _draw_mean(axes: Any, mean: Sequence[Point], possible: tuple[float, float], runs: int) -> None:
    xs, ys = [x for x, _, _ in mean], [y for _, y, _ in mean]
    label = f"mean of {runs} runs with its 95% interval"
    axes.plot(xs, ys, color="black", linewidth=2, marker="o", markersize=2 if xs[1:] else 5, label=label)
    bottom, top = axes.get_ylim()
    _draw_band(axes, mean, possible, "black", 0.15)
    if len(mean) > 1:  # the interval of two runs may be far wider than their curves, which keep a third of it
        low, high = axes.get_ylim()
        axes.set_ylim(max(low, bottom - (top - bottom)), min(high, top + (top - bottom)))
    axes.legend(fontsize=8)


def mean_curve(logs: Sequence[Rows], exam: str) -> list[Point]:
    """The mean over runs at every number of episodes that all runs have an exam at.

    With half the width of its 95% interval.
    """
    curves = [{x: y for x, y, _ in points(rows, exam)} for rows in logs]
    shared = sorted(set(curves[0]).intersection(*curves[1:])) if curves else []
    values = {x: [curve[x] for curve in curves] for x in shared}
    return [(x, statistics.mean(ys), interval_of_runs(ys)) for x, ys in values.items()]


def interval_of_runs(values: list[float]) -> float:
    """Half the width of the 95% interval of the mean over runs.

    NaN where all ended alike, or there is only one: the spread is unknown.
    """
    return interval(values, (-math.inf, math.inf)) if len(set(values)) > 1 else math.nan


def text_curve(rows: Rows, exam: str, width: int = 56, height: int = 9) -> str:
    """The curve in characters: values upwards, episodes to the right."""
    found = [(x, y) for x, y, _ in points(rows, exam)]
    if not found:
        return f"{exam}: no exam yet"
    values = [y for _, y in found]
    low, high = min(values), max(values)
    if high == low:
        low, high = low - 0.5, high + 0.5
    first, last = found[0][0], found[-1][0]
    grid = [[" "] * width for _ in range(height)]

    def column(episodes: int) -> int:
        return round((episodes - first) / max(last - first, 1) * (width - 1))

    def row(value: float) -> int:
        return height - 1 - round((value - low) / (high - low) * (height - 1))

    # Between two exams the line is straight, so that jumps can be seen.
    for (x1, y1), (x2, y2) in itertools.pairwise(found):
        for place in range(column(x1), column(x2) + 1):
            share = (place - column(x1)) / max(column(x2) - column(x1), 1)
            grid[row(y1 + share * (y2 - y1))][place] = "·"
    for x, y in found:
        grid[row(y)][column(x)] = "●"
    labels = {0: plain(high, 3), height - 1: plain(low, 3)}
    margin = max(len(label) for label in labels.values())
    lines = [f"{labels.get(i, ''):>{margin}} ┤{''.join(cells).rstrip()}" for i, cells in enumerate(grid)]
    left, right = f"{first:,}", f"{last:,} episodes"
    axis = f"{' ' * margin} └{'─' * width}"
    gap = max(1, width - len(left) - len(right))
    return "\n".join([*lines, axis, f"{' ' * (margin + 2)}{left}{' ' * gap}{right}"])
