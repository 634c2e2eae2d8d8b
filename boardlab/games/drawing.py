"""SVG drawing: a canvas with marks, buttons and a caption, and boards of cells."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import NamedTuple

from boardlab.games.palette import PALETTE, paint, stylesheet

INK, PAPER, LINE = "ink", "paper", "line"
PLAYER_COLOURS = ("red", "blue", "yellow", "green", "violet", "orange", "teal", "grey")
FONT = "Helvetica, Arial, sans-serif"

Point = tuple[float, float]
_PAINT = re.compile("\x00([^\x01]*)\x01([^\x02]*)\x02")
_NARROW, _WIDE = frozenset("fijlrtI.,:;'|!()[]{}- "), frozenset("mwMW@%—")


def text_width(words: str, size: float) -> float:
    """Estimate the width of a line, rather too wide: fonts differ between readers."""
    width = sum(0.36 if c in _NARROW else 0.92 if c in _WIDE else 0.72 if c.isupper() else 0.6 for c in words)
    return width * size


def wrapped(words: str, width: float, size: float) -> list[str]:
    """Break a text into lines that fit a width; a longer word has a line of its own."""
    lines: list[str] = []
    for word in words.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def rounded(value: float) -> str:
    """Write a length with at most two digits after the point."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class Spot(NamedTuple):
    """Where an action shows on a board: the centre of its marks, and where to click."""

    x: float
    y: float
    reach: float
    """Radius of the largest mark that covers no neighbour."""
    outline: str
    """The SVG element that a click hits, without its brackets: `circle cx="1" cy="2" r="3"`."""


def round_spot(x: float, y: float, reach: float) -> Spot:
    """Return a spot that is clicked within a circle."""
    return Spot(x, y, reach, f'circle cx="{rounded(x)}" cy="{rounded(y)}" r="{rounded(reach)}"')


def box_spot(x: float, y: float, width: float, height: float, reach: float) -> Spot:
    """Return a spot that is clicked within a rectangle around the point."""
    at = f'x="{rounded(x - width / 2)}" y="{rounded(y - height / 2)}"'
    return Spot(x, y, reach, f'rect {at} width="{rounded(width)}" height="{rounded(height)}"')


class Button(NamedTuple):
    """An action without a place on the board, drawn below it."""

    action: int
    label: str
    fill: str
    ink: str
    is_chosen: bool


Token = Callable[["Canvas", float, float], None]
"""Draws the stone of a player, or a die, within 9 units of a point of the canvas."""


