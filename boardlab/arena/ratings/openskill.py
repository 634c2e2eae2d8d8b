"""Ratings for any number of players: Weng and Lin's Bayesian Plackett-Luce.

R. Weng and C.-J. Lin, A Bayesian approximation method for online ranking, JMLR 12 (2011), Algorithm 4. Every
game moves a player's mean and narrows its deviation; tied players share a rank.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boardlab.arena.intervals import NORMAL_95
from boardlab.arena.ratings.plot import Span
from boardlab.arena.ratings.results import RatingList, Result, as_results, as_start, groups_of, names_of
from boardlab.arena.tables import player_table
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import is_number

MEAN = 25.0
DEVIATION = MEAN / 3
LEAST_SHRINK = 1e-4
RANGES = {"mean": (-100_000, 100_000), "deviation": (0, 100_000)}
"""Allowed ranges of the ratings in `start`."""


@dataclass(frozen=True)
class SkillRating:
    """A player's rating."""

    mean: float = MEAN
    deviation: float = DEVIATION
    games: int = 0

    @property
    def ordinal(self) -> float:
        """A 99.7% lower bound of the player's strength: the number to rank by."""
        return self.mean - 3 * self.deviation


class SkillRatings(RatingList[SkillRating]):
    """The rating list."""

    unit = "skill"

    def table(self, width: int | None = None) -> list[str]:
        """Format one line per player."""
        rated = self.values()
        columns = [
            ["  mean ± 95%", *(f" {r.mean:>z5.1f} {NORMAL_95 * r.deviation:>5.1f}" for r in rated)],
            [" ordinal", *(f" {r.ordinal:>z7.1f}" for r in rated)],
            [" games", *(f" {r.games:>5}" for r in rated)],
        ]
        return player_table(list(enumerate(self, 1)), columns, width, heads=("Rank", "Name"), legend=True)

    def spans(self) -> list[Span]:
        """List the ratings with their 95% intervals."""
        return [Span.around(name, r.mean, NORMAL_95 * r.deviation) for name, r in self.items()]


def openskill(
    results: Sequence[Result],
    *,
    beta: float = MEAN / 6,
    tau: float = 0.0,
    start: Mapping[str, SkillRating] | None = None,
) -> SkillRatings:
    """Rate all games in order and return the ratings, best mean first.

    `beta` is the spread of one game's performance. `tau` widens deviations before every game, for players
    that change; agents that do not learn while playing need none. `start` gives ratings of known players.
    """
    results = as_results(results)
    for name, given, low in (("beta", beta, 1e-6), ("tau", tau, 0.0)):
        if not is_number(given) or not low <= given <= 1e6:
            raise BoardLabError(f"{name} must be a number from {low:g} to 1000000, not {shown(given)}")
    ratings = {name: SkillRating() for name in names_of(results)} | as_start(start, SkillRating, RANGES)
    for result in results:
        if len(result.players) > 1:
            met = [ratings[name] for name in result.players]
            ratings.update(zip(result.players, _rated(met, result.scores, beta, tau), strict=True))
    order = sorted(ratings.items(), key=lambda item: (-item[1].mean, item[0]))
    return SkillRatings(order, groups_of(results))


def _rated(
    players: Sequence[SkillRating], scores: Sequence[float], beta: float, tau: float
) -> list[SkillRating]:
    """Update all players after one game.

    In the paper, q ranges over those not ranked below i.
    """
    variances = [player.deviation**2 + tau**2 for player in players]
    c = math.sqrt(sum(variance + beta**2 for variance in variances))
    strengths = [player.mean / c for player in players]
    everyone = range(len(players))
    behind = [_log_sum([strengths[s] for s in everyone if scores[s] <= scores[q]]) for q in everyone]
    tied = [sum(scores[s] == scores[q] for s in everyone) for q in everyone]
    rated = []
    for i in everyone:
        omega = delta = 0.0
        for q in everyone:
            if scores[q] >= scores[i]:
                share = math.exp(strengths[i] - behind[q])
                omega += ((i == q) - share) / tied[q]
                delta += share * (1 - share) / tied[q]
        gamma = math.sqrt(variances[i]) / c
        shrink = max(1 - gamma * variances[i] / c**2 * delta, LEAST_SHRINK)
        rated.append(
            SkillRating(
                players[i].mean + variances[i] / c * omega,
                math.sqrt(variances[i] * shrink),
                players[i].games + 1,
            )
        )
    return rated


def _log_sum(strengths: Sequence[float]) -> float:
    """Return the log of the sum of exponentials, which itself may over- or underflow."""
    most = max(strengths)
    return most + math.log(sum(math.exp(strength - most) for strength in strengths))
