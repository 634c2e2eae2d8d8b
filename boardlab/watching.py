"""`boardlab.train` and its siblings, with progress in notebooks and terminals.

The functions of `boardlab.learners` show nothing themselves.
"""

import contextlib
import functools
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

from boardlab import learners
from boardlab.experiments.reproduce import reproduce as run_experiment
from boardlab.experiments.sweep import sweep as run_sweep
from boardlab.jobs import Standing
from boardlab.learners import Progress
from boardlab.learners.curve import text_curve

__all__ = ["reproduce", "resume", "sweep", "train", "train_many"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

SECONDS = 0.2
"""Seconds between two updates."""


class Watcher:
    """Shows a run's progress on one line that is rewritten."""

    def __init__(self, write: Callable[[str], None], curves: bool) -> None:
        self._write, self._curves = write, curves
        self._last, self._exams = 0.0, 0
        self._rows: list[dict[str, Any]] = []

    def __call__(self, standing: Progress) -> None:
        """Show the progress of a run."""
        is_new = standing.exams != self._exams
        is_over = standing.episodes >= standing.total
        if is_new or is_over or self._is_time():
            self._write(str(standing) + self._curve(standing, is_new))

    def show_runs(self, standing: Standing) -> None:
        """Show how far several runs are."""
        self.show_jobs(standing, "runs")

    def show_jobs(self, standing: Standing, unit: str = "jobs") -> None:
        """Show how far a set of jobs is."""
        if standing.done + standing.failed == standing.total or self._is_time():
            self._write(", ".join(standing.facts(unit)))

    def _is_time(self) -> bool:
        """Whether the last update is long enough ago."""
        if time.monotonic() - self._last < SECONDS:
            return False
        self._last = time.monotonic()
        return True

    def _curve(self, standing: Progress, is_new: bool) -> str:
        """Return the curve of the first exam as text, once it has two points."""
        self._exams = standing.exams
        if not self._curves or not standing.exam:
            return ""
        first = next(iter(standing.exam))
        if is_new:
            self._rows.append({"episodes": standing.episodes, first: standing.exam[first]})
        return "\n\n" + text_curve(self._rows, first) if len(self._rows) > 1 else ""


@contextlib.contextmanager
def watching() -> Iterator[Watcher | None]:
    """Return a watcher for this notebook or terminal; None elsewhere."""
    if _is_notebook():
        yield Watcher(_notebook_writer(), curves=True)
    elif sys.stderr is not None and sys.stderr.isatty():
        yield Watcher(_write_line, curves=False)
        with contextlib.suppress(OSError):
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    else:
        yield None


def _is_notebook() -> bool:
    """Return whether a Jupyter kernel runs this; IPython need not be installed."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def _notebook_writer() -> Callable[[str], None]:
    """Return a function that rewrites one output of the notebook cell."""
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
    with contextlib.suppress(OSError):  # the terminal may be gone: keep learning
        print(f"\r\x1b[K{text[:width]}", end="", file=sys.stderr, flush=True)


def watched(
    function: Callable[Parameters, Result], told: str = "progress", show: str = "__call__"
) -> Callable[Parameters, Result]:
    """Show the progress of a function unless its caller passes `progress`.

    The watcher's method `show` becomes the function's argument `told`.
    """

    @functools.wraps(function)
    def watch(*arguments: Parameters.args, **options: Parameters.kwargs) -> Result:
        if options.get("progress") is not None:
            return function(*arguments, **options)
        with watching() as watcher:
            if watcher is not None:
                options.setdefault(told, getattr(watcher, show))
            return function(*arguments, **options)

    return watch


train = watched(learners.train)
resume = watched(learners.resume)
train_many = watched(learners.train_many, "told_standing", "show_runs")
sweep = watched(run_sweep, show="show_jobs")
reproduce = watched(run_experiment, show="show_jobs")
