"""The options of a training run, declared once for all learners.

`train`, `train_many`, `resume` and the command line are made from them, and agent.toml keeps them.
"""

import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from boardlab.errors import BoardLabError
from boardlab.options import Not, check_needs, check_options, option, options_of

Function = TypeVar("Function", bound=Callable[..., Any])

MOST_EPISODES = 10**12
ROUNDED_UP = "Rounded up to whole generations (alphazero: --games each) or steps (nets of puzzles: --walks)"
MOST_EXAMS, MOST_GAMES, FEWEST_GAMES = 20, 100, 20
"""Exams of a run and games of an exam, where the user names neither."""


@dataclass(frozen=True)
class RunOptions:
    """How long a run trains, from which seed, and how it is examined on the way."""

    preset: str = option(
        "default",
        'settings by name: "default", "paper"; of alphazero "church", "wang", "ranked", "az-res" ...',
    )
    episodes: int | None = option(
        None,
        f"games of self-play; by default the preset's. {ROUNDED_UP}",
        low=0,
        high=MOST_EPISODES,
    )
    minutes: float | None = option(
        None,
        "train for this time, without exams, instead of a number of episodes. The run records how many that "
        "were and its pace, which repeat it exactly",
        low=0.001,
        high=10**6,
    )
    pace: str | None = option(
        None,
        "how schedules progress over the episodes, as EPISODES:SHARE,...; by default evenly. A run by "
        "minutes records its own in agent.toml",
        needs={"episodes": Not(None)},
    )
    seed: int = option(
        0, "seed of all random numbers; the same seed gives the same agent", low=0, high=2**64 - 1
    )
    exams: Sequence[str] | None = option(
        None,
        "exams (abdl, perfect, score ...) or agents as opponents. By default perfect play, known positions "
        "or tree search, whichever the game has and a tenth of the run's time allows",
    )
    exam_every: int | None = option(
        None,
        f"episodes between exams; 0: one at the end. By default {MOST_EXAMS} exams a run, or fewer",
        low=0,
        high=MOST_EPISODES,
    )
    exam_games: int | None = option(
        None,
        f"games of an exam; by default {MOST_GAMES}, or {FEWEST_GAMES} to {MOST_GAMES} if no exam is named",
        low=2,
        high=10**7,
    )
    stop_exam: str | None = option(None, "stop early when this exam is passed")
    stop_at: float | None = option(
        None, "the value that passes; by default the best possible", needs={"stop_exam": Not(None)}
    )
    stop_after: int = option(
        3, "consecutive passes required", low=1, high=10**6, needs={"stop_exam": Not(None)}
    )
    snapshot_every: int = option(
        0,
        "episodes between snapshots, agents that play, in the run's folder snapshots/; 0: none",
        low=0,
        high=MOST_EPISODES,
    )

    @classmethod
    def checked(cls, values: Mapping[str, Any]) -> Self:
        """Options whose values have their types and are in their ranges."""
        return cls(**check_options("", cls, values))

    @classmethod
    def of_run(cls, agent: Mapping[str, Any]) -> Self:
        """The options of the run whose agent.toml holds `agent`."""
        kept = {name: agent[name] for name in ("seed", "episodes")}
        kept |= {name: agent[name] for name in ("preset", "snapshot_every", *BY_TIME) if name in agent}
        exams = {"exams": (), "exam_every": 0, "exam_games": MOST_GAMES}
        exams |= {IN_EXAMS[name]: value for name, value in agent.get("exams", {}).items() if name in IN_EXAMS}
        return cls.checked({**kept, **exams})

    @property
    def is_open(self) -> bool:
        """Whether time decides the number of episodes, and has not yet."""
        return self.minutes is not None and self.pace is None

    @property
    def has_usual_exams(self) -> bool:
        """Whether the user names no exam, not even one that ends the run."""
        return self.exams is None and self.stop_exam is None


BY_TIME = ("minutes", "pace")
"""Options of a run limited by time, kept in its agent.toml; the pace since its end."""

IN_EXAMS = {
    "names": "exams",
    "every": "exam_every",
    "games": "exam_games",
    "stop_exam": "stop_exam",
    "stop_at": "stop_at",
    "stop_after": "stop_after",
}
"""The entries of agent.toml's table of exams that are options, each with the option's name."""


def split_options(given: Mapping[str, Any]) -> tuple[RunOptions, dict[str, Any]]:
    """Split keyword arguments into options of a run and settings of its learner."""
    known = {option.name: option for option in options_of(RunOptions)}
    options = RunOptions.checked({name: value for name, value in given.items() if name in known})
    if options.minutes is not None and options.episodes is not None:
        raise BoardLabError("give episodes or minutes, not both")
    check_needs(
        "", options, [o.name for o in known.values() if o.needs and getattr(options, o.name) != o.default]
    )
    return options, {name: value for name, value in given.items() if name not in known}


def takes_run_options(function: Function) -> Function:
    """Show the run options in the signature and docstring of a function."""
    own = inspect.signature(function)
    *parameters, given = own.parameters.values()
    options = options_of(RunOptions)
    shown = [
        inspect.Parameter(
            known.name, inspect.Parameter.KEYWORD_ONLY, default=known.default, annotation=known.type
        )
        for known in options
    ]
    first = next(i for i, parameter in enumerate(parameters) if parameter.kind is parameter.KEYWORD_ONLY)
    parameters[first:first] = shown
    function.__signature__ = own.replace(parameters=[*parameters, given.replace(name="settings")])  # type: ignore[attr-defined]
    function.__doc__ = f"{inspect.getdoc(function)}\n\nOptions of a run:\n\n{_as_list(options)}"
    return function


def _as_list(options: Sequence[Any]) -> str:
    """A line or more for every option."""
    lines = (f"- {known.name}: {known.doc}." for known in options)
    return "\n".join(textwrap.fill(line, 100, subsequent_indent="  ") for line in lines)
