"""What a visitor may order: trainings within limits, with what the forms show before they begin."""

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boardlab.arena.exams import EXAMS, exams_for
from boardlab.errors import BoardLabError
from boardlab.games.game import Game, game_table
from boardlab.learners.presets import preset as preset_of
from boardlab.learners.puzzles.settings import Davi, DaviNet, RandomWalk, check_puzzle, goal_of
from boardlab.learners.registry import LEARNERS, default_learner
from boardlab.learners.run_options import RunOptions
from boardlab.learners.train import Prepared, prepare
from boardlab.numbers import counted, memory
from boardlab.options import options_of, values_of
from boardlab.web.errors import Forbidden, Refusal
from boardlab.web.forms import option_form
from boardlab.web.policy import Policy

MOST_EPISODES = 10_000_000
MOST_MINUTES = 240.0
MOST_TABLE_MB = 1024.0
MOST_EXAMS, MOST_EXAM_GAMES, MOST_SNAPSHOTS = 200, 1000, 20
MOST_OF: Mapping[str, float] = {
    "threads": 2,
    "processes": 2,
    "lanes": 2,
    "memory_gb": 8,
    "memory_mb": 1024,
    "cache_mb": 64,
    "max_nodes": 1 << 20,
    "play_max_nodes": 1 << 20,
    "tuples": 2000,
    "length": 40,
    "blocks": 20,
    "channels": 256,
    "hidden": 2048,
    "width": 2048,
    "replay": 1_000_000,
    "parallel": 4096,
    "batch": 8192,
}
"""The largest value of a setting, by its name, unless the server trusts its visitors."""
SHOWN_OPTIONS = (
    "episodes", "minutes", "seed", "exams", "exam_every", "exam_games", "stop_exam", "stop_at", "stop_after",
    "snapshot_every",
)  # fmt: skip
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}")


@dataclasses.dataclass(frozen=True)
class TrainingOrder:
    """A checked training that has not begun."""

    game: Game
    learner: str
    arguments: dict[str, Any]
    """Keyword arguments of `train`."""
    prepared: Prepared
    table_bytes: float

    def as_dict(self, run: str) -> dict[str, Any]:
        """Return it as a process reads it; `run` is its folder below the folder of runs."""
        return {
            "kind": "training",
            "run": run,
            "game": game_table(self.game),
            "learner": self.learner,
            "arguments": self.arguments,
        }


def learners_of(game: Game) -> list[str]:
    """Return the learners that learn a game, the default one first."""
    usual = default_learner((), game.is_hidden)
    able = [name for name in LEARNERS if _learns(name, game)]
    return sorted(able, key=lambda name: name != usual)


PUZZLES = {Davi.name: check_puzzle, DaviNet.name: goal_of, RandomWalk.name: goal_of}


def _learns(learner: str, game: Game) -> bool:
    try:
        LEARNERS[learner].check_plays(game)
        if check := PUZZLES.get(learner):
            check(learner, game)
    except BoardLabError:
        return False
    return True


def read_training(policy: Policy, body: Mapping[str, Any]) -> TrainingOrder:
    """Read and check what a form asks for: game, learner, preset, settings, options."""
    game = policy.game_of(body.get("game"))
    learner = body.get("learner") or default_learner((), game.is_hidden)
    settings, options = body.get("settings") or {}, body.get("options") or {}
    if not isinstance(learner, str) or not isinstance(settings, dict) or not isinstance(options, dict):
        raise Refusal("learner must be a name, settings and options must be names and values")
    for name in options:
        if name not in SHOWN_OPTIONS:
            raise Refusal(
                f"{name} is not an option of a training here; these are: {', '.join(SHOWN_OPTIONS)}"
            )
    arguments = {key: value for key, value in options.items() if value is not None and value != ""}
    if "exams" in arguments:
        arguments["exams"] = [_exam(policy, name) for name in _split(arguments["exams"])]
    if "stop_exam" in arguments:
        arguments["stop_exam"] = _exam(policy, arguments["stop_exam"])
    arguments["preset"] = body.get("preset") or "default"
    for name, value in settings.items():
        if name in RUN_NAMES:
            raise Refusal(f"{name} is not a setting of {learner}")
        if name in ("from", "from_") and value:
            policy.run(value)
        if not policy.trust and isinstance(value, (int, float)) and name in MOST_OF:
            _at_most(name, value, MOST_OF[name])  # before `prepare`, which may take its time over them
        arguments[name] = tuple(value) if isinstance(value, list) else value
    prepared = prepare(game, learner, **arguments)
    prepared.check()
    table_bytes = prepared.settings.table_bytes(game, prepared.exams.options.seed)
    if not policy.trust:
        _check_limits(prepared, table_bytes)
    return TrainingOrder(game, learner, arguments, prepared, table_bytes)


