"""Tables and figures that several experiments share."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from boardlab.experiments import figures
from boardlab.experiments.display import Display
from boardlab.experiments.estimates import UNKNOWN, Estimate
from boardlab.numbers import plain

Published = Mapping[Any, "Estimate | float | str"]
BRACKETS = "Ours, published in brackets."
OVER_SEEDS = "± is the 95% interval over seeds, or over games where there is one seed or all seeds are alike."


def beside(ours: str, published: "Estimate | float | str | None", percent: bool = True) -> str:
    """Our number with the published one in brackets."""
    if published is None:
        return ours
    return f"{ours} ({published_text(published, percent)})"


def published_text(published: "Estimate | float | str", percent: bool = True) -> str:
    """A published number as a table shows it; shares in percent."""
    if isinstance(published, str):
        return published
    number = as_estimate(published)
    return plain(100 * number.value, 3) if percent else number.deviating()


def as_estimate(published: "Estimate | float | str | None") -> Estimate:
    """A published number for a figure; text is none."""
    if isinstance(published, Estimate):
        return published
    return UNKNOWN if published is None or isinstance(published, str) else Estimate(float(published))


def lines(
    ours: Callable[[str, Any], Estimate],
    published: Published,
    *,
    names: Sequence[str],
    xs: Sequence[Any],
    x: str,
    y: str,
    notes: Sequence[str] = (),
    percent: bool = True,
    draw: Callable[[Any], None] | None = None,
) -> Display:
    """A curve for each name over `xs`: a column of the table each."""
    found = {name: [ours(name, at) for at in xs] for name in names}
    rows = []
    for place, at in enumerate(xs):
        numbers = [found[name][place] for name in names]
        if not any(n.is_known for n in numbers) and not any((name, at) in published for name in names):
            continue
        texts = (number.percent() if percent else number.text() for number in numbers)
        pairs = zip(names, texts, strict=True)
        rows.append(
            [f"{at:,}" if isinstance(at, int) else str(at)]
            + [beside(text, published.get((name, at)), percent) for name, text in pairs]
        )

    def curves(figure: Any) -> None:
        theirs = {name: [as_estimate(published.get((name, at))) for at in xs] for name in names}
        places = [float(at) for at in xs]
        figures.curves(figure, places, found, theirs, x, y)

    unit = f"{y}, %" if percent else y
    return Display([x, *names], rows, [f"{unit}. {BRACKETS} {OVER_SEEDS}", *notes], draw or curves)
