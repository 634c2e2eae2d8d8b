"""Jobs in any executor of `concurrent.futures`: of Python, Dask, MPI ...

Each process of the executor gets a foreman, which runs the jobs in processes of its own: their files,
versions and errors are treated as on any other machine. What such an executor cannot do is missing here:
progress while a job runs, and ending it.
"""

import contextlib
import itertools
import os
import queue
import socket
import threading
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any

import numpy as np

from boardlab.errors import BoardLabError
from boardlab.jobs.clusters import SharedValues
from boardlab.jobs.executor import MOST_WORKERS, JobExecutor
from boardlab.jobs.foreman import Foreman, difference, identity, task_of
from boardlab.jobs.job import Job, Tell
from boardlab.jobs.messages import decoded, digest, encoded
from boardlab.jobs.processes import ATTEMPTS, ERRORS, StoppedError, WorkerDiedError, importable
from boardlab.jobs.travel import Bytes, Packer, bring_home
from boardlab.numbers import counted
from boardlab.runs import RunFolder

IDLE_SECONDS = 60.0
"""Seconds without a job after which a foreman ends its processes."""


class Pool:
    """An executor of another library, as a cluster."""

    def __init__(self, executor: Executor, workers: int | None = None) -> None:
        self.other = executor
        self.workers = workers or min(MOST_WORKERS, _workers_of(executor))
        self.identity = identity()
        self.packer = Packer()
        self.shared = SharedValues()
        self.lost = 0

    @property
    def nodes(self) -> list[tuple[str, int]]:
        """The executor, as one machine."""
        return [(type(self.other).__name__, self.workers)]

    def facts(self) -> list[str]:
        """What progress shows."""
        lost = [f"{counted(self.lost, 'jobs')} lost and repeated"] if self.lost else []
        return [f"in a {type(self.other).__name__}", *lost]

    def executor(self) -> "PoolView":
        """An executor of jobs for one command."""
        return PoolView(self)

    def close(self) -> None:
        """End the foreman of this process, where the executor has threads; the executor is the caller's."""
        _end_foreman()


@dataclass(eq=False)
class _Task:
    job: Job
    future: "Future[Any]"
    tell: Tell
    claims: contextlib.ExitStack
    attempts: int = 0
    inner: "Future[bytes] | None" = None


