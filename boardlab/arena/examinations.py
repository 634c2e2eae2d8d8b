"""Examinations as jobs: several agents and exams, in one process or in several.

An examination is one agent in one exam or against one opponent. A folder remembers the finished ones.
"""

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from boardlab.arena.elsewhere import check_rebuilt_elsewhere
from boardlab.arena.exams import EXAMS, ExamResult, check_exam, evaluate, exams_for, of_runs
from boardlab.arena.store.rows import fingerprint, run_folders
from boardlab.checks import as_integer, as_seed
from boardlab.errors import BoardLabError, MissingPackageError, shown
from boardlab.games.game import Game, as_game
from boardlab.html import Html
from boardlab.interrupts import ended_by_signals
from boardlab.jobs import (
    Context,
    Here,
    Job,
    JobFolder,
    Outcome,
    Standing,
    as_jobs,
    executor_for,
    finished_jobs,
    job_for,
    kind,
    known_game,
    raise_failures,
)
from boardlab.reports import Report
from boardlab.search.agent import Agent
from boardlab.search.entrants import Entrant, EntrantLike, EntrantsLike, as_entrants, runs_of
from boardlab.search.expression import parse


@dataclass(frozen=True)
class Examined:
    """One agent in one exam: a result, or the reason why there is none."""

    agent: str
    exam: str
    result: ExamResult | None = None
    skipped: str = ""
    """Names a package that is missing here."""

    @property
    def where(self) -> str:
        """The examination in words."""
        return f"the {'match ' if self.exam.startswith('against ') else 'exam '}{self.exam}"


@dataclass(frozen=True, repr=False)
class ExamTable(Report):
    """The results of several agents in several exams."""

    rows: tuple[Examined, ...]

    @property
    def agents(self) -> list[str]:
        """The agents, in the order given."""
        return list(dict.fromkeys(row.agent for row in self.rows))

    def result(self, agent: str, exam: str) -> ExamResult | None:
        """The result of one agent in one exam."""
        return next((row.result for row in self.rows if (row.agent, row.exam) == (agent, exam)), None)

    def _page(self) -> Html:
        from boardlab.arena.pages import exams_page  # pages import results

        return exams_page(self)

    def __str__(self) -> str:
        lines: list[str] = []
        for agent in self.agents:
            lines += [agent] if len(self.agents) > 1 else []
            lines += [row_text(row) for row in self.rows if row.agent == agent]
        return "\n".join(lines)


def row_text(row: Examined, asked: int | None = None) -> str:
    """The result of an examination as `boardlab evaluate` prints it."""
    return f"{row.exam}: skipped: {row.skipped}" if row.result is None else row.result.text(asked)


class StoppedExams(KeyboardInterrupt):
    """Ctrl-C during examinations: `table` has the finished ones, `next` the first other one."""

    def __init__(self, table: ExamTable, next: Examined) -> None:
        super().__init__(f"stopped in {next.where}")
        self.table, self.next = table, next


@ended_by_signals()
def evaluate_all(
    agents: EntrantsLike,
    game: Game,
    exams: Sequence[str] | None = None,
    games: int = 100,
    seed: int = 0,
    *,
    against: EntrantLike | None = None,
    starts: str = "default",
    moves_first: bool = False,
    threads: int = 1,
    jobs: int = 1,
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[Standing], None] | None = None,
    told: Callable[[Examined], None] | None = None,
) -> ExamTable:
    """Let several agents take several exams, `jobs` at a time.

    `exams` are by default all of the game's except the slow ones; those whose package is missing are
    skipped. Other arguments are those of `evaluate`. An examination that fails does not stop the others. The
    folder `out` remembers the finished ones: the same call again goes on. `progress` is called with the
    standing of the whole, `told` with each row of the table, in order. Ctrl-C raises `StoppedExams`.
    """
    as_game(game)
    entrants = as_entrants(agents)
    opponent = None if against is None else as_entrants([against])[0]
    listed = [agent for entrant in entrants for agent in entrant.players]
    names = _exam_names(game, exams, opponent)
    task: dict[str, Any] = {"games": as_integer("games", games, 2, 100_000_000), "threads": threads}
    if opponent is not None:
        task |= {"against": opponent.text, "starts": starts, "moves_first": moves_first}
    alone = len(listed) * len(names) == 1
    # A single examination has its games in processes instead.
    kept = known_game(game) | {"examine": {"jobs": as_jobs(jobs) if alone else 1}}
    executor = Here(kept) if alone else executor_for(jobs, kept)
    if not isinstance(executor, Here):
        check_rebuilt_elsewhere(listed, " ".join([*names, opponent.expression if opponent else ""]))
    groups = [
        _Group(
            Examined(entrant.label, name or f"against {opponent.given if opponent else ''}"),
            entrant.runs,
            [
                _job(game, agent, name, task, as_seed(seed), here=isinstance(executor, Here))
                for agent in entrant.players
            ],
        )
        for entrant in entrants
        for name in names
    ]
    made = [job for group in groups for job in group.jobs]
    folder = None
    if out is not None:
        about = {
            "exams": names,
            **task,
            "seed": seed,
            "agents": [entrant.expression for entrant in entrants],
        }
        folder = JobFolder(out, {"command": "evaluate", "game": repr(game), **about})
    rows = _Rows(groups, exams is None and against is None, told)
    try:
        with executor:
            for outcome in finished_jobs(made, executor, folder, progress):
                rows.add(outcome)
    except KeyboardInterrupt as stop:
        raise StoppedExams(rows.table(), rows.next()) from stop
    raise_failures(rows.outcomes, "exams")
    return rows.table()


