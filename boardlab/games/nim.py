"""Nim: text, names and drawing. Fields: the heaps, then who moves."""

import re
from dataclasses import dataclass

from boardlab.errors import BoardLabError
from boardlab.games.drawing import PLAYER_COLOURS, Canvas
from boardlab.games.game import State
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
        who = f"game over, player {mover} next" if state.is_terminal else f"player {mover} to move"
        return "\n".join([*lines, who])

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

    def to_svg(self, state: State) -> str:
        """Draw one row of stones per heap."""
        *heaps, mover = state.fields
        widest = max(self.heaps)
        step = min(30.0, 600.0 / widest)
        canvas = Canvas(70 + widest * step, 40 * len(heaps) + 40)
        for row, (now, start) in enumerate(zip(heaps, self.heaps, strict=True)):
            y = 28 + 40 * row
            canvas.text(20, y, LABELS[row], weight="bold")
            for i in range(start):
                x = 50 + i * step
                radius = min(11.0, step * 0.4)
                if i < now:
                    canvas.circle(x, y, radius, PLAYER_COLOURS[2])
                else:
                    canvas.circle(x, y, radius, "none", stroke="#d8d2c4")
        canvas.text(
            canvas.width / 2,
            canvas.height - 16,
            "game over" if state.is_terminal else f"player {mover} to move",
        )
        return canvas.svg()


LABELS = "ABCDEFGHIJKL"
