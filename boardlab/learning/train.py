"""Training runs of agents that learn by self-play: train, resume, exams, checkpoints that survive kill -9.

The engine plays and learns in chunks of episodes. A checkpoint holds everything that decides what comes next
(tables, TCL counters, episodes done, random state), so a resumed run ends with the same bits as an unbroken
one; how the run is cut into chunks does not matter. Traces need no saving: they end with their episode.
"""

import dataclasses
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boardlab import _engine
from boardlab.arena.match import match
from boardlab.errors import BoardLabError, unknown
from boardlab.games.game import Game, as_integer, as_seed
from boardlab.learning.features import TdFeatures
from boardlab.learning.learner import SelfPlaySettings
from boardlab.learning.presets import preset as preset_of
from boardlab.learning.settings import QNTuple, SarsaNTuple, TdNTuple
from boardlab.runs import RunFolder
from boardlab.search.agent import Agent
from boardlab.search.expression import agent as make_agent

LEARNERS: dict[str, type[SelfPlaySettings]] = {
    kind.name: kind for kind in (TdNTuple, SarsaNTuple, QNTuple, TdFeatures)
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


@dataclass(frozen=True)
class Run:
    """A training run and its folder."""

    path: Path
    game: Game
    settings: SelfPlaySettings
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
    def expression(self) -> str:
        """The trained agent's name: its network, played greedily."""
        return f'greedy({self.settings.evaluator}("{self.path.as_posix()}"))'

    def agent(self, seed: int = 0) -> Agent:
        """The trained agent."""
        return make_agent(self.expression, self.game, seed)

    def __str__(self) -> str:
        speed = f", {self.actions / self.seconds:,.0f} actions/s" if self.seconds > 0 else ""
        done = f"{self.episodes:,} of {self.total:,} episodes"
        return f"{self.path}: {self.game.name}, {done} in {self.seconds:.1f} s{speed}"


@dataclass(frozen=True)
class Exams:
    """Exams during training: matches of the greedy agent against others."""

    against: tuple[str, ...] = ()
    """Agent expressions; in a one-player game the agent just plays."""
    every: int = 0
    """Episodes between exams; 0: one at the end."""
    games: int = 100
    """Games an exam and opponent."""


def train(
    game: Game,
    learner: str = TdNTuple.name,
    *,
    episodes: int | None = None,
    out: str | os.PathLike[str] | None = None,
    seed: int = 0,
    preset: str = "default",
    force: bool = False,
    exams: Sequence[str] = (),
    exam_every: int = 0,
    exam_games: int = 100,
    progress: Callable[[Progress], None] | None = None,
    **settings: Any,
) -> Run:
    """Trains an agent by self-play and keeps it in the folder `out` (runs/GAME unless given).

    `settings` are those of the learner (`TdNTuple`, ...) and go before the preset's. A folder that holds a
    run is refused unless `force` is given. Ctrl-C saves what was learned and can be resumed.
    """
    if learner not in LEARNERS:
        raise unknown("learner", str(learner), LEARNERS)
    if not isinstance(game, Game):
        raise BoardLabError(f"train needs a game, as in boardlab.game('connectfour'), not {game!r}")
    kind = LEARNERS[learner]
    checked = kind.check(settings)
    chosen = preset_of(game, preset, learner)
    total = as_integer("episodes", episodes if episodes is not None else chosen["episodes"], 1, 10**12)
    chosen.pop("episodes")
    wanted = kind.checked({**chosen, **checked})
    plan = _checked_exams(game, exams, exam_every, exam_games)
    seed = as_seed(seed)
    if wanted.reward not in game.outcomes:
        raise unknown(f"outcome of {game.name}", wanted.reward, game.outcomes)
    network = wanted.describe(game, seed)
    agent = {
        "kind": learner,
        "boardlab": _version(),
        "seed": seed,
        "episodes": total,
        "preset": preset,
        "game": {"name": game.name, **_parameters(game)},
        "settings": wanted.as_dict(),
        "exams": dataclasses.asdict(plan),
        "network": network,
    }
    folder = RunFolder(out if out is not None else Path("runs") / game.name)
    # The memory is taken before the folder is touched: what cannot work leaves no trace.
    training = _Training(folder, game, wanted, network, seed, total, plan)
    folder.create(agent, force=force)
    training.save()
    return training.go(progress)


def resume(
    path: str | os.PathLike[str],
    *,
    episodes: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Run:
    """Goes on with a run from its last checkpoint.

    `episodes` sets a new total, which the schedules of alpha and epsilon then follow.
    """
    folder = RunFolder(path)
    agent = folder.read_agent(*LEARNERS)
    game = folder.game(agent)
    try:
        wanted = LEARNERS[agent["kind"]].checked(agent["settings"])
        network, seed = agent["network"], as_seed(agent["seed"])
        total = as_integer("episodes", agent["episodes"] if episodes is None else episodes, 1, 10**12)
        exams = agent.get("exams", {})
        plan = _checked_exams(game, exams.get("against", ()), exams.get("every", 0), exams.get("games", 100))
    except (KeyError, TypeError, AttributeError) as error:
        raise BoardLabError(f"{folder.path}/agent.toml lacks {error}") from None
    training = _Training(folder, game, wanted, network, seed, total, plan)
    training.load()
    if episodes is not None and total != agent["episodes"]:
        if total < training.learner.episodes_done:
            raise BoardLabError(f"{folder.path} has already played {training.learner.episodes_done} episodes")
        folder.write_agent(
            {key: value for key, value in {**agent, "episodes": total}.items() if key != "format"}
        )
    return training.go(progress)


def _checked_exams(game: Game, against: Any, every: Any, games: Any) -> Exams:
    if isinstance(against, str):
        against = (against,)
    for expression in against:
        if game.players > 1:
            make_agent(expression, game)
    return Exams(
        tuple(str(expression) for expression in against),
        as_integer("exam_every", every, 0, 10**12),
        as_integer("exam_games", games, 1, 10**7),
    )


def _parameters(game: Game) -> dict[str, Any]:
    return {
        field.name: list(value) if isinstance(value, tuple) else value
        for field in dataclasses.fields(game.rules)
        if (value := getattr(game.rules, field.name)) is not None
    }


def _version() -> str:
    import boardlab

    return boardlab.__version__


class _Training:
    """A run while it is being trained."""

    def __init__(
        self,
        folder: RunFolder,
        game: Game,
        settings: SelfPlaySettings,
        network: dict[str, Any],
        seed: int,
        total: int,
        exams: Exams,
    ) -> None:
        self.folder, self.game, self.settings = folder, game, settings
        self.seed, self.total, self.exams = seed, total, exams
        try:
            self.trainee = settings.build(game, network, total, seed)
        except ValueError as error:
            raise BoardLabError(str(error)) from None
        self.learner = self.trainee.core
        self.seconds = 0.0
        self.log: list[dict[str, Any]] = []
        self.exam: dict[str, float] = {}

    # ---- checkpoints ----

    def save(self) -> None:
        """Writes the checkpoint, the weights to play with, and the log."""
        learner = self.learner
        self.folder.write_arrays(
            "checkpoint.npz",
            {
                **self.trainee.arrays,
                "progress": np.array([learner.episodes_done, learner.actions_done], dtype=np.int64),
                "random": np.array([learner.random_state], dtype=np.uint64),
                "seconds": np.array([self.seconds]),
            },
        )
        self.folder.write_arrays("weights.npz", self.trainee.weights)
        if self.log:
            self.folder.write_log(self.log)

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
        # Exams after the checkpoint will be taken again.
        self.log = [dict(row) for row in self.folder.read_log() if int(row.get("episodes") or 0) <= episodes]

    # ---- the run ----

    def go(self, progress: Callable[[Progress], None] | None) -> Run:
        """Trains until the total is reached."""
        tell = progress or (lambda _: None)
        saved = time.monotonic()
        chunk = 1
        try:
            while self.learner.episodes_done < self.total:
                begin, done = time.monotonic(), self.learner.episodes_done
                self.learner.train(min(chunk, self._until_exam(done)))
                spent = max(time.monotonic() - begin, 1e-6)
                self.seconds += spent
                chunk = max(1, min(int(chunk * CHUNK_SECONDS / spent), 8 * chunk))
                if self._until_exam(done) == self.learner.episodes_done - done:
                    self._take_exam()
                    self.save()
                    saved = time.monotonic()
                elif time.monotonic() - saved > CHECKPOINT_SECONDS:
                    self.save()
                    saved = time.monotonic()
                tell(self._progress())
        except KeyboardInterrupt:
            self.save()
            raise
        self.save()
        tell(self._progress())
        return self._run()

    def _until_exam(self, done: int) -> int:
        left = self.total - done
        every = self.exams.every
        return min(left, every - done % every) if every else left

    def _take_exam(self) -> None:
        learner = self.learner
        row: dict[str, Any] = {
            "episodes": learner.episodes_done,
            "actions": learner.actions_done,
            "seconds": f"{self.seconds:.3f}",
            "alpha": f"{learner.alpha:.6g}",
            "epsilon": f"{learner.epsilon:.6g}",
        }
        opponents = self.exams.against if self.game.players > 1 else ("score",) if self.exams.every else ()
        self.exam = {}
        for opponent in opponents:
            evaluator = self.trainee.evaluator()

            def greedy(_: Game, seed: int, evaluator: _engine.Evaluator = evaluator) -> _engine.Search:
                return _engine.greedy_search(evaluator, seed)

            agents: list[str | Agent] = [Agent(self.game, greedy(self.game, self.seed), "learner", greedy)]
            agents += [opponent] * (self.game.players - 1)
            result = match(self.game, agents, self.exams.games, self.seed)
            self.exam[opponent] = result.mean_scores[0]
            row[opponent] = f"{result.mean_scores[0]:.6g}"
        self.log.append(row)

    def _progress(self) -> Progress:
        learner = self.learner
        return Progress(
            learner.episodes_done, self.total, learner.actions_done, self.seconds, dict(self.exam)
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
