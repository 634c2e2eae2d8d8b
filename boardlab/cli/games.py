"""`boardlab games`: list what can be played."""

import warnings
from typing import Annotated

import typer

from boardlab.cli.common import console, table_of
from boardlab.cli.completion import complete_game
from boardlab.errors import BoardLabError, BoardLabWarning
from boardlab.games.description import HEAD
from boardlab.games.library import LOADED
from boardlab.games.registry import GAMES, describe
from boardlab.games.rules import Rules
from boardlab.options import options_of


def games(
    name: Annotated[
        str | None, typer.Argument(help="Describe this game.", autocompletion=complete_game)
    ] = None,
) -> None:
    """List the games, or describe one."""
    if name is not None:
        described = describe(name)
        console.print(described.title_line, style="bold", markup=False)
        for fact, text in described.facts:
            console.print(f"{fact}: {text}", markup=False)
        if described.parameters:
            console.print()
            console.print(table_of(HEAD, described.parameters))
        return
    GAMES.load_installed()
    rows = [
        (
            key,
            _players(rules),
            rules.summary,
            ", ".join(f"{o.name}={o.default}" for o in options_of(rules)),
        )
        for key, rules in GAMES.items()
    ]
    rows += [(own.name, str(own.players), own.rules.summary, "") for own in LOADED.values()]
    console.print(table_of(("game", "players", "what it is", "parameters and defaults"), rows))
    console.print("\nDescribe one of them: boardlab games NAME", style="dim")


def _players(rules: type[Rules]) -> str:
    """Format the possible numbers of players, short enough for a narrow terminal."""
    try:
        counts = rules.player_counts()
    except BoardLabError as error:  # a game of the user's that cannot be made
        warnings.warn(str(error), BoardLabWarning, stacklevel=2)
        return "?"
    return f"{counts[0]} to {counts[-1]}" if len(counts) > 2 else ", ".join(map(str, counts))
