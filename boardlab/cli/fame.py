"""`boardlab fame`: the strongest agents of every game, what they cost, and how to get them again."""

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
        int, typer.Option("--top", "-n", help="So many agents a list; who never met have their own.")
    ] = 10,
) -> None:
    """List the strongest agents of rated tournaments: rating, training cost, and how to get them again."""
    top = as_integer("--top", top, 1, 10**9)
    opened = open_store(store)
    lines = opened.fame(game)
    tournaments = opened.tournaments(game)
    for left in (t for t in tournaments if not t.is_finished and not t.is_rated):
        console.print(_left_out(left), style="dim", markup=False, soft_wrap=True)
    if not lines:
        raise BoardLabError(
            f"nobody is famous{f' at {game}' if game else ''} yet; an agent gets in by a rated tournament: "
            f"boardlab tournament {game or 'connectfour'} AGENT AGENT ..."
        )
    for text, style in lines.styled(top, again):
        console.print(text, style=style, markup=False, soft_wrap=True)


def _left_out(tournament: Tournament) -> str:
    """Why it does not count, and what to do about it."""
    pairings = tournament.pairings()
    if pairings and all(pairing.is_done for pairing in pairings):
        return (
            f"{tournament.title} was not rated and does not count; the same command again rates it (in "
            "Python: its add_ratings)"
        )
    return f"{tournament.title} was broken off and does not count; the same command again goes on with it"


def again(run: StoredRun) -> str:
    """The command that trains it again."""
    try:
        return train_command(run.description, run.folder)
    except (BoardLabError, KeyError, TypeError) as error:
        return f"its agent.toml ({run.folder}) tells a run that cannot be trained here: {error}"