class Canvas:
    """Collects SVG elements; lengths are in user units, one cell is 40.

    Colours are names of the palette or written out (`#d1495b`). All text is escaped.
    """

    CELL = 40.0

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.elements: list[str] = []
        self.description = ""
        """What the picture shows, in a sentence for those who cannot see it."""

    # ---- elements ----

    def add(self, element: str, fill: str = "", stroke: str = "", rest: str = "") -> None:
        """Draw an element, as in `circle cx="1" cy="2" r="3"`, in these colours."""
        self.elements.append(f"<{element} \x00{fill}\x01{stroke}\x02{' ' * bool(rest)}{rest}/>")

    def rect(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        fill: str,
        *,
        radius: float = 0,
        stroke: str = "",
        width: float = 1,
    ) -> None:
        """Draw an upright rectangle."""
        corner = f' rx="{rounded(radius)}"' if radius else ""
        self.add(
            f'rect x="{rounded(x)}" y="{rounded(y)}" width="{rounded(w)}" height="{rounded(h)}"{corner}',
            fill,
            stroke,
            _stroke_width(stroke, width),
        )

    def circle(
        self, x: float, y: float, r: float, fill: str, *, stroke: str = "", width: float = 1.5
    ) -> None:
        """Draw a disc or a ring."""
        self.add(
            f'circle cx="{rounded(x)}" cy="{rounded(y)}" r="{rounded(r)}"',
            fill,
            stroke,
            _stroke_width(stroke, width),
        )

    def line(
        self, x1: float, y1: float, x2: float, y2: float, stroke: str = LINE, width: float = 1.5
    ) -> None:
        """Draw a straight line with round ends."""
        self.add(
            f'line x1="{rounded(x1)}" y1="{rounded(y1)}" x2="{rounded(x2)}" y2="{rounded(y2)}"',
            "",
            stroke,
            f'{_stroke_width(stroke, width)} stroke-linecap="round"',
        )

    def polyline(self, points: Iterable[Point], stroke: str, width: float) -> None:
        """Draw a line through points."""
        self.add(
            f'polyline points="{_points(points)}"',
            "none",
            stroke,
            f'{_stroke_width(stroke, width)} stroke-linecap="round" stroke-linejoin="round"',
        )

    def polygon(
        self, points: Iterable[Point], fill: str, *, stroke: str = INK, width: float = 1, opacity: float = 1
    ) -> None:
        """Draw a closed shape."""
        rest = f'{_stroke_width(stroke, width)} stroke-linejoin="round"' if stroke else ""
        if opacity != 1:
            rest += f' fill-opacity="{opacity:g}"'
        self.add(f'polygon points="{_points(points)}"', fill, stroke, rest.strip())

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
        most: float = math.inf,
    ) -> None:
        """Write text centred at a point, squeezed into a width of at most `most`."""
        rest = [f'font-size="{rounded(size)}"']
        if weight != "normal":
            rest.append(f'font-weight="{weight}"')
        if anchor != "middle":
            rest.append(f'text-anchor="{anchor}"')
        if text_width(words, size) > most:
            rest.append(f'textLength="{rounded(most)}" lengthAdjust="spacingAndGlyphs"')
        self.elements.append(
            f'<text x="{rounded(x)}" y="{rounded(y)}" dy=".35em" \x00{fill}\x01\x02 {" ".join(rest)}>'
            f"{escape(printed(words), quote=False)}</text>"
        )

    @contextmanager
    def group(self, kind: str = "", **attributes: str) -> Iterator[None]:
        """Put what is drawn inside into a group; `kind` is its class for stylesheets."""
        words = {"class": kind} if kind else {}
        words |= {name.replace("_", "-"): value for name, value in attributes.items()}
        start = len(self.elements)
        yield
        if words and len(self.elements) > start:
            opening = "".join(f" {name}={quoted(value)}" for name, value in words.items())
            self.elements.insert(start, f"<g{opening}>")
            self.elements.append("</g>")

    # ---- marks ----

    def ring(self, spot: Spot) -> None:
        """Mark the last action: a ring that shows on every colour."""
        self.circle(spot.x, spot.y, spot.reach, "none", stroke="core", width=4.5)
        self.circle(spot.x, spot.y, spot.reach, "none", stroke="mark", width=2.4)

    def dot(self, spot: Spot) -> None:
        """Mark a legal action."""
        radius = max(2.0, min(6.0, 0.28 * spot.reach))
        self.circle(spot.x, spot.y, radius, "legal", stroke="halo", width=1.2)

    def path(self, points: Sequence[Point], colour: str = "win") -> None:
        """Mark a winning (or losing) line, path or chain."""
        if len(points) == 1:
            points = [points[0], points[0]]
        self.polyline(points, "core", 6)
        self.polyline(points, colour, 4)

    def arrow(self, start: Point, end: Point, fill: str, *, width: float = 5.0, stroke: str = "core") -> None:
        """Draw an arrow with a casing that shows on every colour."""
        self.polygon(arrow_points(start, end, width), fill, stroke=stroke, width=1)

    # ---- below the board ----

    def caption(self, words: str, *, token: Token | None = None, size: float = 14, fill: str = INK) -> None:
        """Write a line below the drawing, in several lines if it is too long."""
        room = self.width - 16 - (22 if token else 0)
        for i, line in enumerate(wrapped(words, room, size)):
            self.height += 1.45 * size
            y = self.height - 0.8 * size
            shift = 0.0
            if token is not None and i == 0:
                shift = 11.0
                token(self, self.width / 2 - text_width(line, size) / 2 - 3, y)
            self.text(self.width / 2 + shift, y, line, size=size, fill=fill, most=room)

    def buttons(self, buttons: Sequence[Button]) -> None:
        """Draw rows of buttons below the drawing."""
        size, height, gap = 13.0, 26.0, 7.0
        widths = [min(text_width(button.label, size) + 18, self.width - 16) for button in buttons]
        rows: list[list[int]] = []
        for place, width in enumerate(widths):
            used = sum(widths[i] + gap for i in rows[-1]) if rows else 0.0
            if rows and used + width <= self.width - 16:
                rows[-1].append(place)
            else:
                rows.append([place])
        for row in rows:
            self.height += height + gap
            x = (self.width - sum(widths[i] for i in row) - gap * (len(row) - 1)) / 2
            for i in row:
                self._button(buttons[i], x, self.height - height - 2, widths[i], height, size)
                x += widths[i] + gap

    def _button(self, button: Button, x: float, y: float, width: float, height: float, size: float) -> None:
        with self.group("button", data_action=str(button.action), aria_label=button.label):
            edge, thick = ("ink", 2.5) if button.is_chosen else ("button-edge", 1.0)
            self.rect(x, y, width, height, button.fill, radius=7, stroke=edge, width=thick)
            self.text(x + width / 2, y + height / 2, button.label, size=size, fill=button.ink, most=width - 8)

    # ---- the finished drawing ----

    def svg(self, theme: str = "auto") -> str:
        """Return the finished drawing in a theme; see `boardlab.games.palette`."""
        body = "".join(self.elements)
        width, height = rounded(self.width), rounded(self.height + 8)
        paper = f'<rect width="{width}" height="{height}" rx="8" \x00{PAPER}\x01\x02/>'
        used = {
            f"{kind}-{name}"
            for found in _PAINT.findall(paper + body)
            for kind, name in zip("fs", found, strict=True)
            if name in PALETTE
        }
        style = f"<style>{stylesheet(used)}</style>" if theme == "auto" else ""
        body = _PAINT.sub(lambda found: paint(theme, found[1], found[2]), style + paper + body)
        clickable = 'role="group"' if "data-action=" in body else 'role="img"'
        label = f" aria-label={quoted(self.description)}" if self.description else ""
        size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="boardlab" {size} font-family="{FONT}" '
            f'text-anchor="middle" {clickable}{label}>{body}</svg>'
        )


