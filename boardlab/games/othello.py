"""Othello: text, names and drawing.

Fields: the cells row by row (0 empty, 1 X, 2 O), then who moves (0 X, 1 O).
"""

import re
from dataclasses import dataclass

from boardlab.errors import BoardLabError
from boardlab.games.drawing import GridCanvas, Token
from boardlab.games.game import State
from boardlab.games.grid import LETTERS, cell_name, grid_text, read_grid, read_mover
from boardlab.games.palette import register_colours
from boardlab.games.places import Place, word_places
from boardlab.games.rules import Rules
from boardlab.games.stones import draw_stone, stone_token
from boardlab.options import option

SYMBOLS = ".XO"
NAMES = ("X", "O")
register_colours({"baize": ("#3b7a57", "#2f6247"), "baize-line": ("#2c5c41", "#204633")})


@dataclass(frozen=True)
class Othello(Rules):
    """Enclose the opponent's discs to flip them; most discs win."""

    size: int = option(8, "edge of the board: 4, 6, 8 or 10", low=4, high=10)

    name = "othello"
    summary = "enclose discs to flip them, most discs win"
    variants = ({}, {"size": 4}, {"size": 6}, {"size": 10})
    truths = "8x8: a draw (Takizawa 2023); 6x6: the second player wins 20-16 (Feinstein)"

    def player_name(self, player: int) -> str:
        """Name the player; X (black) begins."""
        return NAMES[player]

    def to_text(self, state: State) -> str:
        """Write the board, the side to move and the disc counts."""
        *cells, mover = state.fields
        board = grid_text([SYMBOLS[value] for value in cells], self.size, self.size)
        who = (
            f"{super().status_text(state)}, {NAMES[mover]} next"
            if state.is_terminal
            else super().status_text(state)
        )
        return f"{board}\n{who} ({_count(cells)})"

    def status_text(self, state: State) -> str:
        """Write who moves or has won, and the disc counts."""
        return f"{super().status_text(state)} ({_count(state.fields[:-1])})"

    def fields_from_text(self, text: str) -> list[int]:
        """Read a board, or the usual single line: 64 of X O - and the side to move."""
        compact = re.fullmatch(rf"\s*([XOxo.\-]{{{self.size**2}}})\s*([XOxo])\s*;?\s*", text)
        if compact:
            cells = [SYMBOLS.index(c) for c in compact[1].upper().replace("-", ".")]
            return [*cells, NAMES.index(compact[2].upper())]
        cells, rest = read_grid(self.name, text.replace("-", "."), self.size, self.size, SYMBOLS)
        mover = read_mover(self.name, rest, NAMES)
        if mover is None:
            raise BoardLabError(f'{self.name}: state who moves after the board, as in "X to move"')
        return [*cells, mover]

    def action_text(self, state: State, action: int) -> str:
        """Name the square (`f5` is column f, row 5) or `pass`."""
        return "pass" if action == self.size**2 else cell_name(action, self.size)

    def action_cells(self, state: State, action: int) -> tuple[int, ...]:
        """Return the square; a pass has none."""
        return (action,) if action < self.size**2 else ()

    def text_places(self, state: State) -> dict[int, Place]:
        """Return where the cells stand in the text."""
        return word_places(self.board_text(state), self.size, first=1, labels=1)

    def player_token(self, state: State, player: int) -> Token:
        """Draw a small disc."""
        return stone_token(("black", "white")[player])

    def draw_board(self, state: State) -> GridCanvas:
        """Draw discs on green: X is black, O is white."""
        canvas = GridCanvas(
            self.size,
            self.size,
            board="baize",
            column_labels=LETTERS[: self.size],
            row_labels=[str(row + 1) for row in range(self.size)],
        )
        canvas.grid("baize-line")
        for cell, value in enumerate(state.fields[:-1]):
            if value:
                draw_stone(canvas, *canvas.centre(cell), ("black", "white")[value - 1], 16)
        return canvas


def _count(cells: list[int]) -> str:
    return f"X {cells.count(1)}, O {cells.count(2)}"
