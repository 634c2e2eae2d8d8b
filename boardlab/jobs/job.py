"""A job as a plain value, and the kinds of job that rooms above register."""

import functools
import hashlib
import importlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from boardlab.errors import check_known
from boardlab.games.game import Game, game_table
from boardlab.games.registry import game_from_table
from boardlab.plugins import plugins_for

Tell = Callable[[Mapping[str, Any]], None]
"""Receives a job's progress: plain values."""


@dataclass(frozen=True)
class Job:
    """One piece of work. Running it twice gives the same result, wherever it runs."""

    kind: str
    """A name in KINDS."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Plain values: text, numbers, lists, tables and numpy arrays."""
    seed: int = 0
    game: Mapping[str, Any] | None = None
    """The game as agent.toml describes it."""
    plugins: tuple[str, ...] = ()
    """Python files to run first."""
    files: tuple[str, ...] = ()
    """Files and folders that the job reads."""
    name: str = ""
    """What progress and errors call the job; not part of its key."""

    @functools.cached_property
    def key(self) -> str:
        """A digest of everything that decides the result."""
        value = [self.kind, self.settings, self.seed, self.game, self.plugins, self.files]
        text = json.dumps(value, sort_keys=True, default=_plain)
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def job_for(kind: str, game: Game, settings: Mapping[str, Any], seed: int = 0, name: str = "") -> Job:
    """Make a job for a game; refuse a game that other processes cannot rebuild."""
    return Job(kind, settings, seed, game_table(game), tuple(plugins_for(game)), name=name)


def _plain(value: Any) -> Any:
    """An array or a path as JSON writes it."""
    return value.tolist() if hasattr(value, "tolist") else os.fspath(value)


@dataclass
class Context:
    """What a running job may use beside its own value."""

    tell: Tell = lambda _: None
    """Reports progress."""
    kept: dict[str, Any] = field(default_factory=dict)
    """Outlives the job in its worker: caches. No result may depend on it."""

    def game(self, job: Job) -> Game:
        """The job's game, built once per worker."""
        assert job.game is not None
        name = "game " + json.dumps(job.game, sort_keys=True, default=_plain)
        if name not in self.kept:
            self.kept[name] = game_from_table(dict(job.game), load=True)
        game: Game = self.kept[name]
        return game


Run = Callable[[Job, Context], Any]


@dataclass(frozen=True)
class Kind:
    """A kind of job: the function that does it, and the module that registers it."""

    name: str
    run: Run
    module: str
    saves: bool
    """Whether an interrupted job saves its state: its worker gets SIGINT and time, else it is killed."""


KINDS: dict[str, Kind] = {}


def kind(name: str, *, saves: bool = False) -> Callable[[Run], Run]:
    """Register a function `run(job, context)` as the kind of job `name`."""

    def register(run: Run) -> Run:
        KINDS[name] = Kind(name, run, run.__module__, saves)
        return run

    return register


def kind_of(job: Job, module: str = "") -> Kind:
    """The job's kind; imports the module that registers it if necessary."""
    if job.kind not in KINDS and module:
        importlib.import_module(module)
    check_known("kind of job", job.kind, KINDS)
    return KINDS[job.kind]
