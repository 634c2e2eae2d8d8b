"""An outside program, spoken to line by line: started, timed and always ended.

Ctrl-C at the terminal reaches BoardLab but not the program. The program ends when its agent is dropped, after
any failure, when the interpreter exits, and when BoardLab is killed, together with everything it started: a
small supervising process ensures that (supervisor.py).
"""

import contextlib
import os
import select
import selectors
import subprocess
import sys
import time
import weakref
from collections.abc import Sequence
from pathlib import Path

from boardlab.errors import BoardLabError, shown

LONGEST_LINE = 1 << 20
"""Most bytes of a line; a program that prints more does not speak a line protocol."""
ENDING_SECONDS = 1.0
"""Seconds that a program may take to quit before it is killed."""
SWEEPING_SECONDS = 10.0
"""Seconds allowed to end everything that a program has started."""
SUPERVISOR = str(Path(__file__).with_name("supervisor.py"))


class EngineError(BoardLabError):
    """An outside program violated its protocol."""


class ResignedError(EngineError):
    """An outside program resigned, which is a loss but not a failure."""

    is_resignation = True


class Program:
    """A running program; `name` is used in messages."""

    def __init__(self, command: Sequence[str], name: str, folder: str | None = None) -> None:
        self.name = name
        life, self._life = os.pipe()
        self._report, report = os.pipe()
        supervisor = (sys.executable, "-I", "-S", SUPERVISOR, str(life), str(report))
        try:
            self._process = subprocess.Popen(
                [*supervisor, *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                bufsize=0,
                pass_fds=(life, report),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            os.close(self._life)
            os.close(self._report)
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise EngineError(f"{name} cannot be started: {reason}") from None
        finally:
            os.close(life)
            os.close(report)
        self._end = weakref.finalize(self, _end, self._process, self._life, self._report, os.getpid())
        self._reported = b""
        self._status: int | None = None
        self._await_start()
        self._heard = b""
        self._complaint = b""
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._input = self._process.stdin.fileno()
        self._output = self._process.stdout.fileno()
        self._errors = self._process.stderr.fileno()
        for file in (self._input, self._output, self._errors):
            os.set_blocking(file, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._output, selectors.EVENT_READ)
        self._selector.register(self._errors, selectors.EVENT_READ)

    def _await_start(self) -> None:
        while b"\n" not in self._reported:
            data = os.read(self._report, 100)
            if not data:
                self._end()
                raise EngineError(f"{self.name} cannot be started: its supervising process has ended")
            self._reported += data
        line, _, self._reported = self._reported.partition(b"\n")
        what, number = line.split()
        if what == b"error":
            self._end()
            raise EngineError(f"{self.name} cannot be started: {os.strerror(int(number))}")
        self.pid = int(number)
        """Process id."""
        os.set_blocking(self._report, False)

    def say(self, line: str) -> None:
        """Send one line."""
        data = (line + "\n").encode()
        try:
            if os.write(self._input, data) != len(data):
                raise BlockingIOError
        except BlockingIOError:
            raise EngineError(f"{self.name} does not read its input") from None
        except OSError:
            raise self._died() from None

    def hear(self, deadline: float) -> str:
        """Return the next line without its end; wait until the deadline (time.monotonic)."""
        while b"\n" not in self._heard:
            left = deadline - time.monotonic()
            events = self._selector.select(max(0.0, left)) if left > 0 else []
            if not events:
                raise EngineError(f"{self.name} did not answer in time")
            for key, _ in events:
                self._read(key.fd)
            if len(self._heard) > LONGEST_LINE:
                raise EngineError(f"{self.name} printed a megabyte without an end of line")
        line, _, self._heard = self._heard.partition(b"\n")
        return line.decode(errors="replace").strip()

    def _read(self, file: int) -> None:
        try:
            data = os.read(file, 1 << 16)
        except BlockingIOError:
            return
        if file == self._errors:
            self._complaint = (self._complaint + data)[-2000:]
            if not data:
                self._selector.unregister(file)
        elif data:
            self._heard += data.replace(b"\r\n", b"\n")
        else:
            raise self._died()

    def _died(self) -> EngineError:
        """Describe how a program ended: its status and its last output."""
        self._has_ended(ENDING_SECONDS)
        with contextlib.suppress(OSError):
            self._complaint += os.read(self._errors, 1 << 16)
        status = self._status
        self._end()
        how = (
            "closed its output"
            if status is None
            else f"was ended by signal {-status}"
            if status < 0
            else f"ended with status {status}"
        )
        last = [line for line in self._complaint.decode(errors="replace").splitlines() if line.strip()]
        return EngineError(f"{self.name} {how}" + (f": {shown(last[-1].strip())}" if last else ""))

    def close(self, farewell: str | None = None) -> None:
        """End the program: politely if it still listens, else by force."""
        if self._end.alive and farewell is not None and not self._has_ended():
            with contextlib.suppress(EngineError):
                self.say(farewell)
                self._has_ended(ENDING_SECONDS)
        self._selector.close()
        self._end()

    def _has_ended(self, seconds: float = 0.0) -> bool:
        """Return whether the program has ended or ends within `seconds`."""
        deadline = time.monotonic() + seconds
        poll = select.poll()
        poll.register(self._report, select.POLLIN)
        while self._status is None and self._end.alive:
            ready = poll.poll(1000 * max(0.0, deadline - time.monotonic()))
            data = os.read(self._report, 100) if ready else b""
            self._reported += data
            if self._reported.endswith(b"\n"):
                self._status = int(self._reported.split()[1])
            elif not data:
                break
        return self._status is not None


def _end(process: "subprocess.Popen[bytes]", life: int, report: int, owner: int) -> None:
    """Have the program and everything it started killed, and wait until all are gone."""
    os.close(life)
    os.close(report)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            with contextlib.suppress(OSError):
                pipe.close()
    if os.getpid() != owner:  # in a forked process: the program belongs to the parent
        return
    try:
        process.wait(SWEEPING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
