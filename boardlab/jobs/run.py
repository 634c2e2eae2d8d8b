"""Run a set of jobs and collect their results and failures.

Finished jobs are skipped.
"""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.jobs.executor import JobExecutor
from boardlab.jobs.folder import JobFolder, Results
from boardlab.jobs.job import Job
from boardlab.jobs.worker import sentence


@dataclass(frozen=True)
class Outcome:
    """What became of a job: a result, or the sentence that says why there is none."""

    job: Job
    result: Any = None
    error: str = ""

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
    before: int = 0
    """Jobs among `done` that were finished when the set was started."""
    seconds: float = 0.0
    """Since the start."""
    running: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The last progress of each running job by name."""

    @property
    def rate(self) -> float | None:
        """Jobs a second; None before the first is done."""
        fresh = self.done + self.failed - self.before
        return fresh / self.seconds if fresh and self.seconds > 0 else None

    @property
    def seconds_left(self) -> float | None:
        """Estimated time to the end."""
        return (self.total - self.done - self.failed) / self.rate if self.rate else None

    def __str__(self) -> str:
        text = f"{self.done:,} of {self.total:,} jobs"
        text += f", {self.failed:,} failed" if self.failed else ""
        text += f", {len(self.running)} running" if self.running else ""
        left = self.seconds_left
        return text if left is None else f"{text}, {left:,.0f} s left"


Tell = Callable[[Standing], None]


def run_jobs(
    jobs: Sequence[Job], executor: JobExecutor, folder: JobFolder | None = None, tell: Tell | None = None
) -> list[Outcome]:
    """Run the jobs and return their outcomes in the same order.

    A job that fails does not stop the others. With a `folder`, finished jobs are not run again: after
    Ctrl-C or a crash the same call goes on. `tell` receives the standing after every change.
    """
    found = {outcome.job.key: outcome for outcome in finished_jobs(jobs, executor, folder, tell)}
    return [found[job.key] for job in jobs]


def finished_jobs(
    jobs: Sequence[Job], executor: JobExecutor, folder: JobFolder | None = None, tell: Tell | None = None
) -> Iterator[Outcome]:
    """The outcomes as the jobs finish; keeps nothing of those that are done."""
    with contextlib.ExitStack() as stack:
        known: dict[str, Any] = {}
        results: Results | None = None
        if folder is not None:
            stack.enter_context(folder.claimed())
            known = folder.results()
            results = stack.enter_context(folder.appending())
        yield from _Set(jobs, executor, known, results, tell).outcomes()


class _Set:
    """A set of jobs while it runs."""

    def __init__(
        self,
        jobs: Sequence[Job],
        executor: JobExecutor,
        known: Mapping[str, Any],
        results: Results | None,
        tell: Tell | None,
    ) -> None:
        self.jobs, self.executor, self.known, self.results = jobs, executor, known, results
        self.tell = tell or (lambda _: None)
        self.begun = time.monotonic()
        self.events: queue.SimpleQueue[tuple[Job, Future[Any] | Mapping[str, Any]]] = queue.SimpleQueue()
        self.thread = threading.get_ident()
        self.total = len({job.key for job in jobs})
        self.running: dict[str, tuple[Job, Mapping[str, Any]]] = {}
        self.done = self.failed = self.before = 0

    def outcomes(self) -> Iterator[Outcome]:
        """Every job once, the finished ones first."""
        waiting = []
        for job in {job.key: job for job in self.jobs}.values():
            if job.key in self.known:
                self.done += 1
                self.before += 1
                yield Outcome(job, self.known[job.key])
            else:
                waiting.append(job)
        waiting.reverse()
        self._report()
        try:
            while waiting or self.running:
                while waiting and len(self.running) < self.executor.capacity:
                    self._submit(waiting.pop())
                yield from self._next()
        except BaseException:
            self.executor.stop()
            raise

    def _submit(self, job: Job) -> None:
        self.running[job.key] = job, {}
        future = self.executor.submit(job, tell=lambda progress: self._heard(job, progress))
        future.add_done_callback(lambda future: self.events.put((job, future)))

    def _heard(self, job: Job, progress: Mapping[str, Any]) -> None:
        """Report a job's progress: at once from this thread, queued from others."""
        if threading.get_ident() == self.thread:
            self.running[job.key] = job, progress
            self._report()
        else:
            self.events.put((job, progress))

    def _next(self) -> Iterator[Outcome]:
        """Wait for the next event; yields the outcome of a job that ended."""
        job, event = self.events.get()
        if isinstance(event, Future):
            del self.running[job.key]
            yield self._outcome(job, event)
        elif job.key in self.running:
            self.running[job.key] = job, event
        self._report()

    def _outcome(self, job: Job, future: "Future[Any]") -> Outcome:
        error = future.exception()
        if error is not None:
            self.failed += 1
            if not isinstance(error, Exception):
                raise error
            return Outcome(job, error=sentence(error))
        if self.results is not None:
            self.results.add(job, future.result())
        self.done += 1
        return Outcome(job, future.result())

    def _report(self) -> None:
        running = {job.name or key: progress for key, (job, progress) in self.running.items()}
        seconds = time.monotonic() - self.begun
        self.tell(Standing(self.total, self.done, self.failed, self.before, seconds, running))


def raise_first_failure(outcomes: Sequence[Outcome]) -> None:
    """Raise the first failure as an error of the user's, where there is one."""
    for outcome in outcomes:
        if outcome.failed:
            raise BoardLabError(outcome.error)
