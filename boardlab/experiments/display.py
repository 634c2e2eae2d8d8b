"""An experiment's table and figure, as files and as text."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardlab.plots import has_matplotlib
from boardlab.runs.files import write_file

WIDTH = 100
"""Columns at which prose wraps."""


@dataclass(frozen=True)
class Display:
    """The table in the form of the paper, and the function that draws its figure."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    """What the numbers mean: a sentence each."""
    draw: Callable[[Any], None] | None = None
    """Draws into a matplotlib figure."""
    size: tuple[float, float] = (6.4, 4.0)
    """Inches of the figure."""

    def table(self) -> str:
        """The table in Markdown, its columns aligned."""
        lines = [list(self.columns), *map(list, self.rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        text = [
            "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |"
            for line in lines
        ]
        rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
        return "\n".join([text[0], rule, *text[1:]])


FIGURES = ("figure.svg", "figure.png")


def draw_figure(display: Display, folder: Path) -> list[Path]:
    """Draw the figure into the folder; nothing where there is none or no matplotlib."""
    if display.draw is None or not has_matplotlib():
        return []
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    files = [folder / name for name in FIGURES]
    # The same numbers give the same bytes: no date, no random names.
    with matplotlib.rc_context({"svg.hashsalt": "boardlab", "svg.fonttype": "none"}):
        figure = Figure(figsize=display.size, layout="constrained")
        FigureCanvasAgg(figure)
        display.draw(figure)
        for file in files:
            form, out = file.suffix[1:], io.BytesIO()
            metadata = {"Date": None} if form == "svg" else {"Software": None}
            figure.savefig(out, format=form, dpi=110, metadata=metadata)
            write_file(file, out.getvalue())
    return files
