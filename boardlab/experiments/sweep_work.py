"""The jobs of a sweep: runs to train, agents to examine, and what they brought."""

import contextlib
import functools
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from boardlab.arena.exams import EXAMS
from boardlab.errors import BoardLabError
from boardlab.experiments.sweep_plan import Plan, Point
from boardlab.experiments.sweep_search import make_search
from boardlab.experiments.sweep_space import Setting
from boardlab.experiments.sweep_table import ResultTable, Row
from boardlab.jobs import (
    Here,
    Job,
    JobExecutor,
    JobFolder,
    Outcome,
    Standing,
    finished_jobs,
    known_game,
)
from boardlab.learners.again import train_command
from boardlab.learners.jobs import exam_job_for, train_job_for
from boardlab.learners.listing import clean_run, is_clean
from boardlab.learners.run import open_run
from boardlab.learners.train import prepare
from boardlab.runs import RunFolder
from boardlab.runs.folder import RUN_FILES

KEEP = ("checkpoints", "weights", "nothing")
"""What may stay of finished runs: all, what plays, or agent.toml alone, which trains them again."""


@dataclass
class Work:
    """The jobs of a sweep and what they brought."""

    plan: Plan
    folder: JobFolder
    tell: Callable[[Standing], None] | None
    keep: str
    """What stays of finished runs; a name in KEEP."""
    points: dict[tuple[str, str], Point] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    """By the key of a job."""
    trained: dict[tuple[str, int], str] = field(default_factory=dict)
    """By folder of a setting and seed, the key of the job that trains it."""
    examined: dict[tuple[tuple[str, str], str, int], str] = field(default_factory=dict)
    """By point, exam and seed, the key of the job that examines it."""
    kept: dict[str, Any] = field(default_factory=dict)
    """Games for jobs in this process."""
    users: dict[Path, set[str]] = field(default_factory=dict)
    """By run, the keys of the jobs that train or examine it and are not done."""

    def measure(self, points: Sequence[Point], executor: JobExecutor) -> None:
        """Train and examine what is not there yet."""
        jobs: dict[str, Job] = {}
        needs: dict[str, list[str]] = {}
        here = isinstance(executor, Here)
        for point in points:
            self.points.setdefault(point.key, point)
            self.kept |= known_game(point.setting.game)
        for seed in self.plan.seeds:
            for point in points:
                self._add(point, seed, here, jobs, needs)
        for outcome in finished_jobs(list(jobs.values()), executor, self.folder, self.tell, needs):
            self.outcomes[outcome.job.key] = outcome
            if not outcome.failed:
                self._release(outcome.job.key)

    def _add(
        self, point: Point, seed: int, here: bool, jobs: dict[str, Job], needs: dict[str, list[str]]
    ) -> None:
        setting, variant = point.setting, point.variant
        run = self.run_folder(setting, seed)
        if self.plan.trains:
            job = train_job_for(
                setting.game,
                {**setting.arguments, "out": str(run), "picture": self.plan.draws_curves},
                seed,
                here=here,
                name=f"{setting.name or 'run'}, seed {seed}".lstrip(", "),
            )
            jobs[job.key] = job
            self.trained[setting.folder, seed] = job.key
            self.users.setdefault(run, set()).add(job.key)
        if variant is None:
            return
        for exam in self.plan.exams:
            settings = {"agent": self.agent(point, seed), "exam": exam, "games": self.plan.games}
            name = f"{point.name}, {exam}, seed {seed}"
            job = exam_job_for(setting.game, settings, seed, here=here, name=name)
            jobs[job.key] = job
            self.examined[point.key, exam, seed] = job.key
            if variant.needs_run:
                needs[job.key] = [self.trained[setting.folder, seed]]
                self.users[run].add(job.key)

    def run_folder(self, setting: Setting, seed: int) -> Path:
        """Where a setting is trained with a seed."""
        return self.folder.path / setting.folder / f"seed-{seed}"

    def agent(self, point: Point, seed: int) -> str:
        """The agent that is examined."""
        assert point.variant is not None
        run, prepared = self.run_folder(point.setting, seed).as_posix(), point.setting.prepared
        return point.variant.expression(run, prepared.settings.expression(run) if prepared else "")

    def _release(self, key: str) -> None:
        """Remove what is not kept of runs whose last job is done."""
        for users in self.users.values():
            users.discard(key)
        if not (self.plan.search and self.plan.variants):  # a later trial may examine the same run
            self.tidy()

    def tidy(self) -> None:
        """Remove what is not kept of runs that no job needs any more."""
        for run in [run for run, users in self.users.items() if not users]:
            del self.users[run]
            if self.keep != "checkpoints":
                self._tidy(RunFolder(run))

    def _tidy(self, run: RunFolder) -> None:
        if self.keep == "nothing":
            for name in (*RUN_FILES, "layout.txt"):
                (run.path / name).unlink(missing_ok=True)
            shutil.rmtree(run.path / "replay", ignore_errors=True)
            return
        with contextlib.suppress(BoardLabError):  # a run that its exam stopped may go on
            if not is_clean(run) and open_run(run.path).is_finished:
                clean_run(run.path)

    # ---- results ----

    def value(self, point: Point, exam: str, seed: int) -> float | None:
        """The result of an exam; None where its job failed."""
        if point.variant is None:
            outcome = self.outcomes[self.trained[point.setting.folder, seed]]
        else:
            outcome = self.outcomes[self.examined[point.key, exam, seed]]
        if outcome.failed:
            return None
        with self._understanding():
            result = outcome.result if point.variant else outcome.result["exams"][exam]
            return float(result["value"])

    @contextlib.contextmanager
    def _understanding(self) -> Iterator[None]:
        """Report results that are not what the jobs bring."""
        try:
            yield
        except (KeyError, TypeError, ValueError) as error:
            file = self.folder.path / "results.jsonl"
            raise BoardLabError(f"{file} is damaged: {type(error).__name__}: {error}") from None

    def row(self, point: Point) -> Row:
        """The row of a point in the table."""
        seeds, setting = self.plan.seeds, point.setting
        values = {
            exam: {seed: value for seed in seeds if (value := self.value(point, exam, seed)) is not None}
            for exam in self.plan.exams
        }
        episodes = {}
        for seed in seeds if self.plan.trains else ():
            outcome = self.outcomes[self.trained[setting.folder, seed]]
            if not outcome.failed:
                with self._understanding():
                    episodes[seed] = int(outcome.result["episodes"])
        shown = {name: point.chosen[name] for name in self.plan.shown_axes if name in point.chosen}
        agent = point.variant.template if point.variant else ""
        return Row(shown, values, episodes, agent, setting.folder if self.plan.trains else "")

    def table(self) -> ResultTable:
        """The rows of all points, in the order in which they were asked for."""
        rows = tuple(self.row(point) for point in self.points.values())
        return ResultTable(self.plan.shown_axes, self.plan.exams, rows)

    # ---- commands ----

    def commands(self, point: Point) -> list[str]:
        """The commands that train a point's first run again and examine its agent."""
        seed = self.plan.seeds[0]
        if point.variant is not None:
            train = [self._train_command(point.setting, seed)] if self.plan.trains else []
            return [*train, self._exam_command(point, self.plan.exams[0], seed)]
        words = [word for exam in self.plan.exams for word in ("--exam", exam)]
        for name in ("exam_every", "exam_games"):
            if (value := point.setting.arguments.get(name)) is not None:
                words += [f"--{name.replace('_', '-')}", str(value)]
        return [f"{self._train_command(point.setting, seed)} {shlex.join(words)}"]

    def _train_command(self, setting: Setting, seed: int, out: str = "") -> str:
        """The command of a run, with all values that were given."""
        named = [name for name in setting.chosen if name in setting.arguments]
        with contextlib.suppress(BoardLabError):
            return train_command(RunFolder(self.run_folder(setting, seed)).read_agent(), out, named)
        return train_command(prepare(setting.game, seed=seed, **setting.arguments).agent, out, named)

    def _exam_command(self, point: Point, exam: str, seed: int) -> str:
        """The command of an exam of the point's agent."""
        game = point.setting.game.rules.command_words()
        words = ["boardlab", "evaluate", self.agent(point, seed), "--game", *game]
        words += ["--exam", exam] if exam in EXAMS else ["--against", exam]
        return shlex.join([*words, "--games", str(self.plan.games), "--seed", str(seed)])

    def name_failures(self) -> list[Outcome]:
        """The outcomes of failed jobs, each with the command that repeats it."""
        for point in self.points.values():
            for seed in self.plan.seeds:
                out = str(self.run_folder(point.setting, seed))
                key = self.trained.get((point.setting.folder, seed))
                self._name_failure(key, functools.partial(self._train_command, point.setting, seed, out))
                for exam in self.plan.exams:
                    key = self.examined.get((point.key, exam, seed))
                    self._name_failure(key, functools.partial(self._exam_command, point, exam, seed))
        return [outcome for outcome in self.outcomes.values() if outcome.failed]

    def _name_failure(self, key: str | None, command: Callable[[], str]) -> None:
        outcome = self.outcomes.get(key or "")
        if outcome is not None and outcome.failed:
            with contextlib.suppress(BoardLabError):  # what it was given may be the reason of the failure
                self.outcomes[outcome.job.key] = replace(outcome, job=replace(outcome.job, command=command()))


