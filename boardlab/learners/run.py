"""A training run as its folder holds it."""

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.html import Html
from boardlab.learners.learner import LearnerSettings
from boardlab.learners.ntuple.settings import NTupleSettings
from boardlab.learners.registry import LEARNERS
from boardlab.learners.run_options import RunOptions
from boardlab.numbers import counted, plain
from boardlab.reports import Report
from boardlab.runs import RunFolder, runs_in
from boardlab.search.agent import Agent
from boardlab.search.expression import agent as make_agent
from boardlab.search.expression import escaped

if TYPE_CHECKING:
    from boardlab.learners.ntuple.inspection import Inspection


@dataclass(frozen=True, repr=False)
class Run(Report):
    """A training run and its folder."""

    path: Path
    game: Game
    settings: LearnerSettings
    seed: int
    episodes: int
    """Episodes done."""
    total: int
    """Episodes of the whole run."""
    actions: int
    seconds: float
    log: list[dict[str, float]]
    """The rows of log.csv, without the empty cells."""
    minutes: float | None = None
    """The time that a run by minutes was given."""
    is_open: bool = False
    """Whether that time is not over, so that the total is not known."""

    @property
    def is_finished(self) -> bool:
        """Whether all episodes were played; a run may stop early after its exam."""
        return not self.is_open and self.episodes >= self.total

    @property
    def share(self) -> float:
        """The share of the run that is done."""
        if self.is_open:
            return min(1.0, self.seconds / (60 * (self.minutes or 1)))
        return self.episodes / max(self.total, 1)

    @property
    def picture(self) -> Path | None:
        """The learning curve, where there were exams and matplotlib is installed."""
        file = self.path / "curve.png"
        return file if file.exists() else None

    @property
    def expression(self) -> str:
        """The trained agent's name."""
        return self.settings.expression(escaped(self.path.as_posix()))

    def __fspath__(self) -> str:
        """The run's folder: a run may stand wherever a path to it may."""
        return str(self.path)

    def agent(self, seed: int = 0) -> Agent:
        """The trained agent."""
        return make_agent(self.expression, self.game, seed)

    def inspect(self) -> "Inspection":
        """What the network has learned: its view of positions, its tuples, its weights."""
        from boardlab.learners.ntuple.inspection import Inspection

        if not isinstance(self.settings, NTupleSettings):
            raise BoardLabError(
                f"{self.path} is a run of {self.settings.name}, which has no tuples; ask its agent what it "
                "thinks of a state: run.agent().act(state)"
            )
        return Inspection(self.path)

    def _page(self) -> Html:
        from boardlab.learners.pages import run_page  # pages import results

        return run_page(self)

    def __str__(self) -> str:
        speed = f", {self.actions / self.seconds:,.0f} actions/s" if self.seconds > 0 else ""
        done = f"{self.episodes:,} of {self.total:,} episodes"
        if self.minutes is not None and (self.is_open or self.is_finished):
            done = counted(self.episodes, "episodes")
        given = f" (of {plain(self.minutes)} minutes)" if self.minutes is not None else ""
        return f"{self.path}: {self.game.name}, {done} in {self.seconds:.1f} s{given}{speed}"


def open_run(path: str | os.PathLike[str]) -> Run:
    """Open a run as it stands in its folder, without training it."""
    folder = RunFolder(path)
    agent = folder.read_agent(*LEARNERS.names())
    with folder.understanding():
        game = folder.game(agent)
        settings = LEARNERS[agent["kind"]].of_run(agent["settings"])
        options = RunOptions.of_run(agent)
        total = 0 if options.is_open else settings.checked_episodes(options.episodes)
    stored = folder.read_arrays("checkpoint.npz", {"progress": ("<i8", 2), "seconds": ("<f8", 1)})
    episodes, actions = stored["progress"].tolist()
    seconds, log = float(stored["seconds"][0]), log_of(folder)
    return Run(
        folder.path,
        game,
        settings,
        options.seed,
        episodes,
        total,
        actions,
        seconds,
        log,
        options.minutes,
        options.is_open,
    )


def run_expression(path: str | os.PathLike[str]) -> str:
    """The agent that was trained in the folder; of a folder of runs, that of all of them."""
    folder = RunFolder(path)
    runs = runs_in(folder.path)
    one = RunFolder(runs[0]) if runs else folder
    agent = one.read_agent(*LEARNERS.names())
    with one.understanding():
        settings = LEARNERS[agent["kind"]].of_run(agent["settings"])
    return settings.expression(escaped(folder.path.as_posix()))


def log_of(folder: RunFolder) -> list[dict[str, float]]:
    """The rows of the folder's log as numbers, without the empty cells."""
    return [{name: _number(cell) for name, cell in row.items() if cell} for row in folder.read_log()]


def _number(cell: str) -> float:
    if re.fullmatch(r"-?\d+", cell):
        return int(cell)
    number = float(cell)
    return math.nan if math.isnan(number) else number  # one object, so that equal logs are equal
