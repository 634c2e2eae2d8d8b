"""Resigning in self-play (AlphaGo Zero).

A game ends when the search considers it lost. Some of these games are played out, to count how often
resigning would have been wrong.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardLabError
from boardlab.games.game import Game


@dataclass
class ResignCounts:
    """Counts of the games in which a player resigned, or would have."""

    resigned: int = 0
    """Games that ended by resigning."""
    played_out: int = 0
    """Games that were played out instead."""
    mistakes: int = 0
    """Those of them that the player did not lose."""

    def __add__(self, other: "ResignCounts") -> "ResignCounts":
        return ResignCounts(
            self.resigned + other.resigned,
            self.played_out + other.played_out,
            self.mistakes + other.mistakes,
        )

    def facts(self) -> dict[str, float]:
        """The columns of the run's log.

        The proportion of mistakes is included if any game was played out.
        """
        facts: dict[str, float] = {"resigned": self.resigned, "resign_played_out": self.played_out}
        if self.played_out:
            facts["resign_mistakes"] = self.mistakes / self.played_out
        return facts


def check_resign(game: Game) -> None:
    """Refuse games without an opponent who wins when a player resigns."""
    if game.players != 2 or not game.is_zero_sum:
        raise BoardLabError(
            f"alphazero: resign is for two-player zero-sum games, not for {game.name}: leave it out"
        )


class Resigning:
    """The resignations in games side by side; none without a threshold."""

    def __init__(self, game: Game, threshold: float | None, played_out: float, trees: int, seed: int) -> None:
        self.threshold, self.share = threshold, played_out
        self.low, self.high = game.score_range
        self.rng = np.random.default_rng(
            [seed, 2]
        )  # its own, so that resigning does not change the other random numbers
        self.counts = ResignCounts()
        self.loser = np.full(trees, -1)
        """The player who resigned, or would have, in each game; -1: none."""
        self.expected = np.zeros((trees, game.players))
        """The values that the search expected there, for every player."""
        self.watched = np.zeros(trees, np.bool_)
        """Games that are played out in any case."""
        self.restart(np.arange(trees))

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Games that ended by resigning."""
        over: NDArray[np.bool_] = (self.loser >= 0) & ~self.watched
        return over

    def restart(self, games: NDArray[np.int64]) -> None:
        """Begin new games."""
        self.loser[games] = -1
        self.watched[games] = self.rng.random(len(games)) < self.share

    def look(
        self, playing: NDArray[np.bool_], players: NDArray[np.int64], values: NDArray[np.float64]
    ) -> None:
        """Resign for every player to move whose value is below the threshold.

        `values` [games, players] come from the searches.
        """
        if self.threshold is None:
            return
        rows = np.flatnonzero(playing & (self.loser < 0))
        own = values[rows, players[rows]]
        scaled = 2 * (own - self.low) / (self.high - self.low) - 1
        lost = rows[scaled < self.threshold]
        self.loser[lost] = players[lost]
        self.expected[lost] = values[lost]

    def close(self, game: int, outcome: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the result of a finished game.

        It is the score or, after a resignation, the values that the search expected there. The margin of such
        a loss is unknown: a score may be more than won or lost.
        """
        loser = int(self.loser[game])
        if loser < 0:
            return outcome
        if self.watched[game]:
            self.counts.played_out += 1
            self.counts.mistakes += bool(outcome[loser] >= outcome[1 - loser])
            return outcome
        self.counts.resigned += 1
        expected: NDArray[np.float64] = self.expected[game]
        return expected
