"""Compete: tournaments and matches, the hall of fame, and folders of results."""

import asyncio
import functools
import time
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from boardlab.checks import as_integer
from boardlab.errors import BoardLabError
from boardlab.web.errors import Missing
from boardlab.web.hub import Topic
from boardlab.web.page import Ask, Page, get, post
from boardlab.web.pages.play import MOST_TABLES, tables_of
from boardlab.web.people import Person
from boardlab.web.tables.seats import AGENT, Seat
from boardlab.web.tables.stored import StoredTable, new_id
from boardlab.web.works.results import PICTURES, TABLE, list_results, read_result
from boardlab.web.works.tournaments import Tournaments, read_tournament, store_path
from boardlab.web.works.watching import WatchedFiles
from boardlab.web.works.work import FAILED, PAUSE, RUNNING, STOP, Work

if TYPE_CHECKING:
    from boardlab.web.arena import Arena

START_SECONDS = 30.0
"""Longest wait for the number of a new tournament."""


def _open_tournament(arena: "Arena", rest: str) -> Topic:
    number = _number(rest)
    read = Tournaments(arena)
    return WatchedFiles(arena, f"tournament:{rest}", lambda person: read.about(number, person))


def _open_list(arena: "Arena", rest: str) -> Topic:
    read = Tournaments(arena)

    def look(person: Person) -> dict[str, Any]:
        return {"tournaments": read.listed(person)}

    return WatchedFiles(arena, f"tournaments:{rest}", look)


def _number(text: Any) -> int:
    try:
        return as_integer("the number of a tournament", int(text), 1, 2**62)
    except ValueError:
        raise Missing("a tournament is named by its number") from None


async def _start(ask: Ask) -> Any:
    """Start a tournament: {"game", "agents": [{"agent", "name"}], "format", "games", "seed", ...}."""
    arena = ask.arena
    arena.works.check_room(ask.person)
    game, order = read_tournament(arena.policy, ask.body)
    for one in order["agents"]:
        await arena.thinking.try_out(ask.person.id, one["agent"], game)
    order["store"] = str(store_path(arena.settings))
    work = arena.works.start(ask.person, order)
    until = time.monotonic() + START_SECONDS
    while (number := work.status.get("number")) is None and time.monotonic() < until:
        if work.state != RUNNING:
            error = work.error or "its process ended before the first game"
            while work.is_alive:  # it has written its last report
                await asyncio.sleep(0.05)
            arena.works.remove(ask.person, work)
            raise BoardLabError(error)
        await asyncio.sleep(0.1)
    _look_again(arena, number)
    return {"number": number}


async def _pause(ask: Ask) -> Any:
    return _end(ask, PAUSE)


async def _stop(ask: Ask) -> Any:
    return _end(ask, STOP)


def _end(ask: Ask, wanted: str) -> dict[str, Any]:
    work = _work(ask)
    ask.arena.works.check_may_change(ask.person, work)
    work.end(wanted)
    _look_again(ask.arena, work.status.get("number"))
    return {}


async def _resume(ask: Ask) -> Any:
    work = _work(ask)
    if work.state == FAILED:
        work.note({"error": ""})
    ask.arena.works.resume(ask.person, work)
    _look_again(ask.arena, work.status.get("number"))
    return {}


def _work(ask: Ask) -> Work:
    return ask.arena.works.get(str(ask.body.get("work")))


def _look_again(arena: "Arena", number: Any) -> None:
    for name in (f"tournament:{number}", "tournaments:all"):
        if isinstance(topic := arena.hub.topics.get(name), WatchedFiles):
            topic.look_soon()


async def _games(ask: Ask) -> Any:
    """Return the games of a tournament, those of two entrants with ?first=I&second=J."""
    pair = [
        int(ask.query[name]) if ask.query.get(name, "").isdigit() else None for name in ("first", "second")
    ]
    return await asyncio.to_thread(Tournaments(ask.arena).games, _number(ask.path["number"]), *pair)


async def _replay(ask: Ask) -> Any:
    """Make a table from a game of a tournament: {"pairing", "number"}."""
    arena, body = ask.arena, ask.body
    plan, stored = await asyncio.to_thread(
        Tournaments(arena).game, _number(ask.path["number"]), body.get("pairing"), body.get("number")
    )
    record = stored.record
    game = arena.policy.stored_game(plan.table)
    start = game.initial_state(record.seed) if record.start is None else game.from_fields(record.start.fields)
    seats = tuple(Seat(AGENT, agent=plan.agents[seat], name=plan.names[seat][:40]) for seat in record.seats)
    made = StoredTable(
        new_id(), game, start, seats, {"paused": True}, ask.person.id, len(record.actions), record.actions
    )
    tables = tables_of(arena)
    tables.remove_oldest(ask.person.id, MOST_TABLES - 1)
    tables.add(made)
    return {"id": made.id}


async def _fame(ask: Ask) -> Any:
    """Return the hall of fame."""
    return await asyncio.to_thread(Tournaments(ask.arena).fame)


async def _results(ask: Ask) -> Any:
    """List the folders of results."""
    return await asyncio.to_thread(list_results, ask.arena.settings)


async def _result(ask: Ask) -> Any:
    """Return the table of a folder of results, as text in Markdown."""
    found = await asyncio.to_thread(read_result, ask.arena.settings, ask.path["name"], TABLE)
    return {"table": found.decode(errors="replace")}


async def _picture(ask: Ask) -> Any:
    """Return a figure; as a page of its own it may run nothing."""
    file = ask.path["file"]
    read = functools.partial(read_result, ask.arena.settings, ask.path["name"], file)
    found = await asyncio.to_thread(read)
    headers = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
    return Response(found, media_type=PICTURES.get(file), headers=headers)


PAGE = Page(
    "compete",
    "Compete",
    routes=[
        post("/tournaments", _start),
        post("/tournaments/pause", _pause),
        post("/tournaments/stop", _stop),
        post("/tournaments/resume", _resume),
        get("/tournaments/{number}/games", _games),
        post("/tournaments/{number}/replay", _replay),
        get("/fame", _fame),
        get("/results", _results),
        get("/results/{name:path}/table", _result),
        get("/results/{name:path}/{file}", _picture),
    ],
    topics={"tournament": _open_tournament, "tournaments": _open_list},
    for_play=False,
)
