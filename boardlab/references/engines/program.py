"""A program that is talked to line by line: started, asked with a time limit, and always ended.

The program gets a process group of its own, so that Ctrl-C at the terminal reaches BoardLab and not the
program, and so that whatever it started ends with it. It ends when its agent is dropped, after any failure,
and when the interpreter exits.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import time
import weakref
from collections.abc import Sequence

from boardlab.errors import BoardLabError, shown

LONGEST_LINE = 1 << 20
"""Bytes; what prints more without an end of line does not speak a protocol of lines."""
ENDING_SECONDS = 1.0
"""How long a program that was told to quit may take before it is killed."""


RESIGNED = "resigned"
"""How the message about a program that gave up ends: it lost, and nothing went wrong."""


class EngineError(BoardLabError):
    """An outside program did not do what its protocol says."""


class Program:
    """A running program. `name` is what messages call it."""

    def __init__(self, command: Sequence[str], name: str, folder: str | None = None) -> None:
        self.name = name
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise EngineError(f"{name} cannot be started: {reason}") from None
        self._end = weakref.finalize(self, _end, self._process)
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

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def say(self, line: str) -> None:
        """Sends one line."""
        data = (line + "\n").encode()
        try:
            if os.write(self._input, data) != len(data):
                raise BlockingIOError
        except BlockingIOError:
            raise EngineError(f"{self.name} does not read what it is told") from None
        except OSError:
            raise self._died() from None

    def hear(self, deadline: float) -> str:
        """The next line, without its end; waits until the deadline (of time.monotonic)."""
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
        """What to say about a program that is gone: its status and its last words."""
        deadline = time.monotonic() + ENDING_SECONDS
        while not _has_ended(self._process) and time.monotonic() < deadline:
            time.sleep(0.005)
        with contextlib.suppress(OSError):
            self._complaint += os.read(self._errors, 1 << 16)
        running = not _has_ended(self._process)
        self._end()
        status = None if running else self._process.returncode
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
        """Ends the program: politely if it still listens, else by force."""
        if self._end.alive and farewell is not None and not _has_ended(self._process):
            with contextlib.suppress(EngineError):
                self.say(farewell)
                deadline = time.monotonic() + ENDING_SECONDS
                while not _has_ended(self._process) and time.monotonic() < deadline:
                    time.sleep(0.005)
        self._selector.close()
        self._end()


def _has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Whether the program is over; it is not collected yet, so that its group can still be ended."""
    flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return process.returncode is not None or os.waitid(os.P_PID, process.pid, flags) is not None


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kills the program and whatever it started, and collects it: no process and no zombie stays."""
    if process.returncode is None:  # not collected yet, so that the number is still its own
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            with contextlib.suppress(OSError):
                pipe.close()
    process.wait()
