"""`boardlab games`: what can be played."""

from typing import Annotated

import typer
from rich.table import Table

from boardlab.cli.common import console
from boardlab.games.registry import GAMES, describe
from boardlab.options import options_of


def games(
    name: Annotated[str | None, typer.Argument(help="Tell all about this game.")] = None,
) -> None:
    """List the games, or describe one."""
    if name is not None:
        console.print(describe(name), markup=False)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("game", "players", "what it is", "parameters and defaults"):
        table.add_column(column)
    for key, rules in GAMES.items():
        parameters = ", ".join(f"{o.name}={o.default}" for o in options_of(rules))
        table.add_row(key, ", ".join(map(str, rules.player_counts())), rules.summary, parameters, style=None)
    console.print(table)
    console.print("\nMore on one of them: boardlab games NAME", style="dim")
