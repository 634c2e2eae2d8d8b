"""Pathwayz: text, names and drawing.

Fields: the cells row by row, 0 empty, 1 white, 2 black, 3 white permanent, 4 black permanent.
"""

from dataclasses import dataclass

from boardlab.games.drawing import Canvas, GridCanvas, Spot, Token, box_spot
from boardlab.games.game import State
from boardlab.games.grid import LETTERS, cell_name, grid_text, read_grid
from boardlab.games.palette import register_colours
from boardlab.games.paths import shortest_path
from boardlab.games.places import Place, word_places
from boardlab.games.rules import Rules
from boardlab.games.stones import draw_stone, stone_token
from boardlab.options import option

SYMBOLS = ".wbWB"
NAMES = ("white", "black")
register_colours(
    {"slate": ("#7fa3a1", "#4f6f6d"), "slate-line": ("#6b8e8c", "#3d5957"), "edge": ("#d9a441", "#d9a441")}
)


@dataclass(frozen=True)
class Pathwayz(Rules):
    """Connect left and right; permanent pieces of the other colour flip neighbours."""

    rows: int = option(4, "height of the board, the length of the edges to connect", low=2, high=8)
    cols: int = option(6, "width of the board, at least rows; the original board is 8x12", low=3, high=12)

    name = "pathwayz"
    summary = (
        "connect the left and the right edge; permanent pieces of the other's colour flip their neighbours"
    )
    colours = (
        (r"\bw\b", "black on white"),
        (r"\bb\b(?! c)", "white on grey23"),  # not the column's letter
        (r"\bW\b", "bold underline black on white"),
        (r"\bB\b", "bold underline white on grey23"),
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
        return f"{board}\n{self.status_text(state)}"

    def fields_from_text(self, text: str) -> list[int]:
        """Read the board; the number of pieces tells who moves."""
        return read_grid(self.name, text, self.rows, self.cols, SYMBOLS)[0]

    def action_text(self, state: State, action: int) -> str:
        """Name the cell, with `!` for a permanent piece of the other colour."""
        cells = self.rows * self.cols
        return cell_name(action % cells, self.cols) + ("!" if action >= cells else "")

    def action_cells(self, state: State, action: int) -> tuple[int, ...]:
        """Return the cell."""
        return (action % (self.rows * self.cols),)

    def text_places(self, state: State) -> dict[int, Place]:
        """Return where the cells stand in the text."""
        return word_places(self.board_text(state), self.rows, first=1, labels=1)

    def player_token(self, state: State, player: int) -> Token:
        """Draw a small piece."""
        return stone_token(NAMES[player])

    def draw_board(self, state: State) -> GridCanvas:
        """Draw discs, permanent ones with a pin; a line follows the winning path."""
        canvas = GridCanvas(
            self.rows,
            self.cols,
            board="slate",
            column_labels=LETTERS[: self.cols],
            row_labels=[str(row + 1) for row in range(self.rows)],
            cell=54,
        )
        canvas.grid("slate-line")
        right = canvas.left + self.cols * canvas.cell
        for x in (canvas.left - 5, right):  # the edges to connect
            canvas.rect(x, canvas.top, 5, self.rows * canvas.cell, "edge")
        for cell, value in enumerate(state.fields):
            if value:
                _draw_piece(canvas, *canvas.centre(cell), (value - 1) % 2, value > 2, 20)
        canvas.lines(self.winning_cells(state))
        return canvas

    def action_spot(self, canvas: Canvas, state: State, action: int) -> Spot | None:
        """Return the left half of a cell for a regular piece, the right half for a permanent one."""
        if not isinstance(canvas, GridCanvas):
            return None
        x, y = canvas.centre(self.action_cells(state, action)[0])
        side = 1 if action >= self.rows * self.cols else -1
        return box_spot(x + side * canvas.cell / 4, y, canvas.cell / 2, canvas.cell, 12.5)

    def draw_legal(self, canvas: Canvas, state: State, action: int, spot: Spot) -> None:
        """Draw the piece that would be placed, small."""
        is_permanent = action >= self.rows * self.cols
        _draw_piece(canvas, spot.x, spot.y, state.player ^ is_permanent, is_permanent, 8)

    def winning_cells(self, state: State) -> list[list[int]]:
        """Return a shortest path of the winner; [] before the end and in a draw."""
        if not state.is_terminal or not state.scores.any():
            return []
        winner = int(state.scores.argmax())
        own = {cell for cell, value in enumerate(state.fields) if value in (1 + winner, 3 + winner)}
        left = range(0, self.rows * self.cols, self.cols)
        right = range(self.cols - 1, self.rows * self.cols, self.cols)
        return [shortest_path(state.game.core.adjacency(), own, left, right)]


def _draw_piece(canvas: Canvas, x: float, y: float, player: int, is_permanent: bool, r: float) -> None:
    draw_stone(canvas, x, y, NAMES[player], r)
    if is_permanent:
        other = NAMES[1 - player]
        canvas.rect(x - 0.4 * r, y - 0.4 * r, 0.8 * r, 0.8 * r, "none", radius=r / 8, stroke=other)
        canvas.rect(x - 0.2 * r, y - 0.2 * r, 0.4 * r, 0.4 * r, other, radius=r / 16)
