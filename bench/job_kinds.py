"""The kinds of job that bench/jobs.py and bench/cluster.py measure; their workers import this module."""

from boardlab.jobs import Context, Job, kind


@kind("nothing")
def nothing(job: Job, context: Context) -> int:
    """Return the job's seed."""
    return job.seed


@kind("echo")
def echo(job: Job, context: Context) -> object:
    """Return the job's shared value."""
    return context.shared(job, "value")
