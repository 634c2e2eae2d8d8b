"""Training runs of agents that learn by self-play: train, resume, exams, checkpoints that survive kill -9.

The engine plays and learns in chunks of episodes. A checkpoint holds everything that decides what comes next
(tables, TCL counters, episodes done, random state), so a resumed run ends with the same bits as an unbroken
one; how the run is cut into chunks does not matter. Traces need no saving: they end with their episode.
"""

import dataclasses
import os
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boardlab import _engine
from boardlab.errors import BoardLabError, shown, unknown
from boardlab.games.game import Game, as_integer, as_seed, game_table
from boardlab.learning.alphazero.settings import AlphaZero
from boardlab.learning.curve import draw_curve
from boardlab.learning.exams import ExamPlan, default_every, exam_names, plan_exams
from boardlab.learning.features import TdFeatures
from boardlab.learning.layouts import layout_to_text
from boardlab.learning.learner import LearnerSettings
from boardlab.learning.presets import preset as preset_of
from boardlab.learning.puzzles.settings import Davi, DaviNet, RandomWalk
from boardlab.learning.settings import NTupleSettings, QNTuple, SarsaNTuple, TdNTuple
from boardlab.learning.tabular import QM, QTableSettings
from boardlab.runs import RunFolder
from boardlab.runs.toml import to_toml
from boardlab.search.agent import Agent
from boardlab.search.expression import agent as make_agent
from boardlab.search.expression import escaped

if TYPE_CHECKING:
    from boardlab.learning.inspection import Inspection

LEARNERS: dict[str, type[LearnerSettings]] = {
    kind.name: kind
    for kind in (
        TdNTuple,
        SarsaNTuple,
        QNTuple,
        TdFeatures,
        QTableSettings,
        QM,
        AlphaZero,
        Davi,
        DaviNet,
        RandomWalk,
    )
}
CHUNK_SECONDS = 0.25
CHECKPOINT_SECONDS = 60.0


@dataclass(frozen=True)
class Progress:
    """Where a run stands; handed to the progress callback a few times a second."""

    episodes: int
    total: int
    actions: int
    """Played by the learner, in all episodes."""
    seconds: float
    """Spent on learning, exams not counted."""
    exam: dict[str, float]
    """The last exam's mean scores by opponent."""
    exams: int = 0
    """How many times the run was examined."""


Tell = Callable[[Progress], bool | None]
"""Is told where the run stands; stops it, saved and ready to be resumed, by returning True."""


@dataclass(frozen=True)
class Run:
    """A training run and its folder."""

    path: Path
    game: Game
    settings: LearnerSettings
    seed: int
    episodes: int
    """Episodes done."""
    total: int
    """Episodes wanted."""
    actions: int
    seconds: float
    log: list[dict[str, str]]
    """The rows of log.csv."""

    @property
    def is_finished(self) -> bool:
        """Whether all episodes were played; a run may also have stopped because it passed its exam."""
        return self.episodes >= self.total

    @property
    def picture(self) -> Path | None:
        """The learning curve, where there were exams and matplotlib is installed."""
        file = self.path / "curve.png"
        return file if file.exists() else None

    @property
    def expression(self) -> str:
        """The trained agent's name."""
        return self.settings.expression(escaped(self.path.as_posix()))

    def agent(self, seed: int = 0) -> Agent:
        """The trained agent."""
        return make_agent(self.expression, self.game, seed)

    def inspect(self) -> "Inspection":
        """What the network has learned: its view of positions, its tuples, its weights."""
        from boardlab.learning.inspection import Inspection

        if not isinstance(self.settings, NTupleSettings):
            raise BoardLabError(
                f"{self.path} is a run of {self.settings.name}, which has no tuples; ask its agent what it "
                "thinks of a state: run.agent().act(state)"
            )
        return Inspection(self.path)

    def __str__(self) -> str:
        speed = f", {self.actions / self.seconds:,.0f} actions/s" if self.seconds > 0 else ""
        done = f"{self.episodes:,} of {self.total:,} episodes"
        return f"{self.path}: {self.game.name}, {done} in {self.seconds:.1f} s{speed}"


