"""The sequential probability ratio test, which stops a match once decided.

H0: the first agent is elo0 stronger than the second; H1: it is elo1 stronger (logistic Elo of the mean
points). The samples are rounds, games that share an opening with the seats exchanged, so two players have
five outcomes per round (0, 1/2 ... 2 points: pentanomial). The generalised likelihood ratio compares the most
likely distributions of these outcomes with H0's and H1's mean (M. Van den Bergh, A practical introduction to
the GSPRT, 2018).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from boardlab.errors import BoardLabError, shown
from boardlab.games.game import is_number


@dataclass(frozen=True)
class Sprt:
    """The two hypotheses and their error probabilities."""

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    """Probability of accepting H1 when H0 is true."""
    beta: float = 0.05
    """Probability of accepting H0 when H1 is true."""

    def __post_init__(self) -> None:
        for name, low, high in (
            ("elo0", -1000, 1000),
            ("elo1", -1000, 1000),
            ("alpha", 0, 0.5),
            ("beta", 0, 0.5),
        ):
            value: Any = getattr(self, name)
            if not is_number(value) or not low <= value <= high or (high == 0.5 and not 0 < value < high):
                words = "between 0 and 0.5" if high == 0.5 else f"from {low} to {high}"
                raise BoardLabError(f"{name} of the SPRT must be a number {words}, not {shown(value)}")
        if not self.elo0 < self.elo1:
            raise BoardLabError(f"an SPRT needs elo0 below elo1, not {self.elo0:g} and {self.elo1:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 (lower) and H1 (upper) are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[float]) -> float:
        """Return the log-likelihood ratio for H1, from counts of outcomes, worst first."""
        total = sum(counts)
        if total == 0 or len(counts) < 2:
            return 0.0
        # Unseen outcomes are not impossible; a thousandth of a round keeps the ratio finite.
        shares = [max(count, 1e-3) for count in counts]
        whole = sum(shares)
        shares = [share / whole for share in shares]
        outcomes = [i / (len(counts) - 1) for i in range(len(counts))]
        under0 = _with_mean(shares, outcomes, expected_points(self.elo0))
        under1 = _with_mean(shares, outcomes, expected_points(self.elo1))
        return total * sum(
            share * math.log(p1 / p0) for share, p0, p1 in zip(shares, under0, under1, strict=True)
        )


@dataclass(frozen=True)
class SprtResult:
    """The state of the test."""

    test: Sprt
    llr: float
    accepted: str
    """"H0", "H1", or empty while undecided."""

    def __str__(self) -> str:
        low, high = self.test.bounds
        words = {
            "H0": f"H0 accepted: not {self.test.elo1:g} Elo stronger",
            "H1": f"H1 accepted: stronger by more than {self.test.elo0:g} Elo",
            "": "undecided",
        }[self.accepted]
        return (
            f"SPRT {self.test.elo0:g} against {self.test.elo1:g} Elo: LLR {self.llr:z.2f} "
            f"({low:.2f} to {high:.2f}), {words}"
        )


class RunningSprt:
    """The test over rounds as they finish."""

    def __init__(self, test: Sprt, outcomes: int) -> None:
        self.test, self.counts = test, [0] * outcomes
        self.result = SprtResult(test, 0.0, "")

    def add(self, outcome: int) -> bool:
        """Add a round by its half points; return whether the test is decided."""
        self.counts[outcome] += 1
        llr = self.test.llr(self.counts)
        low, high = self.test.bounds
        accepted = "H0" if llr <= low else "H1" if llr >= high else ""
        self.result = SprtResult(self.test, llr, accepted)
        return bool(accepted)


def as_sprt(value: object) -> Sprt | None:
    """Read a test: a Sprt, None, or a pair (elo0, elo1)."""
    if value is None or isinstance(value, Sprt):
        return value
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return Sprt(*value)
    raise BoardLabError(f"sprt must be a pair of Elo differences such as (0, 10), not {shown(value)}")


def expected_points(elo: float) -> float:
    """Return the mean points per game of a player stronger by `elo`."""
    return 1 / (1 + 10 ** (-elo / 400))


def _with_mean(shares: Sequence[float], outcomes: Sequence[float], mean: float) -> list[float]:
    """Return the most likely distribution with that mean: p / (1 + x (a - mean)).

    x is the root of a decreasing function between its poles (Van den Bergh, proposition 1.1), found by
    Newton's method with bisection as a safeguard.
    """
    offsets = [a - mean for a in outcomes]
    low, high, x = -1 / offsets[-1], -1 / offsets[0], 0.0
    for _ in range(100):
        ratios = [a / (1 + x * a) for a in offsets]
        excess = sum(p * r for p, r in zip(shares, ratios, strict=True))
        if excess > 0:
            low = x
        else:
            high = x
        step = excess / sum(p * r * r for p, r in zip(shares, ratios, strict=True))
        if abs(step) < 1e-12:
            break
        x = x + step if low < x + step < high else (low + high) / 2
    return [p / (1 + x * a) for p, a in zip(shares, offsets, strict=True)]
