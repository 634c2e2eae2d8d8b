"""The store's file: open, refuse or upgrade it, and explain SQLite's errors."""

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from boardlab.arena.store.migrations import MIGRATIONS
from boardlab.errors import BoardLabError, MissingPackageError, shown

T = TypeVar("T")

APPLICATION = 0x424C6162
"""Marks the file as BoardLab's ("BLab")."""
BUSY_SECONDS = 60.0
"""How long a process waits while another one writes."""


Steps = Sequence[Sequence[str]]
"""The statements that lead from each version of a file to the next."""


def connect(path: Path) -> sqlite3.Connection:
    """Open or create a store, refuse other programs' files, and upgrade old ones."""
    return connect_as(path, APPLICATION, MIGRATIONS, "store")


def connect_as(path: Path, application: int, steps: Steps, kind: str) -> sqlite3.Connection:
    """Open or create a file of this kind, refuse others, and upgrade old ones."""
    readable_only = path.exists() and not os.access(path, os.W_OK)
    place = path.resolve().as_uri() + ("?mode=ro" if readable_only else "")
    db = sqlite3.connect(place, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        if readable_only and not os.access(path.parent, os.W_OK):
            try:
                db.execute("SELECT count(*) FROM sqlite_master")
            except sqlite3.OperationalError:  # the log's index cannot be created, so nobody else writes it
                db.close()
                db = sqlite3.connect(
                    place + "&immutable=1", uri=True, isolation_level=None, check_same_thread=False
                )
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA trusted_schema = OFF")  # the file may come from a stranger
        file = _File(path, application, steps, kind)
        version = _check_ours(db, file)
        if version < len(steps):
            if readable_only:
                return _upgraded_copy(db, file)
            _use_log(db)
            _upgrade(db, file)
        db.execute("PRAGMA synchronous = NORMAL")  # survives kill -9; a power cut may lose the last batch
    except BaseException:
        db.close()
        raise
    return db


class _File(NamedTuple):
    path: Path
    application: int
    steps: Steps
    kind: str


def _check_ours(db: sqlite3.Connection, file: _File) -> int:
    """Return the file's version; refuse other programs' files and newer versions."""
    alone = not db.in_transaction
    if alone:  # one consistent look: another process may be creating it
        db.execute("BEGIN")
    try:
        application, version = (
            db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        kinds = {kind for (kind,) in db.execute("SELECT DISTINCT type FROM sqlite_master")}
    finally:
        if alone:
            with contextlib.suppress(sqlite3.Error):
                db.execute("COMMIT")
    if application != file.application and not (not kinds and application == 0 and version == 0):
        raise BoardLabError(f"{file.path} is a database of another program, not a BoardLab {file.kind}")
    if kinds - {"table", "index"}:  # they would run on reading or writing
        raise BoardLabError(
            f"the {file.kind} {file.path} is damaged: it has views or triggers, which BoardLab never creates"
        )
    if version > len(file.steps):
        raise BoardLabError(
            f"the {file.kind} {file.path} was written by a newer BoardLab: its version is {version}, "
            f"ours is {len(file.steps)}"
        )
    return int(version)


def _use_log(db: sqlite3.Connection) -> None:
    """Switch on write-ahead logging, so that readers do not wait for a writer.

    SQLite's busy timeout does not cover this statement, so it is retried here.
    """
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _upgrade(db: sqlite3.Connection, file: _File) -> None:
    """Take all missing steps or none; another process may have taken them meanwhile."""
    db.execute("BEGIN IMMEDIATE")
    try:
        version = _check_ours(db, file)
        for step in file.steps[version:]:
            for statement in step:
                db.execute(statement)
        db.execute(f"PRAGMA application_id = {file.application}")
        db.execute(f"PRAGMA user_version = {len(file.steps)}")
        db.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise


def _upgraded_copy(db: sqlite3.Connection, file: _File) -> sqlite3.Connection:
    """Return a copy in memory, of the present version, of an older file that may not be changed."""
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    db.backup(copy)
    db.close()
    _upgrade(copy, file)
    copy.execute("PRAGMA query_only = ON")  # what is written to it would be lost
    return copy


@contextlib.contextmanager
def understanding(path: Path, what: str) -> Iterator[None]:
    """Report errors in using rows as damage of the store; `what` names the rows.

    SQLite has no checksums: it returns whatever a bad sector made of them.
    """
    try:
        yield
    except (MemoryError, MissingPackageError, sqlite3.Error):
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        problem = f"{error} is missing" if isinstance(error, KeyError) else error
        raise BoardLabError(f"the store {path} is damaged: {what} cannot be read: {problem}") from None


def typed(kind: type[T], value: Any) -> T:
    """Check the type of a value, which SQLite does not."""
    if not isinstance(value, kind):
        raise TypeError(f"{shown(value)} is not {NAMES[kind]}")
    return value


NAMES: dict[type, str] = {int: "a whole number", float: "a number", str: "text", bytes: "bytes"}


def reason(error: sqlite3.Error | UnicodeDecodeError) -> str:
    """Explain what went wrong, to follow the name of the file."""
    text = str(error)
    if isinstance(error, UnicodeDecodeError) or "decode" in text:
        return "is damaged: it contains bytes where text should be"
    if "not a database" in text:
        return "is not a store: it is not an SQLite file"
    if "malformed" in text:
        return f"is damaged: {text}"
    if "full" in text:
        return "cannot be written: the disk is full"
    if "readonly" in text:
        return "cannot be written: it is read-only"
    if "locked" in text or "busy" in text:
        return f"is busy: another process has been writing for more than {BUSY_SECONDS:.0f} s"
    if "unable to open" in text:
        return "cannot be opened: may you read and write it and its folder?"
    return f"failed: {text}"