def train(
    game: Game,
    learner: str = TdNTuple.name,
    *,
    episodes: int | None = None,
    out: str | os.PathLike[str] | None = None,
    seed: int = 0,
    preset: str = "default",
    force: bool = False,
    go_on: bool = False,
    exams: Sequence[str] | None = (),
    exam_every: int | None = 0,
    exam_games: int = 100,
    stop_exam: str | None = None,
    stop_at: float | None = None,
    stop_after: int = 3,
    snapshot_every: int = 0,
    progress: Tell | None = None,
    **settings: Any,
) -> Run:
    """Trains an agent by self-play and keeps it in the folder `out` (runs/GAME unless given).

    `settings` are those of the learner (`TdNTuple`, ...) and go before the preset's. A folder that holds a
    run is refused unless `force` is given, which replaces it, or `go_on`, which resumes it where it is this
    very run. Ctrl-C saves what was learned and can be resumed.

    `exams` are names of the arena's exams or agents to play against (None: the learner's choice), taken
    every `exam_every` episodes (0: at the end; None: twenty times). The run stops early once `stop_exam` gave
    at least `stop_at` (by default the best possible value) `stop_after` times in a row.

    Every `snapshot_every` episodes (0: never) what was learned so far is kept beside the run, as a folder of
    its own that plays as the run does: out/snapshots/EPISODES.
    """
    if learner not in LEARNERS:
        raise unknown("learner", str(learner), LEARNERS)
    if not isinstance(game, Game):
        raise BoardLabError(f"train needs a game, as in boardlab.game('connectfour'), not {shown(game)}")
    kind = LEARNERS[learner]
    checked = kind.check(settings)
    chosen = preset_of(game, preset, learner, checked)
    total = as_integer("episodes", episodes if episodes is not None else chosen["episodes"], 1, 10**12)
    chosen.pop("episodes")
    wanted = kind.merged(chosen, checked)
    total = wanted.whole_episodes(total)
    names = wanted.first_exams(game) if exams is None else exams
    plan = plan_exams(game, total, names, exam_every, exam_games, stop_exam, stop_at, stop_after)
    seed = as_seed(seed)
    snapshot_every = as_integer("snapshot_every", snapshot_every, 0, 10**12)
    reward = getattr(wanted, "reward", "score")
    if reward not in game.outcomes:
        raise unknown(f"outcome of {game.name}", reward, game.outcomes)
    network = wanted.describe(game, seed)
    agent = {
        "kind": learner,
        "boardlab": _version(),
        "seed": seed,
        "episodes": total,
        "preset": preset,
        "game": game_table(game),
        "settings": wanted.as_dict(),
        "exams": plan.as_dict(),
        "network": network,
    }
    if snapshot_every:
        agent["snapshot_every"] = snapshot_every
    folder = RunFolder(out if out is not None else Path("runs") / game.name)
    if go_on and not force and folder.has("agent.toml"):
        _check_same(folder, agent)
        return resume(folder.path, progress=progress)
    # The memory is taken before the folder is touched: what cannot work leaves no trace.
    training = _Training(folder, game, wanted, network, seed, total, plan, snapshot_every)
    with folder.claimed():
        training.begin(agent, force)
        return training.go(progress)


def resume(
    path: str | os.PathLike[str],
    *,
    episodes: int | None = None,
    progress: Tell | None = None,
) -> Run:
    """Goes on with a run from its last checkpoint; one that was killed before its first begins again.

    `episodes` sets a new total, which the schedules of alpha and epsilon then follow; a run that has stopped
    early then goes on until it passes its exam again.
    """
    folder = RunFolder(path)
    if "snapshot" in folder.read_agent(*LEARNERS):  # what is no run is left as it is
        raise BoardLabError(
            f"{folder.path} is a snapshot, which plays but does not go on learning; its run does: boardlab "
            f"resume {folder.path.parent.parent}"
        )
    with folder.claimed():
        return _resume(folder, episodes, progress)


