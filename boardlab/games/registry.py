"""The games by name. Adding one: a file with its `Rules`, a line here."""

from typing import Any

from boardlab.errors import BoardLabError, shown, unknown
from boardlab.games.blackjack import Blackjack
from boardlab.games.connectfour import ConnectFour
from boardlab.games.ewn import Ewn
from boardlab.games.game import Game
from boardlab.games.gobang import Gobang
from boardlab.games.hex import Hex
from boardlab.games.kuhnpoker import KuhnPoker
from boardlab.games.morpion import Morpion
from boardlab.games.nim import Nim
from boardlab.games.othello import Othello
from boardlab.games.pathwayz import Pathwayz
from boardlab.games.poker import Poker
from boardlab.games.rubiks import Rubiks
from boardlab.games.rules import Rules
from boardlab.games.sim import Sim
from boardlab.games.tictactoe import TicTacToe
from boardlab.games.twenty48 import Twenty48
from boardlab.games.yavalath import Yavalath
from boardlab.options import check_options, options_of

GAMES: dict[str, type[Rules]] = {
    rules.name: rules
    for rules in (
        TicTacToe,
        ConnectFour,
        Othello,
        Gobang,
        Nim,
        Sim,
        Hex,
        Yavalath,
        Ewn,
        Twenty48,
        Blackjack,
        KuhnPoker,
        Poker,
        Rubiks,
        Morpion,
        Pathwayz,
    )
}


def games() -> list[str]:
    """The names of all games."""
    return list(GAMES)


def rules_of(name: str) -> type[Rules]:
    """The class of a game's parameters and notation."""
    if not isinstance(name, str):
        raise BoardLabError(f"the name of a game must be text, not {shown(name)}")
    if name not in GAMES:
        raise unknown("game", name, GAMES)
    return GAMES[name]


def game(name: str, **parameters: Any) -> Game:
    """The game with its parameters: `game("connectfour", rows=6, cols=7)`."""
    rules = rules_of(name)
    return Game(rules(**check_options(name, rules, parameters)))


def describe(name: str) -> str:
    """Rules in a line, players, parameters, what is known for certain."""
    rules = rules_of(name)
    default = game(name)
    lines = [f"{name}: {rules.summary}", f"players: {', '.join(map(str, rules.player_counts()))}"]
    if len(default.outcomes) > 1:
        lines.append(f"named rewards: {', '.join(default.outcomes[1:])}")
    parameters = options_of(rules)
    if parameters:
        lines.append("parameters:")
        width = max(len(p.name) for p in parameters)
        lines += [f"  {p.name:<{width}}  {p.doc} ({p.allowed}; default {p.default!r})" for p in parameters]
    if rules.truths:
        lines.append(f"known: {rules.truths}")
    return "\n".join(lines)
