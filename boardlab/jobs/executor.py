"""Executors of jobs, in the manner of `concurrent.futures`."""

from concurrent.futures import Executor, Future
from typing import Any

from boardlab.jobs.job import Context, Job, Tell, kind_of


class JobExecutor(Executor):
    """An executor of jobs.

    Leaving its `with` block waits for the jobs, or stops them after an exception.
    """

    capacity: int = 1
    """How many jobs to submit before the first is finished, so that no worker idles."""

    def submit(self, job: Job, /, tell: Tell | None = None) -> "Future[Any]":  # type: ignore[override]
        """Start a job, or put it in the queue; `tell` receives its progress."""
        raise NotImplementedError

    def stop(self) -> None:
        """End running jobs, which may save, and forget those that wait."""

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error is None:
            self.shutdown()
        else:
            self.stop()


class Here(JobExecutor):
    """Runs each job in this process, at once, when it is submitted."""

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}

    def submit(self, job: Job, /, tell: Tell | None = None) -> "Future[Any]":  # type: ignore[override]
        """Run the job; Ctrl-C passes through, any other exception becomes the future's."""
        future: Future[Any] = Future()
        try:
            future.set_result(kind_of(job).run(job, Context(tell or (lambda _: None), self._kept)))
        except Exception as error:
            future.set_exception(error)
        return future


def executor_for(jobs: int) -> JobExecutor:
    """The executor for `--jobs N`: this process if N is 1, else N processes."""
    from boardlab.jobs.processes import Processes

    return Here() if jobs == 1 else Processes(jobs)
