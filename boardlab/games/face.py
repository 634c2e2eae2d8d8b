"""Faces of compiled games: a class in Python beside a library that has the rules."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from boardlab import _engine
from boardlab.errors import BoardLabError, shown
from boardlab.games.c_source import compiled_library
from boardlab.games.library import core_of_library
from boardlab.games.own import OwnGame
from boardlab.options import options_of
from boardlab.paths import as_path, file_fingerprint, read_text

MOST_TEXT = 1 << 24


@dataclass(frozen=True)
class LibraryGame(OwnGame):
    """Base class of faces for compiled rules, registered by `boardlab.register_game`.

        @bl.register_game
        class Countdown(bl.LibraryGame):
            name = "countdown"
            library = "libcountdown.so"
            labels = ("left", "to move")

            def action_name(self, fields, action):
                return f"take {action + 1}"

    The rules are in `library` (C, C++, Rust or similar) or in C text, `source`, which is compiled. Fields
    made with `boardlab.option` are parameters, which the library gets in `boardlab_make_game`. All functions
    are optional; a position is a tuple, the fields that the library writes.
    """

    summary: ClassVar[str] = "a game from a compiled library"
    """One line for `boardlab games`; by default the first line of the docstring."""
    library: ClassVar[str] = ""
    """The library's file; a path starts at the folder of the class's file."""
    source: ClassVar[str] = ""
    """C text, or the name of its file; a path starts at the folder of the class's file."""
    rules_text: ClassVar[str] = ""
    """The C text; set by `register_game`."""
    rules_file: ClassVar[str] = ""
    """The library, or the file of the C text; set by `register_game`."""

    def make_core(self) -> _engine.Game:
        """Load the library, compiled from its text if necessary, and make its game."""
        kind = type(self)
        if kind.rules_text:
            path, held = str(compiled_library(kind.rules_text, kind.name.replace("-", "_"))), kind.own_code
        else:
            path, held = kind.rules_file, file_fingerprint(Path(kind.rules_file))
            if held != kind.own_code:
                raise BoardLabError(
                    f"the game library {path} has changed since this process registered {kind.name}: restart "
                    "Python"
                )
        values = {option.name: getattr(self, option.name) for option in options_of(kind)}
        return core_of_library(kind.name, path, held, values)

    @classmethod
    def check_class(cls, compiled: bool) -> None:
        """Find the library or the C text."""
        super().check_class(compiled)
        if bool(cls.library) == bool(cls.source):
            raise BoardLabError(
                f'{cls.name} needs its rules: library = "lib{cls.name}.so", or source = "{cls.name}.c"'
            )
        cls.rules_text = cls.rules_file = ""
        given = cls.library or cls.source
        is_text = given is cls.source and isinstance(given, str) and "\n" in given
        if is_text:
            cls.rules_text = given
        else:
            file = cls._beside(given)
            if not file.is_file():
                what = "game library" if cls.library else "C text"
                raise BoardLabError(f'{cls.name}: there is no {what} "{file}"')
            cls.rules_file = str(file)
            if cls.source:
                cls.rules_text = read_text("C text", file, MOST_TEXT)
        if cls.rules_text and not any(
            name in cls.rules_text for name in ("boardlab_game", "boardlab_make_game")
        ):
            raise BoardLabError(
                f"{cls.name}: source must be C text that defines boardlab_game() or boardlab_make_game(), "
                f"not {shown(given)}"
            )

    @classmethod
    def _beside(cls, given: str) -> Path:
        path = as_path(f"{cls.name}: a library", given).expanduser()
        return path.resolve() if path.is_absolute() else (Path(cls.defined_in).parent / path).resolve()

    @classmethod
    def rules_fingerprint(cls) -> str:
        """Fingerprint the rules: another picture or name does not make it another game."""
        if cls.rules_text:
            return hashlib.sha256(cls.rules_text.encode()).hexdigest()[:32]
        return file_fingerprint(Path(cls.rules_file))
