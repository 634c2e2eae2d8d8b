"""Perfect Connect Four (6x7) through the package bitbully: GBG's AB and AB-DL.

A move's score is the number of stones the winner has left when the game ends, positive for the side to
move; bitbully's opening book knows it for the first twelve plies. The package is AGPL and an extra of its own
(`references`): it is imported, never copied.
"""

import random
from dataclasses import dataclass
from typing import Any

from boardlab import _engine
from boardlab.errors import BoardLabError, MissingPackageError
from boardlab.games.connectfour import ConnectFour
from boardlab.games.game import Game, State
from boardlab.search.agent import python_agent
from boardlab.search.spec import SearchSpec


def _solver(game: Game) -> Any:
    if game.rules != ConnectFour():
        raise BoardLabError(
            f"the perfect player knows connectfour with 6 rows, 7 columns and 4 in a row, not {game!r}"
        )
    try:
        from bitbully import BitBully
    except ImportError:
        raise MissingPackageError(
            "the perfect connectfour player needs bitbully: pip install 'boardlab[references]'"
        ) from None
    return BitBully("12-ply-dist")


def action_scores(solver: Any, state: State) -> dict[int, int]:
    """The exact score of every legal column."""
    from bitbully import Board

    rows = [state.fields[row * 7 : (row + 1) * 7] for row in range(6)]
    return dict(solver.score_all_moves(Board([[int(value) for value in row] for row in rows])))


def _build(game: Game, seed: int, name: str, gives_up: bool) -> _engine.Search:
    """Plays the best score, at random among equals; one that gives up plays at random once it is lost."""
    solver = _solver(game)
    rng = random.Random(seed)

    def choose(state: State) -> int:
        scores = action_scores(solver, state)
        best = max(scores.values())
        lost = gives_up and best < 0
        return rng.choice(sorted(action for action, score in scores.items() if lost or score == best))

    return python_agent(game, choose, name, rng.seed).core


@dataclass(frozen=True)
class ABDL(SearchSpec):
    """Perfect Connect Four with distant losses (GBG's AB-DL): wins fast, loses late, random among equals."""

    name = "abdl"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return _build(game, seed, self.name, gives_up=False)


@dataclass(frozen=True)
class AB(SearchSpec):
    """Perfect Connect Four without distant losses (GBG's AB): plays at random when every action loses."""

    name = "ab"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return _build(game, seed, self.name, gives_up=True)
