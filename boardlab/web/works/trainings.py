"""Runs as pages see them: what their folders hold, and the processes that train them."""

import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boardlab.arena.exams import EXAMS
from boardlab.errors import BoardLabError
from boardlab.games.game import game_table
from boardlab.learners.curve import points
from boardlab.learners.exams import exam_names, exam_range, exam_title, exam_unit
from boardlab.learners.listing import find_runs, is_clean
from boardlab.learners.run import Run, open_run
from boardlab.runs import RunFolder
from boardlab.web.errors import Missing
from boardlab.web.forms import game_title
from boardlab.web.people import Person
from boardlab.web.works.work import FAILED, FINISHED, RUNNING, SAVING, Work

if TYPE_CHECKING:
    from boardlab.web.arena import Arena

MOST_LISTED = 300
MOST_POINTS = 400
"""Most points of a curve that a page gets."""
UNFINISHED = "unfinished"
"""The state of a run that ended early and that no work of this server trains."""


class Runs:
    """Reads the runs of a server; use one from one thread at a time."""

    def __init__(self, arena: "Arena") -> None:
        self.folder, self.works = arena.settings.runs, arena.works
        self._read: dict[Path, tuple[tuple[int, ...], Run | None, str, bool]] = {}

    def listed(self, person: Person) -> list[dict[str, Any]]:
        """Return all runs and trainings, those changed last first, without curves."""
        works = self._works()
        names = dict.fromkeys(works)
        if self.folder.is_dir():
            names |= dict.fromkeys(
                path.relative_to(self.folder).as_posix() for path in find_runs(self.folder)
            )
        found = [self._about(name, works.get(name), person) for name in names]
        found.sort(key=lambda one: (one["state"] != RUNNING, -one["changed"]))
        return found[:MOST_LISTED]

    def about(self, name: str, person: Person) -> dict[str, Any]:
        """Return a run with its curves."""
        work = self._works().get(name)
        found = self._about(name, work, person)
        if not found["changed"] and work is None:
            raise Missing(f'there is no run "{name}" on this server')
        _, run, _, _ = self._open(self.folder / name)
        found["exams"] = [] if run is None else _curves(run)
        found["settings"] = {} if run is None else run.settings.as_dict()
        found["command"] = shlex.join(["boardlab", "resume", (self.folder / name).as_posix()])
        found["log"] = _end_of_log(work) if work is not None and found["state"] == FAILED else ""
        return found

    def _works(self) -> dict[str, Work]:
        works: dict[str, Work] = {}
        for work in self.works.all("training"):
            works.setdefault(str(work.order.get("run")), work)  # the newest of each run
        return works

    def _about(self, name: str, work: Work | None, person: Person) -> dict[str, Any]:
        marks, run, problem, is_cleaned = self._open(self.folder / name)
        state = UNFINISHED if work is None else work.state
        if run is not None and state not in (RUNNING, SAVING) and (run.is_finished or state == FINISHED):
            state = FINISHED
        if run is None and work is None:
            state = FAILED
        status = {} if work is None else work.status
        table = (
            game_table(run.game) if run else dict((work.order if work else {}).get("game") or {"name": "?"})
        )
        may = person.may_change and (
            self.works.is_everybodys if work is None else self.works.may_change(person, work)
        )
        about: dict[str, Any] = {
            "name": name,
            "work": work.id if work else "",
            "game": table,
            "title": game_title(table["name"]) if run else str(table["name"]),
            "learner": run.settings.name if run else str((work.order if work else {}).get("learner", "")),
            "state": state,
            "error": (work.error if work and state == FAILED else "") or ("" if work else problem),
            "may": may,
            "can_resume": may
            and state not in (RUNNING, SAVING, FAILED)
            and run is not None
            and not is_cleaned,
            "changed": max([mark / 1e9 for mark in marks], default=0.0) or float(status.get("at", 0.0)),
            "episodes": run.episodes if run else 0,
            "total": run.total if run else 0,
            "seconds": run.seconds if run else 0.0,
            "share": run.share if run else 0.0,
            "minutes": run.minutes if run else None,
            "speed": None,
            "agent": run.expression if run and run.episodes else "",
            "last": _last_exam(run),
        }
        if state == RUNNING and "episodes" in status:
            about |= {key: status[key] for key in ("episodes", "total", "seconds", "speed")}
            by_time = run is not None and run.is_open and run.minutes
            about["share"] = (
                min(1.0, about["seconds"] / (60 * by_time))
                if by_time
                else about["episodes"] / max(1, about["total"])
            )
        return about

    def _open(self, path: Path) -> tuple[tuple[int, ...], Run | None, str, bool]:
        """Return marks of its files, the run or None, what is wrong with it, and whether it was cleaned."""
        marks = []
        for name in ("agent.toml", "checkpoint.npz", "log.csv"):
            try:
                marks.append((path / name).stat().st_mtime_ns)
            except OSError:
                marks.append(0)
        known = self._read.get(path)
        if known is None or known[0] != tuple(marks):
            run, problem, is_cleaned = None, "", False
            if marks[0]:
                try:
                    run, is_cleaned = open_run(path), is_clean(RunFolder(path))
                except BoardLabError as error:
                    problem = str(error)
            known = self._read[path] = (tuple(marks), run, problem, is_cleaned)
        return known


def _curves(run: Run) -> list[dict[str, Any]]:
    """Return the curve of each exam: episodes, value, ends of the 95% interval."""
    curves = []
    for name in exam_names(run.log):
        found = points(run.log, name)
        step = -(-len(found) // MOST_POINTS)
        kept = found[::-1][::step][::-1]  # the last one stays
        low, high = _range(name, run)
        curves.append(
            {
                "name": name,
                "title": exam_title(name),
                "about": EXAMS[name].sentence if name in EXAMS else "",
                "unit": exam_unit(name),
                "low": _finite(low),
                "high": _finite(high),
                "points": [
                    [x, y, _finite(max(y - half, min(low, y))), _finite(min(y + half, max(high, y)))]
                    for x, y, half in kept
                    if math.isfinite(y)
                ],
            }
        )
    return curves


def _range(name: str, run: Run) -> tuple[float, float]:
    try:
        return exam_range(name, run.game)
    except BoardLabError:
        return -math.inf, math.inf


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _last_exam(run: Run | None) -> dict[str, Any] | None:
    names = exam_names(run.log) if run else []
    for name in names[:1]:
        assert run is not None
        found = points(run.log, name)
        if found:
            return {"name": name, "value": _finite(found[-1][1]), "half": _finite(found[-1][2])}
    return None


def _end_of_log(work: Work) -> str:
    try:
        return (work.folder / "log.txt").read_text(errors="replace")[-1500:]
    except OSError:
        return ""
