"""Analyse: what agents think of every action, and where a game was lost."""

from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from boardlab.arena.records import Record
from boardlab.arena.records.record import UNFINISHED
from boardlab.games.game import game_table
from boardlab.web.analysis.desk import Desk
from boardlab.web.analysis.files import download, record_text
from boardlab.web.analysis.stored import AGENT, Desks, StoredDesk, id_for
from boardlab.web.analysis.voices import Networks
from boardlab.web.errors import Forbidden, Missing, Refusal
from boardlab.web.forms import game_title
from boardlab.web.hub import Topic
from boardlab.web.page import Ask, Page, get, post
from boardlab.web.pages.play import _actions, _first, table_for, table_record, tables_of
from boardlab.web.tables.stored import new_id

if TYPE_CHECKING:
    from boardlab.web.arena import Arena

_NETWORKS: dict[int, Networks] = {}


def desks_of(arena: "Arena") -> Desks:
    """Return the desks of a server."""
    return Desks(arena.database, arena.policy)


def open_desk(arena: "Arena", key: str) -> Topic:
    """Open a desk that pages want to watch."""
    desks = desks_of(arena)
    networks = _NETWORKS.setdefault(id(arena), Networks(arena.policy))
    return Desk(arena, desks, desks.get(key), networks)


async def _close(arena: "Arena") -> None:
    _NETWORKS.pop(id(arena), None)


async def _make(ask: Ask) -> Any:
    """Make a desk, or find the one there is.

    {"table": id}: the game at a table. {"desk": id}: a copy of another one's. {"game": {...}, "position":
    text, "actions": [...], "at": ...}: a position. Any may have {"agents": [...]}.
    """
    body, desks = ask.body, desks_of(ask.arena)
    if "table" in body:
        made = _of_table(ask, desks, body["table"])
    elif "desk" in body:
        made = desks.get(str(body["desk"]))
        made.id, made.owner = new_id(), ask.person.id
    else:
        game = ask.arena.policy.game_of(body.get("game"))
        start = _first(game, {"seed": 0, **body})
        actions = _actions(start, body.get("actions") or [])
        made = StoredDesk(new_id(), ask.person.id, game, start, [], actions, len(actions))
    at = body.get("at")
    if isinstance(at, int) and not isinstance(at, bool) and 0 <= at <= len(made.path):
        made.at = at
    agents = body.get("agents")
    if agents:
        if not isinstance(agents, list) or len(agents) > 4:
            raise Refusal("1 to 4 agents think side by side")
        thinking = ask.arena.thinking
        made.agents = [await thinking.try_out(ask.person.id, one, made.game) for one in agents]
    return {"id": keep_desk(ask, made)}


def keep_desk(ask: Ask, made: StoredDesk) -> str:
    """Write a desk; pages that watch an older one of its name see it anew."""
    desks_of(ask.arena).keep(made)
    topic = ask.arena.hub.topics.get(f"desk:{made.id}")
    if isinstance(topic, Desk):
        topic.stored = made
        topic._moved()
    return made.id


def _of_table(ask: Ask, desks: Desks, table_id: Any) -> StoredDesk:
    key = id_for(ask.person.id, f"table {table_id}")
    if not isinstance(table_id, str) or not ask.arena.database.read(
        "SELECT 1 FROM tables WHERE id = ?", (table_id,)
    ):
        raise Missing("there is no such game on this server; it may have been removed")
    table = table_for(Ask(ask.arena, ask.person, {"id": table_id}, ask.query, {}))
    if table.viewer(ask.person) is not None:
        raise Forbidden("a game with hidden cards can be analysed when it is over")
    record = table_record(table)
    players = [seat.name or seat.agent or "a person" for seat in table.seats]
    main = list(record.actions)
    if desks.has(key):
        made = desks.get(key)
        if made.main == main and made.start == record.first_state:
            return made
        made.main, made.path, made.at, made.start = main, list(main), len(main), record.first_state
        made.players = players
        return made
    return StoredDesk(
        key, ask.person.id, record.game, record.first_state, main, list(main), len(main), players,
        f"table {table_id}",
    )  # fmt: skip


def _mine(ask: Ask) -> Any:
    desks = desks_of(ask.arena)
    found = []
    for key, changed in desks.of(ask.person.id):
        desk = desks.get(key)
        found.append(
            {
                "id": key,
                "title": game_title(desk.game.name),
                "game": game_table(desk.game),
                "players": desk.players,
                "actions": len(desk.main or desk.path),
                "changed": changed,
            }
        )
    return found


def desk_record(desk: Desk) -> Record:
    """Return what is on a desk as a record: the game, or the variation."""
    stored = desk.stored
    state = stored.start.copy()
    for action in stored.path:
        state.apply(action)
    return Record(
        stored.game,
        tuple(stored.players) or ("?",) * stored.game.players,
        tuple(stored.path),
        tuple(state.scores.tolist()),
        start=stored.start,
        ending="" if state.is_terminal else UNFINISHED,
    )


def _record(ask: Ask) -> Response:
    """Download the actions on a desk as a file: pgn, ggf or txt."""
    topic = ask.arena.hub.topic(f"desk:{ask.path['id']}")
    assert isinstance(topic, Desk)
    record = desk_record(topic)
    text = record_text([record], ask.path["format"])
    return download(text, f"{record.game.name}.{ask.path['format']}")


PAGE = Page(
    "analyse",
    "Analyse",
    routes=[
        post("/desks", _make),
        get("/desks", _mine),
        get("/desks/{id}/record.{format}", _record),
    ],
    topics={"desk": open_desk},
    stop=_close,
)

__all__ = ["AGENT", "PAGE", "desk_record", "desks_of", "keep_desk", "open_desk", "tables_of"]
