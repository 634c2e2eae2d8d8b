"""The gate: a new net against the one before, all games side by side."""

import numpy as np
from numpy.typing import NDArray

from boardlab.evaluators.python import Judge
from boardlab.games.game import TERMINAL, Game
from boardlab.search.forest import Forest

MOST_TREES = 1024
"""Side by side."""

OPENING = 2
"""Random actions at the start: without them two nets would play the same game again and again."""


def gate_score(
    game: Game, new: Judge, old: Judge, games: int, simulations: int, seed: int, threads: int = 1
) -> float:
    """The new net's mean score in games against the old one, from 0 (all lost) to 1 (all won).

    Every opening is played with the new net in each seat; the old one has the others.
    """
    scores = [
        _play(game, new, old, np.arange(first, min(first + MOST_TREES, games)), simulations, seed, threads)
        for first in range(0, games, MOST_TREES)
    ]
    low, high = game.score_range
    return float((np.concatenate(scores).mean() - low) / (high - low))


def _play(
    game: Game,
    new: Judge,
    old: Judge,
    numbers: NDArray[np.int64],
    simulations: int,
    seed: int,
    threads: int,
) -> NDArray[np.float64]:
    """The new net's score in the games of these numbers."""
    seat, opening = numbers % game.players, numbers // game.players
    # With the same seed nature's moves are the same in both: they hold two copies of each game.
    mine, theirs = (
        Forest(game, len(numbers), seed=seed, solver=True, cache_mb=32, threads=threads) for _ in range(2)
    )
    for move in range(game.horizon):
        players = mine.players
        if (players == TERMINAL).all():
            break
        if move < OPENING:
            legal = mine.roots()[1]
            drawn = np.stack(
                [np.random.default_rng([seed, number, move]).random(legal.shape[1]) for number in opening]
            )
            actions = np.where(legal, drawn, -1.0).argmax(axis=1)
        else:
            is_mine = players == seat
            mine.search(new, np.where(is_mine, simulations, 0))
            theirs.search(old, np.where(is_mine, 0, simulations))
            actions = np.where(is_mine, mine.choices(), theirs.choices())
        mine.play(actions)
        theirs.play(actions)
    found: NDArray[np.float64] = mine.scores[np.arange(len(numbers)), seat]
    return found
