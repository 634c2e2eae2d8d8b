"""2048: text, names and drawing.

Fields: the cells' exponents row by row (2 is 1, 4 is 2 ...), the score, the summed empty tiles, how many
tiles chance has still to add, whether an action was played.
"""

import re
from dataclasses import dataclass

from boardlab.errors import BoardLabError
from boardlab.games.drawing import GridCanvas
from boardlab.games.game import CHANCE, State
from boardlab.games.grid import cell_name
from boardlab.games.rules import Rules
from boardlab.options import option

DIRECTIONS = ("up", "right", "down", "left")
TILE_COLOURS = (
    "#cdc1b4", "#eee4da", "#ede0c8", "#f2b179", "#f59563", "#f67c5f", "#f65e3b",
    "#edcf72", "#edcc61", "#edc850", "#edc53f", "#edc22e", "#3c3a32",
)  # fmt: skip


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
        (r"(?<!adds )\b(2|4)\b", "white"),
        (r"\b(8|16)\b", "yellow"),
        (r"\b(32|64)\b", "bold dark_orange"),
        (r"\b(128|256|512)\b", "bold red"),
        (r"\b(1024|2048|4096|8192|16384|32768|65536)\b", "bold magenta"),
    )
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

    def to_svg(self, state: State) -> str:
        """Draw the familiar tiles."""
        fields = state.fields
        score = fields[self.size**2]
        caption = f"score {score}" + (", nature's turn" if state.player == CHANCE else "")
        canvas = GridCanvas(self.size, self.size, caption, board="#bbada0")
        for cell, exponent in enumerate(fields[: self.size**2]):
            x, y = canvas.centre(cell)
            colour = TILE_COLOURS[min(exponent, len(TILE_COLOURS) - 1)]
            canvas.rect(x - 18, y - 18, 36, 36, colour, radius=3)
            if exponent:
                label = str(2**exponent)
                size = (17, 17, 17, 14, 12, 10)[min(len(label), 6) - 1]
                canvas.text(
                    x,
                    y,
                    label,
                    size=size,
                    weight="bold",
                    fill="#776e65" if exponent < 3 else "#f9f6f2",
                )
        return canvas.svg()
