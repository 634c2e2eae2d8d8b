"""Play: make tables, find one's own, and watch or play at one."""

import asyncio
import contextlib
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from boardlab.arena.records import Record
from boardlab.errors import BoardLabError
from boardlab.games.game import CHANCE, Game, State, as_seed, game_table
from boardlab.search.expression import format_spec, parse
from boardlab.web.errors import Forbidden, Refusal
from boardlab.web.forms import game_title
from boardlab.web.hub import Topic
from boardlab.web.page import Ask, Page, get, post
from boardlab.web.tables.levels import levels
from boardlab.web.tables.seats import AGENT, Seat, read_seats
from boardlab.web.tables.stored import StoredTable, Tables, new_id
from boardlab.web.tables.table import Table

if TYPE_CHECKING:
    from boardlab.web.arena import Arena

MOST_TABLES = 500
"""Tables that the server keeps of a person."""
MOST_ACTIONS = 20_000
SWEEPS = 0.005
"""How often a new game sweeps away stale ones."""


def tables_of(arena: "Arena") -> Tables:
    """Return the tables of a server."""
    return Tables(arena.database, arena.policy)


def open_table(arena: "Arena", key: str) -> Topic:
    """Open a table that pages want to watch."""
    tables = tables_of(arena)
    return Table(arena, tables, tables.get(key))


async def _make(ask: Ask) -> Any:
    """Make a table: {"game": {...}, "seats": [...], "actions": [...], "position": text, "delay": s}."""
    arena, body = ask.arena, ask.body
    game = arena.policy.game_of(body.get("game"))
    seats = read_seats(game, body.get("seats"), ask.person, arena.policy)
    for agent in {seat.agent for seat in seats if seat.kind == AGENT}:
        await arena.thinking.try_out(ask.person.id, agent, game)
    start = _first(game, body)
    actions = _actions(start, body.get("actions") or [])
    if game.is_hidden and (actions or body.get("position")):
        raise Forbidden("a game with hidden cards begins at its beginning")
    options: dict[str, Any] = {}
    delay = body.get("delay")
    if isinstance(delay, (int, float)) and not isinstance(delay, bool) and 0 <= delay <= 30:
        options["delay"] = float(delay)
    if body.get("hints"):
        options["hints"] = arena.policy.agent(body["hints"])
    if game.is_hidden:
        options["eyes"] = {seat.person: n for n, seat in enumerate(seats) if seat.person}
        if not options["eyes"]:
            del options["eyes"]
    tables = tables_of(arena)
    made = StoredTable(
        new_id(), game, start, tuple(seats), options, ask.person.id, len(actions), tuple(actions)
    )
    tables.remove_oldest(ask.person.id, MOST_TABLES - 1)
    if random.random() < SWEEPS:
        tables.remove_stale(time.time())
    tables.add(made)
    return {"id": made.id}


def _first(game: Game, body: dict[str, Any]) -> State:
    position = body.get("position")
    if position:
        if not isinstance(position, str) or len(position) > 20_000:
            raise Refusal("a position is text of at most 20,000 characters")
        return game.from_text(position)
    seed = body.get("seed")
    return game.initial_state(random.SystemRandom().randrange(2**32) if seed is None else as_seed(seed))


def _actions(start: State, given: Any) -> list[int]:
    if not isinstance(given, list) or len(given) > MOST_ACTIONS:
        raise Refusal(f"actions must be a list of at most {MOST_ACTIONS:,} whole numbers")
    state, played = start.copy(), []
    for number, action in enumerate(given, 1):
        if isinstance(action, bool) or not isinstance(action, int) or action not in state.legal_actions():
            raise Refusal(f"action {number} of the position is not legal")
        state.apply(action)
        played.append(action)
    return played


def _mine(ask: Ask) -> Any:
    found = []
    for row in tables_of(ask.arena).of(ask.person.id):
        seats = [Seat.from_json(seat) for seat in row["seats"]]
        row["title"], row["own"] = game_title(row["game"]["name"]), row.pop("owner") == ask.person.id
        row["seats"] = [
            "you" if seat.person == ask.person.id else seat.name or seat.agent or "a guest" for seat in seats
        ]
        found.append(row)
    return found


