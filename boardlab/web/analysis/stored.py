"""Desks in the database: a note each."""

import hashlib
import json
import time
from dataclasses import dataclass, field
from typing import Any

from boardlab.games.game import Game, State, game_table
from boardlab.web.database import Database
from boardlab.web.errors import Missing
from boardlab.web.policy import Policy

KIND = "desk"
MOST_DESKS = 200
"""Desks that the server keeps of a person."""
AGENT = "mcts(rollout)"
"""The agent on a new desk."""


@dataclass
class StoredDesk:
    """A game that somebody analyses."""

    id: str
    owner: str
    game: Game
    start: State
    main: list[int]
    """The game as it was played; empty on a desk where one tries things out."""
    path: list[int]
    """The actions on the desk: the game, or a variation."""
    at: int
    """How many of them are on the board."""
    players: list[str] = field(default_factory=list)
    source: str = ""
    """Where the game comes from: "table ID", "game 3 of cup.pgn"."""
    agents: list[str] = field(default_factory=lambda: [AGENT])
    thinks: bool = True
    curve: dict[str, Any] | None = None
    """What the review found; see `review.py`."""

    @property
    def is_free(self) -> bool:
        """Whether there is no game that was played, only what one tries out."""
        return not self.main


class Desks:
    """The desks of a server."""

    def __init__(self, database: Database, policy: Policy) -> None:
        self.database, self.policy = database, policy

    def get(self, key: str) -> StoredDesk:
        """Return a desk."""
        rows = self.database.read("SELECT owner, value FROM notes WHERE kind = ? AND key = ?", (KIND, key))
        if not rows:
            raise Missing("there is no such analysis on this server; it may have been removed")
        owner, text = rows[0]
        value = json.loads(text)
        game = self.policy.stored_game(value.pop("game"))
        start = game.from_fields(value.pop("start"))
        return StoredDesk(key, owner, game, start, **value)

    def has(self, key: str) -> bool:
        """Whether there is a desk of this name."""
        return bool(self.database.read("SELECT 1 FROM notes WHERE kind = ? AND key = ?", (KIND, key)))

    def keep(self, desk: StoredDesk) -> None:
        """Write a desk, and remove the oldest of its owner beyond the limit."""
        value = {
            name: getattr(desk, name)
            for name in ("main", "path", "at", "players", "source", "agents", "thinks", "curve")
        }
        text = json.dumps({**value, "game": game_table(desk.game), "start": desk.start.fields})
        self.database.write(
            (
                "INSERT INTO notes VALUES (?, ?, ?, ?, ?) ON CONFLICT (kind, key) DO UPDATE SET "
                "changed = excluded.changed, value = excluded.value",
                (KIND, desk.id, desk.owner, time.time(), text),
            ),
            (
                "DELETE FROM notes WHERE kind = ? AND owner = ? AND key NOT IN (SELECT key FROM notes "
                "WHERE kind = ? AND owner = ? ORDER BY changed DESC LIMIT ?)",
                (KIND, desk.owner, KIND, desk.owner, MOST_DESKS),
            ),
        )

    def of(self, person: str, most: int = 12) -> list[tuple[str, float]]:
        """Return a person's desks, the newest first, each with its time."""
        rows = self.database.read(
            "SELECT key, changed FROM notes WHERE kind = ? AND owner = ? ORDER BY changed DESC LIMIT ?",
            (KIND, person, most),
        )
        return [(str(key), float(changed)) for key, changed in rows]


def id_for(person: str, source: str) -> str:
    """Return the desk's name of a person for a source, always the same."""
    return hashlib.sha256(f"{person}\n{source}".encode()).hexdigest()[:16]
