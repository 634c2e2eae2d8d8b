"""Gobang: text, names and drawing.

Fields: the cells row by row, 0 empty, 1 X, 2 O.
"""

from dataclasses import dataclass

from boardlab.games.drawing import GridCanvas, Token
from boardlab.games.game import State
from boardlab.games.grid import LETTERS, cell_name, grid_text, read_grid
from boardlab.games.lines import lines_of
from boardlab.games.palette import register_colours
from boardlab.games.places import Place, word_places
from boardlab.games.rules import Rules
from boardlab.games.stones import draw_stone, stone_token
from boardlab.numbers import in_words
from boardlab.options import option

SYMBOLS = ".XO"
NAMES = ("X", "O")
register_colours({"wood": ("#e2bd82", "#a9824b"), "wood-line": ("#8a6a3b", "#5c4420")})
STAR_POINTS = {15: (3, 7, 11), 19: (3, 9, 15)}


@dataclass(frozen=True)
class Gobang(Rules):
    """Place stones on a grid; `k` in a row win."""

    rows: int = option(6, "height of the board", low=3, high=19)
    cols: int = option(6, "width of the board", low=3, high=19)
    k: int = option(4, "stones in a row that win; must fit on the board", low=2, high=19)
    exactly: bool = option(False, "only exactly k in a row win; longer lines do not count")

    name = "gobang"
    summary = "set stones, k in a row win (Gomoku: 15x15, five in a row)"
    variants = (
        {},
        {"k": 5},
        {"rows": 3, "cols": 4, "k": 3},
        {"rows": 5, "cols": 4, "k": 3, "exactly": True},
        {"rows": 9, "cols": 9, "k": 5},
        {"rows": 15, "cols": 15, "k": 5, "exactly": True},
    )
    truths = (
        "rows x cols, k: 3x3, 3 is a draw (TicTacToe); 3x4, 3 is won by the first player; 4x4, 4 is a draw"
    )

    def variant_summary(self) -> str:
        """Name the length of a winning line."""
        if self.exactly:
            return f"set stones, exactly {in_words(self.k)} in a row win, a longer line counts for nothing"
        return f"set stones, {in_words(self.k)} in a row win"

    def player_name(self, player: int) -> str:
        """Name the player; X begins."""
        return NAMES[player]

    def to_text(self, state: State) -> str:
        """Write the board with X and O."""
        board = grid_text([SYMBOLS[value] for value in state.fields], self.rows, self.cols)
        return f"{board}\n{self.status_text(state)}"

    def fields_from_text(self, text: str) -> list[int]:
        """Read the board; the number of stones tells who moves."""
        return read_grid(self.name, text, self.rows, self.cols, SYMBOLS)[0]

    def action_text(self, state: State, action: int) -> str:
        """Name the cell; `a1` is at the top left."""
        return cell_name(action, self.cols)

    def action_cells(self, state: State, action: int) -> tuple[int, ...]:
        """Return the cell itself."""
        return (action,)

    def text_places(self, state: State) -> dict[int, Place]:
        """Return where the cells stand in the text."""
        return word_places(self.board_text(state), self.rows, first=1, labels=1)

    def winning_cells(self, state: State) -> list[list[int]]:
        """Return the cells of every winning line, from end to end."""
        return lines_of(state.fields, self.rows, self.cols, self.k, exactly=self.exactly)

    def player_token(self, state: State, player: int) -> Token:
        """Draw a small stone."""
        return stone_token(("black", "white")[player])

    def draw_board(self, state: State) -> GridCanvas:
        """Draw stones on wood: X is black, O is white."""
        canvas = GridCanvas(
            self.rows,
            self.cols,
            board="wood",
            column_labels=LETTERS[: self.cols],
            row_labels=[str(row + 1) for row in range(self.rows)],
        )
        stars = [
            row * self.cols + col
            for row in STAR_POINTS.get(self.rows, ())
            for col in STAR_POINTS.get(self.cols, ())
        ]
        canvas.crossings("wood-line", stars)
        for cell, value in enumerate(state.fields):
            if value:
                draw_stone(canvas, *canvas.centre(cell), ("black", "white")[value - 1], 17)
        canvas.lines(self.winning_cells(state))
        return canvas
