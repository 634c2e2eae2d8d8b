"""Stop Python code that does not return."""

import ctypes
import threading
from typing import Any


class StuckError(BaseException):
    """Raised inside of code that does not return; `except Exception` must not catch it."""


class Patience:
    """Raises StuckError in this thread if `see` is not called for some seconds.

    Only Python code can be stopped like this: compiled code does not notice.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.at: Any = None
        """What was seen last."""
        self._watched = threading.get_ident()
        self._seen = 0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._wait, daemon=True)

    def see(self, thing: Any) -> None:
        """Start waiting anew."""
        self.at, self._seen = thing, self._seen + 1

    def _wait(self) -> None:
        before = -1
        while before != self._seen:
            before = self._seen
            if self._is_over.wait(self.seconds):
                return
        raising = ctypes.pythonapi.PyThreadState_SetAsyncExc
        raising(ctypes.c_ulong(self._watched), ctypes.py_object(StuckError))

    def __enter__(self) -> "Patience":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_over.set()
        self._thread.join()
