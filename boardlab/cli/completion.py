"""Shell completion of names, and the game as an argument and as an option."""

import contextlib
from collections.abc import Iterable
from typing import Annotated

import typer

from boardlab.arena.exams import exams_for
from boardlab.errors import BoardLabError
from boardlab.evaluators import EVALUATORS
from boardlab.games.registry import GAMES, game
from boardlab.learners import LEARNERS
from boardlab.learners.alphazero.presets import ALPHAZERO_PRESETS
from boardlab.learners.players import players
from boardlab.search.expression import AGENTS


def complete_game(incomplete: str) -> list[str]:
    """Complete built-in games; completion does not run plugins."""
    return _beginning(incomplete, GAMES)


def complete_agent(incomplete: str) -> list[str]:
    """Complete the name that an agent begins with, or that of a player in players.toml."""
    names: list[str] = []
    with contextlib.suppress(BoardLabError):
        names = list(players())
    return _beginning(incomplete, [*names, *AGENTS])


def complete_part(incomplete: str) -> list[str]:
    """Complete searches, evaluators and learners."""
    return _beginning(incomplete, [*AGENTS, *EVALUATORS, *LEARNERS])


def complete_learner(incomplete: str) -> list[str]:
    """Complete learners."""
    return _beginning(incomplete, LEARNERS)


def complete_preset(incomplete: str) -> list[str]:
    """Complete presets of any game and learner."""
    return _beginning(incomplete, ["default", "paper", *ALPHAZERO_PRESETS])


def complete_exam(context: typer.Context, incomplete: str) -> list[str]:
    """Complete exams of the game typed before, and agents, which can serve as exams."""
    try:
        known = exams_for(game(str(context.params.get("game"))))
    except BoardLabError:
        known = []
    return _beginning(incomplete, [*known, *AGENTS])


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]


GameArgument = Annotated[
    str,
    typer.Argument(help="The game; its parameters follow as --NAME VALUE.", autocompletion=complete_game),
]
GameOption = Annotated[
    str,
    typer.Option(
        "--game", "-g", help="The game; its parameters follow as --NAME VALUE.", autocompletion=complete_game
    ),
]
