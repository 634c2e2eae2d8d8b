"""SVG drawing: a small canvas, and boards that several games share."""

from collections.abc import Iterable, Sequence
from html import escape

INK = "#1f2430"
PAPER = "#faf7f0"
LINE = "#b9b2a3"
PLAYER_COLOURS = ("#d1495b", "#edae49", "#30638e", "#66a182")


class Canvas:
    """Collects SVG elements; lengths are in user units, one cell is 40."""

    CELL = 40.0

    def __init__(self, width: float, height: float, background: str = PAPER) -> None:
        self.width, self.height = width, height
        self.elements: list[str] = []
        self.rect(0, 0, width, height, background, radius=8)

    def rect(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        fill: str,
        *,
        radius: float = 0,
        stroke: str = "none",
    ) -> None:
        """Draw an upright rectangle."""
        self.elements.append(
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{radius:g}" fill="{fill}" '
            f'stroke="{stroke}"/>'
        )

    def circle(
        self, x: float, y: float, r: float, fill: str, *, stroke: str = "none", width: float = 1.5
    ) -> None:
        """Draw a disc or a ring."""
        self.elements.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="{width:g}"/>'
        )

    def line(
        self, x1: float, y1: float, x2: float, y2: float, stroke: str = LINE, width: float = 1.5
    ) -> None:
        """Draw a straight line with round ends."""
        self.elements.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{stroke}" '
            f'stroke-width="{width:g}" stroke-linecap="round"/>'
        )

    def polygon(
        self,
        points: Iterable[tuple[float, float]],
        fill: str,
        *,
        stroke: str = INK,
        width: float = 1,
    ) -> None:
        """Draw a closed shape."""
        path = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
        self.elements.append(
            f'<polygon points="{path}" fill="{fill}" stroke="{stroke}" stroke-width="{width:g}" '
            'stroke-linejoin="round"/>'
        )

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = 14,
        fill: str = INK,
        weight: str = "normal",
        anchor: str = "middle",
    ) -> None:
        """Write text centred at a point."""
        self.elements.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}" font-weight="{weight}" '
            f'text-anchor="{anchor}" dominant-baseline="central" '
            f'font-family="Helvetica, Arial, sans-serif">{escape(words)}</text>'
        )

    def svg(self) -> str:
        """Return the finished drawing."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'width="{self.width:g}" height="{self.height:g}">' + "".join(self.elements) + "</svg>"
        )


class GridCanvas(Canvas):
    """A board of rows and columns with labels left and above, and a caption below."""

    MARGIN = 26.0

    def __init__(
        self,
        rows: int,
        cols: int,
        caption: str,
        *,
        board: str = "#ffffff",
        column_labels: Sequence[str] = (),
        row_labels: Sequence[str] = (),
    ) -> None:
        cell, margin = self.CELL, self.MARGIN
        super().__init__(cols * cell + 2 * margin, rows * cell + 2 * margin + 10)
        self.rows, self.cols = rows, cols
        self.rect(margin, margin, cols * cell, rows * cell, board)
        for col, label in enumerate(column_labels):
            self.text(margin + (col + 0.5) * cell, margin / 2, label, size=12)
        for row, label in enumerate(row_labels):
            self.text(margin / 2, margin + (row + 0.5) * cell, label, size=12)
        self.text(self.width / 2, self.height - 16, caption, size=13)

    def centre(self, cell: int) -> tuple[float, float]:
        """Return the centre of a cell, counted row by row from the top left."""
        row, col = divmod(cell, self.cols)
        return self.MARGIN + (col + 0.5) * self.CELL, self.MARGIN + (row + 0.5) * self.CELL

    def grid(self, stroke: str = LINE) -> None:
        """Draw lines between the cells and around the board."""
        cell, margin = self.CELL, self.MARGIN
        right, bottom = margin + self.cols * cell, margin + self.rows * cell
        for row in range(self.rows + 1):
            self.line(margin, margin + row * cell, right, margin + row * cell, stroke, 1)
        for col in range(self.cols + 1):
            self.line(margin + col * cell, margin, margin + col * cell, bottom, stroke, 1)


def text_svg(text: str) -> str:
    """Draw plain text, for games without a drawing."""
    lines = text.splitlines() or [""]
    canvas = Canvas(20 + 9 * max(len(line) for line in lines), 20 + 20 * len(lines))
    for number, line in enumerate(lines):
        canvas.elements.append(
            f'<text x="10" y="{25 + 20 * number}" font-size="15" fill="{INK}" xml:space="preserve" '
            f'font-family="monospace">{escape(line)}</text>'
        )
    return canvas.svg()
