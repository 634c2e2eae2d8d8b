"""The signals that end a command: Ctrl-C (SIGINT), and SIGTERM and SIGHUP, which count as Ctrl-C.

Docker, Slurm and systemd send SIGTERM, a closed terminal sends SIGHUP. Their usual effect is to end the
process at once, so that nothing is saved.
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
"""Signals that follow the first within this time count as one with it.

systemd sends SIGHUP right after SIGTERM, a closed terminal may send SIGHUP twice: the second must not break
off what the first has begun to save.
"""


class Terminated(KeyboardInterrupt, SystemExit):
    """SIGTERM or SIGHUP, as a Ctrl-C. Where nobody catches it Python ends with the status 128 + signal."""

    def __init__(self, status: int) -> None:
        SystemExit.__init__(self, status)


@dataclass
class Ending:
    """What ended a command."""

    signal: int = signal.SIGINT
    """The signal; SIGINT where there was none."""

    @property
    def status(self) -> int:
        """The exit status that shells expect of a command that this signal ended."""
        return 128 + self.signal


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


@contextlib.contextmanager
def ended_by_signals() -> Iterator[Ending]:
    """Treats SIGTERM and SIGHUP as Ctrl-C, so that what is saved then is saved for them too.

    Handlers are set in the main thread alone, never in an interactive session (a notebook must end when it is
    told to), and only over the usual effect of a signal: under nohup SIGHUP stays ignored, and a program's
    own handlers stay. The handlers of before are back afterwards.
    """
    usual = (signal.SIG_DFL, signal.default_int_handler)
    free = _in_main_thread() and not hasattr(sys, "ps1")
    before = {number: signal.getsignal(number) for number in ENDING if free}
    before = {number: handler for number, handler in before.items() if handler in usual}
    if before.get(signal.SIGINT) is signal.SIG_DFL:  # somebody chose that Ctrl-C ends the process
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
        raise Terminated(ending.status) from stop  # a match tells what it has by an exception of its own
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def ignoring_ctrl_c() -> Iterator[None]:
    """Ctrl-C does nothing meanwhile: it was pressed already, and what is saved because of it must be whole.

    The same for SIGTERM and SIGHUP where they count as Ctrl-C. Signals reach the main thread only, and a
    handler that is not Python's could not be put back.
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
    """A Ctrl-C meanwhile is kept until the end, and counts then; so do SIGTERM and SIGHUP."""
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
    """Ignores them until the process ends."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
