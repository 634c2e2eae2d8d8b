"""Drawing boards made of hexagons."""

import math
from collections.abc import Iterable, Sequence

from boardlab.games.drawing import INK, Canvas

# The corners of a hexagon with its tip up, clockwise from the top.
TOP, UPPER_RIGHT, LOWER_RIGHT, BOTTOM, LOWER_LEFT, UPPER_LEFT = range(6)


class HexagonCanvas(Canvas):
    """Rows of hexagons, each row with its own shift; numbered from the top left."""

    RADIUS = 22.0
    MARGIN = 34.0

    def __init__(self, rows: Sequence[tuple[float, int]], caption: str) -> None:
        self.pitch = self.RADIUS * math.sqrt(3)
        left = min(shift for shift, _ in rows)
        right = max(shift + cells for shift, cells in rows)
        height = self.RADIUS * (1.5 * len(rows) + 0.5)
        super().__init__((right - left) * self.pitch + 2 * self.MARGIN, height + 2 * self.MARGIN)
        self.centres = [
            (
                self.MARGIN + (shift - left + place + 0.5) * self.pitch,
                self.MARGIN + self.RADIUS * (1 + 1.5 * row),
            )
            for row, (shift, cells) in enumerate(rows)
            for place in range(cells)
        ]
        self.text(self.width / 2, self.height - 14, caption, size=14)

    def corner(self, cell: int, corner: int, radius: float | None = None) -> tuple[float, float]:
        """Return one of the six corners of a cell."""
        x, y = self.centres[cell]
        angle = math.radians(60 * corner - 90)
        radius = self.RADIUS if radius is None else radius
        return x + radius * math.cos(angle), y + radius * math.sin(angle)

    def hexagon(self, cell: int, fill: str, stroke: str) -> None:
        """Draw a cell of the board."""
        self.polygon((self.corner(cell, corner) for corner in range(6)), fill, stroke=stroke, width=1.2)

    def stone(self, cell: int, fill: str, stroke: str = INK) -> None:
        """Draw a round stone with a highlight."""
        x, y = self.centres[cell]
        self.circle(x, y, 14.5, fill, stroke=stroke, width=1.2)
        self.elements.append(
            f'<ellipse cx="{x - 4.5:.2f}" cy="{y - 5.5:.2f}" rx="5" ry="3.2" fill="#ffffff" '
            f'fill-opacity="0.35" transform="rotate(-35 {x - 4.5:.2f} {y - 5.5:.2f})"/>'
        )

    def chain(self, cells: Iterable[int], stroke: str, width: float = 4) -> None:
        """Draw a line from cell to cell, such as a winning chain."""
        points = " ".join(f"{x:.2f},{y:.2f}" for x, y in (self.centres[cell] for cell in cells))
        self.elements.append(
            f'<polyline points="{points}" fill="none" stroke="{stroke}" stroke-width="{width:g}" '
            'stroke-linecap="round" stroke-linejoin="round"/>'
        )

    def label(self, cell: int, dx: float, dy: float, words: str) -> None:
        """Write text `dx` cells to the right of a cell and `dy` radii below it."""
        x, y = self.centres[cell]
        self.text(x + dx * self.pitch, y + dy * self.RADIUS, words, size=12)
