"""Names of one kind, such as agents: BoardLab's own, the user's, and those of installed packages.

A package declares its names as entry points of the groups boardlab.games, boardlab.agents,
boardlab.evaluators, boardlab.exams and boardlab.learners. It is imported when one of its names is asked for,
not before.
"""

import contextlib
import functools
import importlib
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, TypeVar

from boardlab.errors import BoardLabError, BoardLabWarning

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Thing = TypeVar("Thing")

REGISTRIES: dict[str, "Registry[Any]"] = {}
"""All registries by their kind."""


class Registry(dict[str, Thing]):
    """Things of one kind by name; asking for a name of an installed package imports it.

    Iteration goes over what is loaded; `load_installed` loads the rest.
    """

    def __init__(self, kind: str, known: Mapping[str, Thing] | Iterable[tuple[str, Thing]] = ()) -> None:
        super().__init__(known)
        self.kind = kind
        self.sources: dict[str, str | None] = {}
        """The registered names, each with the plugin that registered it; None: this program itself."""
        REGISTRIES[kind] = self

    def register(self, name: str, thing: Thing) -> None:
        """Add a thing of the user's, or replace one."""
        self[name] = thing
        self.sources[name] = _source[-1] if _source else None

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        self.sources.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or self._load(name)

    def __missing__(self, name: str) -> Thing:
        if self._load(name):
            return super().__getitem__(name)
        raise KeyError(name)

    def get(self, name: str, otherwise: Any = None) -> Any:
        """Return the thing of that name, or `otherwise`."""
        return self[name] if name in self else otherwise  # noqa: SIM401  (dict.get asks nobody)

    def own_here(self) -> list[str]:
        """List the names that this program registered itself, outside of a plugin."""
        return [
            name for name, source in self.sources.items() if source is None and dict.__contains__(self, name)
        ]

    # ---- installed packages ----

    def installed(self) -> list[str]:
        """List the names that packages declare, loaded or not."""
        return [entry.name for entry in _entries(self.kind)]

    def names(self) -> list[str]:
        """List all names; loads nothing."""
        return list(dict.fromkeys([*self, *self.installed()]))

    def load_installed(self) -> None:
        """Load what packages declare; warn of what fails."""
        for name in self.installed():
            try:
                _ = name in self
            except BoardLabError as error:
                warnings.warn(str(error), BoardLabWarning, stacklevel=2)

    def _load(self, name: object) -> bool:
        """Load the package that declares a name; whether there is one."""
        if not isinstance(name, str) or (self.kind, name) in _loading:
            return False
        entry = next((entry for entry in _entries(self.kind) if entry.name == name), None)
        if entry is None:
            return False
        source = source_of(entry)
        _loading.add((self.kind, name))
        try:
            with registering(source):
                entry.load()
        except (Exception, SystemExit) as error:
            FAILED[source] = f"the plugin {source} failed{place_in(error)}: {described(error)}"
            raise BoardLabError(f'the {self.kind} "{name}" cannot be used: {FAILED[source]}') from None
        finally:
            _loading.discard((self.kind, name))
        if not super().__contains__(name):
            FAILED[source] = (
                f'the plugin {source} does not register the {self.kind} "{name}", which it declares'
            )
            raise BoardLabError(FAILED[source])
        FAILED.pop(source, None)
        return True


FAILED: dict[str, str] = {}
"""Installed plugins that could not be loaded, each with the reason."""

_loading: set[tuple[str, str]] = set()
"""The names whose packages are being imported now."""

_source: list[str] = []
"""The plugins that are running now, the innermost last."""


@contextlib.contextmanager
def registering(source: str) -> Iterator[None]:
    """Note `source` as the plugin of all that is registered meanwhile."""
    _source.append(source)
    try:
        yield
    finally:
        _source.pop()


@functools.cache
def _entries(kind: str) -> "tuple[EntryPoint, ...]":
    """The entry points of a kind; the packages are searched once."""
    return tuple(_all_entries().select(group=f"boardlab.{kind}s"))


@functools.cache
def _all_entries() -> Any:
    from importlib.metadata import entry_points  # takes longer to import than most games of ours

    return entry_points()


def source_of(entry: "EntryPoint") -> str:
    """Return an installed plugin's name: its package, version and module."""
    package = f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "an unknown package"
    return f"{package} ({entry.module})"


def place_in(error: BaseException) -> str:
    """Return " in FILE, line N" of the innermost code that is neither BoardLab's nor Python's import."""
    places = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    for file, line in reversed(places):
        if not file.startswith(("<", f"{Path(__file__).parent}{os.sep}", importlib.__path__[0])):
            return f" in {file}, line {line}"
    return ""


def described(error: BaseException) -> str:
    """Describe an error in one line, without the place in an expression."""
    if isinstance(error, BoardLabError):
        return str(error).partition("\n")[0]
    if isinstance(error, SystemExit):
        return "it ended Python (sys.exit)"
    return f"{type(error).__name__}: {error}"


def sources_of_packages() -> dict[str, dict[str, list[str]]]:
    """Return the names that installed plugins declare, by plugin and kind."""
    found: dict[str, dict[str, list[str]]] = {}
    for kind in REGISTRIES:
        for entry in _entries(kind):
            found.setdefault(source_of(entry), {}).setdefault(kind, []).append(entry.name)
    return found
