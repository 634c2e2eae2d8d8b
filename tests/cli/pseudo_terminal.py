"""A command on a pseudo-terminal: press keys, read the screen."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

from boardlab import cli
from boardlab.cli.common import console

PATIENCE = 30
"""Seconds after which a screen that does not come fails the test."""
UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
ENTER, CTRL_C, CTRL_D, CTRL_Z = "\r", "\x03", "\x04", "\x1a"


class PseudoTerminal:
    """Runs `boardlab` in a child process that believes in a terminal."""

    def __init__(self, *words, columns=80, lines=24, cwd=None, **environment):
        self.output = ""
        self.pid, self._file = pty.fork()
        if self.pid == 0:
            try:
                self._be_the_command(words, columns, lines, cwd, environment)
            finally:
                os._exit(71)  # never back into the tests
        self.resize(columns, lines)

    def _be_the_command(self, words, columns, lines, cwd, environment):
        status = 70
        try:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            for name in ("NO_COLOR", "COLUMNS", "LINES"):
                os.environ.pop(name, None)
            os.environ |= {"TERM": "xterm-256color", **environment}
            if cwd is not None:
                os.chdir(cwd)
            sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
            sys.argv = ["boardlab", *map(str, words)]
            console.__init__(highlight=False)  # the colours of this terminal, not of the one of the tests
            signal.signal(signal.SIGINT, signal.default_int_handler)
            cli.main()
            status = 0
        except SystemExit as end:
            status = end.code or 0
        except BaseException as error:
            print("FAILED", repr(error))
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)

    def resize(self, columns, lines):
        fcntl.ioctl(self._file, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def press(self, keys):
        os.write(self._file, keys.encode())

    def _read(self, seconds):
        if not select.select([self._file], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._file, 65536)
        except OSError:  # the command has ended
            return None
        self.output += data.decode(errors="replace")
        return bool(data) or None

    def until(self, *wanted, also=lambda screen: True):
        """Read until the screen shows all of these; return it."""
        end = time.monotonic() + PATIENCE
        while True:
            screen = self.screen()
            if all(text in screen for text in wanted) and also(screen):
                return screen
            if self._read(max(end - time.monotonic(), 0)) in (None, False):
                raise AssertionError(f"{wanted} did not come; the screen was\n{self.screen()}")

    def screen(self):
        """Return the last whole picture without colours."""
        frames = re.findall(r"\x1b\[H((?:(?!\x1b\[H).)*?)\x1b\[J", self.output, re.DOTALL)
        return plain(frames[-1]) if frames and "\x1b[?1049l" not in self.output else plain(self.output)

    def coloured(self):
        """Return the last whole picture with its colours."""
        return re.findall(r"\x1b\[H((?:(?!\x1b\[H).)*?)\x1b\[J", self.output, re.DOTALL)[-1]

    def ended(self):
        """Wait for the end; return the status and what is left on the terminal."""
        while more := self._read(PATIENCE):
            pass
        assert more is None, f"it did not end; the screen was\n{self.screen()}"
        _, status = os.waitpid(self.pid, 0)
        os.close(self._file)
        self.pid = 0
        return os.waitstatus_to_exitcode(status), plain(self.output.rpartition("\x1b[?1049l")[2])

    def hang_up(self):
        """Close the window and wait for the end."""
        os.close(self._file)
        os.waitpid(self.pid, 0)
        self.pid = 0

    def stop(self):
        """End the command, if it still runs."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            os.close(self._file)


def plain(text):
    return re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]", "", text).replace("\r\n", "\n")
