"""How to train a run again: the command, from what agent.toml says."""

import contextlib
import math
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.games.library import Library
from boardlab.games.python import PythonGame
from boardlab.games.registry import game_from_table
from boardlab.learners.exams import exam_range
from boardlab.learners.presets import preset as preset_of
from boardlab.learners.registry import LEARNERS
from boardlab.learners.switches import idle_settings
from boardlab.options import option_words


def train_command(agent: Mapping[str, Any], out: str = "") -> str:
    """`boardlab train ...` with what differs from the preset; the same version then gives the same weights.

    `agent` is what a run's agent.toml holds.
    """
    game = game_from_table(agent["game"])
    learner, preset = agent["kind"], _preset_name(game, agent)
    rules = game.rules
    words = [
        "boardlab",
        *(["--plugin", rules.path] if isinstance(rules, Library) else []),
        *(["--plugin", rules.file] if isinstance(rules, PythonGame) else []),
        "train",
        *rules.command_words(),
    ]
    if learner != "td-ntuple":
        words += ["--learner", learner]
    if preset != "default":
        words += ["--preset", preset]
    words += ["--episodes", str(agent["episodes"]), "--seed", str(agent["seed"])]
    words += option_words(_changed(game, learner, preset, agent.get("settings", {})))
    words += _early_stop(game, agent.get("exams", {}))
    if "snapshot" in agent:  # it comes about in the folder of its run, where that is known
        words += ["--snapshot-every", str(agent["snapshot_every"])]
        folder = Path(out).parent
        out = folder.parent.as_posix() if folder.name == "snapshots" else ""
    return shlex.join([*words, *(["--out", out] if out else [])])


def _preset_name(game: Game, agent: Mapping[str, Any]) -> str:
    """The run's preset, if this version has it for the game as it is; else the default, and what differs."""
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
        idle = idle_settings(kind.checked(settings), settings)  # `train` refuses what does nothing
    except BoardLabError:  # a preset of another version
        usual, idle = {}, {}
    without = {name: None for name in usual if name not in settings}  # a run's file has no None
    changed = {name: value for name, value in settings.items() if usual.get(name) != value}
    return {name: value for name, value in changed.items() if name not in idle} | without


def _for_game(game: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings without what would do nothing: `train` refuses it, earlier versions did not."""
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
    """Exams do not change what is learned, but for the one that may end the run."""
    if "stop_exam" not in exams:
        return []
    if exams.get("stop_at", -math.inf) > exam_range(exams["stop_exam"], game)[1]:
        return []  # it never will; `train` refuses that
    words = ["--exam", exams["stop_exam"], "--stop-exam", exams["stop_exam"]]
    for key, option in (("every", "--exam-every"), ("games", "--exam-games"), ("stop_after", "--stop-after")):
        words += [option, str(exams[key])] if key in exams else []
    return words + (["--stop-at", str(exams["stop_at"])] if "stop_at" in exams else [])
