"""Tables of players that fit a terminal: if too wide, numbers replace the names."""

from collections.abc import Sequence

Row = tuple[int, str]
"""A player's number, usually its rank, and its name."""
Column = Sequence[str]
"""A head and one cell per row, as printed, with leading blanks."""


def player_table(
    rows: Sequence[Row],
    columns: Sequence[Column],
    width: int | None = None,
    *,
    heads: tuple[str | None, str] = ("", ""),
    legend: bool = False,
) -> list[str]:
    """Format the table; a line exceeds `width` only if a single column does.

    A table that is too wide drops the names, and columns that still do not fit go to further blocks below.
    `legend` lists the names of the numbers; tables below another one need none. `heads` are the heads of
    numbers and names; None shows numbers only if the names do not fit.
    """
    number_head, name_head = heads
    longest = max(len(name) for name in (name_head, *(name for _, name in rows)))
    named = [f"{name:<{longest}}" for name in (name_head, *(name for _, name in rows))]
    numbers = [f"{number_head or '':<4}", *(f"{number:>4}" for number, _ in rows)]
    first = named if number_head is None else [f"{a} {b}" for a, b in zip(numbers, named, strict=True)]
    wide = _side_by_side([first, *columns])
    if width is None or max(map(len, wide)) <= width:
        return wide
    lines: list[str] = []
    block: list[Column] = []
    for column in columns:
        if block and max(map(len, _side_by_side([numbers, *block, column]))) > width:
            lines += [*_side_by_side([numbers, *block]), ""]
            block = []
        block.append(column)
    lines += _side_by_side([numbers, *block])
    return [*lines, "", *_legend(rows)] if legend else lines


def _side_by_side(columns: Sequence[Column]) -> list[str]:
    return ["".join(cells) for cells in zip(*columns, strict=True)]


def _legend(rows: Sequence[Row]) -> list[str]:
    return [f"{number:>4} {name}" for number, name in dict(rows).items()]
