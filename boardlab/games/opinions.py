"""An agent's opinion of a position, drawn over its board."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from boardlab.games.drawing import Button, Canvas, Spot
from boardlab.numbers import plain

if TYPE_CHECKING:
    from boardlab.games.game import State

WORST, MIDDLE, BEST = (194, 65, 12), (243, 238, 226), (29, 111, 184)
"""Red, green and blue of the values' scale: orange is bad, blue is good."""
LONGEST_LINE = 12
"""Most numbered marks of an expected line."""
READABLE = 10.0
"""Radius of a mark from which on it has room for numbers."""


class Opinion(Protocol):
    """What is drawn of a `Decision`."""

    action: int
    policy: dict[int, float]
    values: dict[int, float]
    info: dict[str, float]
    line: tuple[int, ...]


class OpinionMarks:
    """The marks of an opinion: a disc for every action, numbers for the expected line."""

    def __init__(self, state: "State", opinion: Opinion) -> None:
        self.state, self.opinion = state, opinion
        self.shares = {a: p for a, p in opinion.policy.items() if p > 0 and math.isfinite(p)}
        self.values = {a: v for a, v in opinion.values.items() if math.isfinite(v)}
        self.low, self.high = _scale(state, list(self.values.values()))

    def colours(self, action: int) -> tuple[str, str]:
        """Return the fill of an action's mark and the colour of text on it."""
        value = self.values.get(action)
        if value is None:
            return _mixed(0.5), "core"
        share = (value - self.low) / (self.high - self.low)
        # Both ends of the scale are dark.
        return _mixed(share), "halo" if abs(share - 0.5) > 0.33 else "core"

    def words(self, action: int) -> str:
        """Write an action's value and its share of the search."""
        parts = []
        if action in self.values:
            parts.append(short(self.values[action]))
        if action in self.shares:
            parts.append(f"{self.shares[action]:.0%}")
        return " ".join(parts)

    def hint(self, action: int) -> str:
        """Describe an action's value and visits in full, for a tooltip."""
        parts = []
        if action in self.values:
            parts.append(f"value {plain(self.values[action], sign=True)}")
        share, visits = self.shares.get(action), self.opinion.info.get("iterations")
        if share is not None:
            parts.append(f"{share:.1%}" + (f" of {plain(visits)} iterations" if visits else " of the policy"))
        return ", ".join(parts)

    def draw(self, canvas: Canvas, spots: Mapping[int, Spot]) -> None:
        """Draw the discs, the best ones last, so that they cover the others."""
        most = max(self.shares.values(), default=0.0)
        told = [action for action in spots if action in self.values or action in self.shares]
        for action in sorted(told, key=lambda a: (a == self.opinion.action, self.shares.get(a, 0.0))):
            spot, (fill, ink) = spots[action], self.colours(action)
            share = self.shares.get(action, 0.0) / most if most else 1.0
            radius = spot.reach * (0.68 + 0.32 * math.sqrt(share))
            chosen = action == self.opinion.action
            canvas.circle(spot.x, spot.y, radius, fill, stroke="core", width=2.5 if chosen else 0.8)
            if chosen:
                canvas.circle(spot.x, spot.y, radius + 2.2, "none", stroke="halo", width=1.5)
            if spot.reach >= READABLE:
                self._write(canvas, spot, action, radius, ink)

    def _write(self, canvas: Canvas, spot: Spot, action: int, radius: float, ink: str) -> None:
        value, share = self.values.get(action), self.shares.get(action)
        most = 1.8 * radius
        if value is not None and share is not None:
            size = 0.68 * spot.reach
            canvas.text(
                spot.x, spot.y - 0.2 * radius, short(value), size=size, fill=ink, weight="bold", most=most
            )
            canvas.text(
                spot.x,
                spot.y + 0.46 * radius,
                f"{share:.0%}",
                size=0.52 * spot.reach,
                fill=ink,
                most=0.8 * most,
            )
        else:
            text = short(value) if value is not None else f"{share:.0%}"
            canvas.text(spot.x, spot.y, text, size=0.7 * spot.reach, fill=ink, weight="bold", most=most)

    def draw_line(self, canvas: Canvas, marks: Sequence[tuple[int, Spot]]) -> None:
        """Number the actions of the expected line."""
        if len(marks) < 2:
            return
        places: dict[tuple[float, float], list[str]] = {}
        spots: dict[tuple[float, float], Spot] = {}
        for step, spot in marks:
            at = (round(spot.x, 1), round(spot.y, 1))
            places.setdefault(at, []).append(str(step))
            spots[at] = spot
        for at, steps in places.items():
            spot = spots[at]
            radius = 6.5
            x, y = spot.x + 0.9 * spot.reach, spot.y - 0.9 * spot.reach
            canvas.circle(x, y, radius, "core", stroke="halo", width=1.2)
            canvas.text(
                x, y, "·".join(steps), size=1.25 * radius, fill="halo", weight="bold", most=1.7 * radius
            )

    def button(self, action: int, name: str) -> Button:
        """Return the button of an action without a place on the board."""
        words = self.words(action)
        fill, ink = self.colours(action) if words else ("button", "ink")
        return Button(action, f"{name}  {words}".strip(), fill, ink, action == self.opinion.action)


def short(value: float) -> str:
    """Write a value in at most five characters or so: +0.42, -1, +12.5, +1,204."""
    if abs(value) < 9.995:
        return f"{value:+.2f}"
    return plain(value, 3, sign=True)


def _scale(state: "State", values: Sequence[float]) -> tuple[float, float]:
    """Return the values of the worst and the best colour.

    Scores of -1 to 1 keep their meaning; others are coloured relative to each other.
    """
    low, high = state.game.score_range
    if not values:
        return 0.0, 1.0
    if high - low <= 2 and all(low - 1e-6 <= v <= high + 1e-6 for v in values):
        return low, high
    low, high = min(values), max(values)
    # Values that hardly differ have hardly different colours.
    least = 0.05 * max(abs(low), abs(high), 1.0)
    wider = max(0.0, least - (high - low)) / 2
    return low - wider, high + wider


def _mixed(share: float) -> str:
    """Mix the colour of a value between the worst (0) and the best (1)."""
    share = min(1.0, max(0.0, share))
    one, other, t = (WORST, MIDDLE, 2 * share) if share < 0.5 else (MIDDLE, BEST, 2 * share - 1)
    red, green, blue = (round(a + t * (b - a)) for a, b in zip(one, other, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"


def as_opinion(given: Any) -> Opinion:
    """Return `given` if it can be drawn."""
    from boardlab.errors import BoardLabError, shown

    if not all(hasattr(given, name) for name in ("action", "policy", "values", "info", "line")):
        raise BoardLabError(f"decision must be what agent.act(state) returned, not {shown(given)}")
    opinion: Opinion = given
    return opinion
