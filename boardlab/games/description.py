"""A game described for people: as text, and as tables in notebooks."""

import textwrap
from collections.abc import Sequence
from typing import Any

from boardlab import html
from boardlab.options import Option

WIDTH = 100
HEAD = ("parameter", "default", "allowed", "meaning")


class Description(str):
    """Text about a game that notebooks show as tables."""

    facts: Sequence[tuple[str, str]]
    """Players, notation, known facts: a name and a text each."""
    parameters: Sequence[tuple[str, str, str, str]]
    """Name, default, allowed values and meaning of each parameter."""

    def __new__(
        cls, title: str, facts: Sequence[tuple[str, str]], parameters: Sequence[Option]
    ) -> "Description":
        """Write the text: a line for each fact, then a table of the parameters."""
        rows = [(p.name, repr(p.default), p.allowed, p.doc) for p in parameters]
        lines = [title, *(f"{name}: {text}" for name, text in facts), *_table(rows)]
        made = super().__new__(cls, "\n".join(lines))
        made.title_line, made.facts, made.parameters = title, facts, rows
        return made

    title_line: str

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)

    def _repr_html_(self) -> str:
        facts = html.table(["", ""], self.facts, left=(0, 1))
        parameters = html.table(HEAD, self.parameters, left=range(4)) if self.parameters else ""
        return html.below(html.heading(self.title_line), facts, parameters)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


def _table(rows: Sequence[tuple[str, str, str, str]]) -> list[str]:
    """Write the parameters as a table whose last column is wrapped."""
    if not rows:
        return []
    table = [HEAD, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(3)]
    indent = sum(widths) + 6
    lines = [""]
    for *cells, meaning in table:
        start = "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        first, *more = textwrap.wrap(meaning, max(WIDTH - indent, 30)) or [""]
        lines += [f"{start}  {first}".rstrip(), *(" " * indent + line for line in more)]
    return lines