def _levels(ask: Ask) -> Any:
    return levels(ask.arena.policy.game(ask.path["name"]))


def _preview(ask: Ask) -> Any:
    """Return a game's players, who begins, and a picture: {"game": {...}, "actions": []}."""
    game = ask.arena.policy.game_of(ask.body.get("game"))
    state = _first(game, ask.body | {"seed": 0})
    for action in _actions(state, ask.body.get("actions") or []):
        state.apply(action)
    shown = _dealt(state)
    return {
        "players": [game.rules.player_name(n) for n in range(game.players)],
        "mover": max(0, shown.player),
        "picture": shown.to_svg(theme="page"),
        "summary": game.rules.variant_summary(),
        "hidden": game.is_hidden,
        "chance": game.has_chance,
        "levels": levels(game),
        "table": game_table(game),
    }


async def _check(ask: Ask) -> Any:
    """Return the canonical expression of an agent: {"game": {...}, "agent": "..."}; refuses a bad one."""
    game = ask.arena.policy.game_of(ask.body.get("game"))
    return {"agent": await ask.arena.thinking.try_out(ask.person.id, ask.body.get("agent"), game)}


def _dealt(state: State) -> State:
    """Return the position after nature's first events, as player 0 may see it: an example for pictures."""
    while state.player == CHANCE:
        state.apply(state.sample_chance(state.actions_played + 1))
    return state.seen_by(0) if state.game.is_hidden else state


def _picture(ask: Ask) -> Any:
    """Draw the first position of a game, for lists of games."""
    game = ask.arena.policy.game(ask.path["name"])
    theme = "dark" if ask.query.get("theme") == "dark" else "light"
    drawn = _dealt(game.initial_state(1)).to_svg(theme=theme)
    return Response(drawn, media_type="image/svg+xml", headers={"cache-control": "max-age=86400"})


async def _players(ask: Ask) -> Any:
    """List the agents of the server's runs: {"name", "agent", "game"}."""
    return await asyncio.to_thread(_run_players, ask.arena.settings.runs)


def _run_players(runs: Path) -> list[dict[str, Any]]:
    from boardlab.learners.listing import list_runs

    listed = list_runs(runs).lines if runs.is_dir() else ()
    return [
        {
            "name": one.path.as_posix(),
            "agent": format_spec(parse(one.run.expression)),
            "game": game_table(one.run.game),
        }
        for one in listed
        if one.run is not None and one.run.episodes > 0
    ]


async def _sweep(arena: "Arena") -> None:
    tables_of(arena).remove_stale(time.time())


def table_for(ask: Ask) -> Table:
    """Return the table that a path names."""
    topic = ask.arena.hub.topic(f"table:{ask.path['id']}")
    assert isinstance(topic, Table)
    return topic


def table_record(table: Table) -> Record:
    """Return the game at a table as a record, for files and for analysis."""
    state = table.state_now
    played = table.cursor
    values = tuple(table.values[:played])
    return Record(
        table.game,
        tuple(seat.agent or seat.name or "person" for seat in table.seats),
        tuple(table.actions[:played]),
        tuple(state.scores.tolist()),
        start=table.stored.start,
        values=values if any(value is not None for value in values) else (),
        ending="" if state.is_terminal else "unterminated",
    )


def _forget(ask: Ask) -> Any:
    """Remove a table of one's own."""
    table = table_for(ask)
    if table.stored.owner != ask.person.id:
        raise Forbidden("only the one who made a game may remove it")
    table.abandoned()
    ask.arena.database.write(
        ("DELETE FROM plays WHERE board = ?", (table.id,)), ("DELETE FROM tables WHERE id = ?", (table.id,))
    )
    with contextlib.suppress(KeyError):
        del ask.arena.hub.topics[table.name]
    return {}


PAGE = Page(
    "play",
    "Play",
    routes=[
        post("/tables", _make),
        get("/tables", _mine),
        post("/tables/{id}/remove", _forget),
        get("/games/{name}/levels", _levels),
        post("/preview", _preview),
        post("/agents/check", _check),
        get("/games/{name}/picture", _picture),
        get("/players", _players),
    ],
    topics={"table": open_table},
    start=_sweep,
)

__all__ = ["PAGE", "BoardLabError", "open_table", "table_for", "table_record", "tables_of"]
