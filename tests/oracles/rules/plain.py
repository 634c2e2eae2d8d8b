"""What every plain version of a game offers, so that one test can play it beside the engine's.

The versions follow docs/games and the papers word by word, on dictionaries and lists, and never look at the engine.
"""

from typing import Protocol

CHANCE, TERMINAL = -1, -2


class PlainGame(Protocol):
    """One game in progress. A subclass is made with the game's parameters and the text of its start."""

    player: int
    """Who moves: 0 .. N-1, CHANCE or TERMINAL."""

    def legal(self) -> list[int]:
        """The legal actions of a player, in order."""

    def chances(self) -> dict[int, float]:
        """At a chance node the outcomes and their probabilities."""

    def apply(self, action: int) -> None:
        """Play an action, or a chance outcome."""

    def scores(self) -> list[float]:
        """What everyone has now."""


class NoChance:
    """A game without dice and cards."""

    def chances(self) -> dict[int, float]:
        return {}
