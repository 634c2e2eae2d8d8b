"""The server's memory: one SQLite file of visitors, games and what the pages keep.

Write-ahead log and a commit for every action, so that kill -9 loses nothing that a visitor has seen.
"""

import contextlib
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from boardlab.arena.store.file import connect_as, reason
from boardlab.errors import BoardLabError

APPLICATION = 0x424C5765
"""Marks the file as BoardLab's own ("BLWe")."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE visits (        -- passwords that were typed right
            token TEXT PRIMARY KEY,     -- a hash of the cookie
            ends REAL NOT NULL          -- seconds since 1970
        ) WITHOUT ROWID""",
        """CREATE TABLE tables (
            id TEXT PRIMARY KEY,
            game TEXT NOT NULL,         -- name and parameters, as JSON
            start TEXT NOT NULL,        -- fields of the first position, as JSON
            seats TEXT NOT NULL,        -- JSON list: who sits there
            options TEXT NOT NULL,      -- JSON
            cursor INTEGER NOT NULL,    -- actions on the board; those after it were taken back
            owner TEXT NOT NULL,
            created REAL NOT NULL,
            changed REAL NOT NULL
        ) WITHOUT ROWID""",
        "CREATE INDEX tables_by_owner ON tables (owner, changed)",
        """CREATE TABLE plays (
            board TEXT NOT NULL REFERENCES tables(id),
            number INTEGER NOT NULL,
            action INTEGER NOT NULL,
            value REAL,                 -- what its player expected, if known
            PRIMARY KEY (board, number)
        ) WITHOUT ROWID""",
        """CREATE TABLE notes (          -- whatever a page wants to find again: (kind, key) -> JSON
            kind TEXT NOT NULL,
            key TEXT NOT NULL,
            owner TEXT NOT NULL,
            changed REAL NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (kind, key)
        ) WITHOUT ROWID""",
    ),
)


class Database:
    """A connection that may be used from any thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = connect_as(path, APPLICATION, MIGRATIONS, "database of boardlab serve")

    def read(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        with self._lock, self._explained():
            return self._db.execute(query, values).fetchall()

    def write(self, *statements: tuple[str, Sequence[Any]]) -> None:
        """Carry out all statements in one transaction, or none."""
        with self._lock, self._explained():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                for query, values in statements:
                    self._db.execute(query, values)
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise BoardLabError(f"{self.path} {reason(error)}") from None
        except OSError as error:
            raise BoardLabError(f"{self.path} cannot be written: {error.strerror}") from None
