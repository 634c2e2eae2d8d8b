"""ConnectFour: text, names and drawing.

Fields: the cells row by row from the top, 0 empty, 1 X, 2 O.
"""

from dataclasses import dataclass

from boardlab.errors import BoardLabError
from boardlab.games.drawing import PLAYER_COLOURS, GridCanvas
from boardlab.games.game import State
from boardlab.games.grid import grid_text, mover_line, read_grid
from boardlab.games.rules import Rules
from boardlab.numbers import in_words
from boardlab.options import option

SYMBOLS = ".XO"
NAMES = ("X", "O")


@dataclass(frozen=True)
class ConnectFour(Rules):
    """Drop stones into columns; `connect` in a row win."""

    rows: int = option(6, "height of the board; (rows + 1) * cols may be at most 128", low=1, high=31)
    cols: int = option(7, "width of the board", low=1, high=32)
    connect: int = option(4, "stones in a row that win", low=2, high=32)

    name = "connectfour"
    summary = "drop stones into columns, four in a row win"
    variants = (
        {},
        {"rows": 6, "cols": 6},
        {"rows": 8, "cols": 9},
        {"rows": 5, "cols": 6, "connect": 3},
        {"rows": 1, "cols": 5, "connect": 3},
    )
    truths = "6x7: the first player wins at ply 41 by starting in the centre"

    def variant_summary(self) -> str:
        """Name the length of a winning line."""
        return f"drop stones into columns, {in_words(self.connect)} in a row win"

    def player_name(self, player: int) -> str:
        """Name the player; X begins."""
        return NAMES[player]

    def to_text(self, state: State) -> str:
        """Write the board over its column numbers."""
        symbols = [SYMBOLS[value] for value in state.fields]
        board = grid_text(symbols, self.rows, self.cols, row_labels=False)
        numbers = " ".join(str(col % 10) for col in range(self.cols))
        return f"{board}\n{numbers}\n{mover_line(state.player, NAMES)}"

    def fields_from_text(self, text: str) -> list[int]:
        """Read a board, or the columns played so far, as in "3342" (counted from 0)."""
        compact = text.strip()
        if compact.isdigit() and self.cols <= 10 and (self.rows != 1 or len(compact) != self.cols):
            return self._fields_from_columns(compact)
        return read_grid(self.name, text, self.rows, self.cols, SYMBOLS)[0]

    def _fields_from_columns(self, columns: str) -> list[int]:
        fields = [0] * (self.rows * self.cols)
        for ply, digit in enumerate(columns):
            empty = [
                row
                for row in range(self.rows)
                if int(digit) < self.cols and not fields[row * self.cols + int(digit)]
            ]
            if not empty:
                raise BoardLabError(f"{self.name}: column {digit} cannot be played at ply {ply + 1}")
            fields[empty[-1] * self.cols + int(digit)] = 1 + ply % 2
        return fields

    def action_text(self, state: State, action: int) -> str:
        """Name the column, counted from 0 on the left."""
        return str(action)

    def to_svg(self, state: State) -> str:
        """Draw red and yellow stones in a blue rack."""
        canvas = GridCanvas(
            self.rows,
            self.cols,
            mover_line(state.player, NAMES).replace("X", "red").replace("O", "yellow"),
            board="#2f5d9b",
            column_labels=[str(col) for col in range(self.cols)],
        )
        for cell, value in enumerate(state.fields):
            x, y = canvas.centre(cell)
            canvas.circle(x, y, 15.5, ("#f3f1ea", *PLAYER_COLOURS)[value], stroke="#24497a")
        return canvas.svg()
