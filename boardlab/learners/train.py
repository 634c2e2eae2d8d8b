"""A new training run: check what was given, make its folder, train.

The way of `boardlab train`: cli/train.py calls `train`, which calls `Training.go` (training.py), which calls
`Learner.train` (learner.py) again and again; there the engine, or PyTorch, changes the weights.
"""

import contextlib
import inspect
import os
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boardlab.errors import BoardLabError, shown, unknown
from boardlab.games.game import Game, check_outcome, game_table
from boardlab.interrupts import ended_by_signals, ignoring_ctrl_c
from boardlab.jobs import working_here
from boardlab.learners.exams import ExamPlan, check_stop, choose_exams
from boardlab.learners.learner import LearnerSettings
from boardlab.learners.pace import Pace
from boardlab.learners.presets import preset as preset_of
from boardlab.learners.registry import LEARNERS, default_learner, known_learner, run_folder
from boardlab.learners.resume import check_rules, resume
from boardlab.learners.run import Run
from boardlab.learners.run_options import BY_TIME, split_options, takes_run_options
from boardlab.learners.training import Tell, Training
from boardlab.options import options_of
from boardlab.plugins import plugins_of
from boardlab.runs import RunFolder
from boardlab.runs.toml import from_toml, to_toml


@ended_by_signals()
@takes_run_options
@working_here()
def train(
    game: Game,
    learner: str | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    go_on: bool = False,
    progress: Tell | bool | None = None,
    picture: bool = True,
    told_memory: Callable[[float], None] | None = None,
    **given: Any,
) -> Run:
    """Train an agent by self-play and keep it in a run folder.

    The folder is `out`, by default runs/GAME. `learner` is td-ntuple by default, cfr for games with hidden
    cards, or alphazero where the run begins with another's net (`from_`). With alphazero there may be 0
    `episodes`: such a run plays with an untrained net, or with the layers that it took over.

    `settings` are those of the learner (`TdNTuple`, ...) and override the preset's. A folder that holds a run
    is refused unless `force` is given, which replaces it, or `go_on`, which resumes it if it has the same
    settings. Ctrl-C saves what was learned and the run can be resumed; so do SIGTERM and SIGHUP, in a script.

    `exams=[]` takes no exams.

    `progress` is called with a `Progress` a few times a second; if it returns True the run is saved and
    stops. By default `boardlab.train` shows progress in terminals and notebooks; False hides it.

    `picture=False` draws no learning curve. `told_memory` is called with the number of bytes of the n-tuple
    tables before they are allocated.
    """
    prepared = prepare(game, learner, **given)
    folder = run_folder(out if out is not None else Path("runs") / game.name)
    if go_on and not force and folder.has("agent.toml"):
        check_same(folder, prepared)
        # The caller has named its exams.
        return resume(folder.path, progress=progress, picture=picture, programs=True)
    # Memory and threads are taken before the folder is touched: a run that cannot work leaves no trace.
    training = prepared.training(folder, told_memory)
    with folder.claimed(), _discarded_if_nothing_was_learned(training):
        training.begin(prepared.agent, force)
        training.go(progress, picture)
    return training.run()


@contextlib.contextmanager
def _discarded_if_nothing_was_learned(training: Training) -> Iterator[None]:
    """Remove the files of a new run that failed before its first episode."""
    folder, is_new = training.folder, training.folder.is_empty
    try:
        yield
    except BaseException as error:
        # After Ctrl-C the run can go on as soon as there is a checkpoint.
        is_saved = not isinstance(error, Exception) and folder.has("checkpoint.npz")
        if is_new and not is_saved and not training.learner.episodes_done:
            with ignoring_ctrl_c(), contextlib.suppress(BoardLabError):  # the first error is raised
                folder.discard()
        raise


@dataclass(frozen=True)
class Prepared:
    """A checked run that has not begun."""

    game: Game
    settings: LearnerSettings
    given: Sequence[str]
    """The settings that the user gave."""
    agent: dict[str, Any]
    """The contents of agent.toml."""
    exams: ExamPlan
    has_usual_exams: bool
    """Whether the user named no exams."""

    @property
    def episodes(self) -> int:
        """Games of self-play, rounded up to whole generations; 0 where time decides."""
        return int(self.agent["episodes"])

    @property
    def length(self) -> tuple[str, str, str]:
        """The option that decides how long the run is, its value, and what it counts."""
        if self.exams.options.is_open:
            return "minutes", f"{self.exams.options.minutes:g}", "time of training"
        return "episodes", str(self.episodes), "games of self-play"

    def check(self) -> None:
        """Refuse settings that new runs must not have."""
        self.settings.check_needs(self.given)
        self.settings.check_given(self.given)
        self.settings.check_game(self.game, self.given)
        check_stop(self.game, self.exams)

    def training(self, folder: RunFolder, told_memory: Callable[[float], None] | None = None) -> Training:
        """Take memory and threads; refuse settings that new runs must not have."""
        self.check()
        settings, game = self.settings, self.game
        if told_memory is not None:
            told_memory(settings.table_bytes(game, self.exams.options.seed))
        return Training(folder, game, settings, self.agent["network"], self.exams)