def _exam_names(game: Game, exams: Sequence[str] | None, against: Entrant | None) -> list[str]:
    """The exams to take; one without a name for an opponent."""
    if against is not None:
        if exams:
            raise BoardLabError("give exams or an opponent (against), not both")
        return [""]
    if exams is None:
        return [name for name in exams_for(game) if not EXAMS[name].slow]
    if isinstance(exams, str) or not isinstance(exams, Sequence) or not exams:
        raise BoardLabError(f"exams must be a list of names, not {shown(exams)}")
    for name in exams:
        check_exam(game, name)
    return list(dict.fromkeys(exams))


def _job(game: Game, agent: str | Agent, exam: str, task: Mapping[str, Any], seed: int, here: bool) -> Job:
    expression = agent.expression if isinstance(agent, Agent) else agent
    is_text = isinstance(agent, str) or agent.seed is not None
    settings = {"agent": agent, "exam": exam, **task}
    if is_text:
        parse(expression)  # a typo is an error before anything starts
        settings |= {"agent": expression, "fingerprint": fingerprint(expression)}
    against = task.get("against")
    words = ["boardlab", "evaluate", expression, "--game", *game.rules.command_words()]
    words += ["--exam", exam] if against is None else ["--against", against]
    words += ["--games", str(task["games"]), "--seed", str(seed)]
    name = f"{exam or f'against {against}'}: {expression}"
    files = tuple(run_folders(expression)) if is_text else ()
    reads = runs_of(against) if against is not None else ()
    more = {"files": files, "reads": tuple(reads), "name": name, "command": shlex.join(words)}
    return job_for("examine", game, settings, seed, here=here, **more)


@kind("examine")
def examine(job: Job, context: Context) -> dict[str, Any]:
    """Let an agent take an exam, or meet an opponent; returns the result as a table."""
    given = {name: value for name, value in job.settings.items() if name != "fingerprint"}
    agent, games, exam = given.pop("agent"), given.pop("games"), given.pop("exam") or None

    def progress(done: int) -> None:
        context.tell({"share": min(done / games, 1.0)})

    given |= context.kept.get("examine", {})
    return asdict(evaluate(agent, context.game(job), exam, games, job.seed, progress=progress, **given))


@dataclass(frozen=True)
class _Group:
    """The jobs of a row: one, or one for each run of a folder."""

    row: Examined
    """The row without its result."""
    runs: Sequence[str]
    jobs: Sequence[Job]

    def is_done(self, found: Mapping[str, Outcome]) -> bool:
        """Whether all its jobs have an outcome."""
        return all(job.key in found for job in self.jobs)

    def examined(self, found: Mapping[str, Outcome], may_skip: bool) -> Examined | None:
        """The row with its result; None if a job failed or has no outcome."""
        if not self.is_done(found):
            return None
        outcomes = [found[job.key] for job in self.jobs]
        skipped = [outcome for outcome in outcomes if _is_skipped(outcome, may_skip)]
        if skipped:
            return replace(self.row, skipped=skipped[0].error)
        if any(outcome.failed for outcome in outcomes):
            return None
        results = [ExamResult(**outcome.result) for outcome in outcomes]
        together = of_runs(dict(zip(self.runs, results, strict=True))) if self.runs else results[0]
        return replace(self.row, result=together)


def _is_skipped(outcome: Outcome, may_skip: bool) -> bool:
    return may_skip and isinstance(outcome.cause, MissingPackageError)


class _Rows:
    """Turns outcomes, which come in any order, into rows in the order of the groups."""

    def __init__(
        self, groups: Sequence[_Group], may_skip: bool, told: Callable[[Examined], None] | None
    ) -> None:
        self.groups, self.may_skip, self.told = groups, may_skip, told or (lambda _: None)
        self.outcomes: list[Outcome] = []
        """All but those of skipped exams."""
        self._found: dict[str, Outcome] = {}
        self._next = 0

    def add(self, outcome: Outcome) -> None:
        """Add an outcome, and tell the rows that are in order now."""
        if not _is_skipped(outcome, self.may_skip):
            self.outcomes.append(outcome)
        self._found[outcome.job.key] = outcome
        while self._next < len(self.groups) and self.groups[self._next].is_done(self._found):
            row = self.groups[self._next].examined(self._found, self.may_skip)
            self._next += 1
            if row is not None:
                self.told(row)

    def next(self) -> Examined:
        """The first examination, in order, that has no outcome."""
        return next(group.row for group in self.groups if not group.is_done(self._found))

    def table(self) -> ExamTable:
        """The rows that there are."""
        rows = (group.examined(self._found, self.may_skip) for group in self.groups)
        return ExamTable(tuple(row for row in rows if row is not None))
