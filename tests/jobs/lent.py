"""Processes that several tests use: starting them is most of the time of a test."""

import functools

from boardlab.jobs import JobExecutor, Processes, executor_for


class Lent(JobExecutor):
    """Passes jobs on to processes that go on afterwards."""

    def __init__(self, lender):
        super().__init__()
        self.workers, self.capacity = lender.workers, lender.capacity
        self.share, self.forget, self.submit = lender.share, lender.forget, lender.submit


@functools.cache
def _two():
    return Processes(2)


def lent_for(jobs, kept=None):
    """As `executor_for`, with two processes that end with the tests."""
    return executor_for(1, kept) if jobs == 1 else Lent(_two())