def prepare(game: Game, learner: str | None = None, **given: Any) -> Prepared:
    """The run that `train` begins with these arguments, or the error that it raises."""
    options, settings = split_options(given)
    if not isinstance(game, Game):
        raise BoardLabError(f"train needs a game, as in boardlab.game('connectfour'), not {shown(game)}")
    kind = _kind(game, learner, settings)
    _check_names(kind, settings)
    checked = kind.check(kind.read(game, settings))
    chosen = preset_of(game, options.preset, kind.name, checked)
    usual = chosen.pop("episodes")
    wanted = kind.merged(chosen, checked)
    length = wanted.checked_episodes(usual if options.episodes is None else options.episodes)
    length = wanted.whole_episodes(length)
    options = replace(options, episodes=0 if options.is_open else length)
    if options.pace is not None:
        Pace.read(options.pace)
    plan = choose_exams(game, options, wanted.exam_cost, length)
    check_outcome(game, getattr(wanted, "reward", "score"))
    named = [name for name, value in checked.items() if value is not None]
    return Prepared(game, wanted, named, _agent(game, wanted, plan), plan, options.has_usual_exams)


def _kind(game: Game, learner: str | None, settings: Mapping[str, Any]) -> type[LearnerSettings]:
    if learner is None:
        learner = default_learner((name for name, value in settings.items() if value), game.is_hidden)
    return known_learner(learner)


def _check_names(kind: type[LearnerSettings], settings: Mapping[str, Any]) -> None:
    """Refuse an unknown setting; the nearest name may be an argument of `train`."""
    known = options_of(kind)
    for name in settings:
        if name not in {word for option in known for word in (option.name, option.shown_name)}:
            kind.check_renamed(name)
            arguments = [word for word in inspect.signature(train).parameters if word != "settings"]
            names = [option.shown_name for option in known]
            raise unknown(f"parameter of {kind.name}", name, [*names, *arguments])


def _agent(game: Game, settings: LearnerSettings, plan: ExamPlan) -> dict[str, Any]:
    """The contents of agent.toml."""
    options = plan.options
    described = {
        "kind": settings.name,
        "boardlab": _version(),
        "seed": options.seed,
        "episodes": options.episodes,  # 0 until the time of a run by minutes is over
        **{name: value for name in BY_TIME if (value := getattr(options, name)) is not None},
        "preset": options.preset,
        "game": game_table(game),
        "settings": settings.as_dict(),
        "exams": plan.as_dict(),
        "snapshot_every": options.snapshot_every,
        "network": settings.describe(game, options.seed),
    }
    used = plugins_of(re.findall(r"[A-Za-z_][\w-]*", str(described)))
    return described | ({"plugins": used} if used else {})


def _version() -> str:
    import boardlab

    return boardlab.__version__


def check_same(folder: RunFolder, prepared: Prepared) -> None:
    """Refuse to go on with a run that was started with other settings.

    Where the user names no exams the run keeps its own: which are usual depends on what is installed.
    """
    there = folder.read_agent(prepared.settings.name)
    wanted = from_toml(to_toml(prepared.agent))
    with folder.understanding():
        check_rules(there, wanted["game"])
    for table in (there["game"], wanted["game"]):  # earlier versions did not keep it
        table.pop("fingerprint", None)
    there["settings"] = _with_later_settings(there, wanted, prepared.given)
    if prepared.has_usual_exams:
        del wanted["exams"]
    if prepared.exams.options.is_open and wanted["minutes"] == there.get("minutes"):
        wanted |= {name: there[name] for name in ("episodes", "pace") if name in there}  # which time decided
    for key in dict.fromkeys((*BY_TIME, *wanted)):
        # Runs of earlier versions had no snapshots.
        if key not in ("boardlab", "plugins") and there.get(
            key, 0 if key == "snapshot_every" else None
        ) != wanted.get(key):
            raise BoardLabError(
                f"{folder.path} holds another run, which differs in its {key}"
                f"{_others(there[key], wanted[key]) if key == 'settings' else ''}; choose another folder, or "
                "replace it (--force, or force=True)"
            )


def _with_later_settings(
    there: Mapping[str, Any], wanted: Mapping[str, Any], given: Container[str]
) -> dict[str, Any]:
    """The settings of an earlier version's run, with those added later.

    The run keeps its ways where the user gives nothing else.
    """
    kind = LEARNERS[wanted["kind"]]
    unasked = {name: wanted["settings"][name] for name in kind.before if name not in given}
    kept = kind.of_run({**unasked, **kind.translated(there["settings"])})
    settings: dict[str, Any] = from_toml(to_toml(kept.as_dict()))
    return settings


def _others(there: dict[str, Any], wanted: dict[str, Any]) -> str:
    """The settings that differ, with the run's values."""
    names = [name for name in {**wanted, **there} if there.get(name) != wanted.get(name)]
    return f" (there {', '.join(f'{name}={there.get(name)}' for name in names)})"
