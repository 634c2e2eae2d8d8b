"""Hex: text, names and drawing.

Fields: the cells row by row (0 empty, 1 red, 2 blue), then whose turn it is, 0 red or 1 blue; in a finished
game whose turn it was last.
"""

import itertools
from dataclasses import dataclass

from boardlab.games.drawing import Token
from boardlab.games.game import State
from boardlab.games.grid import LETTERS, cell_name, read_grid, read_turn, turn_line
from boardlab.games.hexagons import (
    BOTTOM,
    LOWER_LEFT,
    LOWER_RIGHT,
    TOP,
    UPPER_LEFT,
    UPPER_RIGHT,
    HexagonCanvas,
)
from boardlab.games.paths import shortest_path
from boardlab.games.places import Place, word_places
from boardlab.games.rules import Rules
from boardlab.games.stones import draw_stone, stone_token
from boardlab.options import option

SYMBOLS = ".RB"
NAMES = ("red", "blue")


@dataclass(frozen=True)
class Hex(Rules):
    """Connect your two edges with a chain of stones; a draw is impossible."""

    size: int = option(11, "edge of the board", low=2, high=19)
    swap: bool = option(
        False,
        "the second player's first action may be to swap: the red stone becomes a blue one on the cell "
        "mirrored at the long diagonal (row and column exchanged), and red moves again",
    )

    name = "hex"
    summary = "connect your two edges: red top and bottom, blue left and right"
    colours = ((r"\bR\b|\bred\b", "bold red"), (r"\bB\b|\bblue\b", "bold bright_blue"))
    variants = (
        {},
        {"size": 2, "swap": True},
        {"size": 3},
        {"size": 6},
        {"size": 7, "swap": True},
        {"size": 12},
    )
    truths = (
        "no draws; the first player wins without swap; winning openings: 2x2 a2 b1; 3x3 c1 a2 b2 c2 a3; "
        "4x4 the short diagonal only, d1 c2 b3 a4"
    )

    def variant_summary(self) -> str:
        """Mention the swap rule if it is on."""
        return f"{self.summary}; blue's first action may be to swap" if self.swap else self.summary

    def player_name(self, player: int) -> str:
        """Name the player; red connects top and bottom, blue left and right."""
        return NAMES[player]

    def to_text(self, state: State) -> str:
        """Write the rhombus, each row shifted half a cell, and whose turn it is."""
        width = len(str(self.size))
        lines = [" " * (width + 1) + " ".join(LETTERS[: self.size])]
        for row in range(self.size):
            cells = state.fields[row * self.size : (row + 1) * self.size]
            symbols = " ".join(SYMBOLS[value] for value in cells)
            lines.append(f"{' ' * row}{row + 1:>{width}} {symbols}")
        return "\n".join([*lines, turn_line(state)])

    def fields_from_text(self, text: str) -> list[int]:
        """Read the board, slanted or not, and whose turn it is."""
        cells, rest = read_grid(self.name, text, self.size, self.size, SYMBOLS)
        return [*cells, read_turn(self.name, rest, NAMES)]

    def action_text(self, state: State, action: int) -> str:
        """Name the cell (`a1` is the top left corner) or `swap`."""
        return "swap" if action == self.size**2 else cell_name(action, self.size)

    def action_cells(self, state: State, action: int) -> tuple[int, ...]:
        """Return the cell; a swap has none."""
        return (action,) if action < self.size**2 else ()

    def text_places(self, state: State) -> dict[int, Place]:
        """Return where the cells stand in the text."""
        return word_places(self.board_text(state), self.size, first=1, labels=1)

    def winning_cells(self, state: State) -> list[list[int]]:
        """Return a shortest chain between the winner's edges."""
        if not state.is_terminal:
            return []
        n, winner = self.size, self.winning_players(state)[0]
        near = range(n) if winner == 0 else range(0, n * n, n)
        far = range(n * n - n, n * n) if winner == 0 else range(n - 1, n * n, n)
        own = {cell for cell, value in enumerate(state.fields[:-1]) if value == winner + 1}
        return [shortest_path(state.game.core.adjacency(), own, near, far)]

    def player_token(self, state: State, player: int) -> Token:
        """Draw a small stone."""
        return stone_token(NAMES[player])

    def draw_board(self, state: State) -> HexagonCanvas:
        """Draw hexagons between red and blue edges; a line follows the winning chain."""
        n = self.size
        canvas = HexagonCanvas([(row / 2, n) for row in range(n)])
        self._draw_edges(canvas)
        canvas.hexagons(range(n * n), "cell", "line")
        for i in range(n):
            canvas.label(i, -0.42, -1.35, LETTERS[i])
            canvas.label(i * n, -0.88, -0.05, str(i + 1))
        for cell, value in enumerate(state.fields[: n * n]):
            if value:
                draw_stone(canvas, *canvas.centre(cell), NAMES[value - 1], 14.5)
        canvas.lines(self.winning_cells(state))
        return canvas

    def _draw_edges(self, canvas: HexagonCanvas) -> None:
        """Draw thick lines along the board; the hexagons later cover their inner half."""
        n = self.size
        for i in range(n):
            left, right = i * n, i * n + n - 1
            top, bottom = i, n * n - n + i
            for cell, corners, colour in (
                (left, (UPPER_LEFT, LOWER_LEFT, BOTTOM), "blue"),
                (right, (TOP, UPPER_RIGHT, LOWER_RIGHT), "blue"),
                (top, (UPPER_LEFT, TOP, UPPER_RIGHT), "red"),
                (bottom, (LOWER_LEFT, BOTTOM, LOWER_RIGHT), "red"),
            ):
                points = [canvas.corner(cell, corner) for corner in corners]
                # At the obtuse corners a side belongs to both edges: half to each.
                if cell in (n - 1, n * n - n) and colour == "red":
                    shared = (1, 2) if cell == n - 1 else (1, 0)
                    middle = tuple((a + b) / 2 for a, b in zip(*(points[i] for i in shared), strict=True))
                    points[shared[1]] = (middle[0], middle[1])
                for one, other in itertools.pairwise(points):
                    canvas.line(*one, *other, colour, 9)
