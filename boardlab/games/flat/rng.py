"""Random numbers for rules: the engine's splitmix64, the same in compiled and uncompiled rules."""

from typing import Any

WORD = (1 << 64) - 1


class Rng:
    """What rules draw from: a part of `random.Random`.

    `boardlab.games.flat.support` compiles the same functions.
    """

    def __init__(self, word: int) -> None:
        self.word = word & WORD

    def _next(self) -> int:
        self.word = (self.word + 0x9E3779B97F4A7C15) & WORD
        z = self.word
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & WORD
        return z ^ (z >> 31)

    def randrange(self, start: int, stop: int | None = None) -> int:
        """Draw from 0 .. start-1, or from start .. stop-1."""
        low, high = (0, start) if stop is None else (start, stop)
        if high <= low or high - low >= 1 << 32:
            raise ValueError("randrange needs a range of 1 to 4294967295 numbers")
        return low + ((self._next() >> 32) * (high - low) >> 32)

    def randint(self, low: int, high: int) -> int:
        """Draw from low .. high."""
        return self.randrange(low, high + 1)

    def random(self) -> float:
        """Draw from 0 to below 1."""
        return (self._next() >> 11) * 2.0**-53

    def shuffle(self, items: Any) -> None:
        """Put the items into a random order."""
        for i in range(len(items) - 1, 0, -1):
            j = self.randrange(i + 1)
            items[i], items[j] = items[j], items[i]
