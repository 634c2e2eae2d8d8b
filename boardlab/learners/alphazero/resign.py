"""Resigning in self-play: a game that the search gives up as lost ends there (AlphaGo Zero).

Some games are played out all the same, to see how often who would have resigned did not lose.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardLabError
from boardlab.games.game import Game


@dataclass
class ResignCounts:
    """What became of the games in which somebody gave up, or would have."""

    resigned: int = 0
    """Games that ended so."""
    played_out: int = 0
    """Games that went on to see who is right."""
    mistakes: int = 0
    """Those of them that were not lost after all."""

    def __add__(self, other: "ResignCounts") -> "ResignCounts":
        return ResignCounts(
            self.resigned + other.resigned,
            self.played_out + other.played_out,
            self.mistakes + other.mistakes,
        )

    def facts(self) -> dict[str, float]:
        """For the run's lines; the share of mistakes where there was a game to see it."""
        told: dict[str, float] = {"resigned": self.resigned, "resign_played_out": self.played_out}
        if self.played_out:
            told["resign_mistakes"] = self.mistakes / self.played_out
        return told


def check_resign(game: Game) -> None:
    """Refuses games in which nobody can give up to another."""
    if game.players != 2 or not game.is_zero_sum:
        raise BoardLabError(
            f"alphazero: resign is for two-player zero-sum games, not for {game.name}: leave it out"
        )


class Resigning:
    """Games side by side, and who gave up in them. With no threshold nobody does."""

    def __init__(self, game: Game, threshold: float | None, played_out: float, trees: int, seed: int) -> None:
        self.threshold, self.share = threshold, played_out
        self.low, self.high = game.score_range
        self.rng = np.random.default_rng([seed, 2])  # its own: without it, games are what they are anyway
        self.counts = ResignCounts()
        self.loser = np.full(trees, -1)
        """Who would have given up, in each game; -1: nobody so far."""
        self.expected = np.zeros((trees, game.players))
        """What the search expected there, for every player."""
        self.watched = np.zeros(trees, np.bool_)
        """Games that are played out."""
        self.restart(np.arange(trees))

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Games that are over because somebody gave up."""
        over: NDArray[np.bool_] = (self.loser >= 0) & ~self.watched
        return over

    def restart(self, games: NDArray[np.int64]) -> None:
        """New games."""
        self.loser[games] = -1
        self.watched[games] = self.rng.random(len(games)) < self.share

    def look(
        self, playing: NDArray[np.bool_], players: NDArray[np.int64], values: NDArray[np.float64]
    ) -> None:
        """The values [games, players] that the searches found: whoever moves and sees too little gives up."""
        if self.threshold is None:
            return
        rows = np.flatnonzero(playing & (self.loser < 0))
        own = values[rows, players[rows]]
        scaled = 2 * (own - self.low) / (self.high - self.low) - 1
        lost = rows[scaled < self.threshold]
        self.loser[lost] = players[lost]
        self.expected[lost] = values[lost]

    def close(self, game: int, outcome: NDArray[np.float64]) -> NDArray[np.float64]:
        """What a game that is over brought: its score, or, where somebody gave up, what was expected there.

        By how much it would have been lost nobody knows: a game may be worth more than won or lost.
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
