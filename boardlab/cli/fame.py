"""`boardlab fame`: list the strongest agents and how to train them again."""

from pathlib import Path
from typing import Annotated

import typer

from boardlab.arena.store import StoredRun, Tournament
from boardlab.arena.store import store as open_store
from boardlab.cli.common import console
from boardlab.cli.completion import complete_game
from boardlab.errors import BoardLabError
from boardlab.games.game import as_integer
from boardlab.learners.again import train_command

STORE = typer.Option("--store", help="The store's file; by default $BOARDLAB_STORE or ./boardlab.db.")


def fame(
    game: Annotated[str | None, typer.Argument(help="Only this game.", autocompletion=complete_game)] = None,
    store: Annotated[Path | None, STORE] = None,
    top: Annotated[
        int, typer.Option("--top", "-n", help="Agents per list; groups that never met are listed apart.")
    ] = 10,
) -> None:
    """List the strongest agents, and how to train them again."""
    top = as_integer("--top", top, 1, 10**9)
    opened = open_store(store)
    lines = opened.fame(game)
    tournaments = opened.tournaments(game)
    for left in (t for t in tournaments if not t.is_finished and not t.is_rated):
        console.print(_left_out(left), style="dim", markup=False, soft_wrap=True)
    if not lines:
        raise BoardLabError(
            f"the hall of fame{f' of {game}' if game else ''} is empty; agents enter it through a rated "
            f"tournament: boardlab tournament {game or 'connectfour'} AGENT AGENT ..."
        )
    for text, style in lines.styled(top, again):
        console.print(text, style=style, markup=False, soft_wrap=True)


def _left_out(tournament: Tournament) -> str:
    """Explain why a tournament does not count, and how to change that."""
    pairings = tournament.pairings()
    if pairings and all(pairing.is_done for pairing in pairings):
        return (
            f"{tournament.title} is not rated and does not count; repeat the same command to rate it (in "
            "Python: its add_ratings)"
        )
    return f"{tournament.title} is unfinished and does not count; repeat the same command to finish it"


def again(run: StoredRun) -> str:
    """Return the command that trains the run again."""
    try:
        return train_command(run.description, run.folder)
    except (BoardLabError, KeyError, TypeError) as error:
        return f"its agent.toml ({run.folder}) describes a run that cannot be trained here: {error}"