def _stroke_width(stroke: str, width: float) -> str:
    return f'stroke-width="{rounded(width)}"' if stroke and width != 1 else ""


def _points(points: Iterable[Point]) -> str:
    return " ".join(f"{rounded(x)},{rounded(y)}" for x, y in points)


def quoted(text: str) -> str:
    """Write text as the value of an attribute."""
    return f'"{escape(printed(text))}"'


def printed(text: str) -> str:
    """Blank out control characters: XML forbids them, and ours mark colours."""
    return "".join(
        c if c >= " " and c not in "\ufffe\uffff" and not 0xD800 <= ord(c) < 0xE000 else " " for c in text
    )


def arrow_points(start: Point, end: Point, width: float) -> list[Point]:
    """Return the outline of an arrow from one point to another."""
    length = math.dist(start, end) or 1.0
    ux, uy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    head = min(2.4 * width, 0.6 * length)
    neck = (end[0] - head * ux, end[1] - head * uy)
    half, wing = width / 2, 1.3 * width

    def beside(point: Point, by: float) -> Point:
        return point[0] - by * uy, point[1] + by * ux

    return [
        beside(start, half),
        beside(neck, half),
        beside(neck, wing),
        end,
        beside(neck, -wing),
        beside(neck, -half),
        beside(start, -half),
    ]


class BoardCanvas(Canvas):
    """A canvas with numbered cells."""

    REACH = 16.0
    unit = Canvas.CELL
    """Distance of neighbouring cells."""

    def centre(self, cell: int) -> Point:
        """Return the centre of a cell."""
        raise NotImplementedError

    def before(self, origin: int, target: int, share: float) -> Point:
        """Return the point a share of a cell before the target of a move."""
        (x1, y1), (x2, y2) = self.centre(origin), self.centre(target)
        length = math.dist((x1, y1), (x2, y2)) or 1.0
        by = share * min(length, self.unit) / length
        return x2 - by * (x2 - x1), y2 - by * (y2 - y1)

    def move_spot(self, origin: int, target: int) -> Spot:
        """Return the spot of a move: an arrow into the target, which other moves may share."""
        start, end = self.before(origin, target, 0.75), self.before(origin, target, 0.15)
        outline = f'polygon points="{_points(arrow_points(start, end, 0.25 * self.unit))}"'
        return Spot(*self.before(origin, target, 0.5), 0.22 * self.unit, outline)

    def draw_move(self, origin: int, target: int) -> None:
        """Draw the arrow of a legal move."""
        start, end = self.before(origin, target, 0.64), self.before(origin, target, 0.28)
        self.arrow(start, end, "legal", width=0.09 * self.unit, stroke="halo")

    def spot(self, cell: int) -> Spot:
        """Return where marks of a cell go, and where it is clicked."""
        return round_spot(*self.centre(cell), self.REACH)

    def stone(self, cell: int, fill: str, stroke: str, radius: float = 15.5) -> None:
        """Draw a round stone."""
        self.circle(*self.centre(cell), radius, fill, stroke=stroke, width=1.2)

    def lines(self, lines: Iterable[Sequence[int]], colour: str = "win") -> None:
        """Mark winning lines or paths of cells."""
        for cells in lines:
            self.path([self.centre(cell) for cell in cells], colour)


