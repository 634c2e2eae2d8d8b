"""Measured and published numbers with their error bars."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from boardlab.arena.intervals import interval
from boardlab.numbers import plain

MISSING = "-"


@dataclass(frozen=True)
class Estimate:
    """A number, with what is known about its error."""

    value: float
    half: float = math.nan
    """Half the width of its 95% interval."""
    deviation: float = math.nan
    """The standard deviation between seeds, runs or moves."""
    seeds: int = 1

    @property
    def is_known(self) -> bool:
        """Whether there is a number."""
        return not math.isnan(self.value)

    @property
    def bar(self) -> float:
        """The length of an error bar in a figure; 0 where nothing is known."""
        return 0.0 if math.isnan(self.half) else self.half

    def text(self, digits: int = 3) -> str:
        """The number with its interval: 0.25 ± 0.1."""
        return self._with(self.half, digits)

    def deviating(self, digits: int = 3) -> str:
        """The number with its standard deviation."""
        return self._with(self.deviation, digits)

    def percent(self, places: int = 1, bar: bool = True) -> str:
        """A share in percent with its interval: 25.0 ± 10.0."""
        if not self.is_known:
            return MISSING
        text = f"{100 * self.value:.{places}f}"
        return text if math.isnan(self.half) or not bar else f"{text} ± {100 * self.half:.{places}f}"

    def _with(self, error: float, digits: int) -> str:
        if not self.is_known:
            return MISSING
        text = plain(self.value, digits)
        return text if math.isnan(error) else f"{text} ± {plain(error, 2)}"


UNKNOWN = Estimate(math.nan, seeds=0)


def of_games(share: float, games: int) -> Estimate:
    """A published share of so many games, with the interval that the games give it."""
    ones = round(share * games)
    half = interval([1.0] * ones + [0.0] * (games - ones), (0.0, 1.0))
    return Estimate(share, half)


def mean_of(
    values: Sequence[float], low: float = -math.inf, high: float = math.inf, count: float = math.nan
) -> Estimate:
    """The mean over seeds and its 95% interval (Student's t).

    `count` is the number of games, cubes ... behind all values together, which must then be shares. Where
    the seeds cannot tell the interval, because there is only one or all are alike, those games do.
    """
    if not values:
        return UNKNOWN
    mean = statistics.fmean(values)
    deviation = statistics.stdev(values) if len(values) > 1 else math.nan
    if len({round(value, 12) for value in values}) > 1:  # sums of games may differ in their last digit
        return Estimate(mean, interval(list(values), (low, high)), deviation, len(values))
    half = math.nan
    if count >= 2:
        ones = round(mean * count)
        half = interval([1.0] * ones + [0.0] * (round(count) - ones), (0.0, 1.0))
    return Estimate(mean, half, deviation, len(values))
