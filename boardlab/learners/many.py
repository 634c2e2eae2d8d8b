"""Several runs with the same settings and different seeds (GBG's MultiTrain).

Every run is a folder of its own, seed-1, seed-2 ..., so the whole survives kill -9 as each of them does: the
same call again goes on where it stopped. Runs go one after the other, or several at once as processes.
"""

import contextlib
import functools
import math
import os
import shlex
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boardlab.arena.elsewhere import check_known_elsewhere
from boardlab.checks import as_integer, as_seed
from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.html import Html
from boardlab.interrupts import ended_by_signals
from boardlab.jobs import (
    Here,
    Job,
    Outcome,
    Standing,
    executor_for,
    known_game,
    raise_failures,
    run_jobs,
    works_elsewhere,
)
from boardlab.learners.again import train_command
from boardlab.learners.curve import draw_curve, interval_of_runs, points
from boardlab.learners.exams import exam_names
from boardlab.learners.jobs import as_progress, train_job_for
from boardlab.learners.multi_train import multi_train
from boardlab.learners.resume import resume
from boardlab.learners.run import Run, open_run
from boardlab.learners.run_options import takes_run_options
from boardlab.learners.train import check_same, prepare
from boardlab.learners.training import Progress
from boardlab.numbers import counted, plain
from boardlab.plugins import plugins_for
from boardlab.reports import Report
from boardlab.runs import RunFolder, runs_in
from boardlab.search.expression import escaped

ManyProgress = Callable[[int, Progress], None]
"""A progress callback, called with the seed of a run and its progress."""


@dataclass(frozen=True, repr=False)
class ManyRuns(Report):
    """Runs that differ only in their seed."""

    path: Path
    runs: tuple[Run, ...]

    @property
    def expression(self) -> str:
        """The trained agents as one player, whose games they share."""
        return self.runs[0].settings.expression(escaped(self.path.as_posix()))

    @property
    def exams(self) -> list[str]:
        """The exams that were taken."""
        return list(dict.fromkeys(name for run in self.runs for name in exam_names(run.log)))

    def last_values(self, exam: str) -> list[float]:
        """Every run's last value of the exam."""
        found = [points(run.log, exam) for run in self.runs]
        return [curve[-1][1] for curve in found if curve]

    def _page(self) -> Html:
        from boardlab.learners.pages import many_page  # pages import results

        return many_page(self)

    def __str__(self) -> str:
        lines = [f"{self.path}: {self.runs[0].game.name}, {counted(len(self.runs), 'runs')}"]
        for exam in self.exams:
            values = self.last_values(exam)
            half = interval_of_runs(values)
            width = " (no interval: all ended alike)" if len(values) > 1 else ""
            if not math.isnan(half):
                width = f" ± {plain(half, 2)} (95%)"
            deviation = (
                f", standard deviation {plain(statistics.stdev(values), 3)}" if len(values) > 1 else ""
            )
            lines.append(
                f"{exam}: mean {plain(statistics.mean(values))}{width}{deviation}, "
                f"from {plain(min(values))} to {plain(max(values))} over {counted(len(values), 'runs')}"
            )
        return "\n".join(lines)


@ended_by_signals()
@takes_run_options
def train_many(
    game: Game,
    runs: int,
    *,
    learner: str | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    force: bool = False,
    progress: ManyProgress | bool | None = None,
    told_memory: Callable[[float], None] | None = None,
    told_standing: Callable[[Standing], None] | None = None,
    **given: Any,
) -> ManyRuns:
    """Train with the seeds seed+1 ... seed+runs, at most `jobs` at a time.

    The runs are out/seed-1, out/seed-2 ...

    Other arguments are those of `train`. Existing runs are resumed, finished ones are kept; `force`
    restarts all of them. multi.csv gets the rows of all logs, multiTrain.csv the same in the form of GBG.
    A run that fails does not stop the others; the error at the end reports each with its command.
    `told_memory` is called for every run that is trained in this process: with one job. `told_standing` is
    called with the `Standing` of all runs together.
    """
    seed = given.pop("seed", 0)
    arguments = {"learner": learner, **given}
    check_many(game, runs, jobs, seed, arguments)
    path = RunFolder(out if out is not None else Path("runs") / f"{game.name}-runs").path
    if (path / "agent.toml").exists():
        raise BoardLabError(f"{path} already holds a single run; several runs need a folder of their own")
    if path.exists() and not path.is_dir():
        raise BoardLabError(f"{path} is a file; runs need a folder")
    tell: ManyProgress = progress if callable(progress) else lambda seed, standing: None
    seeds = [seed + 1 + i for i in range(runs)]
    tasks = [{"out": str(path / f"seed-{s}"), "seed": s, "force": force, **arguments} for s in seeds]
    with executor_for(jobs, known_game(game) | {"train": {"told_memory": told_memory}}) as executor:
        made = [_job(game, task, here=isinstance(executor, Here)) for task in tasks]
        outcomes = run_jobs(made, executor, tell=_teller(tell, told_standing))
    raise_failures([_with_command(game, outcome) for outcome in outcomes], "runs")
    done = ManyRuns(path, tuple(open_run(task["out"]) for task in tasks))
    _write_summary(done)
    return done


