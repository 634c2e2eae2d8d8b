"""The command that trains a run again, made from its agent.toml."""

import contextlib
import math
import os
import shlex
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.games.game import Game, game_table
from boardlab.games.library import Library
from boardlab.games.own import OwnGame
from boardlab.games.registry import game_from_table
from boardlab.games.rules import Rules
from boardlab.learners.exams import exam_range
from boardlab.learners.presets import preset as preset_of
from boardlab.learners.registry import LEARNERS
from boardlab.learners.run import Run
from boardlab.learners.run_options import IN_EXAMS
from boardlab.options import option_words
from boardlab.plugins import plugin_paths
from boardlab.runs import RunFolder, runs_in


def train_command(agent: Mapping[str, Any], out: str = "", named: Collection[str] = ()) -> str:
    """`boardlab train ...` with the settings that differ from the preset's.

    The same version of BoardLab then learns the same weights.

    `agent` is what a run's agent.toml holds. Settings in `named` are written in any case.
    """
    game = game_from_table(agent["game"])
    learner, preset = agent["kind"], _preset_name(game, agent)
    rules = game.rules
    words = [
        "boardlab",
        *_plugin(rules, agent),
        "train",
        *rules.command_words(),
    ]
    if learner != "td-ntuple":
        words += ["--learner", learner]
    if preset != "default":
        words += ["--preset", preset]
    words += [*_length(agent), "--seed", str(agent["seed"])]
    settings = agent.get("settings", {})
    changed = _changed(game, learner, preset, settings)
    words += option_words({name: value for name, value in settings.items() if name in named} | changed)
    words += _early_stop(game, agent.get("exams", {}))
    if "snapshot" in agent:  # it lies in the folder of its run, where that is known
        words += ["--snapshot-every", str(agent["snapshot_every"])]
        folder = Path(out).parent
        out = folder.parent.as_posix() if folder.name == "snapshots" else ""
    return shlex.join([*words, *(["--out", out] if out else [])])


def next_commands(run: Run, folder: Path | None = None) -> list[str]:
    """The commands to play against a run's agent, examine, inspect, compare and train it on.

    `folder` is the folder of runs that it belongs to: all of them are examined, compared and trained on.
    """
    rules, game = run.game.rules, run.game.rules.command_words()
    path, whole = _as_agent(run.path), _as_agent(folder or run.path)
    more = [] if run.is_open else ["--episodes", str(2 * max(run.total, 1))]
    commands = [
        ["play", *game, "--against", run.expression],
        ["evaluate", whole],
        ["inspect", *game, "--run", path],
        ["compare", whole, _other_run(run, folder or run.path)],
        ["resume", whole, *more],
    ]
    plugin = _plugin(rules, RunFolder(run.path).read_agent())
    return [shlex.join(["boardlab", *plugin, *words]) for words in commands]


def _as_agent(path: Path) -> str:
    """A run's folder as a word; without a slash it would be the name of an agent."""
    return str(path) if os.sep in str(path) else f"./{path}"


def _other_run(run: Run, path: Path) -> str:
    """The newest run, or folder of runs, beside this one that has its game; OTHER if there is none."""
    found = []
    with contextlib.suppress(OSError):
        for beside in list(path.absolute().parent.iterdir())[:MOST_BESIDE]:
            one = next(iter(runs_in(beside)), beside)
            if beside.name != path.name and (one / "agent.toml").is_file():
                found.append(((one / "agent.toml").stat().st_mtime, beside.name, one))
    for _, name, one in sorted(found, reverse=True):
        with contextlib.suppress(BoardLabError):
            if RunFolder(one).read_agent()["game"] == game_table(run.game):
                return _as_agent(path.parent / name)
    return "OTHER"


MOST_BESIDE = 1000
"""Folders in which another run is looked for."""


def _length(agent: Mapping[str, Any]) -> list[str]:
    """The options that make the run as long, and its schedules progress alike."""
    if "pace" in agent:
        return ["--episodes", str(agent["episodes"]), "--pace", agent["pace"]]
    if "minutes" in agent:  # its time is not over
        return ["--minutes", f"{agent['minutes']:g}"]
    return ["--episodes", str(agent["episodes"])]


def _plugin(rules: Rules, agent: Mapping[str, Any]) -> list[str]:
    """The options that load a user's own game, learner and exams; none for what a configuration names."""
    named = [path for path in agent.get("plugins", ()) if os.sep in path]
    files = [path for path in plugin_paths() if str(Path(path).absolute()) in named]
    if isinstance(rules, Library):
        files.append(rules.path)
    elif isinstance(rules, OwnGame) and rules.needs_plugin and not named:
        files.append(rules.file)
    return [word for path in files for word in ("--plugin", path)]


def _preset_name(game: Game, agent: Mapping[str, Any]) -> str:
    """The run's preset, or the default where this version has no such preset."""
    name = str(agent.get("preset", "default"))
    with contextlib.suppress(BoardLabError):
        preset_of(game, name, agent["kind"], agent.get("settings", {}))
        return name
    return "default"


def _changed(game: Any, learner: str, preset: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are not the preset's."""
    if learner not in LEARNERS:
        return dict(settings)
    kind = LEARNERS[learner]
    settings = _for_game(game, settings)
    try:
        chosen = preset_of(game, preset, learner, settings)
        chosen.pop("episodes", None)
        usual = kind.checked(chosen).as_dict()
        settings = kind.of_run(settings).as_dict()  # earlier versions had fewer
        idle = kind.checked(settings).idle(settings)  # `train` refuses what does nothing
    except BoardLabError:  # a preset of another version
        usual, idle = {}, []
    without = {name: None for name in usual if name not in settings}  # a run's file has no None
    changed = {name: value for name, value in settings.items() if usual.get(name) != value}
    return {name: value for name, value in changed.items() if name not in idle} | without


def _for_game(game: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings without idle ones, which only earlier versions accepted."""
    fitted = dict(settings)
    if fitted.get("staged") and game.core.stages == 1:
        fitted["staged"] = False
    if "symmetries" in fitted:
        fitted["symmetries"] = min(fitted["symmetries"], game.symmetries)
    for least, most in (("window_first", "window"), ("simulations_first", "simulations"), ("lr_final", "lr")):
        if fitted.get(least) is not None and most in fitted:
            fitted[least] = min(fitted[least], fitted[most])
    return fitted


def _early_stop(game: Any, exams: Mapping[str, Any]) -> list[str]:
    """The exam that may end the run; others do not change what is learned."""
    if "stop_exam" not in exams:
        return []
    if exams.get("stop_at", -math.inf) > exam_range(exams["stop_exam"], game)[1]:
        return []  # it never will; `train` refuses that
    words = ["--exam", exams["stop_exam"]]
    for name, option in IN_EXAMS.items():
        if name in exams and name != "names":
            words += [f"--{option.replace('_', '-')}", str(exams[name])]
    return words
