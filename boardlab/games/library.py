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
from boardlab.paths import as_path

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


@dataclass(frozen=True)
class Library(Rules):
    """The rules that a compiled library brings along; its text is the plain list of the state's fields."""

    path: str = ""  # the library's file; no option, for a game never becomes another one by a parameter

    summary = "a game from a compiled library"

    @property
    def name(self) -> str:  # type: ignore[override]
        """The file's name without `lib` in front and the ending."""
        return Path(self.path).stem.removeprefix("lib")

    def call(self) -> str:
        """The Python call that makes the game."""
        return f"boardlab.load_game({self.path!r})"

    def make_core(self) -> _engine.Game:
        """Loads the library and takes over its table."""
        try:
            library = ctypes.CDLL(self.path)
            export: Any = library.boardlab_game
        except OSError as error:
            raise BoardLabError(f"the game library {self.path} cannot be loaded: {error}") from None
        except AttributeError:
            raise BoardLabError(
                f"the library {self.path} does not export boardlab_game(), which returns its bl_game table"
            ) from None
        export.restype = ctypes.c_void_p
        address = export()
        if not address:
            raise BoardLabError(f"boardlab_game() of {self.path} returned no table")
        # The library is never unloaded: its functions live as long as the process.
        return _engine.game_from_table(self.name, _new_capsule(address, b"boardlab.bl_game", None))


def load_game(path: str | os.PathLike[str]) -> Game:
    """The game in a compiled library. Run `boardlab.testing.check_game` on it before you trust it.

    From then on this process knows it by name, `game("countdown")` for libcountdown.so, and opens runs and
    tournaments of it. On the command line: `boardlab --plugin libcountdown.so play countdown`.
    """
    library = as_path("a game library", path)
    if not library.is_file():
        raise BoardLabError(f'there is no game library "{path}"')
    file = str(library.resolve())
    game = Game(Library(path=file))
    LOADED.pop(file, None)
    LOADED[file] = game
    return game


LOADED: dict[str, Game] = {}
"""The libraries that this process has loaded, by file, the last one last."""


def loaded_game(name: str, path: str = "") -> Game | None:
    """The game of that file if it is loaded, or else the one loaded last by that name: files move."""
    named = [game for game in LOADED.values() if game.name == name]
    return LOADED.get(path) or (named[-1] if named else None)
