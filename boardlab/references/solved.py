"""Perfect play of small games by exhaustion, and `perfect` for solved games."""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.games.blackjack import Blackjack
from boardlab.games.connectfour import ConnectFour
from boardlab.games.game import Game
from boardlab.games.kuhnpoker import KuhnPoker
from boardlab.games.nim import Nim
from boardlab.games.rubiks import Rubiks
from boardlab.options import option
from boardlab.references.blackjack import Basic
from boardlab.references.connectfour import ABDL
from boardlab.references.kuhnpoker import Nash
from boardlab.references.nim import Bouton
from boardlab.references.rubiks import Exact
from boardlab.search.spec import SearchSpec


@dataclass(frozen=True)
class Solved(SearchSpec):
    """Solves a small game position by position, for any number of players."""

    max_states: int = option(2_000_000, "most positions; larger games are refused", low=1, high=10**9)
    table_mb: int = option(
        1024,
        "memory of the positions in MiB, 1.5 times that while the table grows; a game that needs more is "
        "refused",
        low=1,
        high=65536,
    )

    name = "solved"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Make the engine's search for this game."""
        return _engine.solved_search(game.core, self.max_states, self.table_mb, seed)


@dataclass(frozen=True)
class Perfect(SearchSpec):
    """The game's exact player: abdl, bouton, exact, nash, basic, or solved if small."""

    name = "perfect"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Make the engine's search for this game."""
        return perfect_player(game).build(game, seed)


def perfect_player(game: Game) -> SearchSpec:
    """Return the reference that plays the game perfectly, if it can be solved."""
    rules = game.rules
    if isinstance(rules, ConnectFour):
        return ABDL()
    if isinstance(rules, Nim) and rules.players == 2 and not rules.misere:
        return Bouton()
    if isinstance(rules, KuhnPoker):
        return Nash()
    if isinstance(rules, Blackjack):
        return Basic()
    if isinstance(rules, Rubiks):
        if rules.size != 2:
            raise BoardLabError("the 3x3x3 cube cannot be played perfectly in reasonable time; try kociemba")
        return Exact()
    return Solved()
