"""Files of games: the name sets the format on writing, the text on reading."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from boardlab.arena.arena import GameRecord
from boardlab.arena.records.ggf import ggf_text, read_ggf
from boardlab.arena.records.lines import WRITERS, lines_text, read_lines
from boardlab.arena.records.pgn import pgn_text, read_pgn
from boardlab.arena.records.record import Record
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import Game
from boardlab.paths import as_path
from boardlab.paths import read_file as read_plain_file
from boardlab.runs import changing, write_file

FORMATS: dict[str, Callable[[Iterable[Record]], str]] = {
    ".pgn": pgn_text,
    ".ggf": ggf_text,
    ".txt": lines_text,
}


LARGEST = 1 << 30
"""Most bytes of a file of games; in memory it takes some ten times as much."""

FORMATS_HELP = ".pgn (every game), .ggf (othello) or .txt (othello, connectfour, rubiks)"

GAMES_OF = {".ggf": ("othello",), ".txt": tuple(WRITERS)}
"""Formats that only some games have."""


def check_format(path: str | os.PathLike[str], game: Game | None = None) -> Path:
    """Return the path; refuse an ending that names no format (of the game)."""
    file = as_path("the file of games", path)
    suffix = file.suffix.lower()
    if suffix not in FORMATS:
        raise BoardLabError(f'"{file}" must end in {FORMATS_HELP}')
    if game is not None and game.name not in GAMES_OF.get(suffix, (game.name,)):
        raise BoardLabError(f"{game.name} cannot be written as {suffix}; use .pgn")
    if file.is_dir():
        raise BoardLabError(f'"{file}" is a folder; games need a file')
    if not file.parent.is_dir():
        raise BoardLabError(f'"{file}" cannot be written: its folder does not exist')
    return file


def check_addition(path: str | os.PathLike[str], game: Game) -> Path:
    """Check a file to add games to: its contents must be games of that format."""
    file = check_format(path, game)
    text = read_file(file) if file.exists() else ""
    if not text.strip("\ufeff \t\r\n"):
        return file
    if format_of(text) != file.suffix.lower():
        raise BoardLabError(
            f'"{file}" exists and does not contain games in the {file.suffix} format; choose another file'
        )
    if file.suffix.lower() == ".txt":  # any text that is neither PGN nor GGF looks like .txt
        parse_records(text, str(file), game)
    return file


def write_records(path: str | os.PathLike[str], records: Iterable[Record], *, append: bool = False) -> None:
    """Write games as PGN, GGF or lines of text, by the file's ending.

    `append` keeps the games already in the file.

    Several processes may add to one file at once.
    """
    file = check_format(path)
    listed = list(records) if isinstance(records, Iterable) else [records]
    if not all(isinstance(record, Record) for record in listed):
        of_match = any(isinstance(record, GameRecord) for record in listed)
        hint = "; records of a match lack game and agents: save them with MatchResult.save"
        raise BoardLabError(
            f"a file of games needs records, as read_records returns them{hint if of_match else ''}"
        )
    text = FORMATS[file.suffix.lower()](listed)
    if not append:
        write_file(file, text)
        return
    with changing(file):
        before = read_file(file) if file.exists() else ""
        write_file(file, before + ("" if not before or before.endswith("\n") else "\n") + text)


def read_records(path: str | os.PathLike[str], game: Game | None = None) -> list[Record]:
    """Read games: PGN, GGF, Othello transcripts, connect-four columns, cube twists.

    `game` gives the rules if the file does not.
    """
    if game is not None and not isinstance(game, Game):
        raise BoardLabError(f"game must be a game, as in boardlab.game('othello'), not {shown(game)}")
    text = read_file(path)
    return parse_records(text, str(path), game)


def parse_records(text: str, name: str = "text", game: Game | None = None) -> list[Record]:
    """Read the games in a text; `name` appears in error messages."""
    found = format_of(text)
    if found == ".pgn":
        return read_pgn(name, text.lstrip("\ufeff"), game)
    if found == ".ggf":
        return read_ggf(name, text)
    return read_lines(name, text.lstrip("\ufeff"), game)


def format_of(text: str) -> str:
    """Detect the format of a text; returns the ending of its files."""
    first = text.lstrip("\ufeff \t\r\n")
    if first.startswith(("[", "{", "%", ";")):
        return ".pgn"
    return ".ggf" if "(;" in first[:200] else ".txt"


def read_file(path: str | os.PathLike[str]) -> str:
    """Read the text of a file of games.

    Other programs may have written it in Latin-1.
    """
    file = as_path("the file of games", path)
    try:
        content = read_plain_file(file, LARGEST)
    except FileNotFoundError:
        raise BoardLabError(f'there is no file "{path}"') from None
    except OSError as error:
        raise BoardLabError(f'"{path}" cannot be read: {error.strerror}') from None
    if b"\0" in content[:4096]:
        raise BoardLabError(f'"{path}" is not a file of games: it is not text')
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")
