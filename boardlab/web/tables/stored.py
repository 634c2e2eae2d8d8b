"""Tables in the database: a row each, and a row for every action."""

import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from boardlab.games.game import Game, State, game_table
from boardlab.web.database import Database
from boardlab.web.errors import Missing
from boardlab.web.policy import Policy
from boardlab.web.tables.seats import Seat

UNPLAYED_SECONDS = 24 * 3600.0
"""How long a game is kept in which nothing has been played."""
MOST_IN_ALL = 100_000
"""Games that the server keeps of all people."""
LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


def new_id() -> str:
    """Return a name for a table that nobody guesses."""
    return "".join(secrets.choice(LETTERS) for _ in range(12))


@dataclass(frozen=True)
class StoredTable:
    """A table as the database keeps it."""

    id: str
    game: Game
    start: State
    seats: tuple[Seat, ...]
    options: dict[str, Any]
    owner: str
    cursor: int = 0
    actions: tuple[int, ...] = ()
    values: tuple[float | None, ...] = ()
    created: float = field(default_factory=time.time)


class Tables:
    """The tables of a server."""

    def __init__(self, database: Database, policy: Policy) -> None:
        self.database, self.policy = database, policy

    def add(self, table: StoredTable) -> None:
        """Keep a new table, with its actions."""
        row = (
            table.id, _written(game_table(table.game)), _written(table.start.fields),
            _written([seat.as_json() for seat in table.seats]), _written(table.options), table.cursor,
            table.owner, table.created, table.created,
        )  # fmt: skip
        plays = [
            (
                "INSERT INTO plays VALUES (?, ?, ?, ?)",
                (table.id, number, action, table.values[number] if table.values else None),
            )
            for number, action in enumerate(table.actions)
        ]
        self.database.write(("INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row), *plays)

    def get(self, key: str) -> StoredTable:
        """Return a table."""
        rows = self.database.read(
            "SELECT game, start, seats, options, cursor, owner, created FROM tables WHERE id = ?", (key,)
        )
        if not rows:
            raise Missing("there is no such game on this server; it may have been removed")
        game_text, start, seats, options, cursor, owner, created = rows[0]
        game = self.policy.stored_game(json.loads(game_text))
        plays = self.database.read("SELECT action, value FROM plays WHERE board = ? ORDER BY number", (key,))
        return StoredTable(
            key,
            game,
            game.from_fields(json.loads(start)),
            tuple(Seat.from_json(seat) for seat in json.loads(seats)),
            json.loads(options),
            owner,
            cursor,
            tuple(action for action, _ in plays),
            tuple(value for _, value in plays),
            created,
        )

    def played(self, key: str, number: int, action: int, value: float | None) -> None:
        """Keep an action; those after it, which were taken back, are gone."""
        self.database.write(
            ("DELETE FROM plays WHERE board = ? AND number >= ?", (key, number)),
            ("INSERT INTO plays VALUES (?, ?, ?, ?)", (key, number, action, value)),
            ("UPDATE tables SET cursor = ?, changed = ? WHERE id = ?", (number + 1, time.time(), key)),
        )

    def moved(self, key: str, cursor: int) -> None:
        """Keep how many actions are on the board."""
        self.database.write(
            ("UPDATE tables SET cursor = ?, changed = ? WHERE id = ?", (cursor, time.time(), key))
        )

    def seated(self, key: str, seats: Sequence[Seat], options: dict[str, Any]) -> None:
        """Keep who sits where, and the options."""
        self.database.write(
            (
                "UPDATE tables SET seats = ?, options = ? WHERE id = ?",
                (_written([seat.as_json() for seat in seats]), _written(options), key),
            )
        )

    def of(self, person: str, most: int = 30) -> list[dict[str, Any]]:
        """List the tables of a person, those played last first."""
        rows = self.database.read(
            "SELECT id, game, seats, cursor, changed, owner FROM tables WHERE owner = ? OR instr(seats, ?) "
            "ORDER BY changed DESC LIMIT ?",
            (person, f'"{person}"', most),
        )
        return [
            {
                "id": key,
                "game": json.loads(game),
                "seats": json.loads(seats),
                "actions": n,
                "changed": changed,
                "owner": owner,
            }
            for key, game, seats, n, changed, owner in rows
        ]

    def count(self, person: str) -> int:
        """Count the tables that a person made."""
        return int(self.database.read("SELECT count(*) FROM tables WHERE owner = ?", (person,))[0][0])

    def remove_stale(self, now: float) -> None:
        """Remove games that nobody began to play, and the oldest of too many."""
        unplayed = "SELECT id FROM tables WHERE changed < ? AND id NOT IN (SELECT board FROM plays)"
        oldest = "SELECT id FROM tables ORDER BY changed DESC LIMIT -1 OFFSET ?"
        self.database.write(
            (f"DELETE FROM tables WHERE id IN ({unplayed})", (now - UNPLAYED_SECONDS,)),
            (f"DELETE FROM plays WHERE board IN ({oldest})", (MOST_IN_ALL,)),
            (f"DELETE FROM tables WHERE id IN ({oldest})", (MOST_IN_ALL,)),
        )

    def remove_oldest(self, person: str, keep: int) -> None:
        """Remove the tables of a person but those played last."""
        chosen = "SELECT id FROM tables WHERE owner = ? ORDER BY changed DESC LIMIT -1 OFFSET ?"
        self.database.write(
            (f"DELETE FROM plays WHERE board IN ({chosen})", (person, keep)),
            (f"DELETE FROM tables WHERE id IN ({chosen})", (person, keep)),
        )


def again(table: StoredTable, seats: Sequence[Seat], start: State) -> StoredTable:
    """Return a new table of the same game, with nothing played."""
    options = {key: value for key, value in table.options.items() if key in ("delay", "hints")}
    return replace(
        table,
        id=new_id(),
        start=start,
        seats=tuple(seats),
        options=options,
        cursor=0,
        actions=(),
        values=(),
        created=time.time(),
    )


def _written(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
