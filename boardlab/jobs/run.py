"""Run a set of jobs and collect their results and failures.

Finished jobs are skipped.
"""

import contextlib
import datetime
import math
import queue
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from boardlab.errors import BoardLabError, printable
from boardlab.jobs.executor import JobExecutor
from boardlab.jobs.folder import JobFolder, Results
from boardlab.jobs.job import Job
from boardlab.jobs.worker import sentence
from boardlab.numbers import counted, plain


@dataclass(frozen=True)
class Outcome:
    """What became of a job: a result, or the sentence that says why there is none."""

    job: Job
    result: Any = None
    error: str = ""
    cause: Exception | None = field(default=None, compare=False)
    """The exception behind the error, where it was raised in this process."""

    @property
    def failed(self) -> bool:
        """Whether there is no result."""
        return bool(self.error)


@dataclass(frozen=True)
class Standing:
    """How far a set of jobs is."""

    total: int
    done: int = 0
    failed: int = 0
    seconds: float = 0.0
    """Since the start."""
    work: float = 0.0
    """Jobs' worth of work since the start, with the finished parts of those that run."""
    running: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The last progress of each running job by name; its "share" is the part that is finished."""
    notes: Sequence[str] = ()
    """What the executor says of itself: the machines of a cluster, jobs that it repeated."""

    @property
    def rate(self) -> float | None:
        """Jobs a second; None before any work is done."""
        return self.work / self.seconds if self.work > 0 and self.seconds > 0 else None

    @property
    def seconds_left(self) -> float | None:
        """Estimated time to the end."""
        left = self.total - self.done - self.failed - sum(map(share_of, self.running.values()))
        return max(left, 0.0) / self.rate if self.rate else None

    def facts(self, unit: str = "jobs") -> list[str]:
        """What progress shows: done, failed, running, rate, time left."""
        facts = [f"{self.done:,} of {counted(self.total, unit)}"]
        facts += [f"{self.failed:,} failed"] * (self.failed > 0)
        facts += [f"{len(self.running):,} running"] * bool(self.running)
        if self.rate is not None:
            facts.append(rate_text(self.rate, unit))
        if self.seconds_left is not None:
            facts.append(f"{datetime.timedelta(seconds=math.ceil(self.seconds_left))} left")
        return [*facts, *self.notes]

    def __str__(self) -> str:
        return ", ".join(self.facts())


def share_of(progress: Mapping[str, Any]) -> float:
    """The finished part of a running job, as its progress says."""
    return float(progress.get("share", 0.0))


def rate_text(rate: float, unit: str) -> str:
    """A rate by the second, the minute or the hour, whichever has digits before the point."""
    for seconds, name in ((1, "s"), (60, "min"), (3600, "h")):
        if rate * seconds >= 1 or name == "h":
            break
    return f"{plain(rate * seconds, 3)} {unit}/{name}"


Tell = Callable[[Standing], None]

MOST_REPORTED = 20
"""Failures that an error reports one by one."""


Needs = Mapping[str, Collection[str]]
"""By the key of a job, the keys of the jobs that must be done before it starts."""


def run_jobs(
    jobs: Sequence[Job],
    executor: JobExecutor,
    folder: JobFolder | None = None,
    tell: Tell | None = None,
    needs: Needs | None = None,
) -> list[Outcome]:
    """Run the jobs and return their outcomes in the same order.

    A job that fails does not stop the others, except those that need it. With a `folder`, finished jobs are
    not run again: after Ctrl-C or a crash the same call goes on. `tell` receives the standing after every
    change.
    """
    found = {outcome.job.key: outcome for outcome in finished_jobs(jobs, executor, folder, tell, needs)}
    return [found[job.key] for job in jobs]


def finished_jobs(
    jobs: Sequence[Job],
    executor: JobExecutor,
    folder: JobFolder | None = None,
    tell: Tell | None = None,
    needs: Needs | None = None,
) -> Iterator[Outcome]:
    """The outcomes as the jobs finish; keeps nothing of those that are done."""
    with contextlib.ExitStack() as stack:
        known: dict[str, Any] = {}
        results: Results | None = None
        if folder is not None:
            stack.enter_context(folder.claimed())
            known = folder.results()
            results = stack.enter_context(folder.appending())
        yield from _Set(jobs, executor, known, results, tell, needs or {}).outcomes()


class _Set:
    """A set of jobs while it runs."""

    def __init__(
        self,
        jobs: Sequence[Job],
        executor: JobExecutor,
        known: Mapping[str, Any],
        results: Results | None,
        tell: Tell | None,
        needs: Needs,
    ) -> None:
        self.jobs, self.executor, self.known, self.results = jobs, executor, known, results
        self.needs = needs
        self.needed = {key for keys in needs.values() for key in keys}
        self.ended: dict[str, Outcome] = {}  # only of jobs that others need
        self.tell = tell or (lambda _: None)
        self.begun = time.monotonic()
        self.events: queue.SimpleQueue[tuple[Job, Future[Any] | Mapping[str, Any]]] = queue.SimpleQueue()
        self.thread = threading.get_ident()
        self.total = len({job.key for job in jobs})
        self.submitted: dict[str, Job] = {}
        self.running: dict[str, Mapping[str, Any]] = {}
        """The last progress of jobs that have started, by key."""
        self.begun_with: dict[str, float] = {}
        """Parts of running jobs that were finished when they started: of runs that are resumed."""
        self.done = self.failed = 0
        self.finished_work = 0.0

    def outcomes(self) -> Iterator[Outcome]:
        """Every job once, the finished ones first."""
        waiting = []
        for job in {job.key: job for job in self.jobs}.values():
            if job.key in self.known:
                self.done += 1
                yield self._noted(Outcome(job, self.known[job.key]))
            else:
                waiting.append(job)
        waiting.reverse()
        self._report()
        try:
            while waiting or self.submitted:
                while len(self.submitted) < self.executor.capacity and (ready := self._ready(waiting)):
                    if (failed := self._failed_need(ready)) is None:
                        self._submit(ready)
                    else:
                        self.failed += 1
                        yield self._noted(Outcome(ready, error=f"{failed.job.name} failed: {failed.error}"))
                if self.submitted:
                    yield from self._next()
                elif waiting:
                    raise ValueError(f"{waiting[-1].name} needs a job that is not in the set, or itself")
        except BaseException:
            self.executor.stop()
            raise

    def _ready(self, waiting: list[Job]) -> Job | None:
        """Take the first job whose needs have ended from the reversed list."""
        for place in range(len(waiting) - 1, -1, -1):
            if all(key in self.ended for key in self.needs.get(waiting[place].key, ())):
                return waiting.pop(place)
        return None

    def _failed_need(self, job: Job) -> Outcome | None:
        """A job that this one needs and that failed."""
        ended = (self.ended[key] for key in self.needs.get(job.key, ()))
        return next((outcome for outcome in ended if outcome.failed), None)

    def _noted(self, outcome: Outcome) -> Outcome:
        if outcome.job.key in self.needed:
            self.ended[outcome.job.key] = outcome
        return outcome

    def _submit(self, job: Job) -> None:
        self.submitted[job.key] = job
        future = self.executor.submit(job, tell=lambda progress: self._heard(job, progress))
        future.add_done_callback(lambda future: self.events.put((job, future)))

    def _heard(self, job: Job, progress: Mapping[str, Any]) -> None:
        """Report a job's progress: at once from this thread, queued from others."""
        if threading.get_ident() == self.thread:
            self._note(job, progress)
        else:
            self.events.put((job, progress))

    def _note(self, job: Job, progress: Mapping[str, Any]) -> None:
        """Keep the progress of a running job."""
        if progress:
            self.begun_with.setdefault(job.key, share_of(progress))
        self.running[job.key] = progress
        self._report()

    def _next(self) -> Iterator[Outcome]:
        """Wait for the next event; yields the outcome of a job that ended."""
        job, event = self.events.get()
        if isinstance(event, Future):
            del self.submitted[job.key]
            self.running.pop(job.key, None)
            self.finished_work += 1 - self.begun_with.pop(job.key, 0.0)
            yield self._noted(self._outcome(job, event))
            self._report()
        elif job.key in self.submitted:
            self._note(job, event)

    def _outcome(self, job: Job, future: "Future[Any]") -> Outcome:
        error = future.exception()
        if error is not None:
            self.failed += 1
            if not isinstance(error, Exception):
                raise error
            return Outcome(job, error=sentence(error), cause=error)
        if self.results is not None:
            self.results.add(job, future.result())
        self.done += 1
        return Outcome(job, future.result())

    def _report(self) -> None:
        running = {self.submitted[key].name or key: progress for key, progress in self.running.items()}
        parts = (share_of(progress) - self.begun_with.get(key, 0.0) for key, progress in self.running.items())
        work, seconds = self.finished_work + sum(parts), time.monotonic() - self.begun
        notes = self.executor.facts()
        self.tell(Standing(self.total, self.done, self.failed, seconds, work, running, notes))


