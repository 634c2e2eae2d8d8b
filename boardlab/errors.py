"""What a user can get wrong, said in one sentence."""

import difflib
from collections.abc import Iterable


class BoardLabError(ValueError):
    """Bad input: says what was given, what is allowed, and the nearest right answer."""


def unknown(kind: str, given: str, known: Iterable[str]) -> BoardLabError:
    """The error for a name that does not exist, with the nearest one that does."""
    names = list(known)
    nearest = difflib.get_close_matches(given.lower(), names, n=1, cutoff=0.5)
    if nearest:
        return BoardLabError(f'unknown {kind} "{given}"; did you mean "{nearest[0]}"?')
    if not names:
        return BoardLabError(f'unknown {kind} "{given}"; there is none')
    return BoardLabError(f'unknown {kind} "{given}"; there are {", ".join(names)}')
