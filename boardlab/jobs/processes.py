"""Jobs in processes of this machine."""

import contextlib
import dataclasses
import queue
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from boardlab.errors import BoardLabError, MissingPackageError, OutOfMemoryError, TableFullError
from boardlab.jobs.executor import JobExecutor
from boardlab.jobs.job import Job, Tell, kind_of
from boardlab.jobs.messages import read_message, write_message
from boardlab.jobs.worker import worker_command

ATTEMPTS = 3
"""How often a job is started whose worker dies."""
ERRORS = {kind.__name__: kind for kind in (MissingPackageError, OutOfMemoryError, TableFullError)}
"""Errors that keep their type on the way from a worker."""


class WorkerDiedError(BoardLabError):
    """The worker of a job died, in every attempt."""


class StoppedError(Exception):
    """The executor was stopped before the job finished."""


@dataclass(frozen=True)
class Baggage:
    """What a worker needs beside the job."""

    module: str
    """The module that registers the kind of the job."""
    saves: bool = False
    """Whether the job saves its state when it is interrupted."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """Where files of another machine lie here: see `paths.MOVED`."""
    code: Sequence[str] = ()
    """Folders to import from."""


@dataclass
class _Task:
    job: Job
    future: "Future[Any]"
    tell: Tell | None
    baggage: Baggage
    attempts: int = 0
    is_cancelled: bool = False


class Processes(JobExecutor):
    """An executor that runs jobs in up to `workers` processes.

    The processes start with the first jobs and are reused for later ones. A job whose worker dies
    runs again in a new one. Each process has a thread here that communicates with it.
    """

    def __init__(self, workers: int, environment: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.workers, self.capacity = workers, 2 * workers
        self.environment = environment
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._crew: list[_Worker] = []
        self._open: dict[Future[Any], _Task] = {}
        """The jobs that are not finished."""
        self._waiting = 0
        self._lock = threading.Lock()
        self._is_stopped = False

    def submit(self, job: Job, /, tell: Tell | None = None) -> "Future[Any]":  # type: ignore[override]
        """Queue a job and start another worker where all are busy."""
        return self.submit_with(importable(job), job, tell)

    def submit_with(self, baggage: Baggage, job: Job, tell: Tell | None = None) -> "Future[Any]":
        """Submit a job that may come from another machine."""
        task = _Task(job, Future(), tell, baggage)
        self._open[task.future] = task
        task.future.add_done_callback(lambda future: self._open.pop(future, None))
        with self._lock:
            if self._is_stopped:
                raise RuntimeError("the executor was shut down")
            self._waiting += 1
            if (
                self._waiting > sum(worker.is_idle for worker in self._crew)
                and len(self._crew) < self.workers
            ):
                self._crew.append(_Worker(self))
        self._tasks.put(task)
        return task.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers after the submitted jobs; at once with `cancel_futures`."""
        if cancel_futures:
            return self.stop()
        with self._lock:
            self._is_stopped = True
        for _ in self._crew:
            self._tasks.put(None)
        if wait:
            for worker in self._crew:
                worker.join()

    def stop(self) -> None:
        """End running jobs, which may save first, and cancel those that wait."""
        with self._lock:
            self._is_stopped = True
        for worker in self._crew:
            worker.interrupt()
        with contextlib.suppress(queue.Empty):
            while True:
                if (task := self._tasks.get_nowait()) is not None:
                    task.future.cancel()
        for _ in self._crew:
            self._tasks.put(None)
        for worker in self._crew:
            if worker is not threading.current_thread():  # where an executor is collected
                worker.join()

    def cancel(self, future: "Future[Any]", *, kill: bool = False) -> None:
        """End one job, which may save first unless it is killed; its future gets a `StoppedError`."""
        if future.cancel() or (task := self._open.get(future)) is None:
            return
        task.is_cancelled = True
        for worker in self._crew:
            worker.cancel(future, kill)

    @property
    def is_stopped(self) -> bool:
        """Whether no job may start any more."""
        return self._is_stopped

    def next_task(self) -> _Task | None:
        """The next job for a worker; None at the end."""
        task = self._tasks.get()
        with self._lock:
            self._waiting -= task is not None
        return task


def importable(job: Job) -> Baggage:
    """What the worker of a job needs; refuses kinds that no other process can import."""
    kind = kind_of(job)
    if kind.module == "__main__":
        raise BoardLabError(
            f'the kind of job "{job.kind}" is registered in the main program, which other processes '
            "cannot import; register it in a module of its own or in a plugin"
        )
    return Baggage(kind.module, kind.saves)


