"""`boardlab games`: what can be played."""

from collections.abc import Sequence
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
        table.add_column(column, overflow="fold")
    for key, rules in GAMES.items():
        parameters = ", ".join(f"{o.name}={o.default}" for o in options_of(rules))
        table.add_row(key, _players(rules.player_counts()), rules.summary, parameters)
    console.print(table)
    console.print("\nMore on one of them: boardlab games NAME", style="dim")


def _players(counts: Sequence[int]) -> str:
    """Their numbers, short enough for a narrow terminal."""
    return f"{counts[0]} to {counts[-1]}" if len(counts) > 2 else ", ".join(map(str, counts))
