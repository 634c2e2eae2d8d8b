"""Ranked reward for one-player games (Laterre et al. 2018; paper 003, chapter 7): beat yourself.

A game is won if its score is above the tau-quantile of the last L scores, lost below it, and at it a coin
decides. The trees see the ends of games the same way. The threshold holds for a whole generation, so that
search and targets agree; the first one, which has nothing to be compared with, is ranked in itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardLabError

if TYPE_CHECKING:
    from boardlab.games.game import Game
    from boardlab.learners.alphazero.settings import AlphaZero


@dataclass(frozen=True)
class Ranking:
    """What the scores of a generation are compared with."""

    tau: float
    threshold: float
    """NaN: nothing yet."""

    def rank(
        self, z: NDArray[Any], coins: NDArray[np.float64], scores: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """1 above the threshold, -1 below it, the coin at it: scores z [n, 1], a coin a row.

        Where there is no threshold yet it is that of `scores`, all of the generation.
        """
        limit = quantile(scores, self.tau) if np.isnan(self.threshold) else self.threshold
        return np.where(z > limit, 1.0, np.where(z < limit, -1.0, coins[:, None]))


class RankedReward:
    """The last L scores of a run."""

    def __init__(self, tau: float, window: int) -> None:
        self.tau = tau
        self.window = np.zeros(window)
        self.count = np.zeros(1, np.int64)
        """So many scores are there, at the window's end."""

    @property
    def scores(self) -> NDArray[np.float64]:
        """The scores that are there, the oldest first."""
        return self.window[len(self.window) - self.count[0] :]

    @staticmethod
    def check(settings: "AlphaZero", game: "Game") -> None:
        """Refuses with a sentence games in which a score is not one player's own."""
        if settings.ranked_reward is None:
            return
        if game.players != 1:
            raise BoardLabError(
                f"alphazero: ranked_reward is for one player who competes with herself; {game.name} is for "
                f"{game.players}"
            )
        if settings.random_actions:
            raise BoardLabError(
                "alphazero: with ranked_reward random_actions must be 0, or half-random games would be ranked"
            )
        if game.core.step_reward:
            raise BoardLabError(
                f"alphazero: ranked_reward compares final scores, and {game.name} pays by the step as well"
            )
        if game.core.has_rounds:
            raise BoardLabError(
                f"alphazero: ranked_reward compares whole games, and a net of {game.name} judges one round"
            )

    def ranking(self) -> Ranking:
        """What the next generation is compared with."""
        return Ranking(self.tau, quantile(self.scores, self.tau) if self.count[0] else float("nan"))

    def add(self, scores: Sequence[float]) -> None:
        """The scores of a generation, the oldest fall out."""
        size = len(self.window)
        self.window[:] = np.concatenate([self.window, np.asarray(scores, np.float64)])[-size:]
        self.count[0] = min(self.count[0] + len(scores), size)

    @property
    def range(self) -> tuple[float, float]:
        """The worst and the best score of the window: what the net's -1 and 1 mean to a player outside."""
        low, high = float(self.scores.min()), float(self.scores.max())
        return low, max(high, low + 1e-6)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint keeps."""
        return {"ranked.scores": self.window, "ranked.count": self.count}

    def check_arrays(self) -> None:
        """Raises ValueError where a file held what cannot be."""
        if not 0 <= self.count[0] <= len(self.window):
            raise ValueError(f"its window of {len(self.window)} scores has {self.count[0]} of them")


def quantile(scores: NDArray[np.float64], tau: float) -> float:
    """The smallest score that at least the share `tau` of the scores does not exceed."""
    return float(np.quantile(scores, tau, method="inverted_cdf"))
