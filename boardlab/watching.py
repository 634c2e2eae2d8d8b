"""Progress of training where somebody watches: a notebook, or a terminal. Elsewhere nothing is shown.

The learners themselves show nothing; this is the face that `boardlab.train` and its siblings have in Python.
"""

import contextlib
import functools
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

from boardlab import learners
from boardlab.learners import Progress
from boardlab.learners.curve import text_curve

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

SECONDS = 0.2
"""Between two updates."""


class Watcher:
    """Shows where a run stands, on a line that is written anew."""

    def __init__(self, write: Callable[[str], None], curves: bool) -> None:
        self._write, self._curves = write, curves
        self._last, self._exams = 0.0, 0
        self._rows: list[dict[str, Any]] = []

    def __call__(self, *told: Any) -> None:
        """Show the progress of a run; with several runs its seed comes first."""
        *seed, standing = told
        is_new = standing.exams != self._exams
        is_over = standing.episodes >= standing.total
        if not (is_new or is_over or time.monotonic() - self._last >= SECONDS):
            return
        self._last = time.monotonic()
        name = f"seed {seed[0]}: " if seed else ""
        self._write(name + str(standing) + self._curve(standing, is_new and not seed))

    def _curve(self, standing: Progress, is_new: bool) -> str:
        """The first exam so far, as characters; nothing before its second time."""
        self._exams = standing.exams
        if not self._curves or not standing.exam:
            return ""
        first = next(iter(standing.exam))
        if is_new:
            self._rows.append({"episodes": standing.episodes, first: standing.exam[first]})
        return "\n\n" + text_curve(self._rows, first) if len(self._rows) > 1 else ""


@contextlib.contextmanager
def watching() -> Iterator[Watcher | None]:
    """A watcher for this notebook or this terminal; None where nobody looks."""
    if _is_notebook():
        yield Watcher(_notebook_writer(), curves=True)
    elif sys.stderr is not None and sys.stderr.isatty():
        yield Watcher(_write_line, curves=False)
        with contextlib.suppress(OSError):
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    else:
        yield None


def _is_notebook() -> bool:
    """Whether a Jupyter kernel runs this; IPython need not be installed."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def _notebook_writer() -> Callable[[str], None]:
    """Writes into one output of the cell, again and again."""
    from IPython.display import display

    handle: list[Any] = []

    def write(text: str) -> None:
        bundle = {"text/plain": text}
        if handle:
            handle[0].update(bundle, raw=True)
        else:
            handle.append(display(bundle, raw=True, display_id=True))

    return write


def _write_line(text: str) -> None:
    width = 79
    with contextlib.suppress(OSError):  # the terminal may be gone: learn on
        print(f"\r\x1b[K{text[:width]}", end="", file=sys.stderr, flush=True)


def watched(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The same function, watched where `progress` is not given."""

    @functools.wraps(function)
    def watch(*arguments: Parameters.args, **options: Parameters.kwargs) -> Result:
        if options.get("progress") is not None:
            return function(*arguments, **options)
        with watching() as watcher:
            if watcher is not None:
                options["progress"] = watcher
            return function(*arguments, **options)

    return watch


train = watched(learners.train)
resume = watched(learners.resume)
train_many = watched(learners.train_many)
