"""Pictures of a table of results: lines over one axis, a heat map over two."""

import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from boardlab.experiments.display import Display
from boardlab.experiments.estimates import Estimate
from boardlab.experiments.sweep_table import ResultTable, Row
from boardlab.experiments.sweep_values import value_text
from boardlab.numbers import plain

LOG_RATIO = 20
"""Numbers that span more than this factor get a logarithmic axis."""
MOST_LABELS, LONGEST_LABEL = 10, 48
COLOR, SEEDS = "tab:blue", "0.45"
"""Of means and of single seeds."""
SHADES = " ░▒▓█"
BAR_WIDTH = 40


def is_numeric(values: Sequence[Any]) -> bool:
    """Whether all values are numbers."""
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def displayed(table: ResultTable, titles: dict[str, str], is_search: bool = False) -> Display:
    """The table with the function that draws it; `titles` has a heading for each exam."""
    draw: Callable[[Any], None] | None = None
    size = (6.4, 4.0)
    axes = [axis for axis in table.axes if len(table.values_of(axis)) > 1]
    if is_search:
        columns = 1 + len(axes)
        size = (min(3.6 * columns, 18.0), 3.6 * len(table.exams))
        draw = lambda figure: _draw_search(figure, table, axes, titles)  # noqa: E731
    elif len(axes) == 1:
        size = (6.4, 3.6 * len(table.exams))
        draw = lambda figure: _draw_lines(figure, table, axes[0], titles)  # noqa: E731
    elif len(axes) > 1:
        down, across = (len(table.values_of(axis)) for axis in axes[:2])
        size = (min(2.6 + 0.9 * across, 18.0), min(1.6 + 0.5 * down, 12.0) * len(table.exams))
        draw = lambda figure: _draw_maps(figure, table, axes, titles)  # noqa: E731
    return Display(table.columns, table.cells(), draw=draw, size=size)


# ---- one axis ----


def _draw_lines(figure: Any, table: ResultTable, axis: str, titles: dict[str, str]) -> None:
    for place, exam in enumerate(table.exams, 1):
        panel = figure.add_subplot(len(table.exams), 1, place)
        rows = [row for row in table.rows if axis in row.chosen and row.mean(exam).is_known]
        if is_numeric([row.chosen[axis] for row in rows]):
            _draw_line(panel, sorted(rows, key=lambda row: float(row.chosen[axis])), axis, exam)
        else:
            _draw_points(panel, rows, axis, exam)
        # At the right, a long one has the labels' room too.
        panel.set_title(titles[exam], fontsize=10, parse_math=False, loc="right")
        panel.grid(alpha=0.3)


def _draw_line(panel: Any, rows: Sequence[Row], axis: str, exam: str) -> None:
    """A line over numbers, with a small dot for each seed."""
    xs = [float(row.chosen[axis]) for row in rows]
    if _is_wide(xs):
        panel.set_xscale("log")
    if len(xs) <= MOST_LABELS:
        panel.set_xticks(xs, [value_text(x) for x in xs], minor=False)
        panel.set_xticks([], minor=True)
    means = [row.mean(exam) for row in rows]
    values, bars = [mean.value for mean in means], [mean.bar for mean in means]
    panel.errorbar(xs, values, bars, marker="o", markersize=5, capsize=3, color=COLOR)
    for x, row in zip(xs, rows, strict=True):
        seeds = list(row.values[exam].values())
        panel.plot([x] * len(seeds), seeds, ".", color=SEEDS, markersize=4, zorder=3)
    panel.set_xlabel(axis)


def _draw_points(panel: Any, rows: Sequence[Row], axis: str, exam: str) -> None:
    """A line of the picture for each name, the first at the top."""
    ys, means = list(range(len(rows))), [row.mean(exam) for row in rows]
    values, bars = [mean.value for mean in means], [mean.bar for mean in means]
    panel.errorbar(values, ys, xerr=bars, fmt="o", markersize=5, capsize=3, color=COLOR)
    for y, row in zip(ys, rows, strict=True):
        seeds = list(row.values[exam].values())
        panel.plot(seeds, [y] * len(seeds), ".", color=SEEDS, markersize=4, zorder=3)
    panel.set_yticks(ys, [_label(row.chosen[axis]) for row in rows])
    panel.set_ylim(len(rows) - 0.5, -0.5)
    panel.set_ylabel(axis)


def _is_wide(numbers: Sequence[float]) -> bool:
    """Whether positive numbers span so much that a logarithmic axis shows them better."""
    return bool(numbers) and min(numbers) > 0 and max(numbers) / min(numbers) > LOG_RATIO


def _label(value: Any) -> str:
    text = value_text(value)
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"


# ---- two axes and more ----


def _draw_maps(figure: Any, table: ResultTable, axes: Sequence[str], titles: dict[str, str]) -> None:
    for place, exam in enumerate(table.exams, 1):
        panel = figure.add_subplot(len(table.exams), 1, place)
        down, across = table.values_of(axes[0]), table.values_of(axes[1])
        found = heat(table, axes[0], axes[1], exam)
        numbers = [[cell.value for cell in line] for line in found]
        image = panel.imshow(numbers, aspect="auto", cmap="viridis")
        figure.colorbar(image, ax=panel, shrink=0.9)
        panel.set_xticks(range(len(across)), [_label(value) for value in across])
        panel.set_yticks(range(len(down)), [_label(value) for value in down])
        panel.set_xlabel(axes[1])
        panel.set_ylabel(axes[0])
        more = f", mean over {', '.join(axes[2:])}" if len(axes) > 2 else ""
        panel.set_title(titles[exam] + more, fontsize=10, parse_math=False)
        if len(across) <= 12:
            _write_numbers(panel, found)


