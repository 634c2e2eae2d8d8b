"""Perfect Connect Four: GBG's AB and AB-DL, on 6x7 through the package bitbully, else by our own solver.

A move's score is the number of stones the winner has left when the game ends, the last one included, positive
for the side to move; bitbully's opening book knows it for the first twelve plies. The package is AGPL and an
extra of its own (`references`): it is imported, never copied.
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
from boardlab.search.agent import Decision, python_agent
from boardlab.search.spec import SearchSpec

MOST_CELLS = 36
"""The largest board besides 6x7: on more our own solver would take many minutes for the first move."""
TABLE_MB = 64

Scores = Callable[[State], dict[int, int]]
"""The exact score of every legal column."""


def solver(game: Game) -> Scores:
    """The exact scores of a game's positions, or one sentence why there are none."""
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
    """One solver for all players: its book takes a second to read."""
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


def _build(game: Game, seed: int, name: str, gives_up: bool) -> _engine.Search:
    """Plays the best score, at random among equals; one that gives up plays at random once it is lost."""
    scores_of = solver(game)
    rng = random.Random(seed)

    def choose(state: State) -> Decision:
        scores = scores_of(state)
        best = max(scores.values())
        lost = gives_up and best < 0
        equals = sorted(action for action, score in scores.items() if lost or score == best)
        values = {action: float((score > 0) - (score < 0)) for action, score in scores.items()}
        return Decision(rng.choice(equals), dict.fromkeys(equals, 1 / len(equals)), values)

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
