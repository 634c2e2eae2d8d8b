"""The gate: a new net against the old one, many games side by side."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.arena.played import game_points
from boardlab.evaluators.python import Judge
from boardlab.games.game import TERMINAL, Game
from boardlab.search.forest import Forest
from boardlab.search.side_by_side import MOST_NODES, MOST_TREES
from boardlab.search.tree_options import TreeOptions

MCTS_TREE = TreeOptions()
OPENING = 2
"""Random actions at the start: without them two nets would repeat one game."""


@dataclass(frozen=True)
class GateResult:
    """The result of the new net."""

    score: float
    """Points a game: 0 (all lost) to 1 (all won), .5 if the nets are equal."""
    games: int
    distinct: int
    """Number of different games."""


def gate_match(
    game: Game,
    new: Judge,
    old: Judge,
    games: int,
    simulations: int,
    seed: int,
    threads: int = 1,
    *,
    tree: TreeOptions = MCTS_TREE,
) -> GateResult:
    """Play the new net against the old one, at least `games` games with these trees.

    A point is shared by the players behind, so that equals score half a point with three players, too. Every
    opening is played with the new net in each seat and the same moves of nature; the old net has the other
    seats.
    """
    nodes = game.players * simulations * game.action_count
    trees = max(1, min(MOST_TREES // tree.batch, MOST_NODES // nodes))
    options = {"tree": tree, "threads": threads}
    points: list[float] = []
    played: set[tuple[int, ...]] = set()
    openings = np.arange(
        -(-games // game.players)
    )  # whole ones: a seat played more often would bias the score
    for seat in range(game.players):
        for first in range(0, len(openings), trees):
            part = openings[first : first + trees]
            scores, actions = _play(game, new, old, seat, part, simulations, seed, options)
            points += [game_points(row)[seat] for row in scores.tolist()]
            played |= set(map(tuple, actions.tolist()))
    return GateResult(float(np.mean(points)), len(points), len(played))


def _play(
    game: Game,
    new: Judge,
    old: Judge,
    seat: int,
    openings: NDArray[np.int64],
    simulations: int,
    seed: int,
    options: dict[str, Any],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Play from these openings with the new net in this seat.

    Return the scores and the actions of the games.
    """
    # Each seat has its own trees and copy of a game; the same seed gives the same moves of nature in all.
    nature = np.random.SeedSequence([seed, int(openings[0])]).generate_state(1, np.uint64).item() >> 1
    seats = [Forest(game, len(openings), seed=nature, cache_mb=32, **options) for _ in range(game.players)]
    played = np.full((len(openings), game.horizon), -1)
    for move in range(game.horizon):
        players = seats[0].players
        if (players == TERMINAL).all():
            break
        if move < OPENING:
            legal = seats[0].roots()[1]
            drawn = np.stack(
                [np.random.default_rng([seed, number, move]).random(legal.shape[1]) for number in openings]
            )
            actions = np.where(legal, drawn, -1.0).argmax(axis=1)
        else:
            actions = np.full(len(openings), -1)
            for player, forest in enumerate(seats):
                to_move = players == player
                forest.search(new if player == seat else old, np.where(to_move, simulations, 0))
                actions = np.where(to_move, forest.choices(), actions)
        played[:, move] = np.where(players == TERMINAL, -1, actions)
        for forest in seats:
            forest.play(actions)
    found: NDArray[np.float64] = seats[0].scores
    return found, played