class PoolView(JobExecutor):
    """The jobs of one command in an executor of another library."""

    def __init__(self, pool: Pool) -> None:
        super().__init__()
        self.pool = pool
        self.workers, self.capacity = pool.workers, 2 * pool.workers
        self._tasks: set[_Task] = set()
        self._changed = threading.Condition()
        self._is_stopped = False

    def facts(self) -> list[str]:
        """What progress shows beside the jobs."""
        return self.pool.facts()

    def share(self, value: Any) -> str:
        """Keep a plain value, which travels to each process that needs it."""
        key = digest(value)
        if key not in self.values:
            self.values[key] = value
            self.pool.shared.add(key, value)
        return key

    def forget(self, key: str) -> None:
        """Free a shared value."""
        if self.values.pop(key, None) is not None:
            self.pool.shared.drop(key)

    def _forget_all(self) -> None:
        for key in list(self.values):
            self.forget(key)

    def submit(self, job: Job, /, tell: Tell | None = None) -> "Future[Any]":  # type: ignore[override]
        """Give a job to the executor."""
        if self._is_stopped:
            raise RuntimeError("the executor was shut down")
        importable(job)
        claims = contextlib.ExitStack()
        for folder in job.writes:
            claims.enter_context(RunFolder(folder).claimed())
        task = _Task(job, Future(), tell or (lambda _: None), claims)
        with self._changed:
            self._tasks.add(task)
        task.tell({})
        self._start(task, {})
        return task.future

    def _start(self, task: _Task, supplies: dict[str, Any]) -> None:
        """Give a job to the executor, with what its process lacks."""
        try:
            baggage = importable(task.job)
            trees = self.pool.packer.trees(task.job, baggage.module)
            forget = self.pool.shared.forgotten
            message = task_of(task.job, baggage.module, baggage.saves, trees, forget)
            words = encoded({"task": message, "identity": self.pool.identity, "supplies": supplies})
            task.inner = self.pool.other.submit(work_in_pool, words.tobytes())
        except Exception as error:
            known = isinstance(error, BoardLabError)
            text = str(error) if known else f"the executor takes no job: {type(error).__name__}: {error}"
            self._settle(task, error=BoardLabError(text))
            return
        task.inner.add_done_callback(lambda inner: self._end(task, inner))

    def _end(self, task: _Task, inner: "Future[bytes]") -> None:
        """Take what became of a job."""
        if inner.cancelled() or self._is_stopped:
            self._settle(task, error=StoppedError())
        elif (error := inner.exception()) is not None:
            task.attempts += 1
            if task.attempts < ATTEMPTS:
                self.pool.lost += 1
                self._start(task, {})
            else:
                name = task.job.name or f"a job of kind {task.job.kind}"
                text = f"{name}: its process died, {ATTEMPTS} times: {type(error).__name__}: {error}"
                self._settle(task, error=WorkerDiedError(text))
        else:
            self._take(task, decoded(_as_array(inner.result())))

    def _take(self, task: _Task, answer: dict[str, Any]) -> None:
        try:
            if "lacks" in answer:
                supplies = {key: self._content(key) for key in answer["lacks"]}
                return self._start(task, supplies)
            for changes in answer["changes"]:
                bring_home(changes["home"], changes)
        except Exception as error:
            return self._settle(task, error=error)
        if "result" in answer:
            self._settle(task, answer["result"])
        elif "stopped" in answer:
            self._settle(task, error=StoppedError())
        else:
            kind = WorkerDiedError if answer["type"] == "died" else ERRORS.get(answer["type"], BoardLabError)
            self._settle(task, error=kind(answer["error"]))

    def _content(self, key: str) -> Any:
        return self.pool.packer.content(key) if key.startswith("file ") else self.pool.shared.values[key]

    def _settle(self, task: _Task, result: Any = None, error: BaseException | None = None) -> None:
        task.claims.close()
        with contextlib.suppress(Exception):  # it was cancelled meanwhile
            if error is None:
                task.future.set_result(result)
            else:
                task.future.set_exception(error)
        with self._changed:
            self._tasks.discard(task)
            self._changed.notify_all()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for the submitted jobs; with `cancel_futures`, forget them."""
        if cancel_futures:
            return self.stop()
        with self._changed:
            while wait and self._tasks:
                self._changed.wait(1.0)
        self._is_stopped = True
        if wait:
            self._forget_all()

    def stop(self) -> None:
        """Forget all jobs: those that run go on in their processes, for nobody."""
        self._is_stopped = True
        with self._changed:
            tasks = list(self._tasks)
        for task in tasks:
            if task.inner is not None:
                task.inner.cancel()
            self._settle(task, error=StoppedError())
        self._forget_all()


def _workers_of(executor: Executor) -> int:
    """How many jobs an executor runs at once, as far as it says."""
    if isinstance(known := getattr(executor, "_max_workers", None), int):
        return known
    with contextlib.suppress(Exception):  # Dask's
        return max(1, sum(executor._client.ncores().values()))  # type: ignore[attr-defined]
    return os.cpu_count() or 1


def _as_array(content: bytes) -> Bytes:
    return np.frombuffer(content, np.uint8)


# ---- in a process of the executor ----

_LOCK = threading.Lock()
_FOREMAN: list[Foreman] = []
_NUMBERS = itertools.count()
_TIMER: list[threading.Timer] = []


def work_in_pool(words: bytes) -> bytes:
    """Run a job to its end; called in a process or thread of the executor."""
    given = decoded(_as_array(words))
    if reason := difference(given["identity"], identity()):
        error = f"{socket.gethostname()} {reason}: install the same version there"
        return encoded({"error": error, "type": "BoardLabError", "changes": []}).tobytes()
    events: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    changes = []
    with _LOCK:
        if not _FOREMAN:
            _FOREMAN.append(Foreman(MOST_WORKERS))
        foreman, number = _FOREMAN[0], next(_NUMBERS)
        _stop_timer()
        foreman.supply(given["supplies"])
        foreman.start(number, given["task"], events.put)
    while "progress" in (event := events.get()) or "home" in event:
        if "home" in event:
            changes.append(event)
    with _LOCK:
        _stop_timer()
        timer = threading.Timer(IDLE_SECONDS, _end_foreman)
        timer.daemon = True
        timer.start()
        _TIMER.append(timer)
    return encoded({**event, "changes": changes}).tobytes()


def _stop_timer() -> None:
    while _TIMER:
        _TIMER.pop().cancel()


def _end_foreman() -> None:
    """End the processes of this process."""
    with _LOCK:
        _stop_timer()
        while _FOREMAN:
            _FOREMAN.pop().close()
