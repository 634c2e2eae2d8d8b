"""Run an experiment: train, measure, write the paper's table and figure."""

import contextlib
import os
import shutil
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardlab.checks import as_integer
from boardlab.errors import BoardLabError
from boardlab.experiments.display import WIDTH, Display, draw_figure
from boardlab.experiments.experiment import Budget, Cell, Experiment, Plan
from boardlab.experiments.measuring.jobs import measure_job
from boardlab.experiments.registry import experiment as experiment_of
from boardlab.experiments.results import Results, ResultsFolder, Row
from boardlab.interrupts import ended_by_signals
from boardlab.jobs import Job, Outcome, Standing, executor_for, finished_jobs
from boardlab.learners.jobs import train_job_for
from boardlab.nets.device import choose_device
from boardlab.numbers import counted, plain
from boardlab.paths import as_path
from boardlab.reports import Report
from boardlab.runs import RunFolder
from boardlab.runs.files import write_file

MOST_SEEDS = 10_000


@dataclass(frozen=True, repr=False)
class Reproduction(Report):
    """The results of an experiment; prints as its table."""

    path: Path
    """The folder of results."""
    text: str
    """table.md."""
    rows: tuple[Row, ...]
    """The rows of results.csv, a cell and seed each."""
    figures: tuple[Path, ...]
    fresh: int
    """The cells that this call measured."""

    def __str__(self) -> str:
        return self.text


@ended_by_signals()
def reproduce(
    experiment: str | Experiment,
    budget: str = "quick",
    *,
    seeds: int | None = None,
    jobs: int = 1,
    out: str | os.PathLike[str] | None = None,
    runs: str | os.PathLike[str] | None = None,
    keep_runs: bool = False,
    device: str = "cpu",
    progress: Callable[[Standing], None] | None = None,
) -> Reproduction:
    """Repeat an experiment of a paper and write the published numbers beside ours.

    `experiment` is a name, as in "scheiermann2022-table2", or an `Experiment` of your own.
    `budget` is "quick", minutes, or "full", the paper's. `seeds` is the number of repetitions. The folder
    `out`, by default results/NAME-BUDGET, gets results.csv, table.md, figure.svg, figure.png and
    experiment.toml. The same call goes on with an unfinished folder. Trained agents are deleted once they
    are measured, unless `keep_runs` is given; those in `runs` are kept too, and shared with other
    experiments. `jobs` trainings and measurements run at once, each in its process. With `device="cuda"`
    nets are trained on the GPU; agents play on the CPU.
    """
    chosen = experiment if isinstance(experiment, Experiment) else experiment_of(experiment)
    limits = chosen.budget(budget)
    count = repetitions(limits, seeds)
    workers = as_integer("jobs", jobs, 1, 1024)
    plan = chosen.planned(budget, device)
    where = out if out is not None else default_folder(chosen.name, budget)
    folder = ResultsFolder(where, chosen, budget, plan)
    store = folder.path / "runs" if runs is None else as_path("the folder of runs", runs)
    if not folder.is_begun:
        chosen.check_extras()  # before anything is written
    with folder.claimed():
        work = _Work(folder, plan, range(1, count + 1), store.absolute(), keep=keep_runs or runs is not None)
        if work.jobs:
            chosen.check_extras()
            folder.check_version()
            if device != "cpu":
                choose_device(device)
            for training in {str(t): t for t in plan.trainings.values()}.values():
                training.check()
        work.run(workers, progress)
        folder.finish(bool(work.measured))
        results = Results(chosen, limits, plan, folder.rows(), folder.times(), folder.path)
        display = chosen.show(results)
        text = _page(chosen, budget, device, results, display, folder)
        write_file(folder.path / "table.md", text)
        figures = draw_figure(display, folder.path)
    return Reproduction(folder.path, text, tuple(results.rows), tuple(figures), work.measured)


def repetitions(budget: Budget, seeds: int | None) -> int:
    """The number of repetitions: the budget's, unless another is asked for."""
    return budget.seeds if seeds is None else as_integer("seeds", seeds, 1, MOST_SEEDS)


def default_folder(name: str, budget: str) -> Path:
    """Where results go if no folder is given."""
    return Path("results") / f"{name}-{budget}"


@dataclass(frozen=True)
class _Task:
    """A job with what it is for: a training's name or a cell, and the seed."""

    job: Job
    seed: int
    training: str = ""
    cell: Cell | None = None


