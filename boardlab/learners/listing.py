"""List the runs below a folder, with progress, last exam and size."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from boardlab.errors import BoardLabError, check_known
from boardlab.games.registry import GAMES
from boardlab.html import Html
from boardlab.learners.curve import points
from boardlab.learners.exams import exam_names
from boardlab.learners.registry import known_learner
from boardlab.learners.run import Run, open_run
from boardlab.numbers import counted, memory, plain
from boardlab.paths import as_path
from boardlab.reports import Report
from boardlab.runs import RunFolder

CHECKPOINT = "checkpoint.npz"


@dataclass(frozen=True)
class ListedRun:
    """A run in a list; `run` is None where `problem` says why it cannot be opened."""

    path: Path
    size: int
    """Bytes of all its files, snapshots included."""
    changed: float
    """When its newest file was written, in seconds since 1970."""
    run: Run | None = None
    problem: str = ""
    is_clean: bool = False
    """Whether its checkpoint was removed: it plays, but cannot go on."""

    @property
    def last_exam(self) -> str:
        """The exam taken last and its value."""
        rows = self.run.log if self.run else []
        found = [(name, points(rows, name)) for name in exam_names(rows)]
        return ", ".join(f"{name} {plain(curve[-1][1], 3)}" for name, curve in found if curve)

    @property
    def state(self) -> str:
        """finished, stopped at an exam or by the user, or clean."""
        assert self.run is not None
        if self.is_clean:
            return "finished, clean"
        return "finished" if self.run.is_finished else f"{self.run.share:.0%}"

    def cells(self, below: Path) -> list[str]:
        """One row of the table."""
        path = str(self.path.relative_to(below)) if self.path != below else str(self.path)
        date = datetime.fromtimestamp(self.changed).strftime("%Y-%m-%d")
        if self.run is None:
            return [path, "", "", self.problem, "", memory(self.size), date]
        run = self.run
        episodes = f"{run.episodes:,}"
        return [path, run.game.name, run.settings.name, f"{episodes} ({self.state})", self.last_exam,
                memory(self.size), date]  # fmt: skip


COLUMNS = ("run", "game", "learner", "episodes", "last exam", "size", "date")
SORTED = {
    "date": lambda line: -line.changed,
    "size": lambda line: -line.size,
    "path": lambda line: line.path.as_posix(),
    "episodes": lambda line: -(line.run.episodes if line.run else -1),
}


@dataclass(frozen=True, repr=False)
class RunList(Report):
    """Runs below a folder; printed as a table."""

    folder: Path
    lines: tuple[ListedRun, ...]

    def rows(self) -> list[list[str]]:
        """The cells of the table."""
        return [line.cells(self.folder) for line in self.lines]

    def cleanable(self) -> list[ListedRun]:
        """Finished runs that still have a checkpoint to go on from."""
        return [line for line in self.lines if line.run and line.run.is_finished and not line.is_clean]

    def __str__(self) -> str:
        rows = [list(COLUMNS), *self.rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
        table = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
        ]
        return "\n".join([*(line.rstrip() for line in table), self.summary])

    def _page(self) -> Html:
        from boardlab.learners.pages import list_page  # pages import results

        return list_page(self, COLUMNS)

    @property
    def summary(self) -> str:
        """The last line: how many, and their size."""
        return f"{counted(len(self.lines), 'runs')}, {memory(sum(line.size for line in self.lines))}"


def list_runs(
    folder: str | os.PathLike[str] = "runs",
    *,
    game: str | None = None,
    learner: str | None = None,
    sort: str = "date",
) -> RunList:
    """List the runs below a folder, newest first; `game` and `learner` filter them."""
    check_known("order", sort, SORTED)
    path = as_path("a folder of runs", folder)
    if not path.is_dir():
        raise BoardLabError(f'there is no folder "{path}"')
    lines = [_listed(found) for found in find_runs(path)]
    if learner is not None:
        known_learner(learner)
    if game is not None:  # a user's own game may not be registered here
        check_known("game", game, {*GAMES.names(), *(line.run.game.name for line in lines if line.run)})
    lines = [line for line in lines if _fits(line, game, learner)]
    return RunList(path, tuple(sorted(lines, key=SORTED[sort])))


def _fits(line: ListedRun, game: str | None, learner: str | None) -> bool:
    if line.run is None:
        return game is None and learner is None
    return game in (None, line.run.game.name) and learner in (None, line.run.settings.name)


def find_runs(folder: Path) -> Iterator[Path]:
    """Find the folders that hold a run.

    Snapshots inside a run are not listed, and links are not followed.
    """
    for path, folders, files in os.walk(folder):
        folders.sort()
        if "agent.toml" in files:
            folders.clear()
            yield Path(path)


def _listed(path: Path) -> ListedRun:
    files = [Path(where) / name for where, _, names in os.walk(path) for name in names]
    stats = [file.stat() for file in files if file.is_file()]
    size, changed = sum(s.st_size for s in stats), max(s.st_mtime for s in stats)
    try:
        return ListedRun(path, size, changed, open_run(path), is_clean=is_clean(RunFolder(path)))
    except BoardLabError as error:
        return ListedRun(path, size, changed, problem=str(error))


def is_clean(folder: RunFolder) -> bool:
    """Whether the run's checkpoint holds its progress alone."""
    return bool(folder.read_agent().get("clean", False))


def clean_run(path: str | os.PathLike[str]) -> int:
    """Remove what a finished run needs only for further training.

    Returns the number of bytes freed. The run still plays, lists and compares; `resume` refuses it.
    """
    folder, run = RunFolder(path), open_run(path)
    if not run.is_finished:
        raise BoardLabError(f"{run.path} is not finished; its checkpoint is needed to go on")
    with folder.claimed():
        file = folder.path / CHECKPOINT
        before = file.stat().st_size
        cpu_seconds = folder.cpu_seconds()
        known = folder.read_arrays(CHECKPOINT, {"progress": ("<i8", 2), "seconds": ("<f8", 1)})
        if cpu_seconds is not None:
            known |= folder.read_arrays(CHECKPOINT, {"cpu_seconds": ("<f8", 1)})
        agent = {key: value for key, value in folder.read_agent().items() if key != "format"}
        folder.write_agent({**agent, "clean": True})  # first: a crash between leaves a run that plays
        folder.write_arrays(CHECKPOINT, known)
        return before - file.stat().st_size
