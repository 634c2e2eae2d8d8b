"""`boardlab.train` and its siblings, with progress in notebooks and terminals.

The functions of `boardlab.learners` show nothing themselves.
"""

import contextlib
import functools
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

from boardlab import learners
from boardlab.charts import Series, line_chart
from boardlab.experiments.reproduce import reproduce as run_experiment
from boardlab.experiments.sweep import sweep as run_sweep
from boardlab.html import below, beside, progress_bar
from boardlab.jobs import Standing
from boardlab.learners import Progress
from boardlab.learners.curve import text_curve
from boardlab.learners.exams import exam_title
from boardlab.notebooks.live import LiveOutput, Pulse, is_notebook

__all__ = ["reproduce", "resume", "resume_many", "sweep", "train", "train_many"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Watcher:
    """Shows a run's progress on one line that is rewritten."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write, self._pulse, self._exams = write, Pulse(), 0

    def __call__(self, standing: Progress) -> None:
        """Show the progress of a run."""
        is_new, self._exams = standing.exams != self._exams, standing.exams
        if is_new or standing.episodes >= standing.total or self._pulse.is_due():
            self._show(standing, is_new)

    def _show(self, standing: Progress, is_new: bool) -> None:
        self._write(str(standing))

    def show_runs(self, standing: Standing) -> None:
        """Show how far several runs are."""
        self.show_jobs(standing, "runs")

    def show_jobs(self, standing: Standing, unit: str = "jobs") -> None:
        """Show how far a set of jobs is."""
        if standing.done + standing.failed == standing.total or self._pulse.is_due():
            self._show_standing(standing, ", ".join(standing.facts(unit)))

    def _show_standing(self, standing: Standing, text: str) -> None:
        self._write(text)


class NotebookWatcher(Watcher):
    """Shows a bar that fills, and the curves of the exams as they come."""

    def __init__(self) -> None:
        self._output = LiveOutput()
        super().__init__(self._output.update)
        self._rows: list[dict[str, Any]] = []

    def _show(self, standing: Progress, is_new: bool) -> None:
        """Show the bar and the curves; as text, the curve of the first exam."""
        if is_new and standing.exam:
            self._rows.append({"episodes": standing.episodes, **standing.exam})
        text = str(standing)
        page = progress_bar(standing.episodes, standing.total, text)
        if len(self._rows) > 1:
            text += "\n\n" + text_curve(self._rows, next(iter(standing.exam)))
            page = below(page, beside(*map(self._chart, standing.exam)))
        self._output.update(text, page)

    def _chart(self, exam: str) -> str:
        points = [
            (float(row["episodes"]), float(row[exam]), math.nan, math.nan)
            for row in self._rows
            if exam in row
        ]
        return line_chart([Series(exam, points)], title=exam_title(exam), x_label="episodes", height=190)

    def _show_standing(self, standing: Standing, text: str) -> None:
        self._output.update(text, progress_bar(standing.done + standing.failed, standing.total, text))


@contextlib.contextmanager
def watching() -> Iterator[Watcher | None]:
    """Return a watcher for this notebook or terminal; None elsewhere."""
    if is_notebook():
        yield NotebookWatcher()
    elif sys.stderr is not None and sys.stderr.isatty():
        yield Watcher(_write_line)
        with contextlib.suppress(OSError):
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    else:
        yield None


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
resume_many = watched(learners.resume_many)
train_many = watched(learners.train_many, "told_standing", "show_runs")
sweep = watched(run_sweep, show="show_jobs")
reproduce = watched(run_experiment, show="show_jobs")
