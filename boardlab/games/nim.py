"""Nim: text, names and drawing. Fields: the heaps, then who moves."""

import re
from dataclasses import dataclass

from boardlab.errors import BoardLabError
from boardlab.games.drawing import BoardCanvas, Canvas, Point, Spot, box_spot
from boardlab.games.game import State
from boardlab.games.history import Event
from boardlab.games.places import Place
from boardlab.games.rules import Rules
from boardlab.options import option


@dataclass(frozen=True)
class Nim(Rules):
    """Take stones from one heap; the last taker wins (two players)."""

    heaps: tuple[int, ...] = option((5, 5, 5), "stones in each heap, 1 to 12 heaps", low=1, high=255)
    max_take: int = option(5, "the most stones that may be taken at once", low=1, high=255)
    players: int = option(
        2, "2, or 3 with Luckhardt's rule: the player after the last taker wins", low=2, high=3
    )
    misere: bool = option(False, "the last taker loses (two players)")
    extra_rule: bool = option(False, "three players: the player after the winner gets 0.2")

    name = "nim"
    summary = "take stones from one heap, the last taker wins"
    notation = "B3 takes three stones from heap B"
    variants = (
        {},
        {"heaps": (3, 4, 5), "max_take": 3},
        {"heaps": (3, 3), "misere": True},
        {"players": 3},
        {"players": 3, "heaps": (2, 3, 3), "extra_rule": True},
        {"heaps": (7,), "max_take": 2},
    )
    colours = ((r"\|+", "bold cyan"),)
    is_impartial = True
    truths = "two players: lost for the side to move iff the XOR of heap mod (max_take + 1) is 0 (Bouton)"

    def variant_summary(self) -> str:
        """Describe who wins: the last taker, the other one, or the player after."""
        take = "take stones from one heap"
        if self.players == 2:
            return f"{take}, the last taker {'loses' if self.misere else 'wins'}"
        wins = f"{take}, the player after the last taker wins"
        return f"{wins} and the one after the winner gets 0.2" if self.extra_rule else wins

    def to_text(self, state: State) -> str:
        """Write the heaps and who moves."""
        *heaps, mover = state.fields
        lines = [f"heap {LABELS[i]}: {'|' * n} {n}" for i, n in enumerate(heaps)]
        after = f", player {mover} next" if state.is_terminal else ""
        return "\n".join([*lines, self.status_text(state) + after])

    def fields_from_text(self, text: str) -> list[int]:
        """Read the output of `to_text`, or just the numbers: the heaps and who moves."""
        if re.fullmatch(r"[\s\d,]*", text):
            return [int(word) for word in re.findall(r"\d+", text)]
        heaps = [int(n) for n in re.findall(r"heap \w+:[ |]*(\d+)", text)]
        mover = re.search(r"player (\d+) (?:to move|next)", text)
        if len(heaps) != len(self.heaps) or not mover:
            raise BoardLabError(
                f'{self.name}: expected {len(self.heaps)} lines "heap A: ||| 3" and "player 0 to move"'
            )
        return [*heaps, int(mover[1])]

    def action_text(self, state: State, action: int) -> str:
        """Name heap and number: `B3` takes three stones from heap B."""
        return f"{LABELS[action // self.max_take]}{action % self.max_take + 1}"

    def action_cells(self, state: State, action: int) -> tuple[int, ...]:
        """Return the stones that are taken; the first of them is clicked."""
        heap, count = action // self.max_take, action % self.max_take + 1
        now = state.fields[heap]
        return tuple(heap * max(self.heaps) + now - 1 - i for i in range(count))

    def last_cells(self, state: State, event: Event) -> tuple[int, ...]:
        """Return where the taken stones lay."""
        heap, count = event.action // self.max_take, event.action % self.max_take + 1
        return tuple(heap * max(self.heaps) + state.fields[heap] + i for i in range(count))

    def text_places(self, state: State) -> dict[int, Place]:
        """Return where the stones stand in the text."""
        start, most = len("heap A: "), max(self.heaps)
        return {
            heap * most + stone: Place(heap, start + stone)
            for heap, count in enumerate(state.fields[:-1])
            for stone in range(count)
        }

    def action_spot(self, canvas: Canvas, state: State, action: int) -> Spot | None:
        """Return the first of the stones that are taken."""
        return canvas.spot(self.action_cells(state, action)[-1]) if isinstance(canvas, HeapCanvas) else None

    def draw_legal(self, canvas: Canvas, state: State, action: int, spot: Spot) -> None:
        """Mark the first of the stones that are taken."""
        canvas.dot(spot)

    def draw_board(self, state: State) -> "HeapCanvas":
        """Draw one row of stones per heap."""
        canvas = HeapCanvas(len(self.heaps), max(self.heaps))
        for heap, (now, start) in enumerate(zip(state.fields, self.heaps, strict=False)):
            canvas.text(20, canvas.centre(heap * max(self.heaps))[1], LABELS[heap], weight="bold")
            for i in range(start):
                x, y = canvas.centre(heap * max(self.heaps) + i)
                if i < now:
                    canvas.circle(x, y, canvas.radius, "blue")
                else:
                    canvas.circle(x, y, canvas.radius, "none", stroke="line")
        return canvas

    def draw_last(self, canvas: Canvas, state: State, event: Event) -> bool:
        """Ring the stones that were taken."""
        if isinstance(canvas, HeapCanvas):
            for cell in self.last_cells(state, event):
                canvas.circle(*canvas.centre(cell), canvas.radius, "none", stroke="lose", width=2.2)
        return True


LABELS = "ABCDEFGHIJKL"


class HeapCanvas(BoardCanvas):
    """Rows of stones."""

    def __init__(self, heaps: int, stones: int) -> None:
        self.stones = stones
        self.step = min(30.0, 640.0 / stones)
        self.radius = min(11.0, 0.4 * self.step)
        super().__init__(max(200.0, 64 + stones * self.step), 40 * heaps + 12)

    def centre(self, cell: int) -> Point:
        """Return the centre of a stone."""
        heap, place = divmod(cell, self.stones)
        return 50 + place * self.step, 28.0 + 40 * heap

    def spot(self, cell: int) -> Spot:
        """Return where a stone is marked and clicked."""
        return box_spot(*self.centre(cell), self.step, 40, min(14.0, 0.5 * self.step))
