"""Training runs of agents that learn by self-play: train, resume, open."""

import contextlib
import dataclasses
import inspect
import math
import os
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boardlab.errors import BoardLabError, check_known, shown, unknown
from boardlab.games.game import Game, as_integer, as_seed, check_outcome, game_table
from boardlab.interrupts import ended_by_signals, ignoring_ctrl_c
from boardlab.learners.alphazero.settings import AlphaZero
from boardlab.learners.exams import ExamPlan, check_stop, default_every, plan_exams
from boardlab.learners.features import TdFeatures
from boardlab.learners.learner import LearnerSettings
from boardlab.learners.ntuple.settings import NTupleSettings, QNTuple, SarsaNTuple, TdNTuple
from boardlab.learners.presets import preset as preset_of
from boardlab.learners.puzzles.settings import Davi, DaviNet, RandomWalk
from boardlab.learners.switches import check_for_game, check_switches
from boardlab.learners.tabular import QM, QTableSettings
from boardlab.learners.training import Tell, Training
from boardlab.learners.usual_exams import MOST_GAMES, UsualPlan, usual_plan
from boardlab.numbers import counted
from boardlab.options import options_of
from boardlab.reports import Report
from boardlab.runs import RunFolder
from boardlab.runs.toml import from_toml, to_toml
from boardlab.search.agent import Agent
from boardlab.search.expression import agent as make_agent
from boardlab.search.expression import escaped, programs_of

if TYPE_CHECKING:
    from boardlab.learners.ntuple.inspection import Inspection

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
    """Episodes wanted."""
    actions: int
    seconds: float
    log: list[dict[str, float]]
    """The rows of log.csv; a cell that is empty is not there."""

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

    def __fspath__(self) -> str:
        """Its folder: wherever the path of a run is asked for, the run itself will do."""
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

    def __str__(self) -> str:
        speed = f", {self.actions / self.seconds:,.0f} actions/s" if self.seconds > 0 else ""
        done = f"{self.episodes:,} of {self.total:,} episodes"
        return f"{self.path}: {self.game.name}, {done} in {self.seconds:.1f} s{speed}"


def default_learner(settings: Iterable[str]) -> str:
    """What learns where nobody says: only AlphaZero can begin with the net of another run."""
    return AlphaZero.name if {"from", "from_"} & set(settings) else TdNTuple.name


@ended_by_signals()
def train(
    game: Game,
    learner: str | None = None,
    *,
    episodes: int | None = None,
    out: str | os.PathLike[str] | None = None,
    seed: int = 0,
    preset: str = "default",
    force: bool = False,
    go_on: bool = False,
    exams: Sequence[str] | None = None,
    exam_every: int | None = None,
    exam_games: int | None = None,
    stop_exam: str | None = None,
    stop_at: float | None = None,
    stop_after: int = 3,
    snapshot_every: int = 0,
    progress: Tell | bool | None = None,
    told_memory: Callable[[float], None] | None = None,
    **settings: Any,
) -> Run:
    """Trains an agent by self-play and keeps it in the folder `out` (runs/GAME unless given).

    `learner` is td-ntuple unless given, or alphazero where the run begins with another's net (`from_`).
    With `from_` there may be 0 `episodes`: such a run plays with what it took over and fresh heads.
    `settings` are those of the learner (`TdNTuple`, ...) and go before the preset's. A folder that holds a
    run is refused unless `force` is given, which replaces it, or `go_on`, which resumes it where it is this
    very run. Ctrl-C saves what was learned and can be resumed; so do SIGTERM and SIGHUP, in a script.

    `exams` are names of the arena's exams or agents to play against, taken every `exam_every` episodes (0: at
    the end; by default twenty times) with `exam_games` games (100). Without `exams` it is the best one that
    the game has and that fits into a tenth of the run's time, as often and with as many games as that allows;
    `exams=[]` takes none. The run stops early once `stop_exam` gave at least `stop_at` (by default the best
    possible value) `stop_after` times in a row.

    `progress` is called with where the run stands, a few times a second, and stops the run, saved, by
    returning True. By default `boardlab.train` shows progress in terminals and notebooks; False hides it.

    Every `snapshot_every` episodes (0: never) what was learned so far is kept beside the run, as a folder of
    its own that plays as the run does: out/snapshots/EPISODES.

    `told_memory` is called with the bytes that the tables of n-tuples will take, before they do.
    """
    prepared = prepare(
        game,
        learner,
        episodes=episodes,
        seed=seed,
        preset=preset,
        exams=exams,
        exam_every=exam_every,
        exam_games=exam_games,
        stop_exam=stop_exam,
        stop_at=stop_at,
        stop_after=stop_after,
        snapshot_every=snapshot_every,
        **settings,
    )
    agent, folder = prepared.agent, RunFolder(out if out is not None else Path("runs") / game.name)
    if go_on and not force and folder.has("agent.toml"):
        _check_same(folder, agent, prepared.given, prepared.has_usual_exams)
        return resume(folder.path, progress=progress, programs=True)  # the caller has named its exams
    # Memory and threads are taken before the folder is touched: what cannot work leaves no trace.
    training = prepared.training(folder, told_memory)
    with folder.claimed():
        is_new = folder.is_empty
        try:
            training.begin(agent, force)
            training.go(progress)
        except BaseException as error:
            # After Ctrl-C there is something to go on with as soon as there is a checkpoint.
            is_saved = not isinstance(error, Exception) and folder.has("checkpoint.npz")
            if is_new and not is_saved and not training.learner.episodes_done:
                # What went wrong first is what is said.
                with ignoring_ctrl_c(), contextlib.suppress(BoardLabError):
                    folder.discard()
            raise
    return _as_run(training)


