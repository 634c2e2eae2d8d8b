"""2048: text, names and drawing.

Fields: the cells' exponents row by row (2 is 1, 4 is 2 ...), the score, the summed empty tiles, how many
tiles chance has still to add, whether an action was played.
"""

import re
from dataclasses import dataclass

from boardlab.errors import BoardLabError
from boardlab.games.drawing import Canvas, GridCanvas, Spot, arrow_points, box_spot
from boardlab.games.game import CHANCE, State
from boardlab.games.grid import cell_name
from boardlab.games.history import Event
from boardlab.games.palette import register_colours
from boardlab.games.places import Place, word_places
from boardlab.games.rules import Rules
from boardlab.options import option

DIRECTIONS = ("up", "right", "down", "left")
TILE_COLOURS = (
    "tile", "#eee4da", "#ede0c8", "#f2b179", "#f59563", "#f67c5f", "#f65e3b",
    "#edcf72", "#edcc61", "#edc850", "#edc53f", "#edc22e", "#6b4e9b", "#57408a", "#443279", "#332567",
)  # fmt: skip
register_colours({"tray": ("#bbada0", "#5a524a"), "tile": ("#cdc1b4", "#474039")})
MARGIN = 34.0
TILE = r"(?<!adds )(?<!score )(?<!tiles )"
"""Pattern before a tile: other numbers follow words."""
WAYS = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""Right and down for each direction."""


@dataclass(frozen=True)
class Twenty48(Rules):
    """Slide and merge tiles; chance adds a 2 or a 4."""

    size: int = option(4, "edge of the board", low=2, high=6)

    name = "2048"
    summary = "slide and merge tiles while nature adds a 2 or a 4"
    notation = (
        "a direction slides all tiles; 4@c1 is a new 4 in the third column from the left, the first row "
        "from the top"
    )
    variants = ({}, {"size": 2}, {"size": 3}, {"size": 5})
    colours = (
        (TILE + r"\b(2|4)\b", "cyan"),
        (TILE + r"\b(8|16)\b", "yellow"),
        (TILE + r"\b(32|64)\b", "bold dark_orange"),
        (TILE + r"\b(128|256|512)\b", "bold red"),
        (TILE + r"\b(1024|2048|4096|8192|16384|32768|65536)\b", "bold magenta"),
    )
    numbers_line = False  # an arrow means another thing after every action
    truths = "random play on 4x4 lasts 118 moves on average"

    def to_text(self, state: State) -> str:
        """Write the board with its numbers, the score, and who moves."""
        fields, cells = state.fields, self.size**2
        score, empty, spawns, moved = fields[cells:]
        tiles = [str(2**e) if e else "." for e in fields[:cells]]
        width = max(4, max(len(tile) for tile in tiles))
        rows = [
            " ".join(f"{tile:>{width}}" for tile in tiles[r * self.size : (r + 1) * self.size])
            for r in range(self.size)
        ]
        who = f"nature adds {spawns}" if spawns else "game over" if state.is_terminal else "player to move"
        start = "" if moved else ", no action yet"
        return "\n".join([*rows, f"score {score}, sum of empty tiles {empty}, {who}{start}"])

    def fields_from_text(self, text: str) -> list[int]:
        """Read the output of `to_text`; a bare board has score 0 and the player to move."""
        lines = [line for line in text.splitlines() if line.strip()]
        words = [word for line in lines[: self.size] for word in line.split()]
        if len(words) != self.size**2:
            raise BoardLabError(f"{self.name}: expected {self.size} rows of {self.size} tiles")
        cells = []
        for word in words:
            number = 0 if word in (".", "0") else int(word) if word.isdigit() and len(word) < 15 else -1
            if number < 0 or number == 1 or number & (number - 1):
                raise BoardLabError(
                    f'{self.name}: "{word}" is not a tile; tiles are 2, 4, 8 ... or . for none'
                )
            cells.append(number.bit_length() - 1 if number else 0)
        rest = " ".join(lines[self.size :])
        score, empty = (re.search(rf"{what} (\d{{1,9}})\b", rest) for what in ("score", "empty tiles"))
        spawns = re.search(r"nature adds (\d)", rest)
        if rest and not score:
            raise BoardLabError(
                f'{self.name}: expected "score 0, empty tiles 0, player to move" after the board'
            )
        return [
            *cells,
            int(score[1]) if score else 0,
            int(empty[1]) if empty else 0,
            int(spawns[1]) if spawns else 0,
            0 if "no action yet" in rest else 1,
        ]

    def action_text(self, state: State, action: int) -> str:
        """Name the direction: up, right, down, left."""
        return DIRECTIONS[action]

    def chance_text(self, state: State, outcome: int) -> str:
        """Name the new tile and its cell: `2@b3`."""
        return f"{2 + 2 * (outcome % 2)}@{cell_name(outcome // 2, self.size)}"

    def player_name(self, player: int) -> str:
        """Name the only player."""
        return "player"

    def status_text(self, state: State) -> str:
        """Write the score, and whether nature moves or the game is over."""
        score = f"score {state.fields[self.size**2]:,}"
        return (
            f"game over, {score}"
            if state.is_terminal
            else score + (", nature's turn" if state.player == CHANCE else "")
        )

    def last_cells(self, state: State, event: Event) -> tuple[int, ...]:
        """Return the cell of a new tile; a direction has none."""
        return (event.action // 2,) if event.player < 0 else ()

    def text_places(self, state: State) -> dict[int, Place]:
        """Return where the cells stand in the text."""
        return word_places(self.board_text(state), self.size)

    def draw_board(self, state: State) -> GridCanvas:
        """Draw the familiar tiles."""
        canvas = GridCanvas(self.size, self.size, board="tray", margin=MARGIN)
        canvas.height += MARGIN - 10  # for the arrow below
        for cell, exponent in enumerate(state.fields[: self.size**2]):
            x, y = canvas.centre(cell)
            colour = TILE_COLOURS[min(exponent, len(TILE_COLOURS) - 1)]
            canvas.rect(x - 18, y - 18, 36, 36, colour, radius=3)
            if exponent:
                label = str(2**exponent)
                size = (19, 18, 15, 13, 11, 9.5, 8.5)[min(len(label), 7) - 1]
                ink = "#5d554d" if exponent < 3 else "core" if exponent < 12 else "halo"
                canvas.text(x, y, label, size=size, weight="bold", fill=ink, most=33)
        return canvas

    def _arrow(
        self, canvas: GridCanvas, action: int, length: float, width: float
    ) -> list[tuple[float, float]]:
        """Return the outline of the arrow at the side to which a direction slides the tiles."""
        right, down = WAYS[action]
        half = self.size * canvas.cell / 2
        x, y = canvas.left + half, canvas.top + half
        base = half + 9
        start, end = ((x + by * right, y + by * down) for by in (base, base + length))
        return arrow_points(start, end, width)

    def action_spot(self, canvas: Canvas, state: State, action: int) -> Spot | None:
        """Return the arrow at a side of the board."""
        if not isinstance(canvas, GridCanvas):
            return None
        right, down = WAYS[action]
        half = self.size * canvas.cell / 2
        by = half + MARGIN / 2
        x, y = canvas.left + half + by * right, canvas.top + half + by * down
        w, h = (2 * half, MARGIN) if down else (MARGIN, 2 * half)
        return box_spot(x, y, w, h, 15.0)

    def draw_legal(self, canvas: Canvas, state: State, action: int, spot: Spot) -> None:
        """Draw the arrow of a direction."""
        if isinstance(canvas, GridCanvas):
            canvas.polygon(self._arrow(canvas, action, 16, 7), "legal", stroke="")

    def draw_last(self, canvas: Canvas, state: State, event: Event) -> bool:
        """Frame the new tile, or draw the arrow of the direction."""
        if not isinstance(canvas, GridCanvas):
            return False
        if event.player >= 0:
            canvas.polygon(self._arrow(canvas, event.action, 16, 7), "faint", stroke="", opacity=0.6)
        for cell in self.last_cells(state, event):
            x, y = canvas.centre(cell)
            canvas.rect(x - 18, y - 18, 36, 36, "none", radius=3, stroke="core", width=3.5)
            canvas.rect(x - 18, y - 18, 36, 36, "none", radius=3, stroke="mark", width=1.8)
        return True
