"""ConnectFour: text, names and drawing.

Fields: the cells row by row from the top, 0 empty, 1 X, 2 O.
"""

from dataclasses import dataclass

from boardlab.errors import BoardLabError
from boardlab.games.drawing import Canvas, GridCanvas, Spot, Token, box_spot
from boardlab.games.game import State
from boardlab.games.grid import grid_text, read_grid
from boardlab.games.history import Event
from boardlab.games.lines import lines_of
from boardlab.games.palette import register_colours
from boardlab.games.places import Place, word_places
from boardlab.games.rules import Rules
from boardlab.numbers import in_words
from boardlab.options import option

SYMBOLS = ".XO"
NAMES = ("X", "O")
STONES = ("red", "yellow")
register_colours(
    {"rack": ("#2f5d9b", "#2a4d7e"), "rack-edge": ("#24497a", "#1e3a61"), "hole": ("#f3f1ea", "#171a1f")}
)


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
        return f"{board}\n{numbers}\n{self.status_text(state)}"

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

    def action_cells(self, state: State, action: int) -> tuple[int, ...]:
        """Return the cell where the stone will land."""
        fields = state.fields
        empty = [row for row in range(self.rows) if not fields[row * self.cols + action]]
        return (empty[-1] * self.cols + action,) if empty else ()

    def last_cells(self, state: State, event: Event) -> tuple[int, ...]:
        """Return the highest stone of the column."""
        column = state.fields[event.action :: self.cols]
        stones = [row for row, value in enumerate(column) if value]
        return (stones[0] * self.cols + event.action,) if stones else ()

    def text_places(self, state: State) -> dict[int, Place]:
        """Return where the cells stand in the text."""
        return word_places(self.board_text(state), self.rows)

    def winning_cells(self, state: State) -> list[list[int]]:
        """Return the lines that are long enough."""
        return lines_of(state.fields, self.rows, self.cols, self.connect)

    def player_token(self, state: State, player: int) -> Token:
        """Draw a small stone."""
        return lambda canvas, x, y: _draw_stone(canvas, x, y, player, 8)

    def draw_board(self, state: State) -> GridCanvas:
        """Draw stones in a blue rack: X is red, O is yellow."""
        canvas = GridCanvas(
            self.rows, self.cols, board="rack", column_labels=[str(c) for c in range(self.cols)]
        )
        for cell, value in enumerate(state.fields):
            x, y = canvas.centre(cell)
            if value:
                _draw_stone(canvas, x, y, value - 1, 15.5)
            else:
                canvas.circle(x, y, 15.5, "hole", stroke="rack-edge")
        canvas.lines(self.winning_cells(state))
        return canvas

    def action_spot(self, canvas: Canvas, state: State, action: int) -> Spot | None:
        """Mark the landing cell; the whole column is clicked."""
        if not isinstance(canvas, GridCanvas):
            return None
        (cell,) = self.action_cells(state, action)
        x, y = canvas.centre(cell)
        height = self.rows * canvas.cell
        column = box_spot(x, canvas.top + height / 2, canvas.cell, height, canvas.REACH)
        return column._replace(y=y)


def _draw_stone(canvas: Canvas, x: float, y: float, player: int, r: float) -> None:
    """Draw a stone with its letter, for readers who see no difference between the colours."""
    canvas.circle(x, y, r, STONES[player], stroke="rack-edge")
    canvas.text(x, y, NAMES[player], size=1.15 * r, fill="core", weight="bold")