class GridCanvas(BoardCanvas):
    """A board of rows and columns with labels left and above."""

    MARGIN = 26.0

    def __init__(
        self,
        rows: int,
        cols: int,
        *,
        board: str = "cell",
        column_labels: Sequence[str] = (),
        row_labels: Sequence[str] = (),
        cell: float = Canvas.CELL,
        margin: float | None = None,
    ) -> None:
        self.cell = self.unit = cell
        self.left = margin or (self.MARGIN if row_labels else 14.0)
        self.top = margin or (self.MARGIN if column_labels else 14.0)
        super().__init__(cols * cell + 2 * self.left, rows * cell + self.top + 8)
        self.rows, self.cols = rows, cols
        self.rect(self.left, self.top, cols * cell, rows * cell, board, radius=2)
        for col, label in enumerate(column_labels):
            self.text(self.left + (col + 0.5) * cell, self.top / 2, label, size=12, fill="faint")
        for row, label in enumerate(row_labels):
            self.text(self.left / 2, self.top + (row + 0.5) * cell, label, size=12, fill="faint")

    def centre(self, cell: int) -> Point:
        """Return the centre of a cell, counted row by row from the top left."""
        row, col = divmod(cell, self.cols)
        return self.left + (col + 0.5) * self.cell, self.top + (row + 0.5) * self.cell

    def spot(self, cell: int) -> Spot:
        """Return where marks of a cell go; it is clicked anywhere inside."""
        return box_spot(*self.centre(cell), self.cell, self.cell, 0.4 * self.cell)

    def tint(self, cell: int, fill: str) -> None:
        """Fill a cell."""
        x, y = self.centre(cell)
        self.rect(x - self.cell / 2, y - self.cell / 2, self.cell, self.cell, fill)

    def grid(self, stroke: str = LINE) -> None:
        """Draw lines between the cells and around the board."""
        cell, left, top = self.cell, self.left, self.top
        right, bottom = left + self.cols * cell, top + self.rows * cell
        across = "".join(
            f"M{rounded(left)} {rounded(top + row * cell)}H{rounded(right)}" for row in range(self.rows + 1)
        )
        down = "".join(
            f"M{rounded(left + col * cell)} {rounded(top)}V{rounded(bottom)}" for col in range(self.cols + 1)
        )
        self.add(f'path d="{across}{down}"', "none", stroke)

    def crossings(self, stroke: str, stars: Iterable[int] = ()) -> None:
        """Draw lines through the centres of the cells, for stones on their crossings."""
        first, last = self.centre(0), self.centre(self.rows * self.cols - 1)
        across = "".join(
            f"M{rounded(first[0])} {rounded(first[1] + row * self.cell)}H{rounded(last[0])}"
            for row in range(self.rows)
        )
        down = "".join(
            f"M{rounded(first[0] + col * self.cell)} {rounded(first[1])}V{rounded(last[1])}"
            for col in range(self.cols)
        )
        self.add(f'path d="{across}{down}"', "none", stroke)
        for cell in stars:
            self.circle(*self.centre(cell), 3, stroke)


def draw_text(text: str) -> Canvas:
    """Draw plain text, for games without a drawing."""
    lines = text.splitlines() or [""]
    canvas = Canvas(max(220, 24 + 9 * max(len(line) for line in lines)), 12 + 20 * len(lines))
    for place, line in enumerate(lines):
        canvas.elements.append(
            f'<text x="12" y="{22 + 20 * place}" font-size="15" \x00{INK}\x01\x02 xml:space="preserve" '
            f'text-anchor="start" font-family="monospace">{escape(printed(line), quote=False)}</text>'
        )
    return canvas


def draw_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Canvas:
    """Draw a table: what a game shows that declares no board."""
    size, height = 14.0, 24.0
    columns = list(zip(head, *rows, strict=True))
    widths = [max(text_width(cell, size) for cell in column) + 24 for column in columns]
    left = max(12.0, (260 - sum(widths)) / 2)
    canvas = Canvas(2 * left + sum(widths), 12 + height * (len(rows) + 1))
    for place, row in enumerate([head, *rows]):
        y = 12 + height * (place + 0.5)
        if place % 2:
            canvas.rect(left, y - height / 2, sum(widths), height, "shade", radius=3)
        x = left
        for cell, width in zip(row, widths, strict=True):
            weight, fill = ("bold", "faint") if place == 0 else ("normal", INK)
            canvas.text(x + width / 2, y, cell, size=size, weight=weight, fill=fill)
            x += width
    return canvas


def draw_numbers(numbers: Sequence[tuple[str, str]], *, is_named: bool) -> Canvas:
    """Draw the numbers of a position with their names; many without names, ten in a row."""
    if is_named or len(numbers) <= 12:
        return draw_table(["", "value"], numbers)
    rows = _in_tens(numbers)
    return draw_table(["", *map(str, range(10))], [row + [""] * (11 - len(row)) for row in rows])


def numbers_text(numbers: Sequence[tuple[str, str]], *, is_named: bool) -> str:
    """Write what `draw_numbers` draws."""
    if is_named or len(numbers) <= 12:
        return "\n".join(f"{name}: {value}" for name, value in numbers)
    return "\n".join(f"{start}: {' '.join(values)}" for start, *values in _in_tens(numbers))


def _in_tens(numbers: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Return rows of ten values, each behind the place of its first."""
    values = [value for _, value in numbers]
    return [[str(i), *values[i : i + 10]] for i in range(0, len(values), 10)]
