"""The loop of a run: episodes, exams, snapshots, and crash-safe checkpoints.

The learner plays and learns in chunks of episodes. A checkpoint holds everything that decides what comes next
(tables, TCL counters, episodes done, random state), so a resumed run ends with the same bits as an unbroken
one; how the run is cut into chunks does not matter. Traces need no saving: they end with their episode.
"""

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.arena.exams.exam import OUTCOMES
from boardlab.errors import BoardLabError, TableFullError
from boardlab.games.game import Game
from boardlab.interrupts import ignoring_ctrl_c, postponing_ctrl_c
from boardlab.learners.curve import draw_curve
from boardlab.learners.exams import ExamPlan, exam_names
from boardlab.learners.learner import Learner, LearnerSettings
from boardlab.learners.pace import EMPTY, Pace, Timetable
from boardlab.learners.run import Run, log_of
from boardlab.learners.run_options import MOST_EPISODES
from boardlab.numbers import counted, plain
from boardlab.runs import RunFolder

CHUNK_SECONDS = 0.25
CHECKPOINT_SECONDS = 60.0


@dataclass(frozen=True)
class Progress:
    """The state of a run, passed to the progress callback a few times a second."""

    episodes: int
    total: int
    """Episodes of the whole run; of a run by minutes estimated."""
    actions: int
    """Actions of the learner in all episodes."""
    seconds: float
    """Seconds of learning, without exams."""
    exam: dict[str, float]
    """The last exam's mean scores by opponent."""
    exams: int = 0
    """Number of exams so far."""
    before: tuple[int, int, float] = (0, 0, 0.0)
    """Episodes, actions and seconds of a resumed run before it was resumed."""

    @property
    def speed(self) -> tuple[float, float] | None:
        """Episodes and actions a second since the start or resume; None before the first."""
        episodes, actions, seconds = self.before
        spent = self.seconds - seconds
        return ((self.episodes - episodes) / spent, (self.actions - actions) / spent) if spent > 0 else None

    def __str__(self) -> str:
        text = f"{self.episodes:,} of {self.total:,} episodes"
        if self.seconds > 0:
            text += f", {plain(self.episodes / self.seconds, 3)} episodes/s"
        return text + "".join(f", {name} {plain(value, 3)}" for name, value in self.exam.items())


Tell = Callable[[Progress], bool | None]
"""A progress callback; the run is saved and stops if it returns True."""


