"""A user's game as a compiled library (C, C++, Rust or similar).

The library exports `const bl_game *boardlab_game(void)`, which returns the contract's table, or
`boardlab_make_game`, which makes one for parameters (engine/core/contract.h). From then on it is a game like
any other: every search, agent and match works with it, at the same speed. A class derived from `LibraryGame`
(boardlab/games/face.py) gives it parameters, text and pictures.

Loading a library runs its code, so only `load_game` and a registered class do it, never a file that names a
library: load the library before you open runs and tournaments of its game.
"""

import ctypes
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.games.parameters import TABLE_ROOM, as_parameters, unasked
from boardlab.games.rules import Rules
from boardlab.paths import as_path, file_fingerprint, moved

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


@dataclass(frozen=True)
class Library(Rules):
    """The rules in a compiled library; the text of a state is its list of fields."""

    # The library's file and the fingerprint of its contents when loaded; not options, since parameters cannot
    # change the game. Runs and tournaments keep both, and so notice changed rules.
    path: str = ""
    fingerprint: str | None = None

    summary = "a game from a compiled library"

    @property
    def name(self) -> str:  # type: ignore[override]
        """The file's name without the prefix `lib` and the ending."""
        return Path(self.path).stem.removeprefix("lib")

    def call(self) -> str:
        """Return the Python call that makes the game."""
        return f"boardlab.load_game({self.path!r})"

    def make_core(self) -> _engine.Game:
        """Load the library and take over its table, unless that was done before."""
        return core_of_library(
            self.name, self.path, self.fingerprint or file_fingerprint(moved(Path(self.path)))
        )


def core_of_library(
    name: str, path: str, held: str, parameters: Mapping[str, Any] | None = None
) -> _engine.Game:
    """Load a library and make its game, with parameters where a class declares them.

    `held` is the fingerprint of the file that the caller has seen.
    """
    try:
        library = ctypes.CDLL(str(moved(Path(path))))
    except OSError as error:
        raise BoardLabError(f"the game library {path} cannot be loaded: {error}") from None
    # The library is never unloaded, so its handle stays unique while the process lives. The system returns
    # the library it loaded first. Loading a renamed copy would not help: constant tables of a C++ game are
    # often shared by the whole process, so new code would read old tables.
    handle = library._handle
    if _LOADED_AS.setdefault(handle, held) != held:
        raise BoardLabError(
            f"the game library {path} has changed since this process loaded it, and a process "
            "cannot load it again: restart Python"
        )
    if parameters is not None or not hasattr(library, "boardlab_game"):
        if hasattr(library, "boardlab_make_game"):
            return _made(name, path, library.boardlab_make_game, parameters or {})
        if parameters:
            raise BoardLabError(
                f"{name}: the library {path} takes no parameters, since it does not export "
                f"boardlab_make_game(); leave out {', '.join(parameters)}"
            )
    if handle not in _CORES:
        _CORES[handle] = _single(name, path, getattr(library, "boardlab_game", None))
    core = _CORES[handle]
    if isinstance(core, str):
        raise BoardLabError(core)
    return core


def _made(name: str, path: str, make: Any, parameters: Mapping[str, Any]) -> _engine.Game:
    """Make the game with these parameters."""
    given, kept = as_parameters(parameters)
    # A library of a newer header may write a longer table, which is then refused by its size.
    table = ctypes.create_string_buffer(TABLE_ROOM)
    make.restype = ctypes.c_char_p
    make.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    problem = make(ctypes.addressof(table), ctypes.addressof(given))
    if problem:
        raise BoardLabError(f"{name}: {problem.decode(errors='replace')}")
    try:
        core = _engine.game_from_table(name, _capsule(ctypes.addressof(table)))
    except ValueError as error:
        raise BoardLabError(str(error)) from None
    if ignored := unasked(given):
        raise BoardLabError(f"{name}: the library {path} does not ask for {ignored}")
    del kept  # the texts and numbers that `given` points to
    return core


def _single(name: str, path: str, export: Any) -> "_engine.Game | str":
    """Make the game of the exported table.

    If something is wrong with it, return a description of that instead.
    """
    if export is None:
        return (
            f"the library {path} does not export boardlab_game(), which returns its bl_game table, or "
            "boardlab_make_game()"
        )
    export.restype = ctypes.c_void_p
    address = export()
    if not address:
        return f"boardlab_game() of {path} returned no table"
    try:
        return _engine.game_from_table(name, _capsule(address))
    except ValueError as error:
        return str(error)


def _capsule(address: int) -> Any:
    return _new_capsule(address, b"boardlab.bl_game", None)


def load_game(path: str | os.PathLike[str]) -> Game:
    """Load the game in a compiled library.

    Check the game with `boardlab.testing.check_game` before you trust it.

    From then on this process knows it by name, `game("countdown")` for libcountdown.so, and opens its runs
    and tournaments. On the command line: `boardlab --plugin libcountdown.so play countdown`. It shows its
    fields and numbers; a class derived from `LibraryGame` gives it parameters, text and pictures.
    """
    library = as_path("a game library", path)
    if not library.is_file():
        raise BoardLabError(f'there is no game library "{path}"')
    # A library that came with a job keeps its name at home, which runs and tournaments know.
    file = str(library.resolve() if library == Path(path) else path)
    game = Game(Library(path=file, fingerprint=file_fingerprint(library)))
    LOADED.pop(file, None)
    LOADED[file] = game
    return game


_LOADED_AS: dict[int, str] = {}
"""By handle: the file's fingerprint when it was loaded."""

_CORES: dict[int, "_engine.Game | str"] = {}
"""By handle: the one game that all share, or why there is none.

A library's function is called once, and its table is taken over once: most libraries have a single table,
which must not be destroyed once per game.
"""

LOADED: dict[str, Game] = {}
"""The libraries that this process has loaded, by file, the latest last."""


def loaded_game(name: str, path: str = "") -> Game | None:
    """Return the loaded game of that file, or else the latest of that name."""
    named = [game for game in LOADED.values() if game.name == name]
    return LOADED.get(path) or (named[-1] if named else None)
