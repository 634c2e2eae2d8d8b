"""Signals that end a command: SIGTERM and SIGHUP act like Ctrl-C (SIGINT).

Docker, Slurm and systemd send SIGTERM; a closed terminal sends SIGHUP. By default both end the process at
once, so nothing would be saved.
"""

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # no SIGHUP on Windows

BURST_SECONDS = 1.0
"""Seconds within which further signals count as part of the first.

systemd sends SIGHUP right after SIGTERM, and a closed terminal may send SIGHUP twice: the second signal must
not interrupt the saving that the first one started.
"""


class Terminated(KeyboardInterrupt, SystemExit):
    """SIGTERM or SIGHUP as a kind of Ctrl-C.

    Uncaught, Python exits with status 128 + signal.
    """

    def __init__(self, status: int) -> None:
        SystemExit.__init__(self, status)


@dataclass
class Ending:
    """Which signal ended a command."""

    signal: int = signal.SIGINT
    """The signal; SIGINT if there was none."""

    @property
    def status(self) -> int:
        """The exit status that shells expect after this signal."""
        return 128 + self.signal


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


@contextlib.contextmanager
def ended_by_signals() -> Iterator[Ending]:
    """Treat SIGTERM and SIGHUP as Ctrl-C, so that they save what Ctrl-C saves.

    Handlers are set in the main thread only, never in an interactive session (a notebook must end when asked
    to), and only in place of a signal's default: under nohup SIGHUP stays ignored, and a program keeps its
    own handlers. The previous handlers are restored afterwards.
    """
    usual = (signal.SIG_DFL, signal.default_int_handler)
    free = _in_main_thread() and not hasattr(sys, "ps1")
    before = {number: signal.getsignal(number) for number in ENDING if free}
    before = {number: handler for number, handler in before.items() if handler in usual}
    if before.get(signal.SIGINT) is signal.SIG_DFL:  # the program chose that Ctrl-C ends the process
        del before[signal.SIGINT]
    ending, last = Ending(), -BURST_SECONDS

    def end(number: int, frame: Any) -> None:
        nonlocal last
        if (now := time.monotonic()) - last < BURST_SECONDS:
            return
        last, ending.signal = now, number
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated(ending.status)

    try:
        for number in before:
            signal.signal(number, end)
        yield ending
    except KeyboardInterrupt as stop:
        if ending.signal == signal.SIGINT or isinstance(stop, Terminated):
            raise
        raise Terminated(
            ending.status
        ) from stop  # a match stops with its own exception, which has the result
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def ignoring_ctrl_c() -> Iterator[None]:
    """Ignore Ctrl-C in this block, which saves the work that Ctrl-C stopped.

    SIGTERM and SIGHUP are ignored too where they count as Ctrl-C. Signals reach only the main thread, and a
    handler that Python did not set could not be restored.
    """
    before = {number: signal.getsignal(number) for number in ENDING if _in_main_thread()}
    before = {
        number: handler
        for number, handler in before.items()
        if callable(handler) or (number == signal.SIGINT and handler is not None)
    }
    for number in before:
        signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def postponing_ctrl_c() -> Iterator[None]:
    """Delay Ctrl-C, SIGTERM and SIGHUP until the end of the block."""
    before = {number: signal.getsignal(number) for number in ENDING if _in_main_thread()}
    handlers = {number: handler for number, handler in before.items() if callable(handler)}
    caught: list[tuple[int, Any]] = []
    for number in handlers:
        signal.signal(number, lambda number, frame: caught.append((number, frame)))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if caught:
        handlers[caught[0][0]](*caught[0])


def ignore_for_good() -> None:
    """Ignore these signals until the process ends."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