class _Worker(threading.Thread):
    """A thread with a process: sends it one job at a time and reads its answers."""

    def __init__(self, executor: Processes) -> None:
        super().__init__(daemon=True)
        self.executor = executor
        self.is_idle = True
        self.process: subprocess.Popen[bytes] | None = None
        self._running: _Task | None = None
        self._held: set[str] = set()
        """Keys of the shared values that the process has."""
        self._lock = threading.Lock()
        self.start()

    def run(self) -> None:
        try:
            while (task := self.executor.next_task()) is not None:
                self.is_idle = False
                self._finish(task)
                self.is_idle = True
        finally:
            self._end()

    def _finish(self, task: _Task) -> None:
        """Run a job to its end, in a new process after each death."""
        if not task.future.set_running_or_notify_cancel():
            return
        answer: Any = None
        try:
            while answer is None and task.attempts < ATTEMPTS and not self._is_over(task):
                task.attempts += 1
                answer = self._attempt(task)
        except Exception as error:  # of the caller's `tell`: the process may be in the middle of the job
            self._kill()
            task.future.set_exception(error)
            return
        if answer is not None and "result" in answer:
            task.future.set_result(answer["result"])
        elif answer is not None:
            kind = ERRORS.get(answer.get("type"), BoardLabError)
            task.future.set_exception(kind(answer["error"]))
        else:
            task.future.set_exception(StoppedError() if self._is_over(task) else self._death(task.job))

    def _is_over(self, task: _Task) -> bool:
        """Whether nobody waits for the job any more."""
        return task.is_cancelled or self.executor.is_stopped

    def _attempt(self, task: _Task) -> Any:
        """The worker's answer to a job; None where it died."""
        try:
            process = self._start(task)
        except OSError as error:
            return {"error": f"no process could be started: {error.strerror}"}
        if process is None:
            return None
        try:
            answer = self._converse(process, task)
        except OSError:  # the pipe of a dead worker
            answer = None
        except (TypeError, ValueError) as error:  # a value that no message can hold
            return {"error": str(error)}
        finally:
            with self._lock:
                self._running = None
        if answer is None:
            process.wait()
        return answer

    def _converse(self, process: "subprocess.Popen[bytes]", task: _Task) -> Any:
        """Send a job, with the shared values that the process lacks, and read until the answer."""
        assert process.stdin is not None and process.stdout is not None
        values = self.executor.values
        share = {key: values[key] for key in task.job.shared.values() if key not in self._held}
        forget = [key for key in self._held if key not in values]
        job = {field.name: getattr(task.job, field.name) for field in dataclasses.fields(Job)}
        message = {"module": task.baggage.module, "job": job, "share": share, "forget": forget}
        if task.baggage.moved or task.baggage.code:
            message |= {"moved": task.baggage.moved, "code": task.baggage.code}
        write_message(process.stdin, message)
        self._held = self._held.difference(forget).union(share)
        if task.tell is not None:
            task.tell({})
        while (answer := read_message(process.stdout)) is not None and "progress" in answer:
            if task.tell is not None:
                task.tell(answer["progress"])
        return answer

    def _start(self, task: _Task) -> "subprocess.Popen[bytes] | None":
        """Return the worker's process, started if necessary, and record `task` as running.

        None once the executor is stopped or the job cancelled.
        """
        with self._lock:
            if self._is_over(task):
                return None
            if self.process is None or self.process.poll() is not None:
                self._close()
                self._held = set()
                # A session of its own: Ctrl-C in the terminal must reach this process first, and only once.
                self.process = subprocess.Popen(
                    worker_command(),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                    env=self.executor.environment,
                )
            self._running = task
            return self.process

    def interrupt(self) -> None:
        """End the running job: one that saves gets SIGINT, any other dies at once."""
        with self._lock:
            self._signal(saves=self._running is not None and self._running.baggage.saves)

    def cancel(self, future: "Future[Any]", kill: bool) -> None:
        """End the running job if it is the one of this future."""
        with self._lock:
            if self._running is not None and self._running.future is future:
                self._signal(saves=self._running.baggage.saves and not kill)

    def _signal(self, saves: bool) -> None:
        """End the process, which may save first."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGINT if saves else signal.SIGKILL)

    def _kill(self) -> None:
        """End the process in the middle of its job."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def _death(self, job: Job) -> WorkerDiedError:
        assert self.process is not None
        status = self.process.wait()
        how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
        name = job.name or f"a job of kind {job.kind}"
        return WorkerDiedError(f"{name}: its process {how}, {ATTEMPTS} times")

    def _close(self) -> None:
        """Close the pipes of a process that has ended."""
        if self.process is not None:
            for pipe in (self.process.stdin, self.process.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]

    def _end(self) -> None:
        """End the process, which waits for another job."""
        if self.process is not None:
            self._close()
            self.process.wait()
