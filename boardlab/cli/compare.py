"""`boardlab compare`: training runs side by side."""

from pathlib import Path
from typing import Annotated

import typer

from boardlab.cli.common import console, stopped_by_ctrl_c, table_of
from boardlab.games.game import as_integer
from boardlab.learners.compare import compare as compare_runs
from boardlab.plots import picture_file


def compare(
    runs: Annotated[list[Path], typer.Argument(help="Runs, or folders of runs over seeds.")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the curves into this file: .png, .svg or .pdf.")
    ] = None,
    match: Annotated[
        int, typer.Option("--match", metavar="GAMES", help="Also play a match of this many games.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the match.")] = 0,
    threads: Annotated[int, typer.Option(help="Games of the match played at once.")] = 1,
) -> None:
    """Compare training runs.

    Shows the settings that differ and the exams at equal episodes and at equal time. Can also draw the curves
    and play a match.
    """
    games = as_integer("--match", match, 0, 10**7)
    if out is not None:
        picture_file(out, "--out")
    with stopped_by_ctrl_c("before the match was finished"):
        found = compare_runs(*runs, match_games=games, seed=seed, threads=threads)
    console.print(f"{found.game!r}", markup=False, soft_wrap=True)
    names = [entrant.name for entrant in found.entrants]
    console.print(table_of(["setting", *names], [[name, *cells] for name, cells in found.settings.items()]))
    for line in str(found).splitlines()[1 + len(found.settings) :]:
        console.print(line, markup=False, soft_wrap=True)
    if out is not None:
        console.print(f"curves: {found.draw(out)}", markup=False, soft_wrap=True)
