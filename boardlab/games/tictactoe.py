"""TicTacToe: text, names and drawing.

Fields: nine cells row by row, 0 empty, 1 X, 2 O.
"""

from dataclasses import dataclass

from boardlab.games.drawing import PLAYER_COLOURS, GridCanvas
from boardlab.games.game import State
from boardlab.games.grid import cell_name, grid_text, mover_line, read_grid
from boardlab.games.rules import Rules

SYMBOLS = ".XO"
NAMES = ("X", "O")


@dataclass(frozen=True)
class TicTacToe(Rules):
    """Three in a row on a 3x3 board."""

    name = "tictactoe"
    summary = "three in a row on a 3x3 board"
    truths = "a draw; 255,168 games, 5,478 positions, 765 up to symmetry"

    def player_name(self, player: int) -> str:
        """Name the player; X begins."""
        return NAMES[player]

    def to_text(self, state: State) -> str:
        """Write the board with X and O."""
        board = grid_text([SYMBOLS[value] for value in state.fields], 3, 3)
        return f"{board}\n{mover_line(state.player, NAMES)}"

    def fields_from_text(self, text: str) -> list[int]:
        """Read the board; the number of stones tells who moves."""
        return read_grid(self.name, text, 3, 3, SYMBOLS)[0]

    def action_text(self, state: State, action: int) -> str:
        """Name the cell; `a1` is at the top left."""
        return cell_name(action, 3)

    def to_svg(self, state: State) -> str:
        """Draw crosses and rings."""
        canvas = GridCanvas(3, 3, mover_line(state.player, NAMES), column_labels="abc", row_labels="123")
        canvas.grid()
        for cell, value in enumerate(state.fields):
            x, y = canvas.centre(cell)
            if value == 1:
                canvas.line(x - 11, y - 11, x + 11, y + 11, PLAYER_COLOURS[0], 5)
                canvas.line(x - 11, y + 11, x + 11, y - 11, PLAYER_COLOURS[0], 5)
            elif value == 2:
                canvas.circle(x, y, 12, "none", stroke=PLAYER_COLOURS[2], width=5)
        return canvas.svg()
