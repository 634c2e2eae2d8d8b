"""The cluster in use: `with bl.cluster(...)` sends jobs there instead of to processes of this machine."""

import contextlib
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor
from contextvars import ContextVar
from typing import Any, Protocol

from boardlab.checks import as_integer, is_number
from boardlab.errors import BoardLabError, shown
from boardlab.jobs.executor import MOST_WORKERS, JobExecutor, as_jobs

LEAST_PATIENCE, MOST_PATIENCE = 0.1, 86400.0


class ClusterLostError(BoardLabError):
    """The head of a cluster is gone."""

    def __init__(self, head: str) -> None:
        super().__init__(
            f"the head of the cluster, {head}, is gone; what was saved goes on here or on another cluster "
            "with the same command, or with boardlab resume"
        )


class Cluster(Protocol):
    """Machines, or processes of somebody else, that work on jobs."""

    @property
    def workers(self) -> int:
        """How many jobs run at once."""

    @property
    def nodes(self) -> list[tuple[str, int]]:
        """The machines in use, each with the jobs that it runs at once."""

    def facts(self) -> list[str]:
        """What progress shows."""

    def executor(self) -> JobExecutor:
        """An executor of jobs for one command."""

    def close(self) -> None:
        """End the work and leave the cluster."""


MOST_FORGOTTEN = 64
"""Forgotten keys that every message to a machine repeats."""


class SharedValues:
    """The shared values of all commands on a cluster; equal ones are there once."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.forgotten: list[str] = []
        """Keys that machines may forget, the latest last."""
        self._users: Counter[str] = Counter()
        self._lock = threading.Lock()

    def add(self, key: str, value: Any) -> None:
        """Keep a value for one more user."""
        with self._lock:
            self.values[key] = value
            self._users[key] += 1
            if key in self.forgotten:
                self.forgotten.remove(key)

    def drop(self, key: str) -> bool:
        """Forget a value for one user; True if nobody needs it any more."""
        with self._lock:
            self._users[key] -= 1
            if self._users[key] > 0:
                return False
            del self._users[key]
            self.values.pop(key, None)
            self.forgotten = [*self.forgotten[1 - MOST_FORGOTTEN :], key]
            return True


_IN_USE: list[Cluster] = []
_HERE: ContextVar[bool] = ContextVar("here", default=False)


@contextlib.contextmanager
def cluster(
    where: str | Executor = "auto", *, patience: float = 60.0, workers: int | None = None
) -> Iterator[Cluster]:
    """Let everything that takes `jobs` work on a cluster while the block runs.

        with bl.cluster("192.168.0.7:6379"):
            bl.tournament(game, agents)

    `where` is "auto", which starts a Ray cluster on this machine, the address of a Ray cluster's head, or any
    executor of `concurrent.futures`, as of Dask or `ProcessPoolExecutor`. Results are those without a
    cluster; `jobs` then does nothing. AlphaZero's self-play goes there in `processes` x `lanes` shares.

    A machine that does not answer for `patience` seconds counts as dead, and no job is late before that time.
    `workers` says how many jobs an executor runs at once, where it does not know.
    """
    made = open_cluster(where, patience, workers)
    _IN_USE.append(made)
    try:
        yield made
    finally:
        _IN_USE.remove(made)
        made.close()


class _Later:
    """A cluster that is opened when the first jobs are there: mistakes in a command cost no start."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._made: Cluster | None = None

    @property
    def made(self) -> Cluster:
        """The cluster."""
        if self._made is None:
            self._made = open_cluster(self.where)
        return self._made

    @property
    def workers(self) -> int:
        return self.made.workers

    @property
    def nodes(self) -> list[tuple[str, int]]:
        return self.made.nodes

    def facts(self) -> list[str]:
        return self._made.facts() if self._made is not None else []

    def executor(self) -> JobExecutor:
        return self.made.executor()

    def close(self) -> None:
        if self._made is not None:
            self._made.close()


@contextlib.contextmanager
def later_cluster(where: str) -> Iterator[Cluster]:
    """As `cluster`, for a command: opened with the first jobs, but checked at once."""
    from boardlab.jobs.ray_connection import check_address, import_ray

    check_address(where)
    import_ray()
    made = _Later(where)
    _IN_USE.append(made)
    try:
        yield made
    finally:
        _IN_USE.remove(made)
        made.close()


def open_cluster(where: str | Executor, patience: float = 60.0, workers: int | None = None) -> Cluster:
    """Connect to a cluster, or start one."""
    if not is_number(patience) or not LEAST_PATIENCE <= patience <= MOST_PATIENCE:
        raise BoardLabError(
            f"patience must be seconds, from {LEAST_PATIENCE:g} to {MOST_PATIENCE:g}, not {shown(patience)}"
        )
    if isinstance(where, JobExecutor):
        raise BoardLabError(f"a cluster takes executors of other libraries, not {shown(where)}")
    if isinstance(where, Executor):
        from boardlab.jobs.pool import Pool

        return Pool(where, None if workers is None else as_integer("workers", workers, 1, MOST_WORKERS))
    if not isinstance(where, str):
        raise BoardLabError(
            f'a cluster is "auto", the address of a Ray cluster or an executor of concurrent.futures, not '
            f"{shown(where)}"
        )
    if workers is not None:
        raise BoardLabError("a Ray cluster knows its workers: ray start --num-cpus=N sets those of a machine")
    from boardlab.jobs.ray_cluster import RayCluster

    if any(isinstance(used, RayCluster) for used in _IN_USE):
        raise BoardLabError("a Ray cluster is in use already: end its block before the next one begins")
    return RayCluster(where, patience)


def cluster_in_use(*, for_self_play: bool = False) -> Cluster | None:
    """The cluster that jobs go to; None for this machine.

    A run that is trained here sends its self-play alone.
    """
    if not _IN_USE or (_HERE.get() and not for_self_play):
        return None
    return _IN_USE[-1]


@contextlib.contextmanager
def working_here() -> Iterator[None]:
    """Keep jobs on this machine while the block runs, except those of self-play."""
    token = _HERE.set(True)
    try:
        yield
    finally:
        _HERE.reset(token)


def works_elsewhere(jobs: Any) -> bool:
    """Whether jobs run in other processes, or on a cluster."""
    return as_jobs(jobs) > 1 or cluster_in_use() is not None


def cluster_facts() -> list[str]:
    """What progress shows of the cluster in use."""
    return _IN_USE[-1].facts() if _IN_USE else []
