"""Runs limited by time: how far they are, recorded so that others can repeat them.

Schedules (alpha, epsilon, learning rates) follow the share of a run that is done. A run of N episodes knows
it. A run of M minutes plans a part at a time: so many episodes, over which the share grows from here to there
along a straight line. Their number comes from the speed so far. The corners of these lines, the run's pace,
and the number of episodes decide what is learned; the clock no longer matters.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardLabError, shown
from boardlab.learners.run_options import MOST_EPISODES

MOST_CORNERS = 127
DIGITS = 6
"""Decimals of a share, so that its text is exact."""
GROWTH = 8
"""How many times longer than the part before a part may be, while the speed is hardly known."""
PARTS = 20
"""The fewest parts, after each of which the speed is measured."""
LAST_PARTS = (0.98, 1.0)
"""Short parts at the end meet the time exactly."""
SHORTEST = 0.002
"""The share of the run that a part is worth."""


@dataclass(frozen=True)
class Pace:
    """Shares of a run by episodes: corners of lines that begin at (0, 0)."""

    corners: tuple[tuple[int, float], ...] = ()

    @classmethod
    def read(cls, text: str) -> Self:
        """The pace that `str` wrote: "1:0,90:0.05,800:1"."""
        try:
            pairs = [word.split(":") for word in text.split(",")] if text else []
            corners = tuple((int(episodes), round(float(share), DIGITS)) for episodes, share in pairs)
        except ValueError:
            raise BoardLabError(
                f'pace must be EPISODES:SHARE,EPISODES:SHARE ..., as in "90:0.05,800:1", not {shown(text)}'
            ) from None
        return cls.checked(corners)

    @classmethod
    def checked(cls, corners: Sequence[tuple[int, float]]) -> Self:
        """A pace whose episodes and shares grow."""
        if len(corners) > MOST_CORNERS:
            raise BoardLabError(f"pace has at most {MOST_CORNERS} corners, not {len(corners)}")
        for (before, done), (episodes, share) in itertools.pairwise(((0, 0.0), *corners)):
            if not before < episodes <= MOST_EPISODES or not done <= share <= 1:
                raise BoardLabError(
                    f"pace: episodes must grow, and shares from 0 to 1; {episodes}:{share:g} cannot follow "
                    f"{before}:{done:g}"
                )
        return cls(tuple(corners))

    def __str__(self) -> str:
        return ",".join(
            f"{episodes}:{share:.{DIGITS}f}".rstrip("0").rstrip(".") for episodes, share in self.corners
        )

    @property
    def end(self) -> tuple[int, float]:
        """The last corner."""
        return self.corners[-1] if self.corners else (0, 0.0)

    def line(self, episodes: int) -> tuple[int, float, float]:
        """The line that the share follows after `episodes`: its corner, share there, slope."""
        for (since, done), (until, share) in itertools.pairwise(((0, 0.0), *self.corners)):
            if episodes < until:
                return since, done, (share - done) / (until - since)
        return *self.end, 0.0

    def share(self, episodes: int) -> float:
        """The share of the run that is done after `episodes`."""
        since, done, slope = self.line(episodes)
        return min(1.0, done + slope * (episodes - since))

    def next_corner(self, episodes: int) -> int | None:
        """The next corner after `episodes`; None after the last."""
        return next((corner for corner, _ in self.corners if corner > episodes), None)

    def share_before(self, episodes: int) -> float:
        """The share at the last corner before `episodes`."""
        return max((share for corner, share in self.corners if corner < episodes), default=0.0)

    def extended(self, episodes: int, share: float) -> "Pace":
        """The pace with one more corner."""
        return Pace((*self.corners, (episodes, round(share, DIGITS))))

    # ---- in a checkpoint ----

    def as_array(self, minutes: float) -> NDArray[np.float64]:
        """The minutes of the run and the corners, in an array of one length for all paces."""
        array = np.zeros(1 + 2 * MOST_CORNERS)
        array[0] = minutes
        array[1 : 1 + 2 * len(self.corners)] = np.array(self.corners).reshape(-1)
        return array

    @classmethod
    def of_array(cls, array: NDArray[np.float64], minutes: float) -> "Pace | None":
        """The pace of a checkpoint; None if the run had other minutes then."""
        if array[0] != minutes:
            return None
        pairs = [(int(episodes), float(share)) for episodes, share in array[1:].reshape(-1, 2) if episodes]
        return cls.checked(pairs)


EMPTY = np.zeros(1 + 2 * MOST_CORNERS)
"""The form of a pace in a checkpoint."""


class Timetable:
    """Plans the parts of a run that is limited by time."""

    def __init__(self, minutes: float, parts: int, unit: int) -> None:
        """`parts` of the run end with an exam; `unit` episodes are the fewest to learn from at a time."""
        self.minutes, self.unit = minutes, unit
        self.seconds = 60 * minutes
        ends = {part / count for count in (PARTS, parts) for part in range(1, count)}
        self.targets = sorted(ends.union(LAST_PARTS))
        self._since = (0, 0.0)

    def is_up(self, seconds: float) -> bool:
        """Whether the time is over."""
        return seconds >= self.seconds

    def expected(self, done: int, seconds: float) -> int:
        """Estimate the episodes of the whole run."""
        return done + int(self._speed(done, seconds) * max(0.0, self.seconds - seconds))

    def extend(self, pace: Pace, done: int, seconds: float) -> Pace | None:
        """Plan the next part after `done` episodes; None if the time is better over."""
        left, at = self.seconds - seconds, pace.end[1]
        if done == 0:
            return pace.extended(self.unit, 0.0)  # the first episode shows the speed
        speed = self._speed(done, seconds)
        if left <= 0 or at >= 1 or self.unit / speed > 2 * left:
            return None
        now = seconds / self.seconds
        target = next((share for share in self.targets if share > max(now, at) + SHORTEST), 1.0)
        if len(pace.corners) >= MOST_CORNERS - 1:
            target = 1.0
        wanted, longest = (
            speed * (target - now) * self.seconds,
            GROWTH * max(done - self._since[0], self.unit),
        )
        units = max(1, round(min(wanted, longest) / self.unit))
        reached = now + units * self.unit / speed / self.seconds
        if wanted <= longest:
            reached = max(reached, target) if units == 1 else target
        self._since = (done, seconds)
        return pace.extended(done + units * self.unit, min(max(reached, at), 1.0))

    def _speed(self, done: int, seconds: float) -> float:
        """Episodes a second since the last corner."""
        episodes, begun = self._since
        return max(done - episodes, 1) / max(seconds - begun, 1e-6)