def _resume(folder: RunFolder, episodes: int | None, progress: Tell | None) -> Run:
    agent = folder.read_agent(*LEARNERS)
    wished = None if episodes is None else as_integer("episodes", episodes, 1, 10**12)
    with folder.understanding():
        game = folder.game(agent)
        wanted = LEARNERS[agent["kind"]].checked(agent["settings"])
        network, seed = agent["network"], as_seed(agent["seed"])
        before = as_integer("episodes", agent["episodes"], 1, 10**12)
        total = wanted.whole_episodes(before if wished is None else wished)
        exams = dict(agent.get("exams", {}))
        if exams.get("every") == default_every(before):
            exams["every"] = None  # as many exams as before, however long the run is now
        plan = plan_exams(game, total, **exams)
        snapshot_every = as_integer("snapshot_every", agent.get("snapshot_every", 0), 0, 10**12)
        training = _Training(folder, game, wanted, network, seed, total, plan, snapshot_every)
    folder.tidy()
    if any(folder.has(name) for name in ("checkpoint.npz", "weights.npz", "log.csv")):
        training.load()
    else:  # it was killed before its first checkpoint
        training.begin({key: value for key, value in agent.items() if key != "format"}, force=True)
    if episodes is not None and (total != agent["episodes"] or plan.is_passed(training.log)):
        if total < training.learner.episodes_done:
            raise BoardLabError(f"{folder.path} has already played {training.learner.episodes_done} episodes")
        training.exams = dataclasses.replace(plan, stop_since=training.learner.episodes_done)
        changed = {**agent, "episodes": total, "exams": training.exams.as_dict()}
        folder.write_agent({key: value for key, value in changed.items() if key != "format"})
    return training.go(progress)


def run_expression(path: str | os.PathLike[str]) -> str:
    """The agent that was trained in the folder."""
    folder = RunFolder(path)
    agent = folder.read_agent(*LEARNERS)
    with folder.understanding():
        wanted = LEARNERS[agent["kind"]].checked(agent["settings"])
    return wanted.expression(escaped(folder.path.as_posix()))


def open_run(path: str | os.PathLike[str]) -> Run:
    """A run as it stands in its folder; nothing is trained."""
    folder = RunFolder(path)
    agent = folder.read_agent(*LEARNERS)
    with folder.understanding():
        game = folder.game(agent)
        wanted = LEARNERS[agent["kind"]].checked(agent["settings"])
        seed = as_seed(agent["seed"])
        total = as_integer("episodes", agent["episodes"], 1, 10**12)
    stored = folder.read_arrays("checkpoint.npz", {"progress": ("<i8", 2), "seconds": ("<f8", 1)})
    episodes, actions = stored["progress"].tolist()
    seconds = float(stored["seconds"][0])
    return Run(folder.path, game, wanted, seed, episodes, total, actions, seconds, folder.read_log())


def _check_same(folder: RunFolder, agent: dict[str, Any]) -> None:
    """Refuses to go on with a run that was started with other settings."""
    there = folder.read_agent(agent["kind"])
    wanted = tomllib.loads(to_toml(agent))
    for key in wanted:
        if key != "boardlab" and there.get(key) != wanted[key]:
            raise BoardLabError(
                f"{folder.path} holds another run: its {key} differs; choose another folder, or replace "
                "it (--force, or force=True)"
            )


def _version() -> str:
    import boardlab

    return boardlab.__version__