class Training:
    """A run while it is being trained."""

    def __init__(
        self,
        folder: RunFolder,
        game: Game,
        settings: LearnerSettings,
        network: dict[str, Any],
        exams: ExamPlan,
    ) -> None:
        self.folder, self.game, self.settings = folder, game, settings
        self.exams, options = exams, exams.options
        self.seed, self.total, self.snapshot_every = (
            options.seed,
            options.episodes or 0,
            options.snapshot_every,
        )
        self.pace = None if options.pace is None else Pace.read(options.pace)
        self.timetable: Timetable | None = None  # while time decides the number of episodes
        if options.is_open:
            self.timetable = Timetable(options.minutes or 0, exams.parts, settings.whole_episodes(1))
            self.pace, self.total = Pace(), settings.whole_episodes(MOST_EPISODES)
        self.learner = _built(settings, game, network, self.total, self.seed)
        self.seconds = self.cpu_seconds = 0.0
        self.before = (0, 0, 0.0)
        self.last_snapshot = -1  # in multiples of snapshot_every; not known
        self.log: list[dict[str, Any]] = []
        self.exam: dict[str, float] = {}

    # ---- checkpoints ----

    def begin(self, agent: dict[str, Any], force: bool) -> None:
        """Make the run's folder, with a checkpoint before the first episode."""
        self.learner.begin()
        self.folder.create(agent, force=force)
        self._write_texts(self.folder)
        self.save()

    def _write_texts(self, folder: RunFolder) -> None:
        for name, text in self.learner.texts().items():
            folder.write_text(name, text)

    def save(self) -> None:
        """Write the checkpoint, the weights to play with, and the log."""
        self._check_finite()
        progress = {**self._progress_arrays(), "random": np.array([self.learner.random_state], np.uint64)}
        self.folder.write_arrays("checkpoint.npz", {**self.learner.arrays, **progress}, sparse=True)
        self.folder.write_arrays("weights.npz", self.learner.weights)
        if self.log:
            self.folder.write_log(self.log)

    def snapshot(self) -> None:
        """Save a folder that plays as the run does now, agent.toml last."""
        self._check_finite()
        done = self.learner.episodes_done
        folder = self.folder.make_snapshot(done)
        folder.write_arrays("weights.npz", self.learner.weights)
        folder.write_arrays("checkpoint.npz", self._progress_arrays())
        self._write_texts(folder)
        folder.write_agent({**self._agent(), **(self._timed() if self.timetable else {}), "snapshot": done})

    def _agent(self) -> dict[str, Any]:
        """The contents of agent.toml."""
        return {key: value for key, value in self.folder.read_agent().items() if key != "format"}

    def _timed(self) -> dict[str, Any]:
        """The entries of agent.toml that repeat a run by minutes up to here."""
        return {"episodes": self.learner.episodes_done, "pace": str(self.pace)}

    def _progress_arrays(self) -> dict[str, NDArray[Any]]:
        timed: dict[str, NDArray[Any]] = {}
        if self.timetable and self.pace:
            timed["pace"] = self.pace.as_array(self.timetable.minutes)
        return timed | {
            "progress": np.array([self.learner.episodes_done, self.learner.actions_done], dtype=np.int64),
            "seconds": np.array([self.seconds]),
            "cpu_seconds": np.array([self.cpu_seconds]),
        }

    def _check_finite(self) -> None:
        if not all(np.isfinite(a).all() for a in self.learner.arrays.values() if a.dtype.kind == "f"):
            played = counted(self.learner.episodes_done, "episodes")
            raise BoardLabError(
                f"the weights grew beyond all bounds within {played} and were not "
                "saved; a smaller learning rate (--alpha, --lr) keeps them in"
            )

    def load(self) -> None:
        """Go back to the last checkpoint."""
        stored: dict[str, NDArray[Any]] = {
            "progress": np.empty(2, np.int64),
            "random": np.empty(1, np.uint64),
            "seconds": np.empty(1),
        }
        self.learner.expect(self.folder)
        self.folder.read_into("checkpoint.npz", {**self.learner.arrays, **stored})
        try:
            self.learner.restore()
        except ValueError as error:
            raise BoardLabError(f"{self.folder.path}/checkpoint.npz is damaged: {error}") from None
        episodes, actions = stored["progress"].tolist()
        self.learner.episodes_done, self.learner.actions_done = episodes, actions
        self.learner.random_state = int(stored["random"][0])
        self.folder.remove_snapshots(after=episodes)  # their episodes are learned again
        self.seconds = float(stored["seconds"][0])
        self.cpu_seconds = self.folder.cpu_seconds() or 0.0
        if self.timetable:
            self.pace = self._stored_pace(self.timetable)
        # Exams after the checkpoint will be taken again.
        self.log = [dict(row) for row in self.folder.read_log() if int(row.get("episodes") or 0) <= episodes]

    def _stored_pace(self, timetable: Timetable) -> Pace:
        """The pace so far; a run that had another length goes on at its share of the time."""
        with self.folder.stored_arrays("checkpoint.npz") as stored:
            array = EMPTY
            if "pace" in stored:
                array = stored["pace"]
            if array.shape != EMPTY.shape or array.dtype != EMPTY.dtype:
                raise ValueError("its pace has the wrong size")
            pace = Pace.of_array(array, timetable.minutes)
        done = self.learner.episodes_done
        if pace is not None or not done:
            return pace or Pace()
        return Pace().extended(done, min(self.seconds / timetable.seconds, 1.0))

    # ---- the run ----

    def go(self, progress: Tell | bool | None, picture: bool = True) -> None:
        """Train until the total is reached, then draw the learning curve unless it is not wanted."""
        tell: Tell = progress if callable(progress) else lambda _: None
        self.learner.place(self.folder)
        self.before = (self.learner.episodes_done, self.learner.actions_done, self.seconds)
        saved = time.monotonic()
        chunk = 1
        if self.pace:
            self.learner.follow(self.pace)
        try:
            self._keep_time()
            # The run was broken off before a snapshot was made, or during an exam.
            if self._snapshot_is_due():
                self.snapshot()
            if self._exam_is_due():
                self._take_exam()
            while self.learner.episodes_done < self.total and not self.exams.is_passed(self.log):
                begin, done, cpu = time.monotonic(), self.learner.episodes_done, time.process_time()
                self._learn(min(chunk, self._until_pause(done)))
                spent = max(time.monotonic() - begin, 1e-6)
                self.seconds += spent
                self.cpu_seconds += time.process_time() - cpu
                played = self.learner.episodes_done - done  # an exam may have cut the chunk
                chunk = max(1, min(int(played * CHUNK_SECONDS / spent), 8 * chunk, self.total))
                self._keep_time()
                if self._snapshot_is_due():
                    self.snapshot()
                if self._exam_is_due():
                    self._take_exam()
                    self.folder.write_log(self.log)
                if self.learner.saves_each_chunk or time.monotonic() - saved > CHECKPOINT_SECONDS:
                    self.save()
                    saved = time.monotonic()
                if self._is_stopped(tell):
                    break
            if self.timetable and self.exams.is_passed(self.log):
                self._end_time()
            self.save()
            if picture:
                self._draw()
        except (KeyboardInterrupt, TableFullError):
            with ignoring_ctrl_c():
                self.save()
                if picture:
                    self._draw()
            raise
        tell(self._progress())

    def _learn(self, episodes: int) -> None:
        """Train some episodes; Ctrl-C waits, so that none is left half learned.

        A learner that saves after each call may take long for one (a generation of AlphaZero): Ctrl-C breaks
        it off, and a resumed run starts it again.
        """
        with contextlib.nullcontext() if self.learner.saves_each_chunk else postponing_ctrl_c():
            self.learner.train(episodes)

    def _keep_time(self) -> None:
        """At a corner of the pace, follow its next line; a run by minutes plans it, or ends."""
        done = self.learner.episodes_done
        if self.pace is None or self.exams.is_passed(self.log):
            return
        if self.timetable is None:
            self.learner.follow(self.pace)
        elif self.timetable.is_up(self.seconds):
            self._end_time()
        elif done >= self.pace.end[0]:
            extended = self.timetable.extend(self.pace, done, self.seconds)
            if extended is None:
                self._end_time()
            else:
                self.pace = extended
                self.learner.follow(extended)

    def _end_time(self) -> None:
        """End a run by minutes here: agent.toml gets what repeats it."""
        self.total, self.timetable = self.learner.episodes_done, None
        self.folder.write_agent({**self._agent(), **self._timed()})

    def _is_stopped(self, tell: Tell) -> bool:
        """Call the progress callback; return whether the run stops here."""
        try:
            return bool(tell(self._progress()))
        except Exception:  # learning went well; the callback may be anybody's code
            self.save()
            raise

    def _snapshot_is_due(self) -> bool:
        """Whether there is no snapshot yet since the last multiple of `snapshot_every`."""
        done, every = self.learner.episodes_done, self.snapshot_every
        if not every or done < every or done // every == self.last_snapshot:
            return False
        self.last_snapshot = done // every
        there = (n for n, folder in self.folder.snapshots().items() if folder.has("agent.toml"))
        return not any(n // every == self.last_snapshot for n in there)

    def _exam_is_due(self) -> bool:
        done, every = self.learner.episodes_done, self.exams.every
        taken = int(self.log[-1]["episodes"]) if self.log else min(0, self.total - 1)
        if taken >= done:
            return False
        return done >= self.total or (every > 0 and done // every > taken // every) or self._ends_part(done)

    def _ends_part(self, done: int) -> bool:
        """Whether a part of the run ends here, at a corner of its pace, with an exam."""
        parts = self.exams.parts
        if not self.pace or not parts or all(done != corner for corner, _ in self.pace.corners):
            return False
        before, share = self.pace.share_before(done), self.pace.share(done)
        return int(share * parts + 1e-6) > int(before * parts + 1e-6)

    def _until_pause(self, done: int) -> int:
        """Episodes until the next exam, snapshot or corner of the pace, or the end."""
        pauses = [every - done % every for every in (self.exams.every, self.snapshot_every) if every]
        if self.pace and (corner := self.pace.next_corner(done)) is not None:
            pauses.append(corner - done)
        return min([self.total - done, *pauses])

    def _take_exam(self) -> None:
        learner = self.learner
        row: dict[str, Any] = {
            "episodes": learner.episodes_done,
            "actions": learner.actions_done,
            "seconds": f"{self.seconds:.3f}",
            "alpha": f"{learner.alpha:.6g}",
            "epsilon": f"{learner.epsilon:.6g}",
            **self.learner.columns(),
        }
        try:
            is_last = learner.episodes_done >= self.total
            results = self.exams.take(self.game, learner.agent(self.seed), self.seed, is_last)
        except Exception:  # learning went well; an exam may be anybody's code
            self.save()
            raise
        for name, result in results.items():
            row |= {
                name: f"{result.value:.6g}",
                f"{name} error": f"{result.error:.6g}",
                f"{name} interval": f"{result.interval:.6g}",
                f"{name} games": result.games,
                f"{name} distinct": "" if result.distinct is None else result.distinct,
            }
            if result.outcomes is not None:
                row |= {f"{name} {kind}": n for kind, n in zip(OUTCOMES, result.outcomes, strict=True)}
        if self.exams.options.stop_exam is not None:
            row["passed"] = int(self.exams.is_success(results))
        self.exam = {name: result.value for name, result in results.items()}
        self.log.append(row)
        self.learner.examined(row)

    def _draw(self) -> None:
        with postponing_ctrl_c():  # matplotlib cannot be imported again once its import was broken off
            picture = (
                draw_curve(self.game, [(self.folder.path.name, self.log)]) if exam_names(self.log) else None
            )
            if picture is not None:
                self.folder.write_bytes("curve.png", picture)
            for name, drawn in self.learner.pictures().items():
                self.folder.write_bytes(name, drawn)

    def run(self) -> Run:
        """The run as its folder holds it now."""
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
            log_of(self.folder),
            self.exams.options.minutes,
            self.timetable is not None,
        )

    def _progress(self) -> Progress:
        learner, total = self.learner, self.total
        if self.timetable:
            total = self.timetable.expected(learner.episodes_done, self.seconds)
        return Progress(
            learner.episodes_done,
            total,
            learner.actions_done,
            self.seconds,
            dict(self.exam),
            len(self.log) if self.exams.names else 0,
            self.before,
        )


def _built(
    settings: LearnerSettings, game: Game, network: dict[str, Any], episodes: int, seed: int
) -> Learner:
    """The learner, or one sentence that says why it cannot be built."""
    try:
        return settings.build(game, network, episodes, seed)
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "memory" not in str(error):  # torch raises it
            raise
        raise BoardLabError("there is not enough memory for what the learner keeps") from None
    except ValueError as error:
        raise BoardLabError(str(error)) from None
