"""Run an outside program, and end it and its children when BoardLab is gone.

A separate process between BoardLab and the program, run as a file by a Python that imports nothing else:

    python -I -S supervisor.py LIFE REPORT PROGRAM ARGUMENTS...

LIFE is a pipe that nobody writes to: it closes when BoardLab closes it or is killed. REPORT is a pipe that
sends BoardLab "started NUMBER" (the process id), or "error NUMBER" if the program cannot be started, and
later
"ended STATUS". The program has the standard input and output that BoardLab made.

On Linux everything the program leaves behind, even after setsid, becomes a child of this process, and the
program dies with this process. Elsewhere only the program and its process group are ended.
"""

# ruff: noqa: PTH112, PTH123, PTH208
# (importing pathlib takes longer than everything else here)

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time

TYPE_CHECKING = False  # importing typing takes longer than everything else here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

POLL_SECONDS = 1.0
"""Seconds between checks that BoardLab still exists: a process it forked may hold LIFE open."""
SWEEP_SECONDS = 5.0
"""Seconds to keep ending what was started: a process that waits for a disk does not end at once."""

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def main() -> None:
    """Run the program until it or BoardLab has ended."""
    life, report, *command = sys.argv[1:]
    parent = os.getppid()
    for number in (
        signal.SIGINT,
        signal.SIGTERM,
        signal.SIGHUP,
    ):  # BoardLab decides; exec resets a handler
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    control = process_control()
    control(PR_SET_CHILD_SUBREAPER)
    for file in (life, report):
        os.set_inheritable(int(file), False)
    program, error = start(command, control)
    os.write(int(report), b"error %d\n" % error if error else b"started %d\n" % program)
    watch(program, int(life), int(report), woken, parent)
    sweep(program)
    os._exit(0)


def process_control() -> Callable[..., Any]:
    """Return Linux's prctl; elsewhere a function that does nothing."""
    if not sys.platform.startswith("linux"):
        return lambda option, value=1: None
    import ctypes

    prctl = ctypes.CDLL(None).prctl
    return lambda option, value=1: prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def start(command: list[str], control: Callable[..., Any]) -> tuple[int, int]:
    """Start the program in its own session; return its process id and an error, or 0."""
    here = os.getpid()
    failure, failed = os.pipe()  # closed when the program takes over
    program = os.fork()
    if program:
        os.close(failed)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for file in (0, 1, 2):  # only the program may hold them: BoardLab must see it close them
            os.dup2(nowhere, file)
        return program, int(os.read(failure, 20) or 0)
    try:
        os.setsid()
        control(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != here:  # the supervisor is already gone
            os._exit(1)
        for number in (signal.SIGPIPE, getattr(signal, "SIGXFSZ", signal.SIGPIPE)):  # Python ignores them
            signal.signal(number, signal.SIG_DFL)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(failed, b"%d" % (error.errno or 1))
    finally:
        os._exit(1)


def watch(program: int, life: int, report: int, woken: int, parent: int) -> None:
    """Wait until BoardLab is gone, or no process of the program is left."""
    poll = select.poll()
    for file in (life, woken):
        poll.register(file, select.POLLIN)
    while os.getppid() == parent:
        ready = [file for file, _ in poll.poll(1000 * POLL_SECONDS)]
        if life in ready:
            return
        if woken in ready:
            os.read(woken, 4096)
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == program:
                    with contextlib.suppress(OSError):  # BoardLab is gone
                        os.write(report, b"ended %d\n" % os.waitstatus_to_exitcode(ended[1]))
            continue
        return  # no child is left


def sweep(program: int) -> None:
    """Kill the program and everything it started."""
    deadline = time.monotonic() + SWEEP_SECONDS
    while time.monotonic() < deadline:
        if os.path.isdir("/proc/self"):
            for process in descendants():
                with contextlib.suppress(OSError):
                    os.kill(process, signal.SIGKILL)
        else:
            with contextlib.suppress(OSError):
                os.killpg(program, signal.SIGKILL)
        try:
            if not os.waitpid(-1, os.WNOHANG)[0]:
                time.sleep(0.002)
        except ChildProcessError:
            return


def descendants() -> list[int]:
    """List the processes below this one, from the system's list."""
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with (
                contextlib.suppress(OSError, ValueError, IndexError),
                open(f"/proc/{name}/stat", "rb") as file,
            ):
                # The program's name is in parentheses and may contain anything.
                parent = int(file.read().rpartition(b")")[2].split()[1])
                parents.setdefault(parent, []).append(int(name))
    found, new = [], [os.getpid()]
    while new:
        new = [child for process in new for child in parents.get(process, ())]
        found += new
    return found


if __name__ == "__main__":
    main()