class _Work:
    """The trainings and cells that a folder lacks."""

    def __init__(
        self, folder: ResultsFolder, plan: Plan, seeds: Sequence[int], store: Path, keep: bool
    ) -> None:
        self.folder, self.plan, self.store, self.keep = folder, plan, store, keep
        self.tasks: dict[str, list[_Task]] = {}
        """By the key of a job, what it is for: two cells may be one measurement."""
        self.makers: dict[Path, str] = {}
        """By run, the key of the job that trains it."""
        self.users: dict[Path, set[str]] = {}
        """By run, the keys of the jobs that still need it."""
        self.needs: dict[str, list[str]] = {}
        self.measured = 0
        done = {(tuple(row[k] for k in folder.experiment.keys), int(row["seed"])) for row in folder.rows()}
        for seed in seeds:  # seed by seed, so that few runs exist at a time
            cells = [c for c in plan.cells if (c.keys, seed) not in done and (seed == seeds[0] or not c.once)]
            names = dict.fromkeys(a for cell in cells for t in cell.trainings for a in plan.ancestors(t))
            for name in names:
                self._add_training(name, seed)
            for cell in cells:
                self._add_cell(cell, seed)

    @property
    def jobs(self) -> list[Job]:
        """The jobs in the order in which they should start."""
        return [tasks[0].job for tasks in self.tasks.values()]

    def _run(self, name: str, seed: int) -> Path:
        return self.store / self.plan.folder(name, seed)

    def _add_training(self, name: str, seed: int) -> None:
        training, run = self.plan.trainings[name], self._run(name, seed)
        if run in self.makers:
            return
        settings: dict[str, Any] = {"learner": training.learner, "exams": [], **training.settings}
        settings["out"] = str(run)
        if training.parent:
            settings["from_"] = str(self._run(training.parent, seed))
        title = f"train {name}, seed {seed}"
        job = train_job_for(training.board.game, settings, training.seed(seed), here=False, name=title)
        self._add(_Task(job, seed, training=name), [training.parent] if training.parent else [])
        self.makers[run] = job.key

    def _add_cell(self, cell: Cell, seed: int) -> None:
        job = measure_job(cell, seed, {name: self._run(name, seed) for name in cell.trainings})
        self._add(_Task(job, seed, cell=cell), cell.trainings)

    def _add(self, task: _Task, trainings: Sequence[str]) -> None:
        key = task.job.key
        self.tasks.setdefault(key, []).append(task)
        runs = [self._run(name, task.seed) for name in trainings]
        self.needs[key] = [self.makers[run] for run in runs]
        for run in runs:
            self.users.setdefault(run, set()).add(key)

    def run(self, workers: int, progress: Callable[[Standing], None] | None) -> None:
        """Do the work; a failed job does not stop the others."""
        if not self.tasks:
            return
        failures: list[Outcome] = []
        with executor_for(workers) as executor:
            for outcome in finished_jobs(self.jobs, executor, tell=progress, needs=self.needs):
                if outcome.failed:
                    failures.append(outcome)
                    continue
                for task in self.tasks[outcome.job.key]:
                    self._keep(task, outcome.result)
                self._release(outcome.job.key)
        if failures:
            raise BoardLabError(
                f"{counted(len(failures), 'jobs')} failed, the rest is kept; "
                f"{failures[0].job.name}: {failures[0].error}"
            )

    def _keep(self, task: _Task, result: Any) -> None:
        if task.cell is None:
            run = RunFolder(self._run(task.training, task.seed))
            self.folder.add_time(f"train {task.training}", task.seed, run.cpu_seconds() or 0.0)
            return
        self.folder.add(task.cell.keys, task.seed, result["numbers"])
        self.folder.add_time(task.cell.name, task.seed, result["cpu_seconds"])
        self.measured += 1

    def _release(self, key: str) -> None:
        """Delete the runs that nobody needs any more."""
        for run, users in list(self.users.items()):
            users.discard(key)
            if not users:
                del self.users[run]
                if not self.keep:
                    shutil.rmtree(run, ignore_errors=True)
        if not self.users and not self.keep:
            with contextlib.suppress(OSError):  # something else is in it
                self.store.rmdir()


# ---- table.md ----


def _page(
    experiment: Experiment,
    budget: str,
    device: str,
    results: Results,
    display: Display,
    folder: ResultsFolder,
) -> str:
    """The page of an experiment's results."""
    about = folder.read_about(whole=True)
    seeds = counted(len(results.seeds), "seeds")
    minutes = plain(float(about.get("cpu_seconds", 0.0)) / 60, 2)
    notes = [
        *display.notes,
        f"Budget {budget}, {seeds}: {results.budget.shows}",
        *([f"Published: {experiment.source}."] if experiment.source else []),
        *experiment.choices,
        *(["The nets were trained on a GPU; only CPU time is counted."] if device == "cuda" else []),
        f"BoardLab {about.get('boardlab')}, {about.get('machine')}, {minutes} CPU minutes in all.",
    ]
    lines = [
        f"# {experiment.item} of {experiment.paper.cited}",
        "",
        *textwrap.wrap(experiment.title, WIDTH),
        "",
        display.table(),
        "",
        *(line for note in notes for line in textwrap.wrap(f"- {note}", WIDTH, subsequent_indent="  ")),
        "",
        f"    {command(experiment, budget, len(results.seeds), device)}",
    ]
    return "\n".join(lines) + "\n"


def command(experiment: Experiment, budget: str, seeds: int, device: str = "cpu") -> str:
    """The command that repeats the experiment."""
    more = "" if seeds == experiment.budget(budget).seeds else f" --seeds {seeds}"
    more += "" if device == "cpu" else f" --device {device}"
    return f"boardlab reproduce {experiment.name} --budget {budget}{more}"


def standing(experiment: Experiment, budget: str, folder: Path) -> str:
    """How much of an experiment a folder holds, in words; empty where it holds nothing."""
    if not (folder / "experiment.toml").exists():
        return ""
    plan = experiment.planned(budget)
    held = ResultsFolder(folder, experiment, budget, plan)
    seeds = experiment.budget(budget).seeds
    wanted = sum(1 if cell.once else seeds for cell in plan.cells)
    try:
        found = len(held.rows())
    except BoardLabError:
        return "unreadable"
    return "done" if found >= wanted else f"{found} of {wanted} cells"
