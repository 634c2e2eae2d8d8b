"""A limit on how long a case may take, by the same way as Ctrl-C: the engine polls for it."""

import contextlib
import signal
from collections.abc import Iterator


class TookTooLongError(KeyboardInterrupt):
    """The case was interrupted, as by Ctrl-C; that is no failure. (An agent's own errors only lose its game.)"""


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TookTooLongError in what takes longer."""

    def interrupt(*_: object) -> None:
        raise TookTooLongError

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
