"""Perfect Connect Four: GBG's AB and AB-DL, by bitbully or our own solver.

An action's score is the number of stones the winner has left when the game ends, including the last one,
positive for the side to move; bitbully's opening book has it for the first twelve plies. The package is AGPL
and an optional extra (`references`): it is imported, never copied.
"""

import functools
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass

from boardlab import _engine
from boardlab.errors import BoardLabError, MissingPackageError, install
from boardlab.games.connectfour import ConnectFour
from boardlab.games.game import Game, State
from boardlab.options import option
from boardlab.search.agent import Decision, python_agent
from boardlab.search.spec import SearchSpec

MOST_CELLS = 36
"""Largest board besides 6x7; on larger ones our solver would need many minutes for the first move."""
TABLE_MB = 64

Scores = Callable[[State], dict[int, int]]
"""Returns the exact score of every legal column."""


def solver(game: Game) -> Scores:
    """Return the exact solver of a game; raise an error if there is none."""
    rules = game.rules
    if not isinstance(rules, ConnectFour):
        raise BoardLabError(f"perfect Connect Four plays connectfour, not {game!r}")
    if rules == ConnectFour():
        return _bitbully()
    if rules.rows * rules.cols > MOST_CELLS:
        raise BoardLabError(
            f"perfect Connect Four knows 6x7 with 4 in a row and boards of up to {MOST_CELLS} cells, "
            f"not {game!r}"
        )
    return _own(rules)


@functools.lru_cache(maxsize=1)
def _bitbully() -> Scores:
    """Return the solver shared by all players: its book takes a second to read."""
    try:
        from bitbully import BitBully, Board
    except ImportError:
        raise MissingPackageError(
            f"perfect connectfour on 6x7 needs bitbully: {install('references')}"
        ) from None
    book, one_at_a_time = BitBully("12-ply-dist"), threading.Lock()

    def scores(state: State) -> dict[int, int]:
        rows = [[int(cell) for cell in state.fields[7 * row : 7 * row + 7]] for row in range(6)]
        with one_at_a_time:
            found = book.score_all_moves(Board(rows))
        return {int(column): int(score) for column, score in found.items()}

    return scores


def _own(rules: ConnectFour) -> Scores:
    exact = _engine.ConnectFourSolver(rules.rows, rules.cols, rules.connect, TABLE_MB)
    cells = rules.rows * rules.cols

    def scores(state: State) -> dict[int, int]:
        found = exact.scores(state.fields[:cells])
        return {column: found[column] for column in state.legal_actions()}

    return scores


def _build(game: Game, seed: int, name: str, gives_up: bool = False, error: float = 0.0) -> _engine.Search:
    """Build a player of the best score, random among equals.

    A player that `gives_up` plays at random once it is lost. With probability `error` it plays at random
    in a position that it does not win.
    """
    scores_of = solver(game)
    rng = random.Random(seed)

    def choose(state: State) -> Decision:
        scores = scores_of(state)
        best = max(scores.values())
        any_will_do = (gives_up and best < 0) or (best <= 0 and rng.random() < error)
        equals = sorted(action for action, score in scores.items() if any_will_do or score == best)
        values = {action: float((score > 0) - (score < 0)) for action, score in scores.items()}
        return Decision(rng.choice(equals), dict.fromkeys(equals, 1 / len(equals)), values)

    return python_agent(game, choose, name, rng.seed).core


@dataclass(frozen=True)
class ABDL(SearchSpec):
    """Perfect Connect Four that delays losses (GBG's AB-DL), random among equals."""

    error: float = option(
        0.0,
        "probability of a random action in a position that is not won; 0: perfect",
        low=0,
        high=1,
    )

    name = "abdl"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Make the engine's search for this game."""
        return _build(game, seed, self.name, error=self.error)


@dataclass(frozen=True)
class AB(SearchSpec):
    """Perfect Connect Four that plays at random once lost (GBG's AB)."""

    name = "ab"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Make the engine's search for this game."""
        return _build(game, seed, self.name, gives_up=True)
