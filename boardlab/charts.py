"""Small charts as SVG, for notebooks and pages: curves with bands, values with intervals.

They need no other package. Pictures for papers are drawn by matplotlib (`boardlab.plots`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from boardlab.games.drawing import Canvas, Point, text_width
from boardlab.numbers import plain

COLOURS = ("blue", "red", "green", "yellow", "violet", "orange", "teal", "grey")


@dataclass(frozen=True)
class Series:
    """A curve: points (x, y, low, high) by rising x; low and high end its band, or are NaN."""

    name: str
    points: Sequence[tuple[float, float, float, float]]


@dataclass(frozen=True)
class Axis:
    """A scale from values to a place on the canvas."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        """Return where a value lies."""
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)

    def ticks(self, most: int) -> list[float]:
        """Return at most about `most` round numbers within the scale."""
        raw = (self.high - self.low) / max(most - 1, 1)
        unit = 10 ** math.floor(math.log10(raw))
        step = next(factor * unit for factor in (1, 2, 2.5, 5, 10) if factor * unit >= raw * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        count = math.floor(self.high / step + 1e-9) - first + 1
        return [round((first + i) * step, 12) for i in range(count)]


def short_number(value: float) -> str:
    """Write a number for an axis: 250k, 1.5M, 0.25, -1."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            scaled = value / (1e3 if letter == "k" else size)
            return f"{plain(scaled, 3)}{letter}"
    return plain(value, 3)


def line_chart(
    series: Sequence[Series],
    *,
    title: str = "",
    x_label: str = "",
    y_label: str = "",
    possible: tuple[float, float] = (-math.inf, math.inf),
    width: float = 480,
    height: float = 230,
    theme: str = "auto",
) -> str:
    """Draw curves with their bands; `possible` cuts the bands to values that can occur."""
    drawn = [s for s in series if s.points]
    names = [s.name for s in drawn] if len(drawn) > 1 else []
    canvas = Canvas(width, height + 18.0 * len(names))
    top = 30.0 if title else 12.0
    bottom = height - (36.0 if x_label else 22.0)
    ends = [v for s in drawn for _, y, *band in s.points for v in (y, *band) if math.isfinite(v)]
    xs = [x for s in drawn for x, *_ in s.points]
    if not ends:
        canvas.text(width / 2, height / 2, "nothing to draw yet", fill="faint")
        return canvas.svg(theme)
    low, high = max(min(ends), possible[0]), min(max(ends), possible[1])
    room = 0.06 * (high - low) or 0.5 * max(abs(high), 1e-3)
    down = Axis(low - room, high + room, bottom, top)
    y_ticks = down.ticks(5)
    left = 18 + max(text_width(short_number(t), 11) for t in y_ticks) + (16 if y_label else 0)
    first, last = min(xs), max(xs)
    across = Axis(first, last if last > first else first + 1, left, width - 16)
    _draw_axes(canvas, across, down, y_ticks, x_label, y_label)
    if title:
        canvas.text(width / 2, 14, title, size=13, weight="bold", most=width - 20)
    for number, one in enumerate(drawn):
        colour = COLOURS[number % len(COLOURS)]
        _draw_series(canvas, one, across.place, down.place, colour, possible)
        if names:
            y = height + 18.0 * number - 4
            canvas.line(20, y, 38, y, colour, 3)
            canvas.text(46, y, one.name, size=12, anchor="start", most=width - 60)
    return canvas.svg(theme)


def _draw_axes(
    canvas: Canvas, across: Axis, down: Axis, y_ticks: Sequence[float], x_label: str, y_label: str
) -> None:
    for tick in y_ticks:
        y = down.place(tick)
        canvas.line(across.start, y, across.end, y, "line", 0.7)
        canvas.text(across.start - 8, y, short_number(tick), size=11, fill="faint", anchor="end")
    most = 6 if all(len(short_number(t)) < 6 for t in across.ticks(6)) else 4
    for tick in across.ticks(most):
        x = across.place(tick)
        canvas.line(x, down.start, x, down.start + 4, "line", 0.7)
        canvas.text(x, down.start + 13, short_number(tick), size=11, fill="faint")
    if x_label:
        canvas.text((across.start + across.end) / 2, down.start + 28, x_label, size=12, fill="faint")
    if y_label:
        middle = (down.start + down.end) / 2
        with canvas.group(transform=f"rotate(-90 12 {middle:g})"):
            canvas.text(12, middle, y_label, size=12, fill="faint", most=down.start - down.end)


def _draw_series(
    canvas: Canvas,
    series: Series,
    across: Callable[[float], float],
    down: Callable[[float], float],
    colour: str,
    possible: tuple[float, float],
) -> None:
    def cut(value: float) -> float:
        return down(min(max(value, possible[0]), possible[1]))

    banded = [p for p in series.points if math.isfinite(p[2]) and math.isfinite(p[3])]
    edge: list[Point] = [(across(x), cut(high)) for x, _, _, high in banded]
    edge += [(across(x), cut(low)) for x, _, low, _ in reversed(banded)]
    if len(banded) > 1:
        canvas.polygon(edge, colour, stroke="", opacity=0.18)
    elif banded:
        canvas.line(*edge[0], *edge[1], colour, 1.5)
    places = [(across(x), down(y)) for x, y, *_ in series.points if math.isfinite(y)]
    if len(places) > 1:
        canvas.polyline(places, colour, 2)
    for x, y in places if len(places) <= 40 else ():
        canvas.circle(x, y, 2.5, colour)


def span_chart(
    spans: Sequence[tuple[str, float, float, float]],
    *,
    title: str = "",
    width: float = 480,
    theme: str = "auto",
) -> str:
    """Draw values with their intervals below each other: (name, value, low, high)."""
    height = 26.0
    top = 28.0 if title else 8.0
    canvas = Canvas(width, top + height * len(spans) + 22)
    ends = [v for _, *values in spans for v in values if math.isfinite(v)]
    if title:
        canvas.text(width / 2, 14, title, size=13, weight="bold", most=width - 20)
    if not ends:
        return canvas.svg(theme)
    left = min(0.5 * width, 20 + max(text_width(name, 12) for name, *_ in spans))
    room = 0.05 * (max(ends) - min(ends)) or 1.0
    across = Axis(min(ends) - room, max(ends) + room, left, width - 16)
    bottom = top + height * len(spans)
    for tick in across.ticks(5):
        x = across.place(tick)
        canvas.line(x, top, x, bottom, "line", 0.7)
        canvas.text(x, bottom + 12, short_number(tick), size=11, fill="faint")
    for place, (name, value, low, high) in enumerate(spans):
        y = top + height * (place + 0.5)
        canvas.text(left - 10, y, name, size=12, anchor="end", most=left - 18)
        if math.isfinite(low) and math.isfinite(high):
            canvas.line(across.place(low), y, across.place(high), y, "blue", 2)
        if math.isfinite(value):
            canvas.circle(across.place(value), y, 4, "blue")
    return canvas.svg(theme)