@ended_by_signals()
def resume_many(
    path: str | os.PathLike[str],
    *,
    episodes: int | None = None,
    minutes: float | None = None,
    programs: bool = False,
    progress: ManyProgress | bool | None = None,
) -> ManyRuns:
    """Go on with all runs of a folder, one after the other; the arguments are those of `resume`."""
    tell: ManyProgress = progress if callable(progress) else lambda seed, standing: None
    folders = runs_in(path)
    if not folders:
        raise BoardLabError(f"{path} is not a folder of runs")
    done = []
    for run in [open_run(folder) for folder in folders]:
        told = functools.partial(tell, run.seed)
        done.append(resume(run, episodes=episodes, minutes=minutes, programs=programs, progress=told))
    many = ManyRuns(RunFolder(path).path, tuple(done))
    _write_summary(many)
    return many


def check_many(game: Game, runs: int, jobs: int, seed: int, arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that make no several runs; `train` checks the others."""
    as_seed(as_seed(seed) + as_integer("runs", runs, 1, 100_000))
    if works_elsewhere(jobs):
        words = " ".join(str(arguments.get(name)) for name in ("exams", "stop_exam", "learner"))
        check_known_elsewhere(words, arguments.get("features"))
        plugins_for(game)


def _write_summary(done: ManyRuns) -> None:
    folder = RunFolder(done.path)
    rows = [{"seed": run.seed, **row} for run in done.runs for row in RunFolder(run.path).read_log()]
    folder.write_log(rows, "multi.csv")
    folder.write_text("multiTrain.csv", multi_train(done.runs))
    picture = draw_curve(done.runs[0].game, [(run.path.name, run.log) for run in done.runs])
    if picture is not None:
        folder.write_bytes("curve.png", picture)


# ---- jobs ----


def _job(game: Game, task: Mapping[str, Any], here: bool) -> Job:
    settings = {name: value for name, value in task.items() if name != "seed"}
    return train_job_for(game, settings, task["seed"], here=here, name=f"seed {task['seed']}")


def _teller(
    tell: ManyProgress, told_standing: Callable[[Standing], None] | None
) -> Callable[[Standing], None]:
    """A function of the set's standing that passes on what is new."""
    last: dict[str, Mapping[str, Any]] = {}

    def hear(standing: Standing) -> None:
        for name, progress in standing.running.items():
            if progress and last.get(name) is not progress:
                last[name] = progress
                tell(int(name.removeprefix("seed ")), as_progress(progress))
        if told_standing is not None:
            told_standing(standing)

    return hear


def _with_command(game: Game, outcome: Outcome) -> Outcome:
    """The outcome of a failed run with the command that trains this run alone."""
    if not outcome.failed:
        return outcome
    job, given = outcome.job, dict(outcome.job.settings)
    out, _ = given.pop("out"), given.pop("force")
    command = ""
    with contextlib.suppress(Exception):  # what it was given may be the reason of the failure
        prepared = prepare(game, seed=job.seed, **given)
        command = train_command(prepared.agent, out)
        if (Path(out) / "checkpoint.npz").exists():
            check_same(RunFolder(out), prepared)
            command = shlex.join(["boardlab", "resume", out])
    return replace(outcome, job=replace(job, command=command))
