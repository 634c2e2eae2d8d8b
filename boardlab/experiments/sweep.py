"""Sweeps: train every combination of settings over several seeds, and compare them.

A sweep is a set of jobs in a folder: runs to train, and exams of agents that play with them. Finished jobs
are kept, so that the same call goes on after a kill and ends with the same table.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardlab import html
from boardlab.charts import span_chart
from boardlab.errors import BoardLabError, check_known
from boardlab.experiments.display import draw_figure
from boardlab.experiments.sweep_file import write_sweep
from boardlab.experiments.sweep_pictures import displayed
from boardlab.experiments.sweep_plan import Plan
from boardlab.experiments.sweep_table import ResultTable, Row, difference_text
from boardlab.experiments.sweep_work import KEEP, Work, run_search
from boardlab.games.game import Game
from boardlab.html import Html
from boardlab.interrupts import ended_by_signals
from boardlab.jobs import (
    JobFolder,
    JobsFailedError,
    Outcome,
    Standing,
    executor_for,
    raise_failures,
    works_elsewhere,
)
from boardlab.learners.exams import exam_title, exam_unit
from boardlab.numbers import counted
from boardlab.paths import as_path
from boardlab.reports import Report
from boardlab.runs import RunFolder
from boardlab.runs.files import write_file

__all__ = ["SweepFailedError", "SweepResult", "sweep"]


@dataclass(frozen=True, repr=False)
class SweepResult(Report):
    """What a sweep found; prints as its table."""

    path: Path
    """The folder of the sweep."""
    game: str
    table: ResultTable
    commands: tuple[str, ...]
    """The commands that train the best setting again, and that examine its agent."""
    pictures: tuple[Path, ...] = ()

    @property
    def exam(self) -> str:
        """The exam that decides which setting is best: the first."""
        return self.table.exams[0]

    @property
    def rows(self) -> tuple[Row, ...]:
        """A row for each setting."""
        return self.table.rows

    @property
    def best(self) -> Row | None:
        """The row with the highest mean; None where every run failed."""
        return self.table.best(self.exam)

    def means(self, exam: str | None = None) -> list[float]:
        """The mean of each row in an exam, by default the first."""
        return [row.mean(exam or self.exam).value for row in self.rows]

    def intervals(self, exam: str | None = None) -> list[float]:
        """Half the width of the 95% interval of each mean; NaN where it is not known."""
        return [row.mean(exam or self.exam).half for row in self.rows]

    @property
    def verdict(self) -> list[str]:
        """The best setting, how clear that is, and its command."""
        best = self.best
        if best is None:
            return ["no setting has a result"]
        known = len([row for row in self.rows if row.mean(self.exam).is_known])
        return [
            f"best in {self.exam}: {best.name or 'the only setting'}, {best.mean(self.exam).text()}",
            f"  {difference_text(self.table.rivals(self.exam), known - 1)}",
            *(f"  {command}" for command in self.commands),
        ]

    def __str__(self) -> str:
        return "\n".join([self._title, self.table.text(), *self.verdict])

    @property
    def _title(self) -> str:
        return f"{self.path}: {self.game}, {counted(len(self.rows), 'settings')}"

    def _page(self) -> Html:
        """Return the table, the first exam as a picture, and the best setting."""
        cells, best = self.table.cells(), self.best
        place = None if best is None else self.rows.index(best)
        means = [(row.name or "the only setting", row.mean(self.exam)) for row in self.rows]
        spans = [(name, mean.value, mean.value - mean.half, mean.value + mean.half) for name, mean in means]
        return html.below(
            html.heading(self._title),
            html.table(self.table.columns, cells, left=range(len(self.table.axes)), bold=place),
            span_chart(spans, title=f"{exam_title(self.exam)}, with 95% intervals between seeds"),
            html.preformatted("\n".join(self.verdict)),
        )


class SweepFailedError(JobsFailedError):
    """Some runs of a sweep failed; `result` has the table of the others."""

    def __init__(self, outcomes: Sequence[Outcome], unit: str, result: SweepResult) -> None:
        super().__init__(outcomes, unit)
        self.result = result


@ended_by_signals()
def sweep(
    game: Game | str,
    learner: str | Sequence[str] | None = None,
    *,
    seeds: int = 3,
    exams: str | Sequence[str] | None = None,
    agent: str | Sequence[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    search: str | None = None,
    trials: int = 50,
    batch: int = 1,
    keep: str = "weights",
    yes: bool = False,
    progress: Callable[[Standing], None] | bool | None = None,
    **given: Any,
) -> SweepResult:
    """Train every combination of settings with several seeds, and compare them.

    `given` are parameters of the game, settings of the learner and options of the run, each a value or a list
    of values: `sweep("connectfour", alpha=[1, 2, 4], epsilon=[0.1, 0.2], exams="abdl")`. `learner` may be a
    list as well. The runs have the seeds seed+1 ... seed+seeds.

    `exams` are taken at the end of each run; the first decides which setting is best. `agent` examines other
    agents than the run's own, with RUN for the run's folder: 'mcts(ntuple(RUN), iterations={100,1000})'
    stands for two. Where no agent mentions RUN, nothing is trained.

    With `search`, "optuna" or "random", `trials` settings are tried instead of all, `batch` of them proposed
    at a time; numbers may then be ranges, "0.1..10:log".

    The folder `out`, by default runs/GAME-sweep, gets all runs, results.csv, table.csv, table.md and
    pictures. The same call goes on with an unfinished sweep. `keep` says what stays of finished runs:
    "checkpoints" (all), "weights" (they play) or "nothing" but agent.toml, which trains them again. More
    than 1,000 runs need `yes`. Runs that fail do not stop the others; at the end `SweepFailedError` reports
    them. `progress` is called with the `Standing` of the jobs.
    """
    plan = Plan(game, learner, seeds, exams, agent, search, trials, batch, given)
    plan.check_size(yes)
    check_known("way to keep runs", keep, KEEP)
    folder = _folder(out if out is not None else Path("runs") / f"{plan.game_name}-sweep")
    points = [] if search else plan.all_points()
    if works_elsewhere(jobs):
        plan.check_elsewhere()
    work = Work(plan, JobFolder(folder, plan.about), progress if callable(progress) else None, keep)
    with work.folder.claimed():
        write_sweep(folder / "sweep.toml", plan.as_file())
    with executor_for(jobs, work.kept) as executor:
        if search:
            run_search(plan, work, executor)
        else:
            work.measure(points, executor)
    result = _written(plan, work)
    if len(work.name_failures()) == len(work.outcomes):
        raise_failures(list(work.outcomes.values()))
    if work.name_failures():
        raise SweepFailedError(list(work.outcomes.values()), "jobs", result)
    return result


def _folder(out: str | os.PathLike[str]) -> Path:
    """A folder for a sweep; refuses one with anything else."""
    folder = as_path("the folder of a sweep", out)
    if folder.exists() and not folder.is_dir():
        raise BoardLabError(f"{folder} is a file; a sweep needs a folder")
    if (folder / "agent.toml").exists():
        raise BoardLabError(f"{folder} holds a run; choose another folder for the sweep (--out)")
    if folder.is_dir() and not (folder / "jobs.json").exists():
        others = [child.name for child in folder.iterdir() if not child.name.startswith((".", "jobs.json"))]
        if others:
            raise BoardLabError(
                f"{folder} is not empty and holds no sweep ({others[0]}); choose another folder (--out)"
            )
    return folder


# ---- files ----


def _written(plan: Plan, work: Work) -> SweepResult:
    """Write the tables and pictures."""
    path, points, table = work.folder.path, list(work.points.values()), work.table()
    best = table.best(plan.exams[0])
    titles = {exam: f"{plan.game_name}: {exam_title(exam)} ({exam_unit(exam)})" for exam in plan.exams}
    files = RunFolder(path)
    files.write_log(table.seed_rows(), "results.csv")
    files.write_log(table.mean_rows(), "table.csv")
    result = SweepResult(
        path,
        repr(points[0].setting.game) if points else plan.game_name,
        table,
        tuple(work.commands(points[table.rows.index(best)])) if best is not None else (),
        tuple(draw_figure(displayed(table, titles, bool(plan.search)), path)),
    )
    write_file(path / "table.md", _page(plan, result))
    return result


def _page(plan: Plan, result: SweepResult) -> str:
    """The text of table.md."""
    constants = [f"{axis.name}={axis.texts[0]}" for axis in plan.axes if not axis.is_varied]
    seeds = f"seeds {plan.seeds[0]} to {plan.seeds[-1]}" if len(plan.seeds) > 1 else f"seed {plan.seeds[0]}"
    lines = [
        f"# Sweep of {plan.game_name}",
        "",
        ", ".join([result.game, *constants, f"{plan.games} games an exam", seeds]),
        "",
        result.table.markdown(),
        "",
        "Means over seeds; ± is half the width of a 95% interval (Student's t) between seeds. There is none",
        "for one seed, or where all seeds ended alike.",
        "",
        *(line.strip() for line in result.verdict[:2]),
        "",
        *(f"    {command}" for command in result.commands),
        "",
        *(f"![results]({picture.name})" for picture in result.pictures if picture.suffix == ".svg"),
    ]
    return "\n".join(lines).rstrip() + "\n"
