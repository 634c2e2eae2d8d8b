"""The kind of job that bench/jobs.py measures; its workers import this module."""

from boardlab.jobs import Context, Job, kind


@kind("nothing")
def nothing(job: Job, context: Context) -> int:
    """Return the job's seed."""
    return job.seed
