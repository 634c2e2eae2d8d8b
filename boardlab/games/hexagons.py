"""Drawing boards made of hexagons."""

import math
from collections.abc import Iterable, Sequence

from boardlab.games.drawing import BoardCanvas, Point, Spot, round_spot, rounded

# The corners of a hexagon with its tip up, clockwise from the top.
TOP, UPPER_RIGHT, LOWER_RIGHT, BOTTOM, LOWER_LEFT, UPPER_LEFT = range(6)


class HexagonCanvas(BoardCanvas):
    """Rows of hexagons, each row with its own shift; numbered from the top left."""

    RADIUS = 22.0
    MARGIN = 34.0

    def __init__(self, rows: Sequence[tuple[float, int]]) -> None:
        self.pitch = self.unit = self.RADIUS * math.sqrt(3)
        left = min(shift for shift, _ in rows)
        right = max(shift + cells for shift, cells in rows)
        height = self.RADIUS * (1.5 * len(rows) + 0.5)
        super().__init__((right - left) * self.pitch + 2 * self.MARGIN, height + 1.6 * self.MARGIN)
        self.centres = [
            (
                self.MARGIN + (shift - left + place + 0.5) * self.pitch,
                self.MARGIN + self.RADIUS * (1 + 1.5 * row),
            )
            for row, (shift, cells) in enumerate(rows)
            for place in range(cells)
        ]

    def centre(self, cell: int) -> Point:
        """Return the centre of a cell."""
        return self.centres[cell]

    def spot(self, cell: int) -> Spot:
        """Return where marks of a cell go; it is clicked within a circle."""
        return round_spot(*self.centres[cell], 15.5)._replace(
            outline=round_spot(*self.centres[cell], 0.5 * self.pitch).outline
        )

    def corner(self, cell: int, corner: int, radius: float | None = None) -> Point:
        """Return one of the six corners of a cell."""
        x, y = self.centres[cell]
        angle = math.radians(60 * corner - 90)
        radius = self.RADIUS if radius is None else radius
        return x + radius * math.cos(angle), y + radius * math.sin(angle)

    def hexagons(self, cells: Iterable[int], fill: str, stroke: str) -> None:
        """Draw cells of the board."""
        side, half = rounded(self.RADIUS), rounded(self.pitch / 2)
        slope = rounded(self.RADIUS / 2)
        outline = f"l{half} {slope}v{side}l-{half} {slope}l-{half}-{slope}v-{side}z"
        tips = (self.corner(cell, TOP) for cell in cells)
        path = "".join(f"M{rounded(x)} {rounded(y)}{outline}" for x, y in tips)
        if path:
            self.add(f'path d="{path}"', fill, stroke, 'stroke-width="1.2"')

    def label(self, cell: int, dx: float, dy: float, words: str) -> None:
        """Write text `dx` cells to the right of a cell and `dy` radii below it."""
        x, y = self.centres[cell]
        self.text(x + dx * self.pitch, y + dy * self.RADIUS, words, size=12, fill="faint")
