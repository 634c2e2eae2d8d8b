"""Entrants of matches, exams and tournaments: agents with a name, and folders of runs.

An entrant may have a name of its own: `AZ=mcts(net("runs/az"))`, or a key of a dict. One that names a folder
of runs over seeds, as in `mcts(ntuple("runs/multi"), iterations=100)`, is one agent per run; these share the
entrant's games.
"""

import contextlib
import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from boardlab.errors import BoardLabError, shown
from boardlab.evaluators import EVALUATORS, EvaluatorSpec
from boardlab.runs import RunFolder, runs_in
from boardlab.search.agent import Agent, AgentLike, as_agent
from boardlab.search.expression import AGENTS, Spec, format_spec, parse, parts_of
from boardlab.search.spec import SearchSpec

NAME = re.compile(r"[^\W_](?:[\w .+@#-]{0,58}[\w.+@#-])?")
"""Names of entrants: letters, digits, blanks and _ . + @ # -, at most 60 characters."""
GIVEN_NAME = re.compile(r"\s*(?P<name>[^=()\[\]\"'/\\]*?)\s*=(?P<agent>.*)", re.DOTALL)
"""NAME=AGENT; no expression and no path has an equals sign that early."""


@dataclass(frozen=True)
class Entrant:
    """An agent, or those of a folder of runs, under one name."""

    agent: str | Agent
    """The agent or its expression; that of a folder names the folder."""
    name: str = ""
    """The name that the user gave; else empty."""
    runs: tuple[str, ...] = ()
    """Of a folder of runs: the names of its runs."""
    members: tuple[str, ...] = ()
    """Of a folder of runs: an expression per run."""

    @property
    def expression(self) -> str:
        """The canonical expression, or the name of an agent made in Python."""
        if isinstance(self.agent, Agent):
            return self.agent.expression
        return format_spec(parse(self.agent))

    @property
    def label(self) -> str:
        """What tables show: the name, or the expression."""
        return self.name or self.expression

    @property
    def given(self) -> str:
        """The name, or the expression as the user wrote it."""
        return self.name or (self.agent if isinstance(self.agent, str) else self.agent.expression)

    @property
    def text(self) -> str:
        """The entrant as `as_entrants` reads it: NAME=AGENT, or the expression alone."""
        return f"{self.name}={self.expression}" if self.name else self.expression

    @property
    def players(self) -> tuple[str | Agent, ...]:
        """The agents that share its games."""
        return self.members or (self.agent,)

    def changed(self, change: "Change") -> "Entrant":
        """Return the entrant with other agents of the same kind."""
        members = tuple(str(change(member)) for member in self.members)
        return dataclasses.replace(self, agent=change(self.agent), members=members)


EntrantLike: TypeAlias = AgentLike | Entrant
"""An agent, its expression with or without NAME=, an object that has one, or an entrant."""
EntrantsLike: TypeAlias = EntrantLike | Sequence[EntrantLike] | Mapping[str, EntrantLike]
Change: TypeAlias = Callable[[str | Agent], str | Agent]
"""A function of an agent or its expression that returns another one."""


def as_entrants(given: EntrantsLike, *, each: bool = False) -> list[Entrant]:
    """Return the entrants of a list, or of a dict by name; one alone becomes a list of one.

    `each` makes every run of a folder an entrant of its own.
    """
    if isinstance(given, Mapping):
        listed = [as_entrant(agent, check_name(name)) for name, agent in given.items()]
    elif isinstance(given, (str, Agent, Entrant)):
        listed = [as_entrant(given)]
    elif isinstance(alone := as_agent(given), str):
        listed = [as_entrant(alone)]
    elif isinstance(given, Sequence):
        listed = [as_entrant(agent) for agent in given]
    else:
        raise BoardLabError(f"agents must be a list of agents, or a dict by name, not {shown(given)}")
    if each:
        listed = [single for entrant in listed for single in _each(entrant)]
    check_names(listed)
    return [_gathered(entrant) for entrant in listed]


def as_entrant(given: EntrantLike, name: str = "") -> Entrant:
    """Return an agent as an entrant; of text NAME=AGENT, under that name."""
    if isinstance(given, Entrant):
        return dataclasses.replace(given, name=name) if name else given
    agent = as_agent(given)
    if isinstance(agent, str):
        own, agent = split_name(agent)
        name = name or own
    elif not isinstance(agent, Agent):
        parse(agent)  # raises
    return Entrant(agent, name)


def split_name(text: str) -> tuple[str, str]:
    """Split NAME=AGENT; an agent alone has the name ""."""
    found = GIVEN_NAME.match(text)
    if not found:
        return "", text
    name = found["name"]
    if not found["agent"].strip():
        raise BoardLabError(f'"{name}" has no agent; write {name or "NAME"}=AGENT')
    return check_name(name), found["agent"].strip()


