"""Going on with a run from its last checkpoint."""

import os
from dataclasses import replace
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.games.game import game_table
from boardlab.interrupts import ended_by_signals
from boardlab.jobs import working_here
from boardlab.learners.exams import check_starts_nothing, resumed_exams
from boardlab.learners.registry import LEARNERS, run_folder
from boardlab.learners.run import Run, open_run
from boardlab.learners.run_options import BY_TIME, RunOptions
from boardlab.learners.training import Tell, Training
from boardlab.numbers import counted, plain
from boardlab.runs import RunFolder

CHECKPOINT_FILES = ("checkpoint.npz", "weights.npz", "log.csv")


@ended_by_signals()
@working_here()
def resume(
    path: str | os.PathLike[str],
    *,
    episodes: int | None = None,
    minutes: float | None = None,
    progress: Tell | bool | None = None,
    picture: bool = True,
    programs: bool = False,
) -> Run:
    """Go on with a run from its last checkpoint.

    A run that was killed before its first checkpoint begins again.

    `episodes` sets a new total, which the schedules of alpha and epsilon then follow; a run that has stopped
    early then goes on until it passes its exam again. `minutes` sets a new total of training time instead.
    `programs` lets the exams that agent.toml names start
    outside programs, `engine(...)`: a folder may be somebody else's. `progress` and `picture` are as in
    `train`.
    """
    if episodes is not None and minutes is not None:
        raise BoardLabError("give episodes or minutes, not both")
    folder = run_folder(path)
    if folder.read_agent(*LEARNERS.names()).get("clean"):
        return _finished(folder, episodes, minutes)
    if "snapshot" in folder.read_agent(*LEARNERS.names()):
        run = folder.run_of_snapshot
        raise BoardLabError(
            f"{folder.path} is a snapshot, which plays but does not go on learning"
            + (f"; its run does: boardlab resume {run}" if run else "")
        )
    with folder.claimed():
        agent = folder.read_agent(*LEARNERS.names())
        training = _training(folder, agent, episodes, minutes, programs)
        folder.tidy()
        _go_back(training, agent)
        if episodes is not None or minutes is not None:
            _extend(training, agent)
        training.go(progress, picture)
        return training.run()


def _finished(folder: RunFolder, episodes: int | None, minutes: float | None) -> Run:
    """Return a finished run without a checkpoint; refuse to train it further."""
    run = open_run(folder.path)
    if episodes not in (None, run.total) or minutes not in (None, run.minutes):
        raise BoardLabError(
            f"{folder.path} plays, but cannot go on: `boardlab runs --clean` removed its checkpoint"
        )
    return run


def _training(
    folder: RunFolder, agent: dict[str, Any], episodes: int | None, minutes: float | None, programs: bool
) -> Training:
    """The training of the run that agent.toml describes, up to `episodes` or for `minutes`."""
    with folder.understanding():
        settings = LEARNERS[agent["kind"]].of_run(agent["settings"])
    wished = None if episodes is None else settings.whole_episodes(settings.checked_episodes(episodes))
    minutes = RunOptions.checked({"minutes": minutes}).minutes
    with folder.understanding():
        game = folder.game(agent)
        check_rules(agent, game_table(game))
        options = RunOptions.of_run(agent)
        if minutes not in (None, options.minutes) or wished not in (None, options.episodes):
            options = replace(options, pace=None, minutes=minutes)  # another length
        total = wished or 0
        if wished is None and not options.is_open:
            total = settings.whole_episodes(settings.checked_episodes(options.episodes))
        table = dict(agent.get("exams", {}))
        if not programs:
            check_starts_nothing(options, table.get("final", ()))
        plan = resumed_exams(game, table, options, total, settings.exam_cost)
        return Training(folder, game, settings, agent["network"], plan)


def _go_back(training: Training, agent: dict[str, Any]) -> None:
    """Load the last checkpoint, or begin again where there is none."""
    if any(training.folder.has(name) for name in CHECKPOINT_FILES):
        training.load()
    else:
        training.begin({key: value for key, value in agent.items() if key != "format"}, force=True)


def _extend(training: Training, agent: dict[str, Any]) -> None:
    """Keep a new length in agent.toml, and forget exams that were passed."""
    total, done = training.total, training.learner.episodes_done
    length = _length(training)
    has_new_length = any(agent.get(name) != length.get(name) for name in ("episodes", *BY_TIME))
    if not has_new_length and not training.exams.is_passed(training.log):
        return
    if total < done:
        raise BoardLabError(f"{training.folder.path} has already played {counted(done, 'episodes')}")
    if training.timetable is not None and training.timetable.is_up(training.seconds):
        raise BoardLabError(
            f"{training.folder.path} has already trained {plain(training.seconds / 60)} minutes"
        )
    training.exams = replace(training.exams, stop_since=done)
    kept = {key: value for key, value in agent.items() if key not in ("format", *BY_TIME)}
    training.folder.write_agent({**kept, **length, "exams": training.exams.as_dict()})


def _length(training: Training) -> dict[str, Any]:
    """The entries of agent.toml that decide how long the run is."""
    options = training.exams.options
    timed = {name: value for name in BY_TIME if (value := getattr(options, name)) is not None}
    return {"episodes": 0 if options.is_open else training.total, **timed}


def check_rules(agent: dict[str, Any], game: dict[str, Any]) -> None:
    """Refuse to go on if the user has changed the code of the game."""
    began = agent["game"].get("fingerprint")
    if began is not None and began != game.get("fingerprint"):
        raise BoardLabError(
            f"the code of {game['name']} is not what it was when the run began; train again in another "
            "folder, or, where its rules are still the same, go on without the line fingerprint in this file"
        )
