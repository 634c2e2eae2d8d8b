"""Results that a person reads: all of a report when printed, one line of it where many stand together."""

from typing import Any


class Report:
    """Has a report: `str` is all of it, `repr` one line, and a notebook shows what `print` would.

    What is made with `dataclass` says `repr=False`, or it would write out every game and setting it holds.
    """

    def _headline(self) -> str:
        """What stands for it: the first line of the report."""
        return str(self).partition("\n")[0]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._headline()}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython and Jupyter ask for."""
        printer.text(str(self))
