"""Rubik's cube: text, twist notation and drawing.

Fields: the colours of the facelets, face by face in the order U L F R B D and row by row as in the unfolded
drawing; a colour is named after the face it belongs to (0 U .. 5 D). With the coding cubeplusaction the last
field is the twist that led here, 1 + its action, or 0.
"""

from dataclasses import dataclass

from boardlab.errors import BoardLabError
from boardlab.games.drawing import Canvas
from boardlab.games.game import State
from boardlab.games.history import Event
from boardlab.games.rules import Rules
from boardlab.options import option

FACES = "ULFRBD"
TURNING = "ULFDRB"
LAST = "last twist:"
"""What stands before the last twist in the text of a position that keeps it."""
COLOURS = ("#ffffff", "#ff8c1a", "#2e9e44", "#d6293e", "#2563c9", "#ffd92e")
# Positions of the faces in the unfolded drawing: (row of faces, column of faces).
PLACES = ((0, 1), (1, 0), (1, 1), (1, 2), (1, 3), (2, 1))


@dataclass(frozen=True)
class Rubiks(Rules):
    """Twist a scrambled cube until every face has one colour."""

    size: int = option(2, "2 for the pocket cube, 3 for the standard cube", low=2, high=3)
    metric: str = option(
        "htm",
        "htm counts a half turn as one twist, qtm has quarter turns only",
        choices=("htm", "qtm"),
    )
    twists: int = option(11, "random twists of the initial scramble", low=0, high=1000)
    step_reward: float = option(-0.04, "reward of every twist", low=-1, high=0)
    coding: str = option(
        "sticker2",
        "cells of n-tuples, as in GBG: each place's cubie and turn (sticker2), a cell for every place "
        "and cubie (sticker, 2x2x2), the colours (cubestate), or the colours and the last twist "
        "(cubeplusaction), which then is a part of the position",
        choices=("sticker2", "sticker", "cubestate", "cubeplusaction"),
    )

    name = "rubiks"
    starts = ("twists",)
    summary = "twist a scrambled cube until every face has one colour"
    notation = (
        "U turns the upper face clockwise, U2 twice, U' counter-clockwise; L, F, D, R and B are the left, "
        "front, lower, right and back face"
    )
    variants = (
        {},
        {"metric": "qtm", "twists": 5},
        {"size": 3, "twists": 9},
        {"size": 3, "metric": "qtm", "twists": 13},
        {"twists": 1, "step_reward": 0.0},
        {"coding": "sticker"},
        {"coding": "cubestate"},
        {"size": 3, "twists": 5, "coding": "cubestate"},
        {"coding": "cubeplusaction"},
        {"size": 3, "metric": "qtm", "twists": 5, "coding": "cubeplusaction"},
    )
    colours = (
        (r"U(?=[ULFRBD\s]|$)", "black on white"),
        (r"L(?=[ULFRBD\s]|$)", "black on dark_orange"),
        (r"F(?=[ULFRBD\s]|$)", "black on green"),
        (r"R(?=[ULFRBD\s]|$)", "black on red"),
        (r"B(?=[ULFRBD\s]|$)", "white on blue"),
        (r"D(?=[ULFRBD\s]|$)", "black on yellow"),
    )
    truths = (
        "2x2x2: 3,674,160 states, at most 11 twists (htm) or 14 (qtm); 3x3x3: at most 20 (htm) or 26 (qtm)"
    )

    def player_name(self, player: int) -> str:
        """Name the only player."""
        return "player"

    def _rows(self, fields: list[int]) -> list[str]:
        """Write the unfolded cube, one letter per facelet, blank elsewhere."""
        n = self.size
        picture = [[" "] * (4 * n) for _ in range(3 * n)]
        for face, (down, right) in enumerate(PLACES):
            for i in range(n * n):
                picture[down * n + i // n][right * n + i % n] = FACES[fields[face * n * n + i]]
        return ["".join(row).rstrip() for row in picture]

    def to_text(self, state: State) -> str:
        """Write the unfolded cube: U on top, then L F R B, D below; then the last twist, where it is kept."""
        lines = self._rows(state.fields)
        if self.keeps_last and state.fields[-1]:
            lines.append(f"{LAST} {self.action_text(state, state.fields[-1] - 1)}")
        return "\n".join([*lines, *(["solved"] if state.is_terminal else [])])

    @property
    def keeps_last(self) -> bool:
        """Whether a position holds the twist that led to it."""
        return self.coding == "cubeplusaction"

    def fields_from_text(self, text: str) -> list[int]:
        """Read an unfolded cube, or its facelets in one line in the order U L F R B D."""
        cube, last, twist = text.partition(LAST)
        if not self.keeps_last:
            return self._facelets_from_text(text)
        names = [self._twist_text(action) for action in range(self._twist_count)]
        words = twist.replace("solved", "").split()
        if last and (len(words) != 1 or words[0] not in names):
            raise BoardLabError(
                f"{self.name}: {LAST} must be followed by one of {', '.join(names)}, not {' '.join(words)!r}"
            )
        return [*self._facelets_from_text(cube), names.index(words[0]) + 1 if last else 0]

    def _facelets_from_text(self, text: str) -> list[int]:
        n = self.size
        letters = "".join(text.replace("solved", "").split()).upper()
        if len(letters) != 6 * n * n or set(letters) - set(FACES):
            raise BoardLabError(f"{self.name}: expected {6 * n * n} facelets, each one of {' '.join(FACES)}")
        if len(text.strip().splitlines()) == 1:
            return [FACES.index(letter) for letter in letters]
        fields = [0] * (6 * n * n)
        top, middle, bottom = letters[: n * n], letters[n * n : 5 * n * n], letters[5 * n * n :]
        for i in range(n * n):
            fields[i] = FACES.index(top[i])
            fields[5 * n * n + i] = FACES.index(bottom[i])
            for face in range(4):
                letter = middle[(i // n) * 4 * n + face * n + i % n]
                fields[(1 + face) * n * n + i] = FACES.index(letter)
        return fields

    def action_text(self, state: State, action: int) -> str:
        """Name the twist: U clockwise, U2 twice, U' counter-clockwise (Singmaster)."""
        return self._twist_text(action)

    @property
    def _twist_count(self) -> int:
        return (6 if self.size == 3 else 3) * (3 if self.metric == "htm" else 2)

    def _twist_text(self, action: int) -> str:
        kinds = ("", "2", "'") if self.metric == "htm" else ("", "'")
        return TURNING[action // len(kinds)] + kinds[action % len(kinds)]

    def status_text(self, state: State) -> str:
        """Tell whether the cube is solved."""
        return "solved" if state.is_terminal else f"{self.size}x{self.size}x{self.size}, not solved"

    def draw_board(self, state: State) -> Canvas:
        """Draw the unfolded cube and the cube in perspective."""
        n = self.size
        tile = 48.0 / n
        fields = state.fields
        canvas = Canvas(4 * 52 + 190, 3 * 52 + 22)
        for face, (down, right) in enumerate(PLACES):
            for i in range(n * n):
                x, y = 14 + right * 52 + i % n * tile, 14 + down * 52 + i // n * tile
                canvas.rect(x, y, tile, tile, COLOURS[fields[face * n * n + i]], radius=2, stroke="core")
            x, y = 14 + right * 52 + 24, 14 + down * 52 + 24
            canvas.circle(x, y, 7, "core")
            canvas.text(x, y, FACES[face], size=10, fill="halo", weight="bold")
        self._draw_solid(canvas, fields, 320.0, 90.0)
        return canvas

    def draw_last(self, canvas: Canvas, state: State, event: Event) -> bool:
        """Frame the face that was twisted; its name says how."""
        face = FACES.index(TURNING[event.action // (3 if self.metric == "htm" else 2)])
        down, right = PLACES[face]
        x, y = 14 + right * 52, 14 + down * 52
        canvas.rect(x - 1, y - 1, 50, 50, "none", radius=4, stroke="core", width=5)
        canvas.rect(x - 1, y - 1, 50, 50, "none", radius=4, stroke="mark", width=2.5)
        return False

    def _draw_solid(self, canvas: Canvas, fields: list[int], x: float, y: float) -> None:
        """Draw U, F and R in isometric view around their shared corner (x, y)."""
        n = self.size
        edge = 70.0 / n
        right, left, down = (0.866 * edge, -0.5 * edge), (-0.866 * edge, -0.5 * edge), (0.0, edge)

        def quad(
            face: int,
            i: int,
            origin: tuple[float, float],
            a: tuple[float, float],
            b: tuple[float, float],
        ) -> None:
            row, col = divmod(i, n)
            corner = (origin[0] + col * a[0] + row * b[0], origin[1] + col * a[1] + row * b[1])
            points = [
                corner,
                (corner[0] + a[0], corner[1] + a[1]),
                (corner[0] + a[0] + b[0], corner[1] + a[1] + b[1]),
                (corner[0] + b[0], corner[1] + b[1]),
            ]
            canvas.polygon(points, COLOURS[fields[face * n * n + i]], stroke="core")

        for i in range(n * n):
            # F: its top right corner is the shared one; R: its top left; U: its bottom right.
            quad(2, i, (x + n * left[0], y + n * left[1]), (-left[0], -left[1]), down)
            quad(3, i, (x, y), right, down)
            quad(
                0,
                i,
                (x + n * (left[0] + right[0]), y + n * (left[1] + right[1])),
                (-left[0], -left[1]),
                (-right[0], -right[1]),
            )
