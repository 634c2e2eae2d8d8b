"""A game as C text, compiled with the system's compiler and loaded as a library."""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from boardlab.errors import BoardLabError, shown
from boardlab.games.game import Game
from boardlab.games.library import load_game
from boardlab.paths import include, private_cache


def c_game(source: str, name: str = "cgame") -> Game:
    """Compile the C text of a game and load it, like `load_game`.

    The text exports `boardlab_game` as examples/c_game/countdown.c does. The library is kept in a folder of
    the user, under a hash of the text and the compiler's words, and compiled again only if one changes. A
    class derived from `LibraryGame` does the same for a game with parameters, text and pictures.
    """
    if not isinstance(source, str) or not re.search(r"\bboardlab_(make_)?game\b", source):
        raise BoardLabError(f"c_game needs C text that defines boardlab_game(), not {shown(source)}")
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise BoardLabError(f"the name of a game is a letter, then letters, digits and _, not {shown(name)}")
    return load_game(compiled_library(source, name))


def compiled_library(source: str, name: str) -> Path:
    """Return the library of the C text, compiled if it is not there yet."""
    command = [*_compiler(), "-O2", "-shared", "-fPIC", "-I", include()]
    digest = hashlib.sha256("\0".join((source, name, *command)).encode()).hexdigest()[:24]
    folder = private_cache("c_games") / digest
    library = folder / f"lib{name}.so"
    if not library.is_file():
        folder.mkdir(mode=0o700, exist_ok=True)
        _compile(command, source, library, name)
    return library


def _compiler() -> list[str]:
    """Return the words that call the C compiler: $CC, or what the system has."""
    if given := os.environ.get("CC"):
        return shlex.split(given)
    for known in ("cc", "gcc", "clang"):
        if found := shutil.which(known):
            return [found]
    raise BoardLabError("there is no C compiler: install one (Debian and Ubuntu: apt install gcc), or set CC")


def _compile(command: list[str], source: str, library: Path, name: str) -> None:
    text = library.with_name(f"{name}.c")
    text.write_text(source, encoding="utf-8")
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        made = Path(folder) / library.name
        try:
            done = subprocess.run(
                [*command, str(text), "-o", str(made)], capture_output=True, text=True, errors="replace"
            )
        except OSError as error:
            raise BoardLabError(f"the C compiler {command[0]} cannot be run: {error.strerror}") from None
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
            why = lines[0] if lines else f"the compiler ended with status {done.returncode}"
            raise BoardLabError(f"the C text of {name} cannot be compiled: {why}")
        made.replace(library)  # whole, or not at all
