"""Going on with a run from its last checkpoint."""

import os
from dataclasses import replace
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.games.game import game_table
from boardlab.interrupts import ended_by_signals
from boardlab.learners.exams import check_starts_nothing, resumed_exams
from boardlab.learners.registry import LEARNERS, run_folder
from boardlab.learners.run import Run, open_run
from boardlab.learners.run_options import RunOptions
from boardlab.learners.training import Tell, Training
from boardlab.numbers import counted
from boardlab.runs import RunFolder

CHECKPOINT_FILES = ("checkpoint.npz", "weights.npz", "log.csv")


@ended_by_signals()
def resume(
    path: str | os.PathLike[str],
    *,
    episodes: int | None = None,
    progress: Tell | bool | None = None,
    programs: bool = False,
) -> Run:
    """Go on with a run from its last checkpoint.

    A run that was killed before its first checkpoint begins again.

    `episodes` sets a new total, which the schedules of alpha and epsilon then follow; a run that has stopped
    early then goes on until it passes its exam again. `programs` lets the exams that agent.toml names start
    outside programs, `engine(...)`: a folder may be somebody else's. `progress` is as in `train`.
    """
    folder = run_folder(path)
    if folder.read_agent(*LEARNERS).get("clean"):
        return _finished(folder, episodes)
    if "snapshot" in folder.read_agent(*LEARNERS):
        run = folder.run_of_snapshot
        raise BoardLabError(
            f"{folder.path} is a snapshot, which plays but does not go on learning"
            + (f"; its run does: boardlab resume {run}" if run else "")
        )
    with folder.claimed():
        agent = folder.read_agent(*LEARNERS)
        training = _training(folder, agent, episodes, programs)
        folder.tidy()
        _go_back(training, agent)
        if episodes is not None:
            _extend(training, agent)
        training.go(progress)
        return training.run()


def _finished(folder: RunFolder, episodes: int | None) -> Run:
    """Return a finished run without a checkpoint; refuse to train it further."""
    run = open_run(folder.path)
    if episodes not in (None, run.total):
        raise BoardLabError(
            f"{folder.path} plays, but cannot go on: `boardlab runs --clean` removed its checkpoint"
        )
    return run


def _training(folder: RunFolder, agent: dict[str, Any], episodes: int | None, programs: bool) -> Training:
    """The training of the run that agent.toml describes, up to `episodes`."""
    with folder.understanding():
        settings = LEARNERS[agent["kind"]].of_run(agent["settings"])
    wished = None if episodes is None else settings.checked_episodes(episodes)
    with folder.understanding():
        game = folder.game(agent)
        check_rules(agent, game_table(game))
        options = RunOptions.of_run(agent)
        before = settings.checked_episodes(options.episodes)
        total = settings.whole_episodes(before if wished is None else wished)
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
    """Keep a new total in agent.toml, and forget exams that were passed."""
    total, done = training.total, training.learner.episodes_done
    if total == agent["episodes"] and not training.exams.is_passed(training.log):
        return
    if total < done:
        raise BoardLabError(f"{training.folder.path} has already played {counted(done, 'episodes')}")
    training.exams = replace(training.exams, stop_since=done)
    changed = {**agent, "episodes": total, "exams": training.exams.as_dict()}
    training.folder.write_agent({key: value for key, value in changed.items() if key != "format"})


def check_rules(agent: dict[str, Any], game: dict[str, Any]) -> None:
    """Refuse to go on if the user has changed the code of the game."""
    began = agent["game"].get("fingerprint")
    if began is not None and began != game.get("fingerprint"):
        raise BoardLabError(
            f"the code of {game['name']} is not what it was when the run began; train again in another "
            "folder, or, where its rules are still the same, go on without the line fingerprint in this file"
        )