@dataclass(frozen=True)
class Prepared:
    """A run that could begin: what was asked for, checked, and not yet a word of it written."""

    game: Game
    settings: LearnerSettings
    given: Sequence[str]
    """The settings that were asked for."""
    agent: dict[str, Any]
    """What agent.toml will say."""
    exams: ExamPlan
    has_usual_exams: bool
    """Whether nobody named exams."""

    @property
    def episodes(self) -> int:
        """Games of self-play: what was asked for, rounded up where only whole generations are played."""
        return int(self.agent["episodes"])

    def training(self, folder: RunFolder, told_memory: Callable[[float], None] | None = None) -> Training:
        """Takes memory and threads; refuses what a new run must not have, which an old one may."""
        wanted, game, seed = self.settings, self.game, self.agent["seed"]
        check_switches(wanted, self.given)
        wanted.check_given(self.given)
        check_for_game(wanted, game, self.given)
        wanted.check_game(game)
        check_stop(game, self.exams)
        if told_memory is not None:
            told_memory(wanted.table_bytes(game, seed))
        network, snapshot_every = self.agent["network"], self.agent["snapshot_every"]
        return Training(folder, game, wanted, network, seed, self.episodes, self.exams, snapshot_every)


def prepare(
    game: Game,
    learner: str | None,
    *,
    episodes: int | None,
    seed: int,
    preset: str,
    exams: Sequence[str] | None,
    exam_every: int | None,
    exam_games: int | None,
    stop_exam: str | None,
    stop_at: float | None,
    stop_after: int,
    snapshot_every: int,
    **settings: Any,
) -> Prepared:
    """The run that `train` begins with these arguments, which are its own; refused as there."""
    if learner is None:
        learner = default_learner(name for name, value in settings.items() if value)
    check_known("learner", learner, LEARNERS)
    if not isinstance(game, Game):
        raise BoardLabError(f"train needs a game, as in boardlab.game('connectfour'), not {shown(game)}")
    kind = LEARNERS[learner]
    names = [name for option in options_of(kind) for name in (option.shown_name, option.name)]
    for name in settings:
        if name not in names:  # an argument of ours may have been meant
            own = inspect.signature(train).parameters
            raise unknown(
                f"parameter of {learner}", name, [*names[::2], *(n for n in own if n != "settings")]
            )
    checked = kind.check(kind.read(game, settings))
    chosen = preset_of(game, preset, learner, checked)
    usual = chosen.pop("episodes")
    wanted = kind.merged(chosen, checked)
    total = wanted.whole_episodes(_episodes(usual if episodes is None else episodes, wanted))
    is_usual = exams is None and stop_exam is None  # else the one that ends the run will do
    is_spread = is_usual and exam_every is None
    final: tuple[str, ...] = ()
    if is_usual:
        chosen_plan = _usual_exams(game, total, wanted, exam_every, exam_games)
        exams, exam_every, exam_games = chosen_plan.names, chosen_plan.every, chosen_plan.games
        final = chosen_plan.final
    if exam_every is None and not exams and stop_exam is None:
        exam_every = 0  # nothing to take on the way
    exam_games = MOST_GAMES if exam_games is None else exam_games
    plan = plan_exams(
        game,
        total,
        exams or (),
        exam_every,
        exam_games,
        stop_exam,
        stop_at,
        stop_after,
        spread=is_spread,
        final=final,
    )
    seed = as_seed(seed)
    snapshot_every = as_integer("snapshot_every", snapshot_every, 0, 10**12)
    check_outcome(game, getattr(wanted, "reward", "score"))
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
        "snapshot_every": snapshot_every,
        "network": network,
    }
    given = [name for name, value in checked.items() if value is not None]
    return Prepared(game, wanted, given, agent, plan, is_usual)


