"""A user's own game as a compiled library: the door for C, C++, Rust and whatever compiles to C functions.

The library exports one function, `const bl_game *boardlab_game(void)`, that returns the contract's table
(engine/core/contract.h). From there on it is a game like any other: every search, agent and match works
with it, at the same speed.

Loading a library runs its code, so only `load_game` does it, never a file that names a library: runs and
tournaments of such a game open after the user has loaded it.
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
    """The rules that a compiled library brings along; its text is the plain list of the state's fields."""

    # The library's file, and the mark of what it held when it was loaded; no options, for a game never
    # becomes another one by a parameter. Runs and tournaments keep both, and so notice other rules.
    path: str = ""
    fingerprint: str | None = None

    summary = "a game from a compiled library"

    @property
    def name(self) -> str:  # type: ignore[override]
        """The file's name without `lib` in front and the ending."""
        return Path(self.path).stem.removeprefix("lib")

    def call(self) -> str:
        """The Python call that makes the game."""
        return f"boardlab.load_game({self.path!r})"

    def make_core(self) -> _engine.Game:
        """Loads the library and takes over its table, unless that was done before."""
        try:
            library = ctypes.CDLL(self.path)
        except OSError as error:
            raise BoardLabError(f"the game library {self.path} cannot be loaded: {error}") from None
        # The library is never unloaded, so its handle is its own for as long as the process lives.
        handle, held = library._handle, self.fingerprint or file_fingerprint(Path(self.path))
        if handle not in _CORES:
            _CORES[handle] = held, self._take_over(getattr(library, "boardlab_game", None))
        loaded, core = _CORES[handle]
        # The system hands back what it loaded first. A copy under another name would not do: constant tables
        # of a game in C++ are often one for the whole process, and the new code would read the old ones.
        if loaded != held:
            raise BoardLabError(
                f"the game library {self.path} has changed since this process loaded it, and no process can "
                "load it anew: start Python again"
            )
        if isinstance(core, str):
            raise BoardLabError(core)
        return core

    def _take_over(self, export: Any) -> "_engine.Game | str":
        """The game of the table that a library exports; or what is wrong with it."""
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
    """The game in a compiled library. Run `boardlab.testing.check_game` on it before you trust it.

    From then on this process knows it by name, `game("countdown")` for libcountdown.so, and opens runs and
    tournaments of it. On the command line: `boardlab --plugin libcountdown.so play countdown`.
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
"""By handle: the fingerprint of each library's file, and the one game that all share, or why there is none.

A library is asked for its table once, and the table is taken over once: most have a single one, and what it
was made with must not be destroyed for each of several games.
"""

LOADED: dict[str, Game] = {}
"""The libraries that this process has loaded, by file, the last one last."""


def loaded_game(name: str, path: str = "") -> Game | None:
    """The game of that file if it is loaded, or else the one loaded last by that name: files move."""
    named = [game for game in LOADED.values() if game.name == name]
    return LOADED.get(path) or (named[-1] if named else None)
