"""Single keys of a terminal: arrows and control keys by name, other keys as their letter."""

import codecs
import contextlib
import os
import re
import select
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator

UP, DOWN, RIGHT, LEFT = "up", "down", "right", "left"
ENTER, BACKSPACE, ESCAPE, TAB, BACKTAB = "enter", "backspace", "escape", "tab", "backtab"
PAGE_UP, PAGE_DOWN, END_OF_INPUT, RESIZE, UNDO = "page up", "page down", "end of input", "resize", "undo"

_SEQUENCES = {
    "[A": UP, "[B": DOWN, "[C": RIGHT, "[D": LEFT, "OA": UP, "OB": DOWN, "OC": RIGHT, "OD": LEFT,
    "[Z": BACKTAB, "[5~": PAGE_UP, "[6~": PAGE_DOWN,
}  # fmt: skip
_CONTROLS = {
    "\r": ENTER, "\n": ENTER, "\x7f": BACKSPACE, "\b": BACKSPACE, "\t": TAB, "\x04": END_OF_INPUT,
    "\x1a": UNDO,
}  # fmt: skip
ESCAPE_SECONDS = 0.05
"""How long the rest of an escape sequence may take; the key Esc alone has none."""


def decode_keys(text: str) -> tuple[list[str], str]:
    """Return the keys in `text`, and the beginning of a sequence that is not complete."""
    keys: list[str] = []
    while text:
        if text[0] != "\x1b":
            key, text = text[0], text[1:]
            if key in _CONTROLS:
                keys.append(_CONTROLS[key])
            elif key.isprintable():
                keys.append(key)
            continue
        sequence = re.match(r"\x1b(O.|\[[0-?]*[ -/]*[@-~])", text)
        if sequence is None:
            if re.fullmatch(r"\x1b(O|\[[0-?]*[ -/]*)?", text):
                return keys, text
            keys.append(ESCAPE)
            text = text[1:]
            continue
        if sequence[1] in _SEQUENCES:
            keys.append(_SEQUENCES[sequence[1]])
        text = text[sequence.end() :]  # other sequences, such as F5, mean nothing here
    return keys, ""


class Keyboard:
    """Reads keys from the terminal; a changed size of the window is a key too."""

    def __init__(self) -> None:
        self._file = sys.stdin.fileno()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._keys: deque[str] = deque()
        self._rest = ""
        self._resized, self._resizes = os.pipe()

    def read(self, seconds: float | None = None) -> str | None:
        """Return the next key; None if there is none within that time."""
        while not self._keys:
            wait = ESCAPE_SECONDS if self._rest else seconds
            ready, _, _ = select.select([self._file, self._resized], [], [], wait)
            if self._resized in ready:
                os.read(self._resized, 1024)
                return RESIZE
            if not ready:
                if not self._rest:
                    return None
                self._keys.append(ESCAPE)
                self._rest = ""
                break
            try:
                data = os.read(self._file, 1024)
            except OSError:
                data = b""
            if not data:  # the terminal was closed: stop and keep the game
                raise KeyboardInterrupt
            keys, self._rest = decode_keys(self._rest + self._decoder.decode(data))
            self._keys.extend(keys)
        return self._keys.popleft()

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Read keys at once and without an echo; the terminal is restored afterwards."""
        import termios
        import tty

        before = termios.tcgetattr(self._file)
        main = threading.current_thread() is threading.main_thread()
        handler = signal.getsignal(signal.SIGWINCH) if main else None
        woken = -1
        try:
            tty.setcbreak(self._file)
            own = termios.tcgetattr(self._file)
            own[6][termios.VSUSP] = bytes([os.fpathconf(self._file, "PC_VDISABLE") & 0xFF])  # Ctrl-Z is undo
            termios.tcsetattr(self._file, termios.TCSANOW, own)
            if main:
                signal.signal(signal.SIGWINCH, lambda number, frame: None)  # it only wakes `read`
                # Wake select by the pipe: a Ctrl-C that came just before it would be lost.
                os.set_blocking(self._resizes, False)
                woken = signal.set_wakeup_fd(self._resizes, warn_on_full_buffer=False)
            yield
        finally:
            if main:
                signal.set_wakeup_fd(woken)
                signal.signal(signal.SIGWINCH, handler or signal.SIG_DFL)
            with contextlib.suppress(termios.error):  # the terminal was closed
                termios.tcsetattr(self._file, termios.TCSADRAIN, before)
            os.close(self._resized)
            os.close(self._resizes)
