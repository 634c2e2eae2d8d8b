"""Games as files to download, and files that visitors bring."""

import re
import warnings
from collections.abc import Sequence

from starlette.responses import Response

from boardlab.arena.records import Record, parse_records
from boardlab.arena.records.files import FORMATS, GAMES_OF
from boardlab.errors import BoardLabError
from boardlab.games.game import Game, game_table
from boardlab.web.errors import Refusal
from boardlab.web.policy import Policy

LARGEST_GAMES = 2 << 20
"""Bytes of a file of games."""
MOST_GAMES = 2000
MOST_ACTIONS = 20_000
TYPES = {"pgn": "application/vnd.chess-pgn", "zip": "application/zip"}


def record_text(records: Sequence[Record], kind: str) -> str:
    """Write games in a format."""
    write = FORMATS.get(f".{kind}")
    if write is None:
        raise Refusal("games are written as pgn, ggf or txt")
    for record in records:
        allowed = GAMES_OF.get(f".{kind}")
        if allowed is not None and record.game.name not in allowed:
            raise Refusal(f"{record.game.name} cannot be written as {kind}; use pgn")
    return write(records)


def download(content: str | bytes, name: str) -> Response:
    """Return a file that the browser saves."""
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    kind = TYPES.get(safe.rpartition(".")[2], "text/plain; charset=utf-8")
    headers = {"content-disposition": f'attachment; filename="{safe}"'}
    return Response(content, media_type=kind, headers=headers)


def read_games(data: bytes, name: str, game: Game | None, policy: Policy) -> tuple[list[Record], list[str]]:
    """Read a visitor's file of games; return them and what is doubtful about them."""
    if len(data) > LARGEST_GAMES:
        raise Refusal(f"a file of games may have {LARGEST_GAMES >> 20} MiB at most; split it")
    if not data.strip():
        raise Refusal("the file is empty")
    if b"\0" in data:
        raise Refusal("this is not a file of games: it is not text")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if not policy.trust and re.search(r'\[\s*Game\s+"openspiel', text):
        raise Refusal("visitors may read no games of OpenSpiel")
    with warnings.catch_warnings(record=True) as doubts:
        warnings.simplefilter("always")
        try:
            records = parse_records(text, name, game)
        except RecursionError:
            raise BoardLabError(f"{name}: the text is nested too deeply") from None
    if not records:
        raise Refusal(f"{name} holds no game")
    if len(records) > MOST_GAMES:
        raise Refusal(f"a file may have {MOST_GAMES:,} games at most, not {len(records):,}")
    for record in records:
        policy.game_of(game_table(record.game))
        if len(record.actions) > MOST_ACTIONS:
            raise Refusal(f"a game may have {MOST_ACTIONS:,} actions at most")
    return records, [str(doubt.message) for doubt in doubts]
