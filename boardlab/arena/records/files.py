"""Files of games: which format it is shows in the name when writing, in the text when reading."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from boardlab.arena.match import GameRecord
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
"""Bytes of a file of games: read, it takes some ten times as much memory."""

FORMATS_HELP = ".pgn (every game), .ggf (othello) or .txt (othello, connectfour, rubiks)"

GAMES_OF = {".ggf": ("othello",), ".txt": tuple(WRITERS)}
"""Formats that only some games have."""


def check_format(path: str | os.PathLike[str], game: Game | None = None) -> Path:
    """The path, refused where its ending names no format (of the game): asked before hours of games."""
    file = as_path("the file of games", path)
    suffix = file.suffix.lower()
    if suffix not in FORMATS:
        raise BoardLabError(f'"{file}" must end in {FORMATS_HELP}')
    if game is not None and game.name not in GAMES_OF.get(suffix, (game.name,)):
        raise BoardLabError(f"{game.name} cannot be written as {suffix}; its games are kept as .pgn")
    if file.is_dir():
        raise BoardLabError(f'"{file}" is a folder; games are kept in a file')
    if not file.parent.is_dir():
        raise BoardLabError(f'"{file}" cannot be written: its folder does not exist')
    return file


def check_addition(path: str | os.PathLike[str], game: Game) -> Path:
    """The same for a file to which games will be added: what is there must be games of that format."""
    file = check_format(path, game)
    text = read_file(file) if file.exists() else ""
    if not text.strip("\ufeff \t\r\n"):
        return file
    if format_of(text) != file.suffix.lower():
        raise BoardLabError(
            f'"{file}" is there and does not hold games as {file.suffix} files do; choose another file'
        )
    if file.suffix.lower() == ".txt":  # which anything looks like that is neither PGN nor GGF
        parse_records(text, str(file), game)
    return file


def write_records(path: str | os.PathLike[str], records: Iterable[Record], *, append: bool = False) -> None:
    """Writes games as PGN, GGF or lines of text, by the file's ending; `append` keeps what is there.

    Several processes may add to one file at once.
    """
    file = check_format(path)
    listed = list(records) if isinstance(records, Iterable) else [records]
    if not all(isinstance(record, Record) for record in listed):
        of_match = any(isinstance(record, GameRecord) for record in listed)
        hint = "; those of a match do not say their game and agents: save them by MatchResult.save"
        raise BoardLabError(
            f"a file of games is made from records, as read_records gives them{hint if of_match else ''}"
        )
    text = FORMATS[file.suffix.lower()](listed)
    if not append:
        write_file(file, text)
        return
    with changing(file):
        before = read_file(file) if file.exists() else ""
        write_file(file, before + ("" if not before or before.endswith("\n") else "\n") + text)


def read_records(path: str | os.PathLike[str], game: Game | None = None) -> list[Record]:
    """The games of a file: PGN, GGF, Othello transcripts, connect-four columns, twists of a cube.

    `game` says the rules where the file does not.
    """
    if game is not None and not isinstance(game, Game):
        raise BoardLabError(f"game must be a game, as in boardlab.game('othello'), not {shown(game)}")
    text = read_file(path)
    return parse_records(text, str(path), game)


def parse_records(text: str, name: str = "text", game: Game | None = None) -> list[Record]:
    """The games in a text; `name` is for error messages."""
    found = format_of(text)
    if found == ".pgn":
        return read_pgn(name, text.lstrip("\ufeff"), game)
    if found == ".ggf":
        return read_ggf(name, text)
    return read_lines(name, text.lstrip("\ufeff"), game)


def format_of(text: str) -> str:
    """Which format it is, by the ending that its files have."""
    first = text.lstrip("\ufeff \t\r\n")
    if first.startswith(("[", "{", "%", ";")):
        return ".pgn"
    return ".ggf" if "(;" in first[:200] else ".txt"


def read_file(path: str | os.PathLike[str]) -> str:
    """The text of a file of games; others may have written it in Latin-1."""
    file = as_path("the file of games", path)
    try:
        content = read_plain_file(file, LARGEST)
    except FileNotFoundError:
        raise BoardLabError(f'there is no file "{path}"') from None
    except OSError as error:
        raise BoardLabError(f'"{path}" cannot be read: {error.strerror}') from None
    if b"\0" in content[:4096]:
        raise BoardLabError(f'"{path}" is not a file of games: it is no text')
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")