OTHER_ARGUMENTS = {"out", "force", "go_on", "progress", "picture", "told_memory", "game", "learner"}
"""Arguments of `train` that are no settings."""
RUN_NAMES = {option.name for option in options_of(RunOptions)} | OTHER_ARGUMENTS


def _split(given: Any) -> list[str]:
    """Return the exams of a line, which semicolons divide; "none" is no exam."""
    names = given if isinstance(given, list) else str(given).split(";")
    found = [str(name).strip() for name in names if str(name).strip()]
    return [] if found == ["none"] else found


def _exam(policy: Policy, name: Any) -> str:
    return name if isinstance(name, str) and name in EXAMS else policy.agent(name)


def _check_limits(prepared: Prepared, table_bytes: float) -> None:
    """Refuse what a visitor may not order."""
    options = prepared.exams.options
    length = prepared.episodes
    _at_most("episodes", length, MOST_EPISODES)
    _at_most("minutes", options.minutes or 0, MOST_MINUTES)
    _at_most("exam_games", prepared.exams.games, MOST_EXAM_GAMES)
    if prepared.exams.every:
        _at_most("the number of exams", length // prepared.exams.every, MOST_EXAMS)
    if options.snapshot_every:
        _at_most("the number of snapshots", length // options.snapshot_every, MOST_SNAPSHOTS)
        if options.is_open:
            raise Forbidden("visitors may not make snapshots of a training by minutes")
    if table_bytes > MOST_TABLE_MB * 2**20:
        raise Forbidden(
            f"this would take {memory(table_bytes)} of tables; visitors may use "
            f"{memory(MOST_TABLE_MB * 2**20)}: fewer or shorter tuples need less"
        )


def _at_most(name: str, value: float, most: float) -> None:
    if value > most:
        raise Forbidden(f"visitors may set {name} to {_shown(most)} at most, not {_shown(value)}")


def _shown(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,}"


def training_forms(policy: Policy, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the forms of a training: those of its learner, with the preset's values as defaults."""
    game = policy.game_of(body.get("game"))
    able = learners_of(game)
    learner = body.get("learner")
    if learner not in able:
        if not able:
            raise Refusal(f"no learner learns {game.name}")
        learner = able[0]
    kind = LEARNERS[learner]
    presets = sorted(kind.presets(game), key=lambda name: (name != "default", name))
    preset = str(body.get("preset"))
    preset = preset if preset in presets else "default"
    chosen = preset_of(game, preset, learner)  # not `prepare`: it loads PyTorch for some learners
    episodes = chosen.pop("episodes")
    merged = kind.merged(chosen, {})
    values = values_of(merged)
    settings = [
        {**option_form(option), "default": _plain(values[option.name])} for option in options_of(kind)
    ]
    run_options = []
    for option in options_of(RunOptions):
        if option.name in SHOWN_OPTIONS:
            shown = option_form(option)
            if option.name == "episodes":
                shown["default"] = merged.whole_episodes(merged.checked_episodes(episodes))
            run_options.append(shown)
    return {
        "game": game_table(game),
        "learners": [{"name": name, "summary": _summary(LEARNERS[name])} for name in able],
        "learner": learner,
        "presets": presets,
        "preset": preset,
        "settings": settings,
        "options": run_options,
        "exams": exams_for(game),
    }


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _summary(kind: type) -> str:
    return next(iter((kind.__doc__ or "").strip().splitlines()), "")


def about(order: TrainingOrder) -> dict[str, Any]:
    """Return what a form shows of a checked training."""
    what, length, _ = order.prepared.length
    return {
        "length": counted(int(length), what) if length.isdigit() else f"{length} {what}",
        "exams": str(order.prepared.exams),
        "memory": memory(order.table_bytes) if order.table_bytes else "",
    }


def new_folder(runs: Path, wished: Any, game: Game) -> str:
    """Make an empty folder for a run and return its name: the one wished for, or GAME-NUMBER."""
    if wished:
        if not isinstance(wished, str) or not NAME.fullmatch(wished) or wished.endswith((".", " ")):
            raise Refusal(
                "the name of a run has up to 60 letters, digits, blanks, dots, dashes and underscores, and "
                "begins with a letter or digit"
            )
        names = iter([wished])
    else:
        names = (f"{game.name}-{number}" for number in range(1, 100_000))
    for name in names:
        try:
            (runs / name).mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise BoardLabError(f"{runs / name} cannot be made: {error.strerror}") from None
        return name
    raise Refusal(f'there is already a run "{wished}"; choose another name')
