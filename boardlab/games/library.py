"""A user's game as a compiled library (C, C++, Rust or similar).

The library exports one function, `const bl_game *boardlab_game(void)`, that returns the contract's table
(engine/core/contract.h). From then on it is a game like any other: every search, agent and match works with
it, at the same speed.

Loading a library runs its code, so only `load_game` does it, never a file that names a library: load the
library before you open runs and tournaments of its game.
"""

import ctypes
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.games.rules import Rules
from boardlab.paths import as_path, file_fingerprint

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
        try:
            library = ctypes.CDLL(self.path)
        except OSError as error:
            raise BoardLabError(f"the game library {self.path} cannot be loaded: {error}") from None
        # The library is never unloaded, so its handle stays unique while the process lives.
        handle, held = library._handle, self.fingerprint or file_fingerprint(Path(self.path))
        if handle not in _CORES:
            _CORES[handle] = held, self._take_over(getattr(library, "boardlab_game", None))
        loaded, core = _CORES[handle]
        # The system returns the library it loaded first. Loading a renamed copy would not help: constant
        # tables of a C++ game are often shared by the whole process, so new code would read old tables.
        if loaded != held:
            raise BoardLabError(
                f"the game library {self.path} has changed since this process loaded it, and a process "
                "cannot load it again: restart Python"
            )
        if isinstance(core, str):
            raise BoardLabError(core)
        return core

    def _take_over(self, export: Any) -> "_engine.Game | str":
        """Make the game of the exported table.

        If something is wrong with it, return a description of that instead.
        """
        if export is None:
            return f"the library {self.path} does not export boardlab_game(), which returns its bl_game table"
        export.restype = ctypes.c_void_p
        address = export()
        if not address:
            return f"boardlab_game() of {self.path} returned no table"
        try:
            return _engine.game_from_table(self.name, _new_capsule(address, b"boardlab.bl_game", None))
        except ValueError as error:
            return str(error)


def load_game(path: str | os.PathLike[str]) -> Game:
    """Load the game in a compiled library.

    Check the game with `boardlab.testing.check_game` before you trust it.

    From then on this process knows it by name, `game("countdown")` for libcountdown.so, and opens its runs
    and tournaments. On the command line: `boardlab --plugin libcountdown.so play countdown`.
    """
    library = as_path("a game library", path)
    if not library.is_file():
        raise BoardLabError(f'there is no game library "{path}"')
    file = str(library.resolve())
    game = Game(Library(path=file, fingerprint=file_fingerprint(library)))
    LOADED.pop(file, None)
    LOADED[file] = game
    return game


_CORES: dict[int, tuple[str, "_engine.Game | str"]] = {}
"""By handle: the file's fingerprint, and the one game that all share, or why there is none.

A library's function is called once, and its table is taken over once: most libraries have a single table,
which must not be destroyed once per game.
"""

LOADED: dict[str, Game] = {}
"""The libraries that this process has loaded, by file, the latest last."""


def loaded_game(name: str, path: str = "") -> Game | None:
    """Return the loaded game of that file, or else the latest of that name."""
    named = [game for game in LOADED.values() if game.name == name]
    return LOADED.get(path) or (named[-1] if named else None)
