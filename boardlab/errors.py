"""Errors that a user can cause, each explained in one sentence."""

import contextlib
import difflib
import functools
import os
import re
import shlex
import sys
import sysconfig
from collections.abc import Collection, Iterable
from pathlib import Path
from traceback import walk_tb

_COMMANDS = (
    *(code for code in range(0xA0) if (code < 0x20 or code > 0x7E) and chr(code) not in "\t\n"),
    *(0x061C, 0x200E, 0x200F, 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
)
_REPLACED = dict.fromkeys(_COMMANDS, "\ufffd")


def printable(text: str) -> str:
    """Replace the characters that a terminal would obey instead of show by U+FFFD.

    Those are control characters (except tabs and ends of lines) and marks that reverse the writing direction;
    a stranger's file may contain them.
    """
    return text.translate(_REPLACED)


LONGEST_MESSAGE = 1500
"""Most characters of a message, which may quote a line of a stranger's file."""


class BoardLabError(ValueError):
    """Bad input: names what was given, what is allowed, and the nearest right answer."""

    def __str__(self) -> str:
        """Return one printable line, whatever the message quotes."""
        text = super().__str__()
        text = text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}..."
        return printable(re.sub(r"\s*[\r\n]\s*", " ", text))


class BoardLabWarning(UserWarning):
    """Something works, but not as well as it could; the message says what to do."""


class TableFullError(BoardLabError):
    """A learner's table is full; everything it has learned is intact."""


class UnknownNameError(BoardLabError):
    """Nothing has this name; a plugin that was not run may bring it."""


class OutOfMemoryError(BoardLabError, MemoryError):
    """A request does not fit into memory."""


class MissingPackageError(BoardLabError):
    """An optional package is missing; the message names the command that installs it."""


def install(extra: str) -> str:
    """Return the command that installs an extra for exactly this Python."""
    python = sys.executable or "python"
    with contextlib.suppress(OSError):  # the current folder may be gone
        python = python.removeprefix(f"{Path.cwd()}{os.sep}")
    return f"{shlex.quote(python)} -m pip install 'boardlab[{extra}]'"


def shown(value: object) -> str:
    """Format `value` for an error message: short, even if its repr fails."""
    try:
        text = repr(value)
    except Exception:  # a number of ten thousand digits, or a broken __repr__
        return f"this {type(value).__name__}"
    return _short(text)


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."


def described(error: BaseException) -> str:
    """Describe an error in user code with its place: agent.py, line 3: KeyError: 'x'."""
    try:
        message = str(error)
    except Exception:  # a broken __str__
        message = ""
    place = place_of(error)
    where = f"{place[0]}, line {place[1]}" if place else ""
    kind = "" if message and isinstance(error, BoardLabError) else type(error).__name__
    text = ": ".join(part for part in (where, kind, message) if part)
    return text.encode(errors="replace").decode()  # lone surrogates cannot cross into C++


def place_of(error: BaseException) -> tuple[str, int] | None:
    """Return the file and line of user code that raised.

    None if only BoardLab's code ran.
    """
    places = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    return next((place for place in reversed(places) if not place[0].startswith(_not_own())), None)


@functools.cache
def _not_own() -> tuple[str, ...]:
    """Return the path prefixes of BoardLab, Python and installed packages."""
    libraries = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return "<frozen ", "<string>", *(f"{folder}{os.sep}" for folder in (Path(__file__).parent, *libraries))


OF_YOUR_OWN = " (or one of your own: boardlab --plugin FILE ...)"
"""Follows a list of known names where a plugin may add more."""


def unknown(kind: str, given: object, known: Iterable[str], more: str = "") -> UnknownNameError:
    """Make the error for an unknown name: the nearest known one or all, then `more`."""
    names = list(known)
    name, nearest = shown(given), []
    if isinstance(given, str):
        name = f'"{_short(given)}"'
        lower = {word.lower(): word for word in names}
        nearest = difflib.get_close_matches(_short(given).lower(), lower, n=1, cutoff=0.5)
    if nearest:
        return UnknownNameError(f'unknown {kind} {name}; did you mean "{lower[nearest[0]]}"?{more}')
    if not names:
        return UnknownNameError(f"unknown {kind} {name}; there is none")
    return UnknownNameError(f"unknown {kind} {name}; there are {', '.join(names)}{more}")


def check_known(kind: str, given: object, known: Collection[str]) -> None:
    """Refuse a name that is not known; `given` may be any object, hashable or not."""
    if not isinstance(given, str) or given not in known:
        raise unknown(kind, given, known)
