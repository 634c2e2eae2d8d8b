"""`boardlab runs`: the runs below a folder, and their checkpoints."""

from pathlib import Path
from typing import Annotated

import typer

from boardlab.cli.common import console, table_of
from boardlab.cli.completion import complete_game
from boardlab.learners.listing import COLUMNS, RunList, clean_run, list_runs
from boardlab.numbers import counted, memory


def runs(
    folder: Annotated[Path, typer.Argument(help="The folder to search.")] = Path("runs"),
    game: Annotated[
        str | None, typer.Option("--game", "-g", help="Only this game.", autocompletion=complete_game)
    ] = None,
    learner: Annotated[str | None, typer.Option(help="Only this learner.")] = None,
    sort: Annotated[str, typer.Option(help="date, size, path or episodes.")] = "date",
    clean: Annotated[
        bool, typer.Option("--clean", help="Remove checkpoints of finished runs; asks first.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """List training runs, and free the space of checkpoints."""
    found = list_runs(folder, game=game, learner=learner, sort=sort)
    if not found.lines:
        console.print(f"no runs below {folder}", markup=False)
        return
    console.print(table_of(COLUMNS, found.rows()))
    console.print(found.summary, markup=False)
    if clean:
        _clean(found, yes)


def _clean(found: RunList, yes: bool) -> None:
    lines = found.cleanable()
    if not lines:
        console.print("nothing to clean: no finished run has a checkpoint", markup=False)
        return
    question = (
        f"remove the checkpoints of {counted(len(lines), 'finished runs')}? They play on, but cannot resume."
    )
    if not yes and not typer.confirm(question):
        return
    freed = sum(clean_run(line.path) for line in lines)
    console.print(f"freed {memory(freed)}", markup=False)
