"""The jobs of one training run and of one exam."""

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from boardlab.games.game import Game
from boardlab.jobs import Context, Job, job_for, kind
from boardlab.learners.curve import points
from boardlab.learners.exams import exam_names, take_exam
from boardlab.learners.run import Run
from boardlab.learners.train import train
from boardlab.learners.training import Progress
from boardlab.search.entrants import runs_of


def train_job_for(game: Game, settings: Mapping[str, Any], seed: int, *, here: bool, name: str) -> Job:
    """The job that trains a run with these arguments of `train`."""
    exams = [settings.get("stop_exam"), *(settings.get("exams") or ())]
    parents = [settings.get(key) for key in ("from", "from_")]
    reads = [run for exam in exams if isinstance(exam, str) for run in runs_of(exam)]
    reads += [os.fspath(parent) for parent in parents if isinstance(parent, (str, os.PathLike))]
    writes = (os.fspath(settings["out"]),)
    return job_for("train", game, settings, seed, here=here, reads=tuple(reads), writes=writes, name=name)


def exam_job_for(game: Game, settings: Mapping[str, Any], seed: int, *, here: bool, name: str) -> Job:
    """The job that lets the agent in `settings` take an exam."""
    reads = tuple(dict.fromkeys([*runs_of(settings["agent"]), *runs_of(settings["exam"])]))
    return job_for("exam", game, settings, seed, here=here, reads=reads, name=name)


@kind("train", saves=True)
def train_job(job: Job, context: Context) -> dict[str, Any]:
    """Train the run that the settings describe, or go on with it; returns a summary."""

    def progress(standing: Progress) -> None:
        context.tell({**asdict(standing), "share": standing.episodes / max(1, standing.total)})

    given = {"go_on": True, "progress": progress, **context.kept.get("train", {}), **job.settings}
    return summary(train(context.game(job), seed=job.seed, **given))


@kind("exam")
def examine_job(job: Job, context: Context) -> dict[str, Any]:
    """Let the agent that the settings name take an exam, or meet an opponent."""
    settings = job.settings
    result = take_exam(settings["exam"], context.game(job), settings["agent"], settings["games"], job.seed)
    return {"value": result.value, "interval": result.interval}


def summary(run: Run) -> dict[str, Any]:
    """A finished run in plain values: its length, and the last value of each exam."""
    last = {name: points(run.log, name)[-1] for name in exam_names(run.log) if points(run.log, name)}
    exams = {name: {"value": value, "interval": half} for name, (_, value, half) in last.items()}
    return {"episodes": run.episodes, "actions": run.actions, "seconds": run.seconds, "exams": exams}


def as_progress(progress: Mapping[str, Any]) -> Progress:
    """Convert the plain values of a job's progress to a run's `Progress`."""
    values = {name: value for name, value in progress.items() if name != "share"}
    return Progress(**{**values, "before": tuple(progress["before"])})
