"""A GTP clock: Canadian byo-yomi, and how long the next action may take."""

from dataclasses import dataclass, field

from boardlab.errors import BoardLabError

LATENCY = 0.05
"""Seconds lost between the controller's clock and the search."""
LEAST = 0.01
USUAL_ACTIONS = 30
"""Actions that a player expects to come where the game does not say."""
FEWEST_ACTIONS = 8


@dataclass
class Left:
    """A player's time: seconds, and in byo-yomi the actions they are for."""

    seconds: float
    stones: int = 0


@dataclass
class Clock:
    """Main time, then periods of `period` seconds for `stones` actions each."""

    main: float = 0.0
    period: float = 0.0
    stones: int = 0
    left: list[Left] = field(default_factory=list)
    """The time of black and of white; empty without a limit."""

    def set(self, main: float, period: float, stones: int) -> None:
        """Set the times of a new game; a period for no stones means no limit."""
        if min(main, period, stones) < 0:
            raise BoardLabError("times and stones must not be negative")
        self.main, self.period, self.stones = main, period, stones
        self.restart()

    def restart(self) -> None:
        """Start with full time."""
        is_unlimited = self.period > 0 and self.stones == 0
        if is_unlimited or not (self.main or self.period):
            self.left = []
        elif self.main > 0:
            self.left = [Left(self.main), Left(self.main)]
        else:
            self.left = [Left(self.period, self.stones), Left(self.period, self.stones)]

    def told(self, player: int, seconds: float, stones: int) -> None:
        """Set a player's time as the controller counts it."""
        if min(seconds, stones) < 0:
            raise BoardLabError("times and stones must not be negative")
        if not self.left:
            self.left = [Left(seconds, stones), Left(seconds, stones)]
        self.left[player] = Left(seconds, stones)

    def allotted(self, player: int, actions_left: float | None) -> float | None:
        """Return the seconds for the next action; None without a limit.

        `actions_left` is the number of actions of both players to come, if the game knows it.
        """
        if not self.left:
            return None
        left = self.left[player]
        if left.stones:
            share = left.seconds / left.stones
        else:
            own = USUAL_ACTIONS if actions_left is None else actions_left / 2
            share = left.seconds / max(own, FEWEST_ACTIONS)
            if self.stones:
                share += self.period / self.stones / 2
        return max(LEAST, min(share, left.seconds) - LATENCY)

    def spend(self, player: int, seconds: float) -> None:
        """Count the time of an action, for controllers that do not tell it."""
        if not self.left:
            return
        left = self.left[player]
        left.seconds -= seconds
        if left.stones:
            left.stones -= 1
            if left.stones == 0:
                self.left[player] = Left(self.period, self.stones)
        elif left.seconds <= 0 and self.stones:
            self.left[player] = Left(self.period, self.stones)