def _usual_exams(
    game: Game, total: int, wanted: LearnerSettings, every: int | None, games: int | None
) -> UsualPlan:
    if every is not None:
        every = as_integer("exam_every", every, 0, 10**12)
    if games is not None:
        games = as_integer("exam_games", games, 2, 10**7)
    return usual_plan(game, total, wanted.exam_cost, every, games)


@ended_by_signals()
def resume(
    path: str | os.PathLike[str],
    *,
    episodes: int | None = None,
    progress: Tell | bool | None = None,
    programs: bool = False,
) -> Run:
    """Goes on with a run from its last checkpoint; one that was killed before its first begins again.

    `episodes` sets a new total, which the schedules of alpha and epsilon then follow; a run that has stopped
    early then goes on until it passes its exam again. `programs`: the exams that the run's file names may
    start outside programs, `engine(...)`; a folder may be somebody else's. `progress` is as in `train`.
    """
    folder = RunFolder(path)
    if folder.read_agent(*LEARNERS).get("clean"):
        raise BoardLabError(
            f"{folder.path} plays, but cannot go on: `boardlab runs --clean` removed its checkpoint"
        )
    if "snapshot" in folder.read_agent(*LEARNERS):  # what is no run is left as it is
        run = folder.run_of_snapshot
        raise BoardLabError(
            f"{folder.path} is a snapshot, which plays but does not go on learning"
            + (f"; its run does: boardlab resume {run}" if run else "")
        )
    with folder.claimed():
        return _as_run(_resume(folder, episodes, progress, programs))


def _resume(
    folder: RunFolder, episodes: int | None, progress: Tell | bool | None, programs: bool
) -> Training:
    agent = folder.read_agent(*LEARNERS)
    with folder.understanding():
        wanted = LEARNERS[agent["kind"]].of_run(agent["settings"])
    wished = None if episodes is None else _episodes(episodes, wanted)
    with folder.understanding():
        game = folder.game(agent)
        _check_rules(agent, game_table(game))
        network, seed = agent["network"], as_seed(agent["seed"])
        before = _episodes(agent["episodes"], wanted)
        total = wanted.whole_episodes(before if wished is None else wished)
        exams = dict(agent.get("exams", {}))
        if exams.get("spread"):
            if total > before and not exams.get("names"):  # it was too short for an exam
                exams |= dataclasses.asdict(usual_plan(game, total, wanted.exam_cost))
            elif total > before > 0:
                exams["every"] = as_integer("exam_every", exams.get("every", 0), 0, 10**12) * total // before
        elif exams.get("every") == default_every(before):
            exams["every"] = None  # as many exams as before, however long the run is now
        if not programs:
            _check_starts_nothing(exams)
        plan = plan_exams(game, total, **exams)
        snapshot_every = as_integer("snapshot_every", agent.get("snapshot_every", 0), 0, 10**12)
        training = Training(folder, game, wanted, network, seed, total, plan, snapshot_every)
    folder.tidy()
    if any(folder.has(name) for name in ("checkpoint.npz", "weights.npz", "log.csv")):
        training.load()
    else:  # it was killed before its first checkpoint
        training.begin({key: value for key, value in agent.items() if key != "format"}, force=True)
    if episodes is not None and (total != agent["episodes"] or plan.is_passed(training.log)):
        if total < training.learner.episodes_done:
            raise BoardLabError(
                f"{folder.path} has already played {counted(training.learner.episodes_done, 'episodes')}"
            )
        training.exams = dataclasses.replace(plan, stop_since=training.learner.episodes_done)
        changed = {**agent, "episodes": total, "exams": training.exams.as_dict()}
        folder.write_agent({key: value for key, value in changed.items() if key != "format"})
    training.go(progress)
    return training


