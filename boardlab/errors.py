"""What a user can get wrong, said in one sentence."""

import difflib
from collections.abc import Iterable


class BoardLabError(ValueError):
    """Bad input: says what was given, what is allowed, and the nearest right answer."""


class TableFullError(BoardLabError):
    """A learner has no room for more; what it has learned is whole."""


class MissingPackageError(BoardLabError):
    """Something optional is not installed; says how to get it."""


def shown(value: object) -> str:
    """`value` as an error message shows it: short, and whatever its repr does."""
    try:
        text = repr(value)
    except Exception:  # a number of ten thousand digits, or somebody's broken __repr__
        return f"this {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."


def unknown(kind: str, given: str, known: Iterable[str]) -> BoardLabError:
    """The error for a name that does not exist, with the nearest one that does."""
    names = list(known)
    given = given if len(given) <= 80 else given[:77] + "..."
    nearest = difflib.get_close_matches(given.lower(), names, n=1, cutoff=0.5)
    if nearest:
        return BoardLabError(f'unknown {kind} "{given}"; did you mean "{nearest[0]}"?')
    if not names:
        return BoardLabError(f'unknown {kind} "{given}"; there is none')
    return BoardLabError(f'unknown {kind} "{given}"; there are {", ".join(names)}')
