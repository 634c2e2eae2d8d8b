"""A job as a plain value, and the kinds of job that rooms above register."""

import functools
import hashlib
import importlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from boardlab.errors import BoardLabError, check_known
from boardlab.games.game import Game, game_table
from boardlab.games.registry import game_from_table
from boardlab.plugins import PLUGINS, found_plugins, plugins_for, run_plugin

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
    """Python files to run first: those of --plugin."""
    files: tuple[str, ...] = ()
    """Files and folders that the job reads."""
    shared: Mapping[str, str] = field(default_factory=dict)
    """Keys of large values that many jobs read, by name; see `JobExecutor.share`."""
    reads: tuple[str, ...] = ()
    """Runs that the job reads beside `files`; not part of its key, as `settings` name them."""
    writes: tuple[str, ...] = ()
    """Folders of runs that the job writes, or goes on with; not part of its key."""
    size: float = 1.0
    """How much work it is, beside others of its kind: a cluster measures their rate. Not part of its key."""
    name: str = ""
    """What progress and errors call the job; not part of its key."""
    found_plugins: tuple[str, ...] = ()
    """Python files to run before those, which the user's configuration names; not part of its key."""
    command: str = ""
    """A command that does the job alone, for errors; not part of its key."""

    @functools.cached_property
    def key(self) -> str:
        """A digest of everything that decides the result."""
        value = [self.kind, self.settings, self.seed, self.game, self.plugins, self.files]
        if self.shared:
            value.append(self.shared)
        text = json.dumps(value, sort_keys=True, default=_plain)
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def job_for(
    kind: str, game: Game, settings: Mapping[str, Any], seed: int = 0, *, here: bool = False, **more: Any
) -> Job:
    """Make a job for a game; refuse a game that other processes cannot rebuild.

    `here` allows any game, for an executor that was given it (`known_game`). `more` has the other fields
    of the job: files, shared, name, command.
    """
    plugins = () if here else tuple(plugins_for(game))
    found = () if here else tuple(found_plugins())
    return Job(kind, settings, seed, game_table(game), plugins, found_plugins=found, **more)


def known_game(game: Game) -> dict[str, Any]:
    """What `Context.kept` needs for jobs of a game that is not rebuilt."""
    return {_game_name(game_table(game)): game}


def _game_name(table: Mapping[str, Any]) -> str:
    """Where a worker keeps the game that a table describes."""
    return "game " + json.dumps(table, sort_keys=True, default=_plain)


def _plain(value: Any) -> Any:
    """An array or a path as JSON writes it; other objects only work in this process."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value.tolist() if hasattr(value, "tolist") else repr(value)


@dataclass
class Context:
    """What a running job may use beside its own value."""

    tell: Tell = lambda _: None
    """Reports progress."""
    kept: dict[str, Any] = field(default_factory=dict)
    """Outlives the job in its worker: caches. No result may depend on it."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """The shared values that are here, by key."""

    def shared(self, job: Job, name: str) -> Any:
        """The shared value that the job calls `name`."""
        return self.values[job.shared[name]]

    def game(self, job: Job) -> Game:
        """The job's game, built once per worker."""
        assert job.game is not None
        name = _game_name(job.game)
        if name not in self.kept:
            found = game_from_table(dict(job.game), load=True)
            code = found.rules.own_code
            if code and code != job.game.get("fingerprint", code):
                raise BoardLabError(
                    f"{found.name} has other rules in this worker ({code}) than where the command began "
                    f"({job.game['fingerprint']}): start it again, or install the same version everywhere"
                )
            self.kept[name] = found
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


def perform(job: Job, module: str, context: Context) -> Any:
    """Run a job in a worker, after its plugins; `module` registers its kind."""
    for path in (*job.found_plugins, *job.plugins):
        if path not in PLUGINS:
            run_plugin(path)
    return kind_of(job, module).run(job, context)


def kind_of(job: Job, module: str = "") -> Kind:
    """The job's kind; imports the module that registers it if necessary."""
    if job.kind not in KINDS and module:
        importlib.import_module(module)
    check_known("kind of job", job.kind, KINDS)
    return KINDS[job.kind]
