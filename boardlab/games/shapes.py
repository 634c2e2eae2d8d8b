"""Boards that users' own games declare, to be drawn and printed like any other.

    board = boardlab.grid(3, 3)

`pieces(position)` says what stands on each cell.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from boardlab.checks import as_integer
from boardlab.errors import BoardLabError, check_known, shown
from boardlab.games.cards import CARD_WIDTH, SUITS, UNKNOWN, draw_back, draw_card, draw_felt, draw_place
from boardlab.games.drawing import PLAYER_COLOURS, BoardCanvas, GridCanvas, Point, Spot, box_spot
from boardlab.games.graphs import GraphCanvas, circle_of
from boardlab.games.grid import LETTERS
from boardlab.games.hexagons import HexagonCanvas
from boardlab.games.places import Place, word_places
from boardlab.games.stones import draw_stone

MOST_CELLS = 4096


@dataclass(frozen=True)
class Piece:
    """What stands on a cell; made by `boardlab.piece`."""

    player: int | None = None
    """Whose piece it is, which decides its colour; None for text alone."""
    text: str = ""

    def symbol(self, symbols: Sequence[str]) -> str:
        """Write the piece in a character or a few."""
        return self.text or ("." if self.player is None else symbols[self.player])


NOTHING = Piece()


def piece(player: int | None = None, text: str = "") -> Piece:
    """Make a piece of a player (None: of nobody) with a text such as "K" or "12"."""
    if player is not None:
        as_integer("the player of a piece", player, 0, 7)
    if not isinstance(text, str):
        raise BoardLabError(f"the text of a piece must be text, not {shown(text)}")
    return Piece(player, text)


class Shape:
    """A board with numbered cells."""

    has_stones: ClassVar[bool] = True
    """Whether pieces have the colours of players."""

    @property
    def wanted(self) -> str:
        """What `pieces` must return, for an error."""
        raise NotImplementedError

    def count(self, pieces: list[list[Piece]]) -> int:
        """Return the number of cells."""
        return sum(map(len, pieces))

    def text_places(self, text: str) -> dict[int, Place]:
        """Return where the cells stand in the text; {} if that cannot be told."""
        return {}

    def rows_of(self, given: Sequence[Any]) -> list[Sequence[Any]]:
        """Return what `pieces` returned as rows; raise ValueError if it does not fit."""
        raise NotImplementedError

    def draw(self, pieces: list[list[Piece]]) -> BoardCanvas:
        """Draw the board and the pieces."""
        raise NotImplementedError

    def text(self, pieces: list[list[Piece]], symbols: Sequence[str]) -> str:
        """Write the board as text."""
        raise NotImplementedError


def as_pieces(shape: Shape, given: Any, players: int) -> list[list[Piece]]:
    """Return what `pieces` returned as rows of pieces."""
    rows = shape.rows_of(list(given))
    return [[_as_piece(value, players, shape.has_stones) for value in row] for row in rows]


def _as_piece(value: Any, players: int, has_stones: bool) -> Piece:
    if isinstance(value, Piece):
        return value
    if value is None or value == "":
        return NOTHING
    if isinstance(value, str):
        return Piece(None, value)
    number = as_integer("a piece", int(value) if isinstance(value, bool) else value, -(2**31), 2**31 - 1)
    if not has_stones or not 0 <= number <= players:
        return Piece(None, str(number))
    return Piece(number - 1) if number else NOTHING


def _flat_rows(given: Sequence[Any], cells: int) -> Sequence[Any]:
    """Take the first values: a position may hold more than the board."""
    if len(given) < cells:
        raise ValueError
    return given[:cells]


# ---- rows and columns ----


@dataclass(frozen=True)
class Grid(Shape):
    """Rows and columns; made by `boardlab.grid`."""

    rows: int
    cols: int
    style: str = "cells"
    upwards: bool = False

    @property
    def _labels(self) -> list[str]:
        numbers = [str(row + 1) for row in range(self.rows)]
        return numbers[::-1] if self.upwards else numbers

    @property
    def wanted(self) -> str:
        """What `pieces` must return, for an error."""
        return f"{self.rows * self.cols} pieces"

    def rows_of(self, given: Sequence[Any]) -> list[Sequence[Any]]:
        """Return the cells row by row."""
        cells = _flat_rows(given, self.rows * self.cols)
        return [cells[row * self.cols : (row + 1) * self.cols] for row in range(self.rows)]

    def draw(self, pieces: list[list[Piece]]) -> GridCanvas:
        """Draw squares, or crossing lines, and the pieces."""
        columns = LETTERS[: self.cols] if self.cols <= len(LETTERS) else ()
        canvas = GridCanvas(
            self.rows,
            self.cols,
            column_labels=columns,
            row_labels=self._labels,
            cell=48,
        )
        if self.style == "points":
            canvas.crossings("line")
        else:
            if self.style == "checkered":
                for cell in range(self.rows * self.cols):
                    if (cell // self.cols + cell % self.cols) % 2:
                        canvas.tint(cell, "shade")
            canvas.grid()
        for cell, standing in enumerate(itertools.chain(*pieces)):
            _draw_piece(canvas, *canvas.centre(cell), standing, 17.0)
        return canvas

    def text(self, pieces: list[list[Piece]], symbols: Sequence[str]) -> str:
        """Write the rows between letters and numbers."""
        head = ["", *(LETTERS[: self.cols] if self.cols <= len(LETTERS) else [""] * self.cols)]
        rows = [[standing.symbol(symbols) for standing in row] for row in pieces]
        return _padded([head, *([label, *row] for label, row in zip(self._labels, rows, strict=True))])

    def text_places(self, text: str) -> dict[int, Place]:
        """Return where the cells stand in the text."""
        return word_places(text, self.rows, first=1, labels=1, cells=self.rows * self.cols)


def grid(rows: int, cols: int, style: str = "cells", *, upwards: bool = False) -> Grid:
    """Declare a board of rows and columns; cells count row by row from the top left.

    `style` is cells, checkered, or points: stones stand on the crossings of lines. `upwards` labels the rows
    from the bottom, as on a chessboard.
    """
    as_integer("rows", rows, 1, 64)
    as_integer("cols", cols, 1, 64)
    check_known("style of a grid", style, ("cells", "checkered", "points"))
    return Grid(rows, cols, style, bool(upwards))


# ---- hexagons ----


@dataclass(frozen=True)
class Hexagonal(Shape):
    """Rows of hexagons, each with its shift in cells; made by `boardlab.hexagonal`."""

    lengths: tuple[int, ...]
    shifts: tuple[float, ...]

    @property
    def wanted(self) -> str:
        """What `pieces` must return, for an error."""
        return f"{sum(self.lengths)} pieces"

    def rows_of(self, given: Sequence[Any]) -> list[Sequence[Any]]:
        """Return the cells row by row."""
        cells = _flat_rows(given, sum(self.lengths))
        ends = [0, *itertools.accumulate(self.lengths)]
        return [cells[start:end] for start, end in itertools.pairwise(ends)]

    def draw(self, pieces: list[list[Piece]]) -> HexagonCanvas:
        """Draw hexagons and the pieces."""
        canvas = HexagonCanvas(list(zip(self.shifts, self.lengths, strict=True)))
        canvas.hexagons(range(sum(self.lengths)), "cell", "line")
        first = 0
        for row, length in enumerate(self.lengths):
            canvas.label(first, -0.85, 0, LETTERS[row] if row < len(LETTERS) else str(row + 1))
            first += length
        for cell, standing in enumerate(itertools.chain(*pieces)):
            _draw_piece(canvas, *canvas.centre(cell), standing, 14.0)
        return canvas

    def text(self, pieces: list[list[Piece]], symbols: Sequence[str]) -> str:
        """Write the rows, each shifted as on the board."""
        left = min(self.shifts)
        lines = []
        for row, (shift, standing) in enumerate(zip(self.shifts, pieces, strict=True)):
            label = LETTERS[row] if row < len(LETTERS) else str(row + 1)
            words = " ".join(one.symbol(symbols) for one in standing)
            lines.append(f"{' ' * round(2 * (shift - left))}{label} {words}")
        return "\n".join(lines)

    def text_places(self, text: str) -> dict[int, Place]:
        """Return where the cells stand in the text."""
        return word_places(text, len(self.lengths), labels=1, cells=sum(self.lengths))


def hexagonal(side: int | None = None, *, rows: int | None = None, cols: int | None = None) -> Hexagonal:
    """Declare a board of hexagons; cells count row by row from the top left.

    `hexagonal(5)` is a hexagon with five cells along an edge, `hexagonal(rows=11, cols=11)` a rhombus as in
    Hex.
    """
    if (side is None) == (rows is None and cols is None):
        raise BoardLabError("hexagonal needs a side, or rows and cols, as in hexagonal(5)")
    if side is not None:
        as_integer("side", side, 1, 32)
        lengths = tuple(2 * side - 1 - abs(row - side + 1) for row in range(2 * side - 1))
        return Hexagonal(lengths, tuple(-length / 2 for length in lengths))
    down, across = as_integer("rows", rows, 1, 64), as_integer("cols", cols, 1, 64)
    return Hexagonal((across,) * down, tuple(row / 2 for row in range(down)))


# ---- graphs ----


@dataclass(frozen=True)
class Graph(Shape):
    """Nodes and edges; made by `boardlab.graph`."""

    nodes: tuple[Point, ...]
    edges: tuple[tuple[int, int], ...]
    names: tuple[str, ...]
    cells: str = "nodes"

    @property
    def wanted(self) -> str:
        """What `pieces` must return, for an error."""
        return f"{self._size} pieces"

    @property
    def _size(self) -> int:
        return len(self.edges if self.cells == "edges" else self.nodes)

    def rows_of(self, given: Sequence[Any]) -> list[Sequence[Any]]:
        """Return the cells in one row."""
        return [_flat_rows(given, self._size)]

    def draw(self, pieces: list[list[Piece]]) -> GraphCanvas:
        """Draw nodes and edges, and the pieces on one of them."""
        canvas = GraphCanvas(self.nodes, self.edges, cells_are_edges=self.cells == "edges")
        for place in range(len(self.edges)):
            canvas.edge(place, "line", 1.5)
        if self.cells == "edges":
            for place, standing in enumerate(pieces[0]):
                if standing.player is not None:
                    canvas.edge(place, PLAYER_COLOURS[standing.player], 4)
        for node, name in enumerate(self.names):
            canvas.node(node, name)
        for cell, standing in enumerate(pieces[0]):
            if self.cells == "nodes":
                _draw_piece(canvas, *canvas.centre(cell), standing, canvas.node_radius)
            elif standing.text:
                canvas.text(*canvas.centre(cell), standing.text, size=11, weight="bold")
        return canvas

    def text(self, pieces: list[list[Piece]], symbols: Sequence[str]) -> str:
        """Write the nodes, or the edges, with what stands there."""
        names = (
            self.names
            if self.cells == "nodes"
            else [f"{self.names[i]}-{self.names[j]}" for i, j in self.edges]
        )
        words = (f"{name}:{one.symbol(symbols)}" for name, one in zip(names, pieces[0], strict=True))
        return " ".join(words)


def graph(
    nodes: int | Sequence[Point],
    edges: Iterable[tuple[int, int]],
    *,
    cells: str = "nodes",
    names: Sequence[str] = (),
) -> Graph:
    """Declare a board of nodes and edges between them.

    `nodes` is their number, to be placed on a circle, or their points (x to the right, y down). `cells` says
    where pieces stand: on the nodes or on the edges, in the order given.
    """
    check_known("cells of a graph", cells, ("nodes", "edges"))
    places = _places(nodes)
    joined = []
    for edge in edges:
        try:
            i, j = edge
        except (TypeError, ValueError):
            raise BoardLabError(f"an edge is a pair of nodes, not {shown(edge)}") from None
        for node in (i, j):
            as_integer("a node of an edge", node, 0, len(places) - 1)
        joined.append((i, j))
    if cells == "edges" and not joined:
        raise BoardLabError("a graph whose cells are its edges needs at least one edge")
    named = tuple(map(str, names)) or tuple(str(i) for i in range(len(places)))
    if len(named) != len(places):
        raise BoardLabError(f"the graph has {len(places)} nodes, but {len(named)} names")
    return Graph(_spread(places, joined), tuple(joined), named, cells)


def _places(nodes: int | Sequence[Point]) -> list[Point]:
    if not isinstance(nodes, Sequence):
        count = as_integer("nodes", nodes, 1, 256)
        return circle_of(count, max(90.0, 9.0 * count))
    try:
        places = [(float(x), float(y)) for x, y in nodes]
    except (TypeError, ValueError):
        places = []
    if not 1 <= len(places) <= MOST_CELLS or not all(math.isfinite(x + y) for x, y in places):
        raise BoardLabError(f"nodes must be a number or a list of points (x, y), not {shown(nodes)}")
    return places


def _spread(places: Sequence[Point], edges: Sequence[tuple[int, int]]) -> tuple[Point, ...]:
    """Scale the points so that the shortest edge has room for two nodes."""
    lengths = [math.dist(places[i], places[j]) for i, j in edges if places[i] != places[j]]
    if not lengths:
        lengths = [math.dist(a, b) for a, b in itertools.combinations(places[:64], 2) if a != b] or [60.0]
    scale = max(60 / min(lengths), min(1.0, 260 / max(lengths)))
    return tuple((scale * x, scale * y) for x, y in places)


# ---- cards ----


@dataclass(frozen=True)
class Cards(Shape):
    """Rows of cards on a table; made by `boardlab.cards`."""

    names: tuple[str, ...]
    has_stones = False

    STEP: ClassVar[float] = 50.0

    @property
    def wanted(self) -> str:
        """What `pieces` must return, for an error."""
        return f"a list of cards for each of the {len(self.names)} rows"

    def rows_of(self, given: Sequence[Any]) -> list[Sequence[Any]]:
        """Return the rows of cards."""
        rows = [list(row) for row in given]
        if len(rows) != len(self.names) or any(isinstance(row, str) for row in given):
            raise ValueError
        return list(rows)

    def draw(self, pieces: list[list[Piece]]) -> "CardCanvas":
        """Draw the rows of cards."""
        canvas = CardCanvas([len(row) for row in pieces])
        cell = 0
        for place, (name, row) in enumerate(zip(self.names, pieces, strict=True)):
            canvas.text(
                canvas.width / 2, 28 + 96 * place, name, size=13, fill="felt-ink", most=canvas.width - 60
            )
            for card in row:
                _draw_card(canvas, *canvas.centre(cell), card)
                cell += 1
        return canvas

    def text(self, pieces: list[list[Piece]], symbols: Sequence[str]) -> str:
        """Write a line for each row."""
        lines = []
        for name, row in zip(self.names, pieces, strict=True):
            lines.append(f"{name}: {' '.join(card.text or '--' for card in row) or '-'}")
        return "\n".join(lines)


class CardCanvas(BoardCanvas):
    """Rows of cards; the cells are the cards in reading order."""

    def __init__(self, lengths: Sequence[int]) -> None:
        super().__init__(max(260.0, 60 + Cards.STEP * max(lengths, default=1)), 30 + 96.0 * len(lengths))
        self.centres = [
            (self.width / 2 + Cards.STEP * (i - (length - 1) / 2), 72 + 96.0 * row)
            for row, length in enumerate(lengths)
            for i in range(length)
        ]
        draw_felt(self)

    def centre(self, cell: int) -> Point:
        """Return the centre of a card."""
        return self.centres[cell]

    def spot(self, cell: int) -> Spot:
        """Return where a card is marked and clicked."""
        x, y = self.centres[cell]
        return box_spot(x, y, CARD_WIDTH, 62, 14)


def cards(*names: str) -> Cards:
    """Declare a table with a row of cards for each name, as in `cards("dealer", "you")`.

    `pieces` returns a list of cards for each row: "As" and "10h" have suits, "K" has none, "??" lies face
    down, "" is a place for a card to come.
    """
    for name in names:
        if not isinstance(name, str):
            raise BoardLabError(f"the name of a row of cards must be text, not {shown(name)}")
    if not names:
        raise BoardLabError('cards needs the names of its rows, as in cards("dealer", "you")')
    return Cards(names)


# ---- pieces ----


def _draw_piece(canvas: BoardCanvas, x: float, y: float, standing: Piece, radius: float) -> None:
    ink = "ink"
    if standing.player is not None:
        draw_stone(canvas, x, y, PLAYER_COLOURS[standing.player], radius)
        ink = "core"
    if standing.text:
        size = 1.15 * radius if len(standing.text) < 3 else 0.8 * radius
        canvas.text(x, y, standing.text, size=size, weight="bold", fill=ink, most=2.1 * radius)


def _draw_card(canvas: BoardCanvas, x: float, y: float, card: Piece) -> None:
    if not card.text:
        draw_place(canvas, x, y)
    elif card.text == UNKNOWN:
        draw_back(canvas, x, y)
    elif len(card.text) > 1 and card.text[-1].lower() in SUITS:
        draw_card(canvas, x, y, card.text[:-1].upper().replace("T", "10"), card.text[-1].lower())
    else:
        draw_card(canvas, x, y, card.text)


def _padded(rows: Sequence[Sequence[str]]) -> str:
    """Write words aligned on the right; the first column has a width of its own."""
    first = max(len(row[0]) for row in rows)
    width = max(len(word) for row in rows for word in row[1:])
    lines = (" ".join([f"{row[0]:>{first}}", *(f"{word:>{width}}" for word in row[1:])]) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
