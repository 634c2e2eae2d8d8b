"""Ctrl-C while something must be written to its end."""

import contextlib
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Ctrl-C does nothing meanwhile: it was pressed already, and what is saved because of it must be whole.

    Signals reach the main thread only, and a handler that is not Python's could not be put back.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is None:
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
