"""What a user can get wrong, said in one sentence."""

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
    """`text` without what a terminal would obey instead of show, as it may stand in a stranger's file.

    Those are control characters (but for tabs and ends of lines) and marks that turn the direction of
    writing around: each becomes U+FFFD.
    """
    return text.translate(_REPLACED)


LONGEST_MESSAGE = 1500
"""Characters: a message may quote a line of a stranger's file."""


class BoardLabError(ValueError):
    """Bad input: says what was given, what is allowed, and the nearest right answer."""

    def __str__(self) -> str:
        """One line that a terminal can show, whatever it quotes: a board, an array, a broken file."""
        text = super().__str__()
        text = text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}..."
        return printable(re.sub(r"\s*[\r\n]\s*", " ", text))


class TableFullError(BoardLabError):
    """A learner has no room for more; what it has learned is whole."""


class OutOfMemoryError(BoardLabError, MemoryError):
    """What was asked for does not fit into the memory."""


class MissingPackageError(BoardLabError):
    """Something optional is not installed; says how to get it."""


def install(extra: str) -> str:
    """The command that gets an extra for this Python: a bare pip may be that of another."""
    python = sys.executable or "python"
    with contextlib.suppress(OSError):  # the folder may be gone
        python = python.removeprefix(f"{Path.cwd()}{os.sep}")
    return f"{shlex.quote(python)} -m pip install 'boardlab[{extra}]'"


def shown(value: object) -> str:
    """`value` as an error message shows it: short, and whatever its repr does."""
    try:
        text = repr(value)
    except Exception:  # a number of ten thousand digits, or somebody's broken __repr__
        return f"this {type(value).__name__}"
    return _short(text)


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."


def described(error: BaseException) -> str:
    """An error in code of a user's own, behind the place in it: agent.py, line 3: KeyError: 'x'."""
    try:
        said = str(error)
    except Exception:  # somebody's broken __str__
        said = ""
    place = place_of(error)
    where = f"{place[0]}, line {place[1]}" if place else ""
    kind = "" if said and isinstance(error, BoardLabError) else type(error).__name__
    text = ": ".join(part for part in (where, kind, said) if part)
    return text.encode(errors="replace").decode()  # the engine takes no half of a character


def place_of(error: BaseException) -> tuple[str, int] | None:
    """The file and the line of the user's own where it came from; None where only BoardLab's were run."""
    places = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    return next((place for place in reversed(places) if not place[0].startswith(_not_own())), None)


@functools.cache
def _not_own() -> tuple[str, ...]:
    """How the files of BoardLab, of Python and of installed packages begin: those are nobody's own."""
    libraries = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return "<frozen ", *(f"{folder}{os.sep}" for folder in (Path(__file__).parent, *libraries))


OF_YOUR_OWN = " (or one of your own: boardlab --plugin FILE ...)"
"""Behind a list of what is known, where a plugin may bring more."""


def unknown(kind: str, given: object, known: Iterable[str], more: str = "") -> BoardLabError:
    """The error for a name that does not exist, with the nearest one that does, or all, and `more` then."""
    names = list(known)
    name, nearest = shown(given), []
    if isinstance(given, str):
        name = f'"{_short(given)}"'
        nearest = difflib.get_close_matches(_short(given).lower(), names, n=1, cutoff=0.5)
    if nearest:
        return BoardLabError(f'unknown {kind} {name}; did you mean "{nearest[0]}"?{more}')
    if not names:
        return BoardLabError(f"unknown {kind} {name}; there is none")
    return BoardLabError(f"unknown {kind} {name}; there are {', '.join(names)}{more}")


def check_known(kind: str, given: object, known: Collection[str]) -> None:
    """Refuses a name that is not one of the known; it may be anything, and need not have a hash."""
    if not isinstance(given, str) or given not in known:
        raise unknown(kind, given, known)
