"""Ctrl-C while something must be written to its end."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def ignoring_ctrl_c() -> Iterator[None]:
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


@contextlib.contextmanager
def postponing_ctrl_c() -> Iterator[None]:
    """A Ctrl-C meanwhile is kept until the end, and counts then."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[tuple[int, Any]] = []
    signal.signal(signal.SIGINT, lambda number, frame: caught.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if caught:
        handler(*caught[0])
