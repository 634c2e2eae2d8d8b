"""Text of boards with rows and columns, with labels that readers may omit."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from boardlab.errors import BoardLabError

if TYPE_CHECKING:
    from boardlab.games.game import State

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def cell_name(cell: int, cols: int) -> str:
    """Name a cell: letters count columns, numbers rows; `a1` is at the top left."""
    return f"{LETTERS[cell % cols]}{cell // cols + 1}"


def grid_text(symbols: Sequence[str], rows: int, cols: int, *, row_labels: bool = True) -> str:
    """Write the cells row by row, with letters above and numbers on the left."""
    width = max(len(str(rows)), 1)
    margin = " " * (width + 1) if row_labels else ""
    lines = [margin + " ".join(LETTERS[:cols])] if row_labels else []
    for row in range(rows):
        label = f"{row + 1:>{width}} " if row_labels else ""
        lines.append(label + " ".join(symbols[row * cols : (row + 1) * cols]))
    return "\n".join(lines)


def read_grid(owner: str, text: str, rows: int, cols: int, symbols: str) -> tuple[list[int], str]:
    """Return each cell's index in `symbols`, and the text after the board.

    Labels and the blanks between cells are optional.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    header = " ".join(LETTERS[:cols])
    if lines and lines[0].strip().lower() == header:
        lines = lines[1:]
    if len(lines) < rows:
        raise BoardLabError(f"{owner}: expected {rows} rows of {cols} cells, found {len(lines)}")
    cells: list[int] = []
    for number, line in enumerate(lines[:rows], 1):
        row = re.sub(r"^\s*\d+\s", "", line) if len(line.split()) == cols + 1 else line
        row = "".join(row.split())
        if len(row) == cols + len(str(number)) and row.startswith(str(number)):
            row = row[len(str(number)) :]
        if len(row) != cols:
            raise BoardLabError(f"{owner}: row {number} must have {cols} cells, got {line.strip()!r}")
        for symbol in row:
            place = symbols.find(symbol)
            if place < 0:  # case matters only if the board uses both
                place = symbols.find(symbol.upper())
            if place < 0:
                raise BoardLabError(f'{owner}: "{symbol}" in row {number} must be one of {" ".join(symbols)}')
            cells.append(place)
    return cells, "\n".join(lines[rows:])


def read_mover(owner: str, text: str, names: Sequence[str]) -> int | None:
    """Read "X to move" or "game over, X next"; None without such a line."""
    match = re.search(r"(\S+(?: \d+)?) (?:to move|next)", text)
    if not match:
        if text.strip():
            raise BoardLabError(
                f'{owner}: expected "{names[0]} to move" after the board, got {text.strip()[:40]!r}'
            )
        return None
    for player, name in enumerate(names):
        if match.group(1).lower() == name.lower():
            return player
    raise BoardLabError(f'{owner}: "{match.group(1)}" cannot move; players are {" or ".join(names)}')


def turn_line(state: "State") -> str:
    """Write the status, and at the end who moved last, which a swap would hide."""
    rules = state.game.rules
    last = f", {rules.player_name(state.last_player)} moved last" if state.is_terminal else ""
    return rules.status_text(state) + last


def read_turn(owner: str, text: str, names: Sequence[str]) -> int:
    """Read whose turn it is (at the end: was last) from the output of `turn_line`."""
    match = re.search(r"(\w+) (?:to move|moved last)", text)
    if not match or match[1].lower() not in names:
        raise BoardLabError(
            f'{owner}: state whose turn it is after the board, as in "{names[0]} to move" or '
            f'"{names[0]} moved last"; players are {", ".join(names)}'
        )
    return list(names).index(match[1].lower())
