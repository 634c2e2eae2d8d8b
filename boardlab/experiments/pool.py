"""Elo pools: every pair of players meets, and one Bayesian Elo list is made of all games."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from boardlab.arena.ratings import BayesElo, Result, bayes_elo
from boardlab.experiments.experiment import Board, Cell
from boardlab.experiments.measuring import Pair

OUTCOMES = {"wins": 1.0, "draws": 0.0, "losses": -1.0}


def pool_cells(
    name: str, board: Board, players: Mapping[str, str], games: int, random_actions: int
) -> list[Cell]:
    """A match for each pair of a pool of players, from both seats."""
    return [
        Cell(
            (name, *pair),
            Pair(board, [players[player] for player in pair], games, random_actions=random_actions),
        )
        for pair in itertools.combinations(players, 2)
    ]


def pool_results(
    rows: Iterable[Mapping[str, Any]], name: str, named: Callable[[str], str] = lambda player: player
) -> list[Result]:
    """The games of a pool; `named` may give several players one name."""
    results = []
    for row in rows:
        if row["pool"] != name:
            continue
        one, other = named(row["one"]), named(row["other"])
        for seat, players in (("first", (one, other)), ("second", (other, one))):
            sign = 1.0 if seat == "first" else -1.0
            for outcome, score in OUTCOMES.items():
                count = int(float(row[f"{seat}_{outcome}"]))
                results += [Result(players, (sign * score, -sign * score))] * count
    return [result for result in results if result.players[0] != result.players[1]]


def pool_ratings(results: list[Result], **options: Any) -> BayesElo | None:
    """The rating list; None without games."""
    return bayes_elo(results, **options) if results else None
