"""Executors of jobs, in the manner of `concurrent.futures`."""

from concurrent.futures import Executor, Future
from typing import Any

from boardlab.checks import as_integer
from boardlab.jobs.job import Context, Job, Tell, kind_of
from boardlab.jobs.messages import digest

MOST_WORKERS = 1024


class JobExecutor(Executor):
    """An executor of jobs.

    Leaving its `with` block waits for the jobs, or stops them after an exception. A cluster's executor
    overrides `submit`, `shutdown` and `stop`, and `share` and `forget` where the cluster has a store of
    objects; everything else is written in terms of these.
    """

    workers: int = 1
    """How many jobs run at once."""
    capacity: int = 1
    """How many jobs to submit before the first is finished, so that no worker idles."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        """The shared values by key."""

    def submit(self, job: Job, /, tell: Tell | None = None) -> "Future[Any]":  # type: ignore[override]
        """Start a job, or put it in the queue; `tell` gets {} when it starts, then its progress."""
        raise NotImplementedError

    def share(self, value: Any) -> str:
        """Keep a plain value for jobs, and return its key for `Job.shared`.

        It travels to each worker at most once, however many jobs read it. The key is a digest of the
        value, which must not change any more.
        """
        key = digest(value)
        self.values[key] = value
        return key

    def forget(self, key: str) -> None:
        """Free a shared value that no further job reads."""
        self.values.pop(key, None)

    def facts(self) -> list[str]:
        """What progress shows beside the jobs: of a cluster its machines, and the jobs it lost."""
        return []

    def stop(self) -> None:
        """End running jobs, which may save, and forget those that wait."""

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error is None:
            self.shutdown()
        else:
            self.stop()


class Here(JobExecutor):
    """Runs each job in this process, at once, when it is submitted."""

    def __init__(self, kept: dict[str, Any] | None = None) -> None:
        """`kept` is what jobs find in `Context.kept`: objects of this process."""
        super().__init__()
        self._kept = {} if kept is None else kept

    def submit(self, job: Job, /, tell: Tell | None = None) -> "Future[Any]":  # type: ignore[override]
        """Run the job; Ctrl-C passes through, any other exception becomes the future's."""
        future: Future[Any] = Future()
        tell = tell or (lambda _: None)
        tell({})
        try:
            future.set_result(kind_of(job).run(job, Context(tell, self._kept, self.values)))
        except Exception as error:
            future.set_exception(error)
        return future


def as_jobs(jobs: Any) -> int:
    """Check the number of jobs that run at once, as `--jobs` gives it."""
    return as_integer("jobs", jobs, 1, MOST_WORKERS)


def executor_for(jobs: int, kept: dict[str, Any] | None = None) -> JobExecutor:
    """The executor for `--jobs N`: this process if N is 1, else N processes; a cluster if there is one.

    `kept` has objects for jobs in this process; other processes cannot have them.
    """
    from boardlab.jobs.clusters import cluster_in_use
    from boardlab.jobs.processes import Processes

    if (cluster := cluster_in_use()) is not None:
        return cluster.executor()
    return Here(kept) if as_jobs(jobs) == 1 else Processes(jobs)
