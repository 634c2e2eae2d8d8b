"""Morpion Solitaire: text, names and drawing.

Fields: one per point of the 64x64 sheet, row by row; bit 0 is set if there is a point, bits 1 to 4 if a line
starts here to the right, down, down right, down left.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from boardlab.errors import BoardLabError
from boardlab.games.drawing import BoardCanvas, Canvas, Spot, round_spot
from boardlab.games.game import State
from boardlab.games.history import Event
from boardlab.games.places import Place, word_places
from boardlab.games.rules import Rules
from boardlab.numbers import counted
from boardlab.options import option

SIDE = 64
STEPS = ((1, 0), (0, 1), (1, 1), (-1, 1))
DIRECTIONS = "hvdu"
"""Horizontal, vertical, and the diagonals that go down and up from left to right."""


class Point(NamedTuple):
    """Column and row on the sheet."""

    x: int
    y: int


class Line(NamedTuple):
    """A line: its first point (top, or left if horizontal) and its direction."""

    first: Point
    direction: int


@dataclass(frozen=True)
class Morpion(Rules):
    """Add points that complete lines, as many as possible."""

    variant: str = option(
        "5T",
        "points per line, and T (lines in one direction may touch at an end) or D (disjoint)",
        choices=("5T", "5D", "4T", "4D"),
    )

    name = "morpion"
    summary = "Morpion Solitaire: add points that complete lines, as many as possible"
    notation = (
        "(3,-1)v1 adds the point in column 3, row -1, which completes a vertical line as its first point "
        "from the left or top; h, v, d and u are lines across, down, diagonally down and diagonally up"
    )
    variants = ({}, {"variant": "5D"}, {"variant": "4T"}, {"variant": "4D"})
    colours = ((r"\*", "bold red"),)
    truths = (
        "the longest games have 35 (4D) and 62 (4T) moves, the records are 82 (5D) and 178 (5T); "
        "the shortest games have 16 (4D), 22 (4T) and 20 (5D, 5T) moves"
    )

    @property
    def length(self) -> int:
        """Points per line."""
        return int(self.variant[0])

    @property
    def _origin(self) -> int:
        """Column and row of the top left corner of the square around the cross."""
        return 27 if self.length == 5 else 28

    def player_name(self, player: int) -> str:
        """Name the only player."""
        return "player"

    # ---- lines and points ----

    def points_of(self, line: Line) -> list[Point]:
        """Return the points of a line, first to last."""
        dx, dy = STEPS[line.direction]
        return [
            Point((line.first.x + i * dx) % SIDE, (line.first.y + i * dy) % SIDE) for i in range(self.length)
        ]

    def cross(self) -> set[Point]:
        """Return the points at the start."""
        arm, o = self.length - 2, self._origin
        corners = [
            (1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (2, 2), (2, 3), (1, 3), (1, 2), (0, 2), (0, 1), (1, 1)
        ]  # fmt: skip
        points = set()
        for (x1, y1), (x2, y2) in zip(corners, [*corners[1:], corners[0]], strict=True):
            for i in range(arm):
                points.add(Point(o + arm * x1 + i * (x2 - x1), o + arm * y1 + i * (y2 - y1)))
        return points

    def moves(self, state: State) -> list[tuple[Line, Point]]:
        """Return the lines of the position and the points they added, in playing order.

        Only the undo history knows the order. Beyond it, as after `from_text`, this is some order in which
        the lines can be played.
        """
        walk = state.copy()
        history = [_decode(walk)[0]]
        while walk.actions_played:
            walk.undo()
            history.append(_decode(walk)[0])
        order, points = [], self.cross()
        known: set[Line] = set()
        for lines in reversed(history):
            order += self._some_order(lines - known, points)
            known = lines
        return order

    def _some_order(self, lines: set[Line], points: set[Point]) -> list[tuple[Line, Point]]:
        """Find an order in which the lines can be played, always the same one.

        Adds to `points`.
        """
        waiting, order = sorted(lines), []
        while waiting:
            for line in waiting:
                missing = [point for point in self.points_of(line) if point not in points]
                if len(missing) == 1:
                    break
            else:
                raise BoardLabError(f"{self.name}: the lines cannot be played in any order")
            order.append((line, missing[0]))
            points.add(missing[0])
            waiting.remove(line)
        return order

    # ---- text ----

    def _move_text(self, line: Line, added: Point) -> str:
        place = self.points_of(line).index(added)
        if line.direction == 3:
            place = self.length - 1 - place
        x, y = added.x - self._origin, added.y - self._origin
        return f"({x},{y}){DIRECTIONS[line.direction]}{place + 1}"

    def _read_move(self, x: int, y: int, direction: str, place: int) -> Line:
        kind = DIRECTIONS.index(direction)
        steps = self.length - place if kind == 3 else place - 1
        dx, dy = STEPS[kind]
        first = Point((x + self._origin - steps * dx) % SIDE, (y + self._origin - steps * dy) % SIDE)
        return Line(first, kind)

    def to_text(self, state: State) -> str:
        """Write the points (o original, * added) with columns and rows, and the moves."""
        moves = [self._move_text(*move) for move in self._some_order(_decode(state)[0], self.cross())]
        return f"{self._sheet(state)}\n{self.status_text(state)}: {' '.join(moves)}".rstrip()

    def board_text(self, state: State) -> str:
        """Write the points, with room for the next ones, and the number of moves."""
        return f"{self._sheet(state, 0 if state.is_terminal else 1)}\n{self.status_text(state)}"

    def _window(self, state: State, room: int) -> tuple[range, range]:
        """Return the rows and columns around all points."""
        points = _decode(state)[1]
        rows = range(max(min(p.y for p in points) - room, 0), min(max(p.y for p in points) + room + 1, SIDE))
        cols = range(max(min(p.x for p in points) - room, 0), min(max(p.x for p in points) + room + 1, SIDE))
        return rows, cols

    def _sheet(self, state: State, room: int = 0) -> str:
        """Write the points between the numbers of columns and rows."""
        points, cross = _decode(state)[1], self.cross()
        rows, cols = self._window(state, room)
        across, down = ([str(place - self._origin) for place in places] for places in (cols, rows))
        wide, margin = max(map(len, across)), max(map(len, down))
        picture = [" " * margin + "".join(f" {label:>{wide}}" for label in across)]
        for label, y in zip(down, rows, strict=True):
            symbols = ("o" if (x, y) in cross else "*" if (x, y) in points else "." for x in cols)
            picture.append(f"{label:>{margin}}" + "".join(f" {symbol:>{wide}}" for symbol in symbols))
        return "\n".join(picture)

    def status_text(self, state: State) -> str:
        """Write the number of moves, and whether there are no more."""
        end = ", game over" if state.is_terminal else ""
        return f"{self.variant}, {counted(len(_decode(state)[0]), 'moves')}{end}"

    def fields_from_text(self, text: str) -> list[int]:
        """Read the moves, as in `action_text`, after the last colon; "5T:" is the start."""
        before, colon, moves = text.rpartition(":")
        if not colon:
            raise BoardLabError(
                f'{self.name}: expected "{self.variant}:" and moves such as (3,-1)v1, got {text[:60]!r}'
            )
        named = re.search(r"\b[45][TD]\b", before)
        if named and named[0] != self.variant:
            raise BoardLabError(f"{self.name}: the position is of {named[0]}, not of {self.variant}")
        fields = [0] * SIDE**2
        for point in self.cross():
            fields[point.y * SIDE + point.x] = 1
        for move in moves.split():
            match = re.fullmatch(r"\((-?\d{1,2}),(-?\d{1,2})\)([hvdu])([1-5])", move.lower())
            if not match or int(match[4]) > self.length:
                raise BoardLabError(f'{self.name}: "{move[:40]}" is not a move such as (3,-1)v1')
            x, y = int(match[1]), int(match[2])
            line = self._read_move(x, y, match[3], int(match[4]))
            fields[line.first.y * SIDE + line.first.x] |= 2 << line.direction
            fields[(y + self._origin) % SIDE * SIDE + (x + self._origin) % SIDE] |= 1
        return fields

    def action_text(self, state: State, action: int) -> str:
        """Name the new point (column, row), the direction, and its place in the line.

        `(3,-1)v1`: a point above the cross completes a vertical line as its first point. (0,0) is the top
        left corner of the square around the cross; directions are h, v, d (diagonally down) and u (up).
        Places count from the left or top.
        """
        line, fields = _line_of(action), state.core.to_fields()
        return self._move_text(line, next(p for p in self.points_of(line) if not fields[p.y * SIDE + p.x]))

    def last_cells(self, state: State, event: Event) -> tuple[int, ...]:
        """Return the point that was added last."""
        moves = self.moves(state)
        return (moves[-1][1].y * SIDE + moves[-1][1].x,) if moves else ()

    def text_places(self, state: State) -> dict[int, Place]:
        """Return where the points of the sheet stand in the text."""
        rows, cols = self._window(state, 0 if state.is_terminal else 1)
        words = word_places(self.board_text(state), len(rows), first=1, labels=1)
        cells = [y * SIDE + x for y in rows for x in cols]
        return dict(zip(cells, words.values(), strict=True))

    # ---- drawing ----

    def action_cells(self, state: State, action: int) -> tuple[int, ...]:
        """Return the points of the line, the new one last."""
        fields = state.core.to_fields()
        cells = [p.y * SIDE + p.x for p in self.points_of(_line_of(action))]
        return tuple(sorted(cells, key=lambda cell: not fields[cell]))

    def draw_board(self, state: State) -> "SheetCanvas":
        """Draw the lines; added points are numbered."""
        moves = self.moves(state)
        points = self.cross() | {added for _, added in moves}
        canvas = SheetCanvas(points, self._origin)
        for line, _ in moves:
            ends = self.points_of(line)
            canvas.line(*canvas.at(ends[0]), *canvas.at(ends[-1]), "blue", 2.5)
        for point in sorted(self.cross()):
            canvas.circle(*canvas.at(point), 6, "ink")
        for place, (_, added) in enumerate(moves, 1):
            _draw_added(canvas, added, place)
        return canvas

    def action_spot(self, canvas: Canvas, state: State, action: int) -> Spot | None:
        """Return the new point; if several lines would add it, a little along this line."""
        if not isinstance(canvas, SheetCanvas):
            return None
        cells = self.action_cells(state, action)
        (x, y), ends = canvas.centre(cells[-1]), [canvas.centre(cell) for cell in cells[:-1]]
        shared = [a for a in state.legal_actions() if self.action_cells(state, a)[-1] == cells[-1]]
        if len(shared) == 1:
            return round_spot(x, y, 9.5)
        # The farther the line's middle, the farther its spot: all of them differ.
        right, down = sum(px - x for px, _ in ends) / len(ends), sum(py - y for _, py in ends) / len(ends)
        if abs(right) + abs(down) < 1:  # the new point is the middle
            right, down = (ends[0][0] - x) / 4, (ends[0][1] - y) / 4
        return round_spot(x + 0.25 * right, y + 0.25 * down, 5)

    def draw_legal(self, canvas: Canvas, state: State, action: int, spot: Spot) -> None:
        """Ring the new point."""
        canvas.circle(spot.x, spot.y, 3.5, "none", stroke="legal")

    def draw_last(self, canvas: Canvas, state: State, event: Event) -> bool:
        """Draw the last line and its point in another colour."""
        moves = self.moves(state)
        if moves and isinstance(canvas, SheetCanvas):
            line, added = moves[-1]
            ends = self.points_of(line)
            canvas.line(*canvas.at(ends[0]), *canvas.at(ends[-1]), "lose", 4)
            for place, (_, point) in enumerate(moves, 1):
                if point in ends:
                    _draw_added(canvas, point, place)
            for point in set(ends) & self.cross():
                canvas.circle(*canvas.at(point), 6, "ink")
            canvas.ring(round_spot(*canvas.at(added), 10))
        return True


class SheetCanvas(BoardCanvas):
    """The used part of the sheet of squared paper, with its coordinates."""

    STEP = 26.0

    def __init__(self, points: set[Point], origin: int) -> None:
        self.left, self.top = min(p.x for p in points) - 2, min(p.y for p in points) - 2
        width, height = max(p.x for p in points) - self.left + 2, max(p.y for p in points) - self.top + 2
        step = self.STEP
        super().__init__(width * step, height * step)
        for x in range(1, width):
            self.line(x * step, step / 2, x * step, (height - 0.5) * step, "shade", 1)
            self.text(x * step, step / 4, str(x + self.left - origin), size=9, fill="faint")
        for y in range(1, height):
            self.line(step / 2, y * step, (width - 0.5) * step, y * step, "shade", 1)
            self.text(step / 4, y * step, str(y + self.top - origin), size=9, fill="faint")

    def at(self, point: Point) -> tuple[float, float]:
        """Return the place of a point of the sheet."""
        return (point.x - self.left) * self.STEP, (point.y - self.top) * self.STEP

    def centre(self, cell: int) -> tuple[float, float]:
        """Return the place of a cell, which is a point of the sheet."""
        return self.at(Point(cell % SIDE, cell // SIDE))


def _draw_added(canvas: SheetCanvas, point: Point, place: int) -> None:
    canvas.circle(*canvas.at(point), 9.5, "cell", stroke="red")
    canvas.text(*canvas.at(point), str(place), size=9 if place < 100 else 7.5, weight="bold")


def _line_of(action: int) -> Line:
    return Line(Point(action // 4 % SIDE, action // 4 // SIDE), action % 4)


def _decode(state: State) -> tuple[set[Line], set[Point]]:
    """Return the lines and the points of a position."""
    fields = state.core.to_fields()
    lines, points = set(), set()
    for cell in np.flatnonzero(fields).tolist():
        here, value = Point(cell % SIDE, cell // SIDE), int(fields[cell])
        if value & 1:
            points.add(here)
        lines |= {Line(here, d) for d in range(4) if value >> (1 + d) & 1}
    return lines, points