def check_name(name: object) -> str:
    """Return the name of a player; refuse one that could be mistaken for something else."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise BoardLabError(
            "the name of a player must begin with a letter or a digit and have letters, digits, blanks and "
            f"_ . + @ # -, at most 60, not {shown(name)}"
        )
    if name in AGENTS or name in EVALUATORS:
        kind = "agent" if name in AGENTS else "evaluator"
        raise BoardLabError(f'"{name}" is an {kind}; choose another name')
    return name


def check_names(entrants: Sequence[Entrant]) -> None:
    """Refuse two entrants of one name."""
    names = [entrant.name for entrant in entrants if entrant.name]
    for name in names:
        if names.count(name) > 1:
            raise BoardLabError(f'two players are called "{name}"; give each a name of its own')


def names_of(entrants: Sequence[Entrant], expressions: Sequence[str]) -> tuple[str, ...]:
    """What tables show: the names that the user gave, or the expressions."""
    given = [entrant.name for entrant in entrants] or [""] * len(expressions)
    return tuple(name or expression for name, expression in zip(given, expressions, strict=True))


def legend(names: Sequence[str], expressions: Sequence[str]) -> list[str]:
    """List the expressions of those that have a name."""
    pairs = dict(zip(names, expressions, strict=True))
    width = max((len(name) for name, expression in pairs.items() if name != expression), default=0)
    return [f"{name:<{width}} = {expression}" for name, expression in pairs.items() if name != expression]


# ---- folders of runs ----


def _gathered(entrant: Entrant) -> Entrant:
    """Return an entrant that names a folder of runs with an agent per run."""
    if entrant.members:
        return entrant
    runs = _runs_of(entrant)
    if not runs:
        return entrant
    path, folders = runs
    _check_alike(path, folders)
    return dataclasses.replace(
        entrant,
        runs=tuple(folder.name for folder in folders),
        members=tuple(_with_run(entrant, path, folder) for folder in folders),
    )


def _each(entrant: Entrant) -> list[Entrant]:
    """Return an entrant per run of a folder."""
    runs = _runs_of(entrant)
    if not runs:
        return [entrant]
    path, folders = runs
    named = (f"{entrant.name} {folder.name}" if entrant.name else "" for folder in folders)
    return [
        Entrant(_with_run(entrant, path, folder), name) for folder, name in zip(folders, named, strict=True)
    ]


def _runs_of(entrant: Entrant) -> tuple[str, list[Path]] | None:
    """The folder of runs that an expression names, and the runs in it."""
    if isinstance(entrant.agent, Agent):
        return None
    folders = {path: found for path in named_runs(entrant.agent) if (found := runs_in(path))}
    if len(folders) > 1:
        one, other = list(folders)[:2]
        raise BoardLabError(
            f"{entrant.agent} names two folders of runs, {one} and {other}; name a run in one of them"
        )
    return next(iter(folders.items()), None)


def runs_of(player: str) -> list[str]:
    """List the folders of runs that a player names; an exam's name is none."""
    with contextlib.suppress(BoardLabError):
        return named_runs(split_name(player)[1])
    return []


def named_runs(expression: str) -> list[str]:
    """List the folders, of runs or of a run, that an agent expression names."""
    folders = (getattr(part, "run", "") for part in parts_of(expression))
    return list(dict.fromkeys(folder for folder in folders if isinstance(folder, str) and folder))


def _with_run(entrant: Entrant, path: str, run: Path) -> str:
    assert isinstance(entrant.agent, str)
    return format_spec(_replaced(parse(entrant.agent), path, run.as_posix()))


def _replaced(spec: Spec, path: str, run: str) -> Spec:
    """Return the spec with another run, here and in everything nested."""
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(spec):
        value = getattr(spec, field.name)
        if isinstance(value, (SearchSpec, EvaluatorSpec)):
            changes[field.name] = _replaced(value, path, run)
        elif field.name == "run" and value == path:
            changes[field.name] = run
    return dataclasses.replace(spec, **changes)


def _check_alike(path: str, folders: Sequence[Path]) -> None:
    """Refuse a folder whose runs differ in more than their seed: their mean says nothing."""
    first, *others = (_description(folder) for folder in folders)
    for folder, other in zip(folders[1:], others, strict=True):
        different = [key for key in {**first, **other} if first.get(key) != other.get(key)]
        if different:
            raise BoardLabError(
                f"{path} is no player: {folders[0].name} and {folder.name} differ in {different[0]}, and not "
                "only in their seed; name one of them, or enter each in a tournament (--each)"
            )


def _description(folder: Path) -> dict[str, Any]:
    """What the runs of one player must share."""
    agent = RunFolder(folder).read_agent()
    settings = agent.get("settings")
    known = {key: agent.get(key) for key in ("game", "kind", "episodes", "snapshot")}
    return {**known, **(settings if isinstance(settings, dict) else {})}