def _write_numbers(panel: Any, found: Sequence[Sequence[Estimate]]) -> None:
    known = [cell.value for line in found for cell in line if cell.is_known]
    middle = (min(known) + max(known)) / 2 if known else 0.0
    for y, line in enumerate(found):
        for x, cell in enumerate(line):
            if cell.is_known:
                color = "black" if cell.value > middle else "white"
                text = cell.text(2).replace(" ± ", "\n± ")
                panel.text(x, y, text, ha="center", va="center", color=color, fontsize=7)


def heat(table: ResultTable, down: str, across: str, exam: str) -> list[list[Estimate]]:
    """The means over the values of two axes: [down][across]; of further axes their mean.

    A setting in which an axis does nothing counts for all its values.
    """

    def fits(row: Row, axis: str, value: Any) -> bool:
        return axis not in row.chosen or row.chosen[axis] == value

    found = []
    for low in table.values_of(down):
        line = []
        for right in table.values_of(across):
            rows = [row for row in table.rows if fits(row, down, low) and fits(row, across, right)]
            means = [row.mean(exam) for row in rows if row.mean(exam).is_known]
            if len(means) == 1:
                line.append(means[0])
            else:
                line.append(Estimate(statistics.fmean(m.value for m in means) if means else math.nan))
        found.append(line)
    return found


# ---- searches ----


def _draw_search(figure: Any, table: ResultTable, axes: Sequence[str], titles: dict[str, str]) -> None:
    """The trials in their order with the best so far, and their values over each axis."""
    columns = 1 + len(axes)
    for line, exam in enumerate(table.exams):
        panel = figure.add_subplot(len(table.exams), columns, line * columns + 1)
        means = [row.mean(exam).value for row in table.rows]
        best = [max((m for m in means[: i + 1] if m == m), default=math.nan) for i in range(len(means))]
        panel.plot(range(1, len(means) + 1), means, "o", markersize=4, color=COLOR)
        panel.plot(range(1, len(means) + 1), best, color="tab:orange", drawstyle="steps-post")
        panel.set_title(titles[exam], fontsize=9, parse_math=False)
        panel.set_xlabel("setting, and the best so far")
        panel.grid(alpha=0.3)
        for place, axis in enumerate(axes, 2):
            panel = figure.add_subplot(len(table.exams), columns, line * columns + place)
            rows = [row for row in table.rows if axis in row.chosen and row.mean(exam).is_known]
            xs: list[Any] = [row.chosen[axis] for row in rows]
            if not is_numeric(xs):
                names = list(dict.fromkeys(map(_label, xs)))
                panel.set_xticks(range(len(names)), names)
                xs = [names.index(_label(x)) for x in xs]
            elif _is_wide(xs):
                panel.set_xscale("log")
            panel.plot(xs, [row.mean(exam).value for row in rows], "o", markersize=4, color=COLOR)
            panel.set_xlabel(axis)
            panel.grid(alpha=0.3)


# ---- as text ----


def text_picture(table: ResultTable, exam: str) -> str:
    """Bars over one axis, a shaded map over two, for terminals without matplotlib."""
    axes = [axis for axis in table.axes if len(table.values_of(axis)) > 1]
    if len(axes) == 1:
        return _text_bars(table, axes[0], exam)
    return _text_map(table, axes, exam) if axes else ""


def _text_bars(table: ResultTable, axis: str, exam: str) -> str:
    known = [(value_text(row.chosen.get(axis)), row.mean(exam)) for row in table.ranked(exam)]
    order = {value_text(row.chosen.get(axis)): i for i, row in enumerate(table.rows)}
    known.sort(key=lambda pair: order[pair[0]])
    low = min((m.value - m.bar for _, m in known), default=0.0)
    high = max((m.value + m.bar for _, m in known), default=1.0)
    width = max((len(name) for name, _ in known), default=0)

    def place(value: float) -> int:
        return round((value - low) / ((high - low) or 1.0) * (BAR_WIDTH - 1))

    lines = [f"{exam} over {axis}"]
    for name, mean in known:
        line = [" "] * BAR_WIDTH
        for i in range(place(mean.value - mean.bar), place(mean.value + mean.bar) + 1):
            line[i] = "─"
        line[place(mean.value)] = "●"
        lines.append(f"{name:>{width}} │{''.join(line)}│ {mean.text()}")
    return "\n".join(lines)


def _text_map(table: ResultTable, axes: Sequence[str], exam: str) -> str:
    down, across = table.values_of(axes[0]), table.values_of(axes[1])
    found = heat(table, axes[0], axes[1], exam)
    known = [cell.value for line in found for cell in line if cell.is_known]
    low, high = min(known, default=0.0), max(known, default=1.0)

    def shaded(cell: Estimate) -> str:
        if not cell.is_known:
            return "-"
        shade = SHADES[round((cell.value - low) / ((high - low) or 1.0) * (len(SHADES) - 1))]
        return f"{shade}{shade} {plain(cell.value, 3)}"

    lines = [["", *map(value_text, across)]]
    lines += [[value_text(value), *map(shaded, line)] for value, line in zip(down, found, strict=True)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    rows = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    more = f", mean over {', '.join(axes[2:])}" if len(axes) > 2 else ""
    return "\n".join(
        [f"{exam} over {axes[0]} (down) and {axes[1]} (across){more}", *(row.rstrip() for row in rows)]
    )
