"""Pathwayz: text, names and drawing.

Fields: the cells row by row, 0 empty, 1 white, 2 black, 3 white permanent, 4 black permanent.
"""

import itertools
from dataclasses import dataclass

from boardlab.games.drawing import PLAYER_COLOURS, GridCanvas
from boardlab.games.game import State
from boardlab.games.grid import LETTERS, cell_name, grid_text, read_grid, status_line
from boardlab.games.paths import shortest_path
from boardlab.games.rules import Rules
from boardlab.options import option

SYMBOLS = ".wbWB"
NAMES = ("white", "black")
PIECES = ("#fbfaf5", "#26262b")


@dataclass(frozen=True)
class Pathwayz(Rules):
    """Connect left and right; permanent pieces of the other colour flip neighbours."""

    rows: int = option(4, "height of the board, the length of the edges to connect", low=2, high=8)
    cols: int = option(6, "width of the board, at least rows; the original board is 8x12", low=3, high=12)

    name = "pathwayz"
    summary = (
        "connect the left and the right edge; permanent pieces of the other's colour flip their neighbours"
    )
    notation = (
        "b3 places a regular piece of yours in column b, row 3; b3! a permanent one of the other's colour"
    )
    variants = ({}, {"rows": 2, "cols": 3}, {"rows": 5, "cols": 5}, {"rows": 8, "cols": 12})
    truths = "two actions per cell: 48 first actions on 4x6, 192 on 8x12"

    def player_name(self, player: int) -> str:
        """Name the player; white begins."""
        return NAMES[player]

    def to_text(self, state: State) -> str:
        """Write the board: w and b are regular pieces, W and B permanent ones."""
        board = grid_text([SYMBOLS[value] for value in state.fields], self.rows, self.cols)
        return f"{board}\n{status_line(state, NAMES)}"

    def fields_from_text(self, text: str) -> list[int]:
        """Read the board; the number of pieces tells who moves."""
        return read_grid(self.name, text, self.rows, self.cols, SYMBOLS)[0]

    def action_text(self, state: State, action: int) -> str:
        """Name the cell, with `!` for a permanent piece of the other colour."""
        cells = self.rows * self.cols
        return cell_name(action % cells, self.cols) + ("!" if action >= cells else "")

    def to_svg(self, state: State) -> str:
        """Draw discs, permanent ones with a pin; a line follows the winning path."""
        canvas = GridCanvas(
            self.rows,
            self.cols,
            status_line(state, NAMES),
            board="#7fa3a1",
            column_labels=LETTERS[: self.cols],
            row_labels=[str(row + 1) for row in range(self.rows)],
        )
        canvas.grid("#6b8e8c")
        right = canvas.MARGIN + self.cols * canvas.CELL
        for x in (canvas.MARGIN - 5, right):  # the edges to connect
            canvas.rect(x, canvas.MARGIN, 5, self.rows * canvas.CELL, "#d9a441")
        for cell, value in enumerate(state.fields):
            if not value:
                continue
            x, y = canvas.centre(cell)
            colour, other = PIECES[(value - 1) % 2], PIECES[value % 2]
            canvas.circle(x, y, 15.5, colour, stroke="#26262b", width=1)
            if value > 2:
                canvas.rect(x - 6, y - 6, 12, 12, "none", radius=2, stroke=other)
                canvas.rect(x - 3, y - 3, 6, 6, other, radius=1)
        path = self.winning_path(state)
        for one, two in itertools.pairwise(path):
            canvas.line(*canvas.centre(one), *canvas.centre(two), PLAYER_COLOURS[0], 4)
        return canvas.svg()

    def winning_path(self, state: State) -> list[int]:
        """Return a shortest path of the winner; [] before the end and in a draw."""
        if not state.is_terminal or not state.scores.any():
            return []
        winner = int(state.scores.argmax())
        own = {cell for cell, value in enumerate(state.fields) if value in (1 + winner, 3 + winner)}
        left = range(0, self.rows * self.cols, self.cols)
        right = range(self.cols - 1, self.rows * self.cols, self.cols)
        return shortest_path(state.game.core.adjacency(), own, left, right)
