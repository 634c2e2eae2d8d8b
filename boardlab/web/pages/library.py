"""Library: games on file, runs as archives, and what there is to play."""

import asyncio
import io
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.responses import FileResponse, Response
from starlette.types import Receive, Scope, Send

from boardlab.arena.records import Record, parse_records
from boardlab.arena.records.pgn import pgn_text, result_text
from boardlab.errors import BoardLabError
from boardlab.games.game import Game, game_table
from boardlab.numbers import plain
from boardlab.web.analysis.files import download, read_games, record_text
from boardlab.web.analysis.stored import StoredDesk, id_for
from boardlab.web.archives import pack, run_name, unpack
from boardlab.web.errors import Forbidden, Missing, Refusal, TooMuch
from boardlab.web.forms import game_title
from boardlab.web.page import Ask, Page, get, post
from boardlab.web.pages.analyse import keep_desk
from boardlab.web.pages.play import table_for, table_record, tables_of
from boardlab.web.tables.stored import new_id

KIND = "games"
MOST_FILES = 50
"""Files of games that the server keeps of a person."""
IMPORTED = "imported run"
MOST_RUNS = 10
"""Runs that a visitor may bring."""
_READING = threading.Lock()
"""Reading collects warnings, which are the whole process's."""


# ---- games on file ----


async def _bring_games(ask: Ask) -> Any:
    """Keep a file of games, the body: ?name=NAME, and &game=GAME for rules that the file does not name."""
    name = _file_name(ask.query.get("name"))
    game = _game_of_query(ask)

    def read(stopper: Any) -> tuple[list[Record], list[str]]:
        with _READING:
            stopper.check()
            return read_games(ask.body, name, game, ask.arena.policy)

    records, doubts = await ask.arena.pool.run(ask.person.id, read)
    key = new_id()
    value = {"name": name, "text": pgn_text(records), "games": [_listed(record) for record in records]}
    ask.arena.database.write(
        (
            "INSERT INTO notes VALUES (?, ?, ?, ?, ?)",
            (KIND, key, ask.person.id, time.time(), json.dumps(value)),
        ),
        (
            "DELETE FROM notes WHERE kind = ? AND owner = ? AND key NOT IN (SELECT key FROM notes "
            "WHERE kind = ? AND owner = ? ORDER BY changed DESC LIMIT ?)",
            (KIND, ask.person.id, KIND, ask.person.id, MOST_FILES),
        ),
    )
    return {"id": key, "games": len(records), "doubts": doubts[:5]}


def _file_name(name: str | None) -> str:
    return "".join(c for c in (name or "games") if c.isprintable())[:80] or "games"


def _game_of_query(ask: Ask) -> Game | None:
    name = ask.query.get("game")
    if not name:
        return None
    try:
        parameters = json.loads(ask.query.get("parameters") or "{}")
    except (ValueError, RecursionError):
        raise Refusal("the parameters of the game are not valid JSON") from None
    return ask.arena.policy.game(name, parameters)


def _listed(record: Record) -> dict[str, Any]:
    finished = record.is_finished
    scores = " ".join(plain(score, 6) for score in record.scores)
    result = result_text(record.scores) if len(record.scores) > 1 else scores
    return {
        "game": game_table(record.game),
        "title": game_title(record.game.name),
        "players": list(record.players),
        "actions": len(record.actions),
        "result": result if finished else "not over",
    }


def _note(ask: Ask) -> dict[str, Any]:
    rows = ask.arena.database.read(
        "SELECT value, owner FROM notes WHERE kind = ? AND key = ?", (KIND, ask.path["id"])
    )
    if not rows:
        raise Missing("there is no such file of games on this server; it may have been removed")
    value: dict[str, Any] = json.loads(rows[0][0])
    return {**value, "owner": rows[0][1]}


def _files(ask: Ask) -> Any:
    rows = ask.arena.database.read(
        "SELECT key, changed, value FROM notes WHERE kind = ? AND owner = ? ORDER BY changed DESC",
        (KIND, ask.person.id),
    )
    found = []
    for key, changed, text in rows:
        value = json.loads(text)
        titles = sorted({game["title"] for game in value["games"]})
        found.append(
            {
                "id": key,
                "name": value["name"],
                "games": len(value["games"]),
                "titles": titles,
                "changed": changed,
            }
        )
    return found


def _file(ask: Ask) -> Any:
    note = _note(ask)
    return {"name": note["name"], "games": note["games"], "own": note["owner"] == ask.person.id}


async def _records(ask: Ask, note: dict[str, Any]) -> list[Record]:
    def read(stopper: Any) -> list[Record]:
        return parse_records(note["text"], note["name"])

    return await ask.arena.pool.run(ask.person.id, read)


async def _send_games(ask: Ask) -> Response:
    note = _note(ask)
    records = await _records(ask, note)
    kind = ask.path["format"]
    return download(record_text(records, kind), f"{note['name'].rpartition('.')[0] or note['name']}.{kind}")