def run_search(plan: Plan, work: Work, executor: JobExecutor) -> None:
    """Try settings as the search proposes them."""
    integers = [axis.name for axis in plan.axes if axis.option.number is int]
    search = make_search(str(plan.search), plan.choices, integers, plan.seed, work.folder.path)
    exam, tell = plan.exams[0], work.tell
    problem: BoardLabError | None = None
    for first in range(0, plan.trials, plan.batch):
        proposed = search.ask(min(plan.batch, plan.trials - first))
        points: list[Point | None] = []
        for chosen in proposed:
            try:
                points.append(plan.point(chosen))
            except BoardLabError as error:  # values that exclude one another
                problem = error
                points.append(None)
        work.tell = tell and _from_trial(tell, first, plan)
        work.measure([point for point in points if point is not None], executor)
        search.tell([work.row(point).mean(exam).value if point else float("nan") for point in points])
    work.tidy()
    if not work.points and problem is not None:
        raise problem


def _from_trial(tell: Callable[[Standing], None], first: int, plan: Plan) -> Callable[[Standing], None]:
    """Report a batch of trials as a part of all of them."""

    def hear(standing: Standing) -> None:
        each = standing.total / plan.batch
        total, before = round(plan.trials * each), round(first * each)
        tell(replace(standing, total=total, done=before + standing.done))

    return hear
