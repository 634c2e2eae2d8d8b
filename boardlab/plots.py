"""Pictures drawn with matplotlib, the extra `plots`."""

import io
import os
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from boardlab.errors import BoardLabError, MissingPackageError, install, printable
from boardlab.paths import as_path
from boardlab.runs.files import check_writable, write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = (".png", ".svg", ".pdf")
"""Endings of pictures."""


def has_matplotlib() -> bool:
    """Whether the extra `plots` is installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        return False
    return True


def picture_file(
    path: str | os.PathLike[str], name: str = "a picture", endings: Sequence[str] = PICTURES
) -> Path:
    """Check, before anything is computed, that a picture can be drawn into a file."""
    file = as_path(name, path)
    if file.suffix.lower() not in endings:
        raise BoardLabError(f'{name} must end in {", ".join(endings)}, not "{file}"')
    check_writable(file)
    if not has_matplotlib():
        raise MissingPackageError(f"a picture needs matplotlib: {install('plots')}")
    return file


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure; the size is in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def figure_bytes(figure: "Figure", form: str = "png") -> bytes:
    """The figure as a file; the same figure gives the same bytes."""
    import matplotlib

    file = io.BytesIO()
    # No date, no random names.
    with matplotlib.rc_context({"svg.hashsalt": "boardlab"}):
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
        figure.savefig(file, format=form, dpi=110, metadata=metadata)
    return file.getvalue()


def save_figure(figure: "Figure", file: Path) -> None:
    """Write the figure in the form that the file's ending names."""
    write_file(file, figure_bytes(figure, file.suffix[1:].lower()))


def wrapped(name: str, width: int = 40, lines: int = 3) -> str:
    """Wrap a name into a few lines; cut the middle out if it is still too long."""
    found = textwrap.wrap(printable(name), width, break_on_hyphens=False)
    if len(found) > lines:
        found[lines - 2 : -1] = [found[lines - 2][: width - 3] + "..."]
    return "\n".join(found)
