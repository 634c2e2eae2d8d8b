"""Output of a notebook cell that changes while a function works."""

import sys
import time
from typing import Any

from boardlab.html import Html

SECONDS = 0.2
"""Seconds between two updates."""


def is_notebook() -> bool:
    """Return whether a Jupyter kernel runs this; IPython need not be installed."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


class LiveOutput:
    """One output of a notebook cell, which every update replaces."""

    def __init__(self) -> None:
        self._handle: Any = None

    def update(self, text: str, page: Html | None = None) -> None:
        """Show text, and the same as HTML where that can be shown."""
        from IPython.display import display

        bundle = {"text/plain": text} | ({"text/html": page} if page is not None else {})
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)


class Pulse:
    """Tells when the next update is due."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds, self._last = seconds, float("-inf")

    def is_due(self) -> bool:
        """Return whether the last update is long enough ago, and start anew if so."""
        now = time.monotonic()
        if now - self._last < self._seconds:
            return False
        self._last = now
        return True