class JobsFailedError(BoardLabError):
    """Some jobs of a set failed; the others are finished."""

    def __init__(self, outcomes: Sequence[Outcome], unit: str) -> None:
        super().__init__(outcomes, unit)
        self.outcomes = [outcome for outcome in outcomes if outcome.failed]
        """Those of the failed jobs."""
        self._headline = f"{len(self.outcomes):,} of {counted(len(outcomes), unit)} failed:"

    def __str__(self) -> str:
        lines = [self._headline]
        for outcome in self.outcomes[:MOST_REPORTED]:
            lines.append(f"  {outcome.job.name or outcome.job.key}: {outcome.error}")
            if outcome.job.command:
                lines.append(f"    {outcome.job.command}")
        if len(self.outcomes) > MOST_REPORTED:
            lines.append(f"  and {len(self.outcomes) - MOST_REPORTED:,} more")
        return printable("\n".join(lines))


def raise_failures(outcomes: Sequence[Outcome], unit: str = "jobs") -> None:
    """Raise one error that reports every failed job with its command.

    A failure that all jobs share is raised alone.
    """
    failures = [outcome for outcome in outcomes if outcome.failed]
    if len({outcome.error for outcome in failures}) == 1 and len(failures) == len(outcomes):
        raise failures[0].cause or BoardLabError(failures[0].error)
    if failures:
        raise JobsFailedError(outcomes, unit) from failures[0].cause
