"""Jobs: seeded, restartable pieces of work, and the executors that run them.

A room above registers its kinds of job with `@kind`; this room imports none of them. `run_jobs` runs a set
of jobs in this process (`Here`), in several (`Processes`) or on a `cluster`; a `JobFolder` remembers the
finished ones.
"""

from boardlab.jobs.clusters import (
    Cluster,
    ClusterLostError,
    cluster,
    cluster_facts,
    cluster_in_use,
    working_here,
    works_elsewhere,
)
from boardlab.jobs.executor import Here, JobExecutor, as_jobs, executor_for
from boardlab.jobs.folder import JobFolder
from boardlab.jobs.job import KINDS, Context, Job, Kind, job_for, kind, known_game
from boardlab.jobs.processes import Processes
from boardlab.jobs.run import (
    JobsFailedError,
    Outcome,
    Standing,
    finished_jobs,
    raise_failures,
    run_jobs,
)

__all__ = [
    "KINDS",
    "Cluster",
    "ClusterLostError",
    "Context",
    "Here",
    "Job",
    "JobExecutor",
    "JobFolder",
    "JobsFailedError",
    "Kind",
    "Outcome",
    "Processes",
    "Standing",
    "as_jobs",
    "cluster",
    "cluster_facts",
    "cluster_in_use",
    "executor_for",
    "finished_jobs",
    "job_for",
    "kind",
    "known_game",
    "raise_failures",
    "run_jobs",
    "working_here",
    "works_elsewhere",
]