class _Training:
    """A run while it is being trained."""

    def __init__(
        self,
        folder: RunFolder,
        game: Game,
        settings: LearnerSettings,
        network: dict[str, Any],
        seed: int,
        total: int,
        exams: ExamPlan,
        snapshot_every: int,
    ) -> None:
        self.folder, self.game, self.settings, self.network = folder, game, settings, network
        self.seed, self.total, self.exams, self.snapshot_every = seed, total, exams, snapshot_every
        try:
            self.trainee = settings.build(game, network, total, seed)
        except ValueError as error:
            raise BoardLabError(str(error)) from None
        except MemoryError:
            raise BoardLabError("there is not enough memory for what the learner keeps") from None
        self.learner = self.trainee.core
        self.seconds = self.cpu_seconds = 0.0
        self.log: list[dict[str, Any]] = []
        self.exam: dict[str, float] = {}

    # ---- checkpoints ----

    def begin(self, agent: dict[str, Any], force: bool) -> None:
        """Makes the run's folder, with a checkpoint of what is known before the first episode."""
        self.trainee.begin()
        self.folder.create(agent, force=force)
        if "tuples" in self.network:
            self.folder.write_text("layout.txt", layout_to_text(self.network["tuples"]))
        self.save()

    def save(self) -> None:
        """Writes the checkpoint, the weights to play with, and the log."""
        self._check_finite()
        progress = {**self._progress_arrays(), "random": np.array([self.learner.random_state], np.uint64)}
        self.folder.write_arrays("checkpoint.npz", {**self.trainee.arrays, **progress})
        self.folder.write_arrays("weights.npz", self.trainee.weights)
        if self.log:
            self.folder.write_log(self.log)

    def snapshot(self) -> None:
        """Keeps what was learned so far in a folder that plays; agent.toml last, which makes it a run."""
        self._check_finite()
        done = self.learner.episodes_done
        folder = self.folder.snapshot(done)
        folder.write_arrays("weights.npz", self.trainee.weights)
        folder.write_arrays("checkpoint.npz", self._progress_arrays())
        if "tuples" in self.network:
            folder.write_text("layout.txt", layout_to_text(self.network["tuples"]))
        agent = {key: value for key, value in self.folder.read_agent().items() if key != "format"}
        folder.write_agent({**agent, "snapshot": done})

    def _progress_arrays(self) -> dict[str, NDArray[Any]]:
        return {
            "progress": np.array([self.learner.episodes_done, self.learner.actions_done], dtype=np.int64),
            "seconds": np.array([self.seconds]),
            "cpu_seconds": np.array([self.cpu_seconds]),
        }

    def _check_finite(self) -> None:
        if not all(np.isfinite(a).all() for a in self.trainee.arrays.values() if a.dtype.kind == "f"):
            raise BoardLabError(
                f"the weights grew beyond all bounds within {self.learner.episodes_done:,} episodes and were "
                "not saved; a smaller learning rate (--alpha, --lr) keeps them in"
            )

    def load(self) -> None:
        """Goes back to the last checkpoint."""
        arrays = self.trainee.arrays
        stored = self.folder.read_arrays(
            "checkpoint.npz",
            {
                **{name: (array.dtype.str, array.size) for name, array in arrays.items()},
                "progress": ("<i8", 2),
                "random": ("<u8", 1),
                "seconds": ("<f8", 1),
            },
        )
        for name, array in arrays.items():
            array[:] = stored[name]
        try:
            self.trainee.check()
        except ValueError as error:
            raise BoardLabError(f"{self.folder.path}/checkpoint.npz is damaged: {error}") from None
        episodes, actions = stored["progress"].tolist()
        self.learner.episodes_done, self.learner.actions_done = episodes, actions
        self.learner.random_state = int(stored["random"][0])
        self.seconds = float(stored["seconds"][0])
        self.cpu_seconds = self.folder.cpu_seconds() or 0.0
        # Exams after the checkpoint will be taken again.
        self.log = [dict(row) for row in self.folder.read_log() if int(row.get("episodes") or 0) <= episodes]

    # ---- the run ----

    def go(self, progress: Tell | None) -> Run:
        """Trains until the total is reached."""
        tell: Tell = progress or (lambda _: None)
        self.trainee.place(self.folder)
        saved = time.monotonic()
        chunk = 1
        try:
            if self._exam_is_due():  # the run was broken off during an exam
                self._take_exam()
            while self.learner.episodes_done < self.total and not self.exams.is_passed(self.log):
                begin, done, cpu = time.monotonic(), self.learner.episodes_done, time.process_time()
                self.learner.train(min(chunk, self._until_pause(done)))
                spent = max(time.monotonic() - begin, 1e-6)
                self.seconds += spent
                self.cpu_seconds += time.process_time() - cpu
                played = self.learner.episodes_done - done  # an exam may have cut the chunk
                chunk = max(1, min(int(played * CHUNK_SECONDS / spent), 8 * chunk, self.total))
                if self._exam_is_due():
                    self._take_exam()
                    self.folder.write_log(self.log)
                if (
                    self.snapshot_every
                    and (done + played) // self.snapshot_every > done // self.snapshot_every
                ):
                    self.snapshot()  # before the checkpoint: a run killed in between comes by here again
                if self.trainee.saves_each_chunk or time.monotonic() - saved > CHECKPOINT_SECONDS:
                    self.save()
                    saved = time.monotonic()
                if tell(self._progress()):
                    break
        except KeyboardInterrupt:
            self.save()
            self._draw()
            raise
        self.save()
        self._draw()
        tell(self._progress())
        return self._run()

    def _exam_is_due(self) -> bool:
        done, every = self.learner.episodes_done, self.exams.every
        taken = int(self.log[-1]["episodes"]) if self.log else 0
        return taken < done and (done >= self.total or (every > 0 and done // every > taken // every))

    def _until_pause(self, done: int) -> int:
        """Episodes until the next exam, the next snapshot or the end."""
        pauses = (every - done % every for every in (self.exams.every, self.snapshot_every) if every)
        return min([self.total - done, *pauses])

    def _take_exam(self) -> None:
        learner = self.learner
        row: dict[str, Any] = {
            "episodes": learner.episodes_done,
            "actions": learner.actions_done,
            "seconds": f"{self.seconds:.3f}",
            "alpha": f"{learner.alpha:.6g}",
            "epsilon": f"{learner.epsilon:.6g}",
            **self.trainee.columns(),
        }
        results = self.exams.take(self.game, self._agent(), self.seed)
        for name, result in results.items():
            row |= {
                name: f"{result.value:.6g}",
                f"{name} error": f"{result.error:.6g}",
                f"{name} interval": f"{result.interval:.6g}",
            }
        if self.exams.stop_exam is not None:
            row["passed"] = int(self.exams.is_success(results))
        self.exam = {name: result.value for name, result in results.items()}
        self.log.append(row)
        self.trainee.examined(row)

    def _agent(self) -> Agent:
        """What was learned so far, without a copy of it."""
        if self.trainee.agent is not None:
            return self.trainee.agent(self.seed)
        evaluator = self.trainee.evaluator()

        def greedy(_: Game, seed: int) -> _engine.Search:
            return _engine.greedy_search(evaluator, seed)

        return Agent(self.game, greedy(self.game, self.seed), "learner", greedy)

    def _draw(self) -> None:
        picture = draw_curve([(self.folder.path.name, self.log)]) if exam_names(self.log) else None
        if picture is not None:
            self.folder.write_bytes("curve.png", picture)
        for name, drawn in self.trainee.pictures().items():
            self.folder.write_bytes(name, drawn)

    def _progress(self) -> Progress:
        learner = self.learner
        return Progress(
            learner.episodes_done,
            self.total,
            learner.actions_done,
            self.seconds,
            dict(self.exam),
            len(self.log) if self.exams.names else 0,
        )

    def _run(self) -> Run:
        learner = self.learner
        return Run(
            self.folder.path,
            self.game,
            self.settings,
            self.seed,
            learner.episodes_done,
            self.total,
            learner.actions_done,
            self.seconds,
            self.folder.read_log(),
        )
