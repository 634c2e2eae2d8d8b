"""Figures in the forms of the papers: bars and curves, ours beside the published."""

from collections.abc import Mapping, Sequence
from typing import Any

from boardlab.experiments.estimates import Estimate

OURS, PUBLISHED = "tab:blue", "0.65"
"""The colours of our numbers and of the published ones."""


def paired_bars(
    figure: Any,
    ours: Mapping[str, Estimate],
    published: Mapping[str, Estimate],
    label: str,
    log: bool = False,
    places: tuple[int, int, int] = (1, 1, 1),
) -> Any:
    """A bar for each name, with the published one beside it; returns the axes."""
    axes = figure.add_subplot(*places)
    for shift, colour, name, found in (
        (-0.2, OURS, "ours", ours),
        (0.2, PUBLISHED, "published", published),
    ):
        known = [(i, found[key]) for i, key in enumerate(ours) if key in found and found[key].is_known]
        axes.bar(
            [i + shift for i, _ in known],
            [number.value for _, number in known],
            0.38,
            color=colour,
            label=name,
        )
        barred = [(i + shift, number) for i, number in known if number.bar]
        axes.errorbar(
            [place for place, _ in barred],
            [number.value for _, number in barred],
            [number.bar for _, number in barred],
            fmt="none",
            ecolor="black",
            capsize=3,
        )
    axes.set_xticks(range(len(ours)), list(ours))
    axes.set_ylabel(label)
    if log:
        axes.set_yscale("log")
    axes.grid(axis="y", alpha=0.3)
    if places[2] == 1:
        axes.legend(fontsize=8)
    return axes


def grouped_bars(
    figure: Any,
    ours: Mapping[str, Mapping[str, Estimate]],
    published: Mapping[str, Mapping[str, Estimate]],
    label: str,
) -> None:
    """Paired bars in a panel for each group."""
    for place, group in enumerate(ours, 1):
        axes = paired_bars(figure, ours[group], published[group], label, places=(1, len(ours), place))
        axes.set_title(group)
        axes.tick_params(axis="x", rotation=45)


def curve(axes: Any, xs: Sequence[float], ys: Sequence[Estimate], **style: Any) -> None:
    """A line through the known numbers, with error bars."""
    known = [(x, y) for x, y in zip(xs, ys, strict=True) if y.is_known]
    axes.errorbar(
        [x for x, _ in known],
        [y.value for _, y in known],
        [y.bar for _, y in known],
        **{"marker": "o", "markersize": 3, "capsize": 2, **style},
    )


def curves(
    figure: Any,
    xs: Sequence[float],
    ours: Mapping[str, Sequence[Estimate]],
    published: Mapping[str, Sequence[Estimate]],
    x: str,
    y: str,
) -> None:
    """A line for each name, the published one dashed in the same colour."""
    axes = figure.add_subplot()
    for number, name in enumerate(ours):
        colour = f"C{number}"
        curve(axes, xs, ours[name], color=colour, label=name)
        if any(point.is_known for point in published.get(name, ())):
            curve(
                axes,
                xs,
                published[name],
                color=colour,
                linestyle="--",
                alpha=0.5,
                marker="x",
                label=f"{name}, published",
            )
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