async def _analyse(ask: Ask) -> Any:
    """Put a game of a file on a desk: {"number": from 0}."""
    note, number = _note(ask), ask.body.get("number")
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(note["games"]):
        raise Refusal(f"this file has the games 0 to {len(note['games']) - 1}")
    record = (await _records(ask, note))[number]
    source = f"game {number + 1} of {note['name']}"
    key = id_for(ask.person.id, f"{ask.path['id']} {number}")
    actions = list(record.actions)
    made = StoredDesk(
        key, ask.person.id, record.game, record.first_state, actions, list(actions), 0, list(record.players),
        source,
    )  # fmt: skip
    return {"id": keep_desk(ask, made)}


def _forget(ask: Ask) -> Any:
    if _note(ask)["owner"] != ask.person.id:
        raise Forbidden("only the one who brought a file may remove it")
    ask.arena.database.write(("DELETE FROM notes WHERE kind = ? AND key = ?", (KIND, ask.path["id"])))
    return {}


# ---- the games one has played ----


def _table_record(ask: Ask, table_id: str) -> Record:
    table = table_for(Ask(ask.arena, ask.person, {"id": table_id}, ask.query, {}))
    if table.viewer(ask.person) is not None:
        raise Forbidden("a game with hidden cards can be written down when it is over")
    return table_record(table)


def _send_table(ask: Ask) -> Response:
    if not ask.arena.database.read("SELECT 1 FROM tables WHERE id = ?", (ask.path["id"],)):
        raise Missing("there is no such game on this server; it may have been removed")
    record, kind = _table_record(ask, ask.path["id"]), ask.path["format"]
    return download(record_text([record], kind), f"{record.game.name}.{kind}")


def _send_mine(ask: Ask) -> Response:
    """Send all games of this visitor as one file, except those whose cards are still hidden."""
    records = []
    for row in tables_of(ask.arena).of(ask.person.id):
        try:
            records.append(_table_record(ask, row["id"]))
        except BoardLabError:
            continue
    if not records:
        raise Refusal("you have played no game yet")
    return download(pgn_text(records), "my-games.pgn")


# ---- runs ----


async def _send_run(ask: Ask) -> Response:
    """Send a run as a zip file: ?name=FOLDER."""
    folder, places = ask.arena.policy.run(ask.query.get("name")), ask.arena.downloads
    places.take(ask.person.id)
    try:
        file = await ask.arena.pool.run(ask.person.id, lambda stopper: pack(folder, stopper))
    except BaseException:
        places.leave(ask.person.id)
        raise
    return _Archive(file, f"{folder.name}.zip", lambda: places.leave(ask.person.id))


class _Archive(FileResponse):
    """A file that is sent once and removed, whatever happens on the way."""

    def __init__(self, file: str, name: str, sent: Callable[[], None]) -> None:
        super().__init__(file, media_type="application/zip", filename=name)
        self.sent = sent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            Path(self.path).unlink(missing_ok=True)
            self.sent()


async def _bring_run(ask: Ask) -> Any:
    """Make a run of a zip file, the body: ?name=NAME."""
    arena, name = ask.arena, run_name(ask.query.get("name"))
    if arena.settings.play_only:
        raise Forbidden("this server is for playing; it takes no runs")
    brought = arena.database.read(
        "SELECT count(*) FROM notes WHERE kind = ? AND owner = ?", (IMPORTED, ask.person.id)
    )[0][0]
    if brought >= MOST_RUNS and not arena.settings.trust:
        raise TooMuch(f"a visitor may bring {MOST_RUNS} runs")
    run = await arena.pool.run(
        ask.person.id, lambda stopper: unpack(io.BytesIO(ask.body), name, arena.policy, stopper)
    )
    arena.database.write(
        (
            "INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?, ?)",
            (IMPORTED, name, ask.person.id, time.time(), "{}"),
        )
    )
    return {"name": run.path.as_posix(), "agent": run.expression, "game": game_table(run.game)}


async def _runs(ask: Ask) -> Any:
    """List the server's runs with what they have learned."""
    from boardlab.learners.listing import list_runs

    def read() -> list[dict[str, Any]]:
        runs = ask.arena.settings.runs
        listed = list_runs(runs).lines if runs.is_dir() else ()
        return [
            {
                "name": one.path.as_posix(),
                "agent": one.run.expression,
                "game": game_table(one.run.game),
                "title": game_title(one.run.game.name),
                "learner": one.run.settings.name,
                "episodes": one.run.episodes,
            }
            for one in listed
            if one.run is not None and not one.path.name.startswith(".")
        ]

    return await asyncio.to_thread(read)


PAGE = Page(
    "library",
    "Library",
    routes=[
        post("/library/games", _bring_games, raw=True),
        get("/library/games", _files),
        get("/library/games/{id}", _file),
        get("/library/games/{id}/file.{format}", _send_games),
        post("/library/games/{id}/analyse", _analyse),
        post("/library/games/{id}/remove", _forget),
        get("/library/tables/{id}/record.{format}", _send_table),
        get("/library/mine.pgn", _send_mine),
        get("/library/runs", _runs),
        get("/library/archive", _send_run),
        post("/library/runs", _bring_run, raw=True),
    ],
)
