"""Gobang: text, names and drawing.

Fields: the cells row by row, 0 empty, 1 X, 2 O.
"""

from dataclasses import dataclass

from boardlab.games.drawing import PLAYER_COLOURS, GridCanvas
from boardlab.games.game import State
from boardlab.games.grid import LETTERS, cell_name, grid_text, read_grid, status_line
from boardlab.games.rules import Rules
from boardlab.numbers import in_words
from boardlab.options import option

SYMBOLS = ".XO"
NAMES = ("X", "O")
STONES = ("#1c1c1e", "#f7f5ef")
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
        return f"{board}\n{status_line(state, NAMES)}"

    def fields_from_text(self, text: str) -> list[int]:
        """Read the board; the number of stones tells who moves."""
        return read_grid(self.name, text, self.rows, self.cols, SYMBOLS)[0]

    def action_text(self, state: State, action: int) -> str:
        """Name the cell; `a1` is at the top left."""
        return cell_name(action, self.cols)

    def to_svg(self, state: State) -> str:
        """Draw black and white stones on wood; the winning line is marked."""
        canvas = GridCanvas(
            self.rows,
            self.cols,
            status_line(state, ("black", "white")),
            board="#e2bd82",
            column_labels=LETTERS[: self.cols],
            row_labels=[str(row + 1) for row in range(self.rows)],
        )
        for row in range(self.rows):
            ends = canvas.centre(row * self.cols), canvas.centre((row + 1) * self.cols - 1)
            canvas.line(*ends[0], *ends[1], "#8a6a3b", 1)
        for col in range(self.cols):
            ends = canvas.centre(col), canvas.centre((self.rows - 1) * self.cols + col)
            canvas.line(*ends[0], *ends[1], "#8a6a3b", 1)
        for row in STAR_POINTS.get(self.rows, ()):
            for col in STAR_POINTS.get(self.cols, ()):
                canvas.circle(*canvas.centre(row * self.cols + col), 3, "#8a6a3b")
        for cell, value in enumerate(state.fields):
            if value:
                canvas.circle(*canvas.centre(cell), 17, STONES[value - 1], stroke="#4a3b22", width=1)
        for line in self.winning_lines(state):
            canvas.line(*canvas.centre(line[0]), *canvas.centre(line[-1]), PLAYER_COLOURS[0], 4)
        return canvas.svg()

    def winning_lines(self, state: State) -> list[list[int]]:
        """Return the cells of every winning line, from end to end."""
        fields, lines = state.fields, []
        for cell, value in enumerate(fields):
            row, col = divmod(cell, self.cols)
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                if not value or self._value(fields, row - down, col - right) == value:
                    continue
                length = 1
                while self._value(fields, row + length * down, col + length * right) == value:
                    length += 1
                if length == self.k or (length > self.k and not self.exactly):
                    lines.append([cell + i * (down * self.cols + right) for i in range(length)])
        return lines

    def _value(self, fields: list[int], row: int, col: int) -> int | None:
        inside = 0 <= row < self.rows and 0 <= col < self.cols
        return fields[row * self.cols + col] if inside else None
