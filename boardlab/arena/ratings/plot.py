"""Rating lists as pictures: every rating with its 95% interval."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from boardlab.plots import new_figure, picture_file, save_figure, wrapped


@dataclass(frozen=True)
class Span:
    """A rating and the ends of its interval."""

    name: str
    rating: float
    low: float
    high: float

    @staticmethod
    def around(name: str, rating: float, half: float) -> "Span":
        """Make a span with an interval of this half width."""
        return Span(name, rating, rating - half, rating + half)


def draw_spans(
    path: str | os.PathLike[str], unit: str, spans: Sequence[Span], groups: Sequence[Sequence[str]]
) -> Path:
    """Draw a list, the strongest on top; players that never met get another colour."""
    file = picture_file(path)
    figure = new_figure(7, 1.2 + 0.35 * len(spans))
    axes = figure.add_subplot()
    group = {name: number for number, names in enumerate(groups) for name in names}
    for place, span in enumerate(spans):
        reach = [[span.rating - span.low], [span.high - span.rating]]
        colour = f"C{group.get(span.name, 0) % 10}"
        axes.errorbar([span.rating], [place], xerr=reach, color=colour, marker="o", markersize=4, capsize=3)
    names = [f"{rank}  {wrapped(span.name)}" for rank, span in enumerate(spans, 1)]
    axes.set_yticks(range(len(spans)), names, fontsize=8, parse_math=False)
    axes.set_ylim(len(spans) - 0.5, -0.5)
    axes.set_xlabel(f"{unit} with its 95% interval")
    axes.grid(axis="x", alpha=0.3)
    save_figure(figure, file)
    return file


def draw_histories(path: str | os.PathLike[str], curves: Mapping[str, Sequence[tuple[float, Span]]]) -> Path:
    """Draw ratings over time, with their intervals as bands."""
    file = picture_file(path)
    figure = new_figure(7, 4.2)
    axes = figure.add_subplot()
    for number, (name, curve) in enumerate(curves.items()):
        times, spans, colour = [time for time, _ in curve], [span for _, span in curve], f"C{number % 10}"
        ratings = [span.rating for span in spans]
        if len(curve) == 1:
            reach = [[spans[0].rating - spans[0].low], [spans[0].high - spans[0].rating]]
            axes.errorbar(times, ratings, yerr=reach, color=colour, capsize=3)
        else:
            low, high = [span.low for span in spans], [span.high for span in spans]
            axes.fill_between(times, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(times, ratings, color=colour, marker="o", markersize=3, label=wrapped(name))
    axes.set_xlabel("time")
    axes.set_ylabel("Elo with its 95% interval")
    axes.grid(alpha=0.3)
    for text in axes.legend(fontsize=8).get_texts():
        text.set_parse_math(False)
    save_figure(figure, file)
    return file
