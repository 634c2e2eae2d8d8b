"""`boardlab reproduce`: repeat an experiment of a paper."""

import itertools
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from boardlab.cli.common import console, saved_by_ctrl_c, table_of
from boardlab.cli.progress import jobs_bar
from boardlab.experiments import experiment, experiment_names
from boardlab.experiments import reproduce as reproduce_experiment
from boardlab.experiments.reproduce import default_folder, repetitions, standing
from boardlab.numbers import counted
from boardlab.plots import has_matplotlib


def _complete(incomplete: str) -> list[str]:
    return [name for name in experiment_names() if name.startswith(incomplete)]


def reproduce(
    name: Annotated[
        str | None, typer.Argument(help="The experiment; without it, list all.", autocompletion=_complete)
    ] = None,
    budget: Annotated[str, typer.Option(help="quick (minutes) or full (the paper's).")] = "quick",
    seeds: Annotated[int | None, typer.Option(help="Repetitions; default: the budget's.")] = None,
    jobs: Annotated[int, typer.Option(help="Trainings and measurements at a time.")] = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of results; default: results/NAME-BUDGET.")
    ] = None,
    runs: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep trained agents here, and use those that are here already."),
    ] = None,
    keep_runs: Annotated[
        bool, typer.Option("--keep-runs", help="Keep trained agents in the folder of results.")
    ] = False,
    device: Annotated[str, typer.Option(help="Where nets are trained: cpu or cuda.")] = "cpu",
) -> None:
    """Repeat an experiment of a paper, the published numbers beside ours.

    Writes results.csv, table.md, figure.svg, figure.png and experiment.toml. The same command continues an
    unfinished experiment, or shows its table.
    """
    if name is None:
        _list()
        return
    chosen = experiment(name)
    limits = chosen.budget(budget)
    folder = out if out is not None else default_folder(name, budget)
    count = repetitions(limits, seeds)
    minutes = max(1.0, limits.cpu_minutes * count / limits.seeds)
    console.print(
        f"{chosen.item} of {chosen.paper.cited}, {budget}: {limits.shows}\n"
        f"about {_time(minutes)} of CPU time for {counted(count, 'seeds')}; results: {folder}",
        markup=False,
        soft_wrap=True,
    )
    if not has_matplotlib():
        console.print("no figure will be drawn: it needs the extra plots", markup=False)
    with saved_by_ctrl_c(shlex.join(["boardlab", *sys.argv[1:]])), jobs_bar() as show:
        result = reproduce_experiment(
            name,
            budget,
            seeds=seeds,
            jobs=jobs,
            out=out,
            runs=runs,
            keep_runs=keep_runs,
            device=device,
            progress=show,
        )
    console.print(f"\n{result}", markup=False, soft_wrap=True)
    for figure in result.figures:
        console.print(f"figure: {figure}", markup=False, soft_wrap=True)


def _list() -> None:
    """Print all experiments, paper by paper, with their cost and what is done."""
    known = [experiment(name) for name in experiment_names()]
    for paper, group in itertools.groupby(known, key=lambda one: one.paper.cited):
        rows = []
        for one in group:
            done = [
                f"{budget} {words}"
                for budget in one.budgets
                if (words := standing(one, budget, default_folder(one.name, budget)))
            ]
            times = (_time(limits.cpu_minutes) for limits in one.budgets.values())
            rows.append((one.name, one.item, *times, ", ".join(done)))
        console.print(f"{paper}\n", style="bold", markup=False)
        console.print(table_of(("experiment", "section", "quick", "full", "done here"), rows), "")
    console.print("Times are CPU time of one core. Run one: boardlab reproduce NAME", style="dim")


def _time(minutes: float) -> str:
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.3g} h"
