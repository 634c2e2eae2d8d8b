"""Results that print as a report, and as one line inside other objects."""

from typing import Any


class Report:
    """A result with a report: `str` is all of it, `repr` one line.

    Notebooks show `str`.

    Dataclasses derived from it say `repr=False`: the generated repr would print every game and setting.
    """

    def _headline(self) -> str:
        """Return the first line of the report, which stands for the whole."""
        return str(self).partition("\n")[0]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._headline()}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print the report in IPython and Jupyter."""
        printer.text(str(self))
