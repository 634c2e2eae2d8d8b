"""Ranked rewards: one-player games are won by beating one's own past scores.

Laterre et al. (2018) and Wang (2021), chapter 7. A game is won if its score is above the tau-quantile of the
last L scores and lost below it; at it a coin decides. The trees see the ends of games the same way. The
threshold is fixed for a generation, so that search and targets agree. The first generation is ranked by its
own scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardLabError
from boardlab.options import option

if TYPE_CHECKING:
    from boardlab.games.game import Game


@dataclass(frozen=True)
class Ranking:
    """The threshold for the scores of a generation."""

    tau: float
    threshold: float
    """NaN in the first generation."""

    def rank(
        self, z: NDArray[Any], coins: NDArray[np.float64], scores: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Rank scores: 1 above the threshold, -1 below it, the coin at it.

        `z` [n, 1] are the scores; each row has a coin. Without a threshold, the quantile of `scores`, those
        of the whole generation, is used.
        """
        limit = quantile(scores, self.tau) if np.isnan(self.threshold) else self.threshold
        return np.where(z > limit, 1.0, np.where(z < limit, -1.0, coins[:, None]))


@dataclass(frozen=True)
class RankedOptions:
    """How the scores of a game for one player become wins and losses."""

    reward: float | None = option(
        None,
        "one-player games: a game counts as won above this quantile (tau) of the last scores, as lost below",
        low=0,
        high=1,
    )
    window: int = option(250, "number of those scores (L)", low=1, high=10**7)

    def check_game(self, game: "Game") -> None:
        """Refuse games in which a score is not one player's own."""
        if self.reward is None:
            return
        if game.players != 1:
            raise BoardLabError(
                f"alphazero: ranked_reward is for one player who competes with herself; {game.name} is for "
                f"{game.players}"
            )
        if game.core.step_reward:
            raise BoardLabError(
                f"alphazero: ranked_reward compares final scores, and {game.name} pays by the step as well"
            )
        if game.core.has_rounds:
            raise BoardLabError(
                f"alphazero: ranked_reward compares whole games, and a net of {game.name} judges one round"
            )

    def check_openings(self, random_actions: int) -> None:
        """Refuse random openings, whose scores are not the player's own."""
        if self.reward is not None and random_actions:
            raise BoardLabError(
                "alphazero: with ranked_reward random_actions must be 0, or half-random games would be ranked"
            )


class RankedReward:
    """The last L scores of a run."""

    def __init__(self, tau: float, window: int) -> None:
        self.tau = tau
        self.window = np.zeros(window)
        self.count = np.zeros(1, np.int64)
        """Number of scores, which are at the end of the window."""

    @property
    def scores(self) -> NDArray[np.float64]:
        """The scores, the oldest first."""
        return self.window[len(self.window) - self.count[0] :]

    def ranking(self) -> Ranking:
        """The ranking of the next generation."""
        return Ranking(self.tau, quantile(self.scores, self.tau) if self.count[0] else float("nan"))

    def add(self, scores: Sequence[float]) -> None:
        """Add the scores of a generation; the oldest fall out."""
        size = len(self.window)
        self.window[:] = np.concatenate([self.window, np.asarray(scores, np.float64)])[-size:]
        self.count[0] = min(self.count[0] + len(scores), size)

    @property
    def range(self) -> tuple[float, float]:
        """The worst and the best score of the window.

        The net's values -1 and 1 stand for them in play.
        """
        low, high = float(self.scores.min()), float(self.scores.max())
        return low, max(high, low + 1e-6)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of a checkpoint."""
        return {"ranked.scores": self.window, "ranked.count": self.count}

    def check_arrays(self) -> None:
        """Raise ValueError if the arrays of a file are impossible."""
        if not 0 <= self.count[0] <= len(self.window):
            raise ValueError(f"its window of {len(self.window)} scores has {self.count[0]} of them")


def quantile(scores: NDArray[np.float64], tau: float) -> float:
    """The smallest score that at least a proportion `tau` does not exceed."""
    return float(np.quantile(scores, tau, method="inverted_cdf"))
