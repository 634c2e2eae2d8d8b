"""Lines of a controller, and whether one waits: analysis ends when it does."""

import contextlib
import os
import select
from collections.abc import Iterator
from typing import TextIO


class Inbox:
    """Lines of a file or of any iterator.

    A file is read past its own buffer, because only then can the system say whether more has come.
    """

    def __init__(self, lines: TextIO | Iterator[str]) -> None:
        self._lines = iter(lines)
        self._buffer = b""
        self._file: int | None = None
        self._has_ended = False
        with contextlib.suppress(AttributeError, OSError):  # not a file
            self._file = lines.fileno()  # type: ignore[union-attr]

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._file is None:
            return next(self._lines)
        while b"\n" not in self._buffer and not self._has_ended:
            self._read(self._file)
        if not self._buffer:
            raise StopIteration
        line, end, self._buffer = self._buffer.partition(b"\n")
        return (line + end).decode(errors="replace")

    def _read(self, file: int) -> None:
        more = os.read(file, 1 << 16)
        self._buffer += more
        self._has_ended = not more

    def waits(self, seconds: float = 0.0) -> bool:
        """Return whether a line waits, or the end; for a file, after so many seconds at most.

        An iterator cannot tell, so its next line counts as waiting.
        """
        if self._file is None or b"\n" in self._buffer or self._has_ended:
            return True
        return bool(select.select([self._file], [], [], seconds)[0])
