"""Text of boards with rows and columns: written with labels, read with or without them."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from boardlab.errors import BoardLabError

if TYPE_CHECKING:
    from boardlab.games.game import State

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def cell_name(cell: int, cols: int) -> str:
    """`a1` is the top left cell, letters count columns, numbers count rows."""
    return f"{LETTERS[cell % cols]}{cell // cols + 1}"


def grid_text(symbols: Sequence[str], rows: int, cols: int, *, row_labels: bool = True) -> str:
    """The cells row by row, under letters and behind numbers."""
    width = max(len(str(rows)), 1)
    margin = " " * (width + 1) if row_labels else ""
    lines = [margin + " ".join(LETTERS[:cols])] if row_labels else []
    for row in range(rows):
        label = f"{row + 1:>{width}} " if row_labels else ""
        lines.append(label + " ".join(symbols[row * cols : (row + 1) * cols]))
    return "\n".join(lines)


def read_grid(owner: str, text: str, rows: int, cols: int, symbols: str) -> tuple[list[int], str]:
    """Each cell's place in `symbols`, row by row, and what follows the board.

    Labels may be there or not, and so may the blanks between cells.
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
            if place < 0:  # case matters only where the board has both
                place = symbols.find(symbol.upper())
            if place < 0:
                raise BoardLabError(f'{owner}: "{symbol}" in row {number} is none of {" ".join(symbols)}')
            cells.append(place)
    return cells, "\n".join(lines[rows:])


def read_mover(owner: str, text: str, names: Sequence[str]) -> int | None:
    """Who moves, or would, according to "X to move" or "game over, X next"; None without such a line."""
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
    raise BoardLabError(f'{owner}: "{match.group(1)}" cannot move; it is {" or ".join(names)}')


def mover_line(player: int, names: Sequence[str]) -> str:
    """Who moves, as in "X to move", or that the game is over."""
    return f"{names[player]} to move" if player >= 0 else "game over"


def status_line(state: "State", names: Sequence[str]) -> str:
    """Who moves or has won: "red to move", "red has won", "a draw"."""
    if not state.is_terminal:
        return f"{names[state.player]} to move"
    winner = int(state.scores.argmax())
    return f"{names[winner]} has won" if state.scores[winner] > 0 else "a draw"


def turn_line(state: "State", names: Sequence[str]) -> str:
    """The status; in a finished game also who moved last, where the stones do not tell (after a swap)."""
    last = f", {names[state.last_player]} moved last" if state.is_terminal else ""
    return status_line(state, names) + last


def read_turn(owner: str, text: str, names: Sequence[str]) -> int:
    """The player whose turn it is according to `turn_line`; in a finished game whose turn it was last."""
    match = re.search(r"(\w+) (?:to move|moved last)", text)
    if not match or match[1].lower() not in names:
        raise BoardLabError(
            f'{owner}: say whose turn it is after the board, as in "{names[0]} to move" or '
            f'"{names[0]} moved last"; players are {", ".join(names)}'
        )
    return list(names).index(match[1].lower())
