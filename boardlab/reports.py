"""Results that print as a report, and as one line inside other objects."""

from typing import Any

from boardlab.html import Html, preformatted


class Report:
    """A result with a report: `str` is all of it, `repr` one line.

    Notebooks show the HTML of `_page`, by default `str` in a fixed font.

    Dataclasses derived from it say `repr=False`: the generated repr would print every game and setting.
    """

    def _headline(self) -> str:
        """Return the first line of the report, which stands for the whole."""
        return str(self).partition("\n")[0]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._headline()}>"

    def _page(self) -> Html:
        """Return the report as HTML: tables and curves."""
        return preformatted(str(self))

    def _repr_html_(self) -> str:
        """Show the report in Jupyter."""
        return self._page()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print the report in IPython and Jupyter."""
        printer.text(str(self))
