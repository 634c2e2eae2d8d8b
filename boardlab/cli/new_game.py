"""`boardlab new-game`: write a game to start from, with its test."""

import importlib.util
import keyword
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from boardlab.cli.common import console
from boardlab.errors import BoardLabError, shown
from boardlab.games.registry import GAMES
from boardlab.paths import reachable

SKELETONS = Path(__file__).parent / "skeletons"

FILES = {
    "compiled": {"{}.py": "compiled", "test_{}.py": "test"},
    "plain": {"{}.py": "plain", "test_{}.py": "test"},
    "c": {"{}.py": "face", "{}.c": "c", "test_{}.py": "test"},
}
"""The files of each form, with the text that they begin as."""


def new_game(
    name: Annotated[str, typer.Argument(help="The game's name: small letters, digits and _.")],
    compiled: Annotated[
        bool, typer.Option("--compiled", help="Rules in Python, compiled with numba: the default.")
    ] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Rules in plain Python: simple, slow.")] = False,
    c: Annotated[bool, typer.Option("--c", help="Rules in C, with a face in Python.")] = False,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where to write the files.")] = Path(),
) -> None:
    """Write a game to start from, with its test.

    It overwrites nothing.
    """
    chosen = [form for form, given in (("compiled", compiled), ("plain", plain), ("c", c)) if given]
    if len(chosen) > 1:
        raise BoardLabError(f"give one of --compiled, --plain and --c, not --{' and --'.join(chosen)}")
    form = chosen[0] if chosen else "compiled"
    files = {out / file.format(name): text for file, text in FILES[form].items()}
    _check(name, list(files))
    try:
        out.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            with file.open("x", encoding="utf-8") as opened:
                opened.write(_text(text, name))
    except OSError as error:
        raise BoardLabError(f"{error.filename} cannot be written: {error.strerror}") from None
    for file in files:
        console.print(str(file), markup=False, soft_wrap=True)
    game, *_, test = files
    for command, what in [
        (f"python -m pytest {test}", "test it (pip install pytest)"),
        (f"boardlab --plugin {game} play {name}", "play it"),
        (f"boardlab --plugin {game} train {name}", "let an agent learn it"),
    ]:
        console.print(f"  {command}    # {what}", markup=False, soft_wrap=True, style="dim")


def _check(name: str, files: list[Path]) -> None:
    """Refuse names that Python or BoardLab uses, and files that are there."""
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name) or keyword.iskeyword(name):
        raise BoardLabError(
            "the name of a game is a small letter, then small letters, digits and _ (at most 40), not "
            f"{shown(name)}"
        )
    for file in files:
        if reachable(file).exists():
            raise BoardLabError(f"{file} is already there; choose another name, or --out FOLDER")
    if name in GAMES:
        raise BoardLabError(f'there is a game "{name}" already; choose another name')
    if name in sys.stdlib_module_names or _is_installed(name):
        raise BoardLabError(
            f"there is a Python module {name}, which {name}.py would hide; choose another name"
        )


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):  # __main__, and modules without a loader
        return True


def _text(skeleton: str, name: str) -> str:
    """Return a skeleton with the game's name in it."""
    text = (SKELETONS / f"{skeleton}.txt").read_text(encoding="utf-8")
    words = "".join(word.capitalize() for word in name.split("_"))
    return text.replace("CLASS", words).replace("NAME", name)
