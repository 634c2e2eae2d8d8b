"""TicTacToe: text, names and drawing.

Fields: nine cells row by row, 0 empty, 1 X, 2 O.
"""

from dataclasses import dataclass

from boardlab.games.drawing import Canvas, GridCanvas, Token
from boardlab.games.game import State
from boardlab.games.grid import cell_name, grid_text, read_grid
from boardlab.games.lines import lines_of
from boardlab.games.places import Place, word_places
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
        return f"{board}\n{self.status_text(state)}"

    def fields_from_text(self, text: str) -> list[int]:
        """Read the board; the number of stones tells who moves."""
        return read_grid(self.name, text, 3, 3, SYMBOLS)[0]

    def action_text(self, state: State, action: int) -> str:
        """Name the cell; `a1` is at the top left."""
        return cell_name(action, 3)

    def action_cells(self, state: State, action: int) -> tuple[int, ...]:
        """Return the cell itself."""
        return (action,)

    def text_places(self, state: State) -> dict[int, Place]:
        """Return where the cells stand in the text."""
        return word_places(self.board_text(state), 3, first=1, labels=1)

    def winning_cells(self, state: State) -> list[list[int]]:
        """Return the lines of three."""
        return lines_of(state.fields, 3, 3, 3)

    def player_token(self, state: State, player: int) -> Token:
        """Draw a small cross or ring."""
        return lambda canvas, x, y: _draw_piece(canvas, x, y, player, 7)

    def draw_board(self, state: State) -> GridCanvas:
        """Draw crosses and rings."""
        canvas = GridCanvas(3, 3, column_labels="abc", row_labels="123")
        canvas.grid()
        for cell, value in enumerate(state.fields):
            if value:
                _draw_piece(canvas, *canvas.centre(cell), value - 1, 12)
        canvas.lines(self.winning_cells(state))
        return canvas


def _draw_piece(canvas: Canvas, x: float, y: float, player: int, r: float) -> None:
    if player == 0:
        canvas.line(x - r, y - r, x + r, y + r, "red", r / 2.4)
        canvas.line(x - r, y + r, x + r, y - r, "red", r / 2.4)
    else:
        canvas.circle(x, y, r, "none", stroke="blue", width=r / 2.4)