def _check_starts_nothing(exams: Mapping[str, Any]) -> None:
    """Refuses exams that would start a program that somebody else's file names."""
    names = exams.get("names", ())
    named = (names,) if isinstance(names, str) else names
    for name in (*named, *exams.get("final", ()), exams.get("stop_exam")):
        if isinstance(name, str) and (started := programs_of(name)):
            raise BoardLabError(
                f"an exam of this run starts the program {started[0]!r}; if you trust it, resume with "
                "--programs (in Python programs=True)"
            )


def run_expression(path: str | os.PathLike[str]) -> str:
    """The agent that was trained in the folder."""
    folder = RunFolder(path)
    agent = folder.read_agent(*LEARNERS)
    with folder.understanding():
        wanted = LEARNERS[agent["kind"]].of_run(agent["settings"])
    return wanted.expression(escaped(folder.path.as_posix()))


def open_run(path: str | os.PathLike[str]) -> Run:
    """A run as it stands in its folder; nothing is trained."""
    folder = RunFolder(path)
    agent = folder.read_agent(*LEARNERS)
    with folder.understanding():
        game = folder.game(agent)
        wanted = LEARNERS[agent["kind"]].of_run(agent["settings"])
        seed = as_seed(agent["seed"])
        total = _episodes(agent["episodes"], wanted)
    stored = folder.read_arrays("checkpoint.npz", {"progress": ("<i8", 2), "seconds": ("<f8", 1)})
    episodes, actions = stored["progress"].tolist()
    seconds = float(stored["seconds"][0])
    return Run(folder.path, game, wanted, seed, episodes, total, actions, seconds, _numbers(folder))


def _episodes(number: Any, wanted: LearnerSettings) -> int:
    """The number of episodes of a run, checked."""
    return as_integer("episodes", number, wanted.least_episodes, 10**12)


def _as_run(training: Training) -> Run:
    learner, folder = training.learner, training.folder
    return Run(
        folder.path,
        training.game,
        training.settings,
        training.seed,
        learner.episodes_done,
        training.total,
        learner.actions_done,
        training.seconds,
        _numbers(folder),
    )


def _numbers(folder: RunFolder) -> list[dict[str, float]]:
    """The rows of the log, whose cells are numbers or empty."""
    return [{name: _number(cell) for name, cell in row.items() if cell} for row in folder.read_log()]


def _number(cell: str) -> float:
    if re.fullmatch(r"-?\d+", cell):
        return int(cell)
    number = float(cell)
    return math.nan if math.isnan(number) else number  # one object, so that equal logs are equal


def _check_same(folder: RunFolder, agent: dict[str, Any], given: Container[str], usual_exams: bool) -> None:
    """Refuses to go on with a run that was started with other settings.

    Where nobody names exams the run keeps its own: which are usual depends on what is installed.
    """
    there = folder.read_agent(agent["kind"])
    wanted = from_toml(to_toml(agent))
    with folder.understanding():
        _check_rules(there, wanted["game"])
    for table in (there["game"], wanted["game"]):  # earlier versions did not keep it
        table.pop("fingerprint", None)
    # Nor had they all of today's settings: the run keeps its ways where nothing else is asked for.
    kind = LEARNERS[agent["kind"]]
    unasked = {name: wanted["settings"][name] for name in kind.before if name not in given}
    usual = from_toml(to_toml(kind().as_dict()))
    there["settings"] = usual | dict(kind.before) | unasked | there["settings"]
    if usual_exams:
        del wanted["exams"]
    for key in wanted:
        # Runs of earlier versions had no snapshots.
        if key != "boardlab" and there.get(key, 0 if key == "snapshot_every" else None) != wanted[key]:
            raise BoardLabError(
                f"{folder.path} holds another run, which differs in its {key}"
                f"{_others(there[key], wanted[key]) if key == 'settings' else ''}; choose another folder, or "
                "replace it (--force, or force=True)"
            )


def _others(there: dict[str, Any], wanted: dict[str, Any]) -> str:
    """The settings that differ, as they are in the run."""
    names = [name for name in {**wanted, **there} if there.get(name) != wanted.get(name)]
    return f" (there {', '.join(f'{name}={there.get(name)}' for name in names)})"


def _check_rules(agent: dict[str, Any], game: dict[str, Any]) -> None:
    """Refuses to learn on by other rules: code of the user's own that was changed may well have some."""
    began = agent["game"].get("fingerprint")
    if began is not None and began != game.get("fingerprint"):
        raise BoardLabError(
            f"the code of {game['name']} is not what it was when the run began; train anew in another "
            "folder, or, where its rules are still the same, go on without the line fingerprint in this file"
        )


def _version() -> str:
    import boardlab

    return boardlab.__version__
