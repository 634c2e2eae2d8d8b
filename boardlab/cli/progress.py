"""Progress of games, runs and sets of jobs: what is done, the rate and the time left.

On a terminal a bar that is rewritten, elsewhere a line on standard error every ten seconds.
"""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column

from boardlab.cli.common import console
from boardlab.errors import printable
from boardlab.jobs import Standing, cluster_facts
from boardlab.jobs.run import share_of
from boardlab.learners import Progress as RunProgress
from boardlab.learners.jobs import as_progress
from boardlab.numbers import plain

QUIET_SECONDS = 10.0
"""Seconds between lines of progress, where there is no bar."""

Show = Callable[[Mapping[str, Any]], None]
"""Shows the progress of one job."""


def _facts_bar(*columns: Any) -> Progress:
    """A bar with facts behind it; a narrow terminal cuts the facts, and no other column."""
    facts = TextColumn("{task.fields[facts]}", markup=False, table_column=Column(ratio=1, no_wrap=True))
    return Progress(
        *columns,
        facts,
        expand=True,
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _say(line: str) -> None:
    """Print a line of progress where there is no terminal."""
    with contextlib.suppress(OSError):  # the reader is gone, or the disk is full: go on
        print(printable(line), file=sys.stderr, flush=True)


class _Headline:
    """The line of a set: done, failed, running, rate, time left."""

    def __init__(self, unit: str, title: str = "") -> None:
        self.unit, self.title = unit, title
        self.bar = _facts_bar(BarColumn(bar_width=8))
        self._task = self.bar.add_task("", total=None, facts=title)
        self._said = time.monotonic()

    def show(self, standing: Standing) -> None:
        """Move the bar, or print a line now and then."""
        facts = ", ".join([*standing.facts(self.unit), *([self.title] if self.title else [])])
        ended = standing.done + standing.failed + sum(map(share_of, standing.running.values()))
        self.bar.update(self._task, total=standing.total, completed=ended, facts=facts)
        if self.bar.disable and time.monotonic() - self._said >= QUIET_SECONDS:
            self._said = time.monotonic()
            _say(facts)


class JobsBar:
    """The line of a set of jobs, and below it a line for each job that tells its progress."""

    def __init__(self, unit: str) -> None:
        self._head, self._lines = _Headline(unit), training_bar()
        self.drawn = Group(self._head.bar, self._lines)
        self._shows: dict[str, Show] = {}
        self._last: dict[str, Mapping[str, Any]] = {}

    def show(self, standing: Standing) -> None:
        """Show how far the set is now."""
        for task in self._lines.tasks:
            if task.description not in standing.running:
                self._lines.remove_task(task.id)
                self._shows.pop(task.description, None)
        for name, progress in standing.running.items():
            if progress and self._last.get(name) is not progress:
                if name not in self._shows:
                    line = _run_line if "episodes" in progress else _part_line
                    self._shows[name] = line(self._lines, name)
                self._shows[name](progress)
        self._last = dict(standing.running)
        self._head.show(standing)


@contextlib.contextmanager
def jobs_bar(unit: str = "jobs") -> Iterator[Callable[[Standing], None]]:
    """Show the progress of a set of jobs; yields a function of its standing."""
    bar = JobsBar(unit)
    if not console.is_terminal:
        yield bar.show
        return
    with Live(bar.drawn, console=console, transient=True):
        yield bar.show


def _run_line(bar: Progress, name: str) -> Show:
    """Add the line of a job that trains a run."""
    tell = teller(bar, name)
    return lambda progress: tell(as_progress(progress))


def _part_line(bar: Progress, name: str) -> Show:
    """Add the line of a job that tells only its finished part."""
    task = bar.add_task(name, total=1.0, facts="")

    def show(progress: Mapping[str, Any]) -> None:
        share = share_of(progress)
        bar.update(task, completed=share, facts=f"{share:.0%}")

    return show


@contextlib.contextmanager
def game_bar(title: str, games: int) -> Iterator[Callable[..., None]]:
    """Show how many games are played.

    Yields a function of the games done, and of their total where it may change. The first call of a
    tournament, which gives a total, counts the games played before.
    """
    head = _Headline("games", title)
    begun, before, total = time.monotonic(), 0, games

    def show(done: int, games: int | None = None) -> None:
        nonlocal begun, before, total
        if games is not None and games != total:
            total = games
            begun, before = time.monotonic(), done
        spent = time.monotonic() - begun
        head.show(Standing(total, done, seconds=spent, work=done - before, notes=cluster_facts()))

    with head.bar:
        yield show


# ---- runs ----


def training_bar() -> Progress:
    """The progress bar of training; `teller` adds a line to it."""
    return _facts_bar(TextColumn("{task.description}"), BarColumn(bar_width=8), TimeRemainingColumn())


def many_teller(bar: Progress) -> Callable[[int, RunProgress], None]:
    """A progress callback of several runs, with a line on the bar for each seed."""
    tellers: dict[int, Callable[[RunProgress], None]] = {}

    def tell(seed: int, standing: RunProgress) -> None:
        if seed not in tellers:
            tellers[seed] = teller(bar, f"seed {seed}")
        tellers[seed](standing)

    return tell


def teller(bar: Progress, name: str = "") -> Callable[[RunProgress], None]:
    """A progress callback that shows progress, speed and exams on the bar.

    Without a terminal it prints a line to standard error after every exam, or every 10 seconds.
    """
    task = bar.add_task(name, total=None, start=True, facts="")
    begun: list[int] = []  # episodes that were there before: a resumed run's time left is of the rest
    said, exams = time.monotonic(), 0

    def tell(standing: RunProgress) -> None:
        nonlocal said, exams
        facts = ""
        if speed := standing.speed:
            facts = f", {_short(speed[0])} episodes/s, {_short(speed[1])} actions/s"
        # Values first: a narrow terminal cuts the line's end.
        for exam, value in standing.exam.items():
            facts += f", {plain(value, 3)} {exam}"
        facts += "".join(f", {fact}" for fact in cluster_facts()) if not name else ""
        if not begun:
            begun.append(standing.episodes)
            bar.reset(task, total=standing.total, completed=standing.episodes)
        shown = f"{standing.episodes:,}{facts}"
        bar.update(task, total=standing.total, completed=standing.episodes, facts=shown)
        if bar.disable and (standing.exams > exams or time.monotonic() - said >= QUIET_SECONDS):
            said, exams = time.monotonic(), standing.exams
            run = f"{name}: " if name else ""
            _say(f"{run}{standing.episodes:,} of {standing.total:,} episodes{facts}")

    return tell


def _short(speed: float) -> str:
    """About three digits: 192k, 1.43M."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if speed >= size:
            return f"{plain(speed / size, 3)}{letter}"
    return plain(speed, 3)
