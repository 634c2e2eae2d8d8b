"""The store: agents, games, tournaments and the hall of fame."""

import contextlib
import dataclasses
import functools
import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from boardlab.arena.arena import GameRecord
from boardlab.arena.store.fame import HallOfFame, hall_of_fame
from boardlab.arena.store.file import connect, reason, typed, understanding
from boardlab.arena.store.rows import (
    AgentEntry,
    GameRow,
    as_json,
    as_records,
    canonical,
    game_key,
    insert_games,
    now,
    older_key,
    record_of,
    version,
)
from boardlab.arena.store.tournament import Tournament
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import Game, as_game, as_integer, as_seed
from boardlab.games.registry import rules_of
from boardlab.paths import as_path
from boardlab.search.entrants import EntrantLike, check_names


class Store:
    """One file, opened on the first read and created on the first write."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        if path is None:
            path = os.environ.get("BOARDLAB_STORE") or "boardlab.db"
        self.path = as_path("the file of a store", path)
        self._db: sqlite3.Connection | None = None
        self._pid = 0
        self._file: os.stat_result  # of the open connection
        self._lock = threading.RLock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the path: a copy opens its own connection."""
        return Store, (self.path,)

    # ---- agents ----

    def add_agent(self, game: Game, agent: EntrantLike) -> int:
        """Store an agent with its name and training runs, and return its number."""
        entry = AgentEntry.of(as_game(game), agent)
        with self._writing() as db:
            return entry.keep(db)

    def agents(self, game: Game) -> list[str]:
        """List the expressions of the game's agents, oldest first."""
        found = self._read(
            "SELECT DISTINCT expression FROM agents WHERE game = ? AND parameters IN (?, ?) ORDER BY id",
            (*game_key(game), older_key(game)[1]),
        )
        return [expression for (expression,) in found]

    # ---- games outside of tournaments ----

    def add_games(self, game: Game, agents: Sequence[EntrantLike], records: Iterable[GameRecord]) -> int:
        """Store games of a match between `agents` in one transaction.

        Return their number.
        """
        entries = [AgentEntry.of(as_game(game), agent) for agent in agents]
        rows = [GameRow.of(game, record, len(entries)) for record in as_records(records)]
        with self._writing() as db:
            numbers = [entry.keep(db) for entry in entries]
            return insert_games(db, game_key(game), rows, numbers, None, None, 0)

    def games_between(
        self, game: Game, agents: Sequence[str] = ()
    ) -> list[tuple[tuple[str, ...], GameRecord]]:
        """Return the stored games (of these agents, if given) with their seats."""
        as_game(game)
        if isinstance(agents, str) or not isinstance(agents, Sequence):
            raise BoardLabError(f"agents must be a list of agents, not {shown(agents)}")
        found = []
        spelled = functools.cache(canonical)  # older versions may have written it differently
        wanted = {spelled(agent) for agent in agents}
        keys = (*game_key(game), older_key(game)[1])
        for seats, record, _, _ in self._games("g.game = ? AND g.parameters IN (?, ?)", keys, game):
            names = tuple(spelled(name) for _, name in seats)
            if not wanted or wanted.issuperset(names):
                found.append((names, dataclasses.replace(record, seats=tuple(range(len(names))))))
        return found

    # ---- tournaments ----

    def start_tournament(
        self,
        game: Game,
        agents: Sequence[EntrantLike],
        format: str,
        seed: int = 0,
        options: Mapping[str, Any] | None = None,
        *,
        name: str = "",
        again: bool = False,
    ) -> Tournament:
        """Start a tournament, or return the stored one with the same plan.

        The plan is the game with its parameters, the entrants in order with what they have learned, the
        format, the seed and the options (any JSON values). `again` starts a new one next to the old one.
        Names, of the tournament and of its players, are not part of the plan: others rename the stored one. A
        stored tournament is refused if the user's code (of a game, an evaluator or an agent) has changed
        since.
        """
        if not isinstance(name, str):
            raise BoardLabError(f"the name of a tournament must be text, not {shown(name)}")
        entries, text, options_text, plan = _plan(game, agents, format, seed, options)
        with self._writing() as db:
            there = db.execute("SELECT max(id) FROM tournaments WHERE plan = ?", (plan,)).fetchone()[0]
            if there is not None and not again:
                with understanding(self.path, f"tournament {there}"):
                    if Tournament(self, there).agents != tuple(entry.expression for entry in entries):
                        raise ValueError("its agents are not those of its plan")
                self._check_code(db, there, game, entries)
                if any(entry.entrant.name for entry in entries):
                    self._rename(db, there, [entry.entrant.name for entry in entries])
                if name:
                    db.execute("UPDATE tournaments SET name = ? WHERE id = ?", (name, there))
                return Tournament(self, there)
            values = (name, *game_key(game), format, text, options_text, plan, version(), now())
            columns = "name, game, parameters, format, seed, options, plan, version, created"
            made = db.execute(f"INSERT INTO tournaments ({columns}) VALUES (?,?,?,?,?,?,?,?,?)", values)
            number = made.lastrowid
            assert number is not None
            db.executemany(
                "INSERT INTO entrants (tournament, number, agent, name, runs) VALUES (?,?,?,?,?)",
                [
                    (number, i, entry.keep(db), entry.entrant.name, json.dumps(entry.entrant.runs))
                    for i, entry in enumerate(entries)
                ],
            )
        return Tournament(self, number)

    def _rename(self, db: sqlite3.Connection, number: int, names: Sequence[str]) -> None:
        """Give the players of a tournament other names."""
        for i, name in enumerate(names):
            place = (name, number, i)
            db.execute("UPDATE entrants SET name = ? WHERE tournament = ? AND number = ?", place)
            if name:
                db.execute(
                    "UPDATE agents SET name = ? WHERE id = (SELECT agent FROM entrants WHERE tournament = ? "
                    "AND number = ?)",
                    place,
                )

    def _check_code(
        self, db: sqlite3.Connection, number: int, game: Game, entries: Sequence[AgentEntry]
    ) -> None:
        """Refuse to continue a tournament that began with other user code."""
        changed = ""
        parameters = db.execute("SELECT parameters FROM tournaments WHERE id = ?", (number,)).fetchone()[0]
        if parameters not in (game_key(game)[1], older_key(game)[1]):
            changed = "the code of the rules"
        marks = db.execute(
            "SELECT fingerprint FROM entrants JOIN agents ON id = agent WHERE tournament = ? ORDER BY number",
            (number,),
        ).fetchall()
        for entry, (mark,) in zip(entries, marks, strict=True):
            if mark not in (entry.fingerprint, entry.learned):
                changed = f"the file of an evaluator or agent in {entry.expression}"
        if changed:
            raise BoardLabError(
                f"{changed} has changed since tournament {number} of {game.name} began: start over "
                "(--again, or again=True), or restore the old code"
            )

    def has_tournament(
        self,
        game: Game,
        agents: Sequence[EntrantLike],
        format: str,
        seed: int = 0,
        options: Mapping[str, Any] | None = None,
    ) -> bool:
        """Return whether a tournament with this plan is stored."""
        plan = _plan(game, agents, format, seed, options)[-1]
        return self.path.exists() and bool(
            self._read("SELECT 1 FROM tournaments WHERE plan = ? LIMIT 1", (plan,))
        )

    def tournaments(self, game: str | None = None) -> list[Tournament]:
        """List all tournaments (of a game), oldest first."""
        if game is not None and not isinstance(game, str):
            raise BoardLabError(f"tournaments are listed by a game's name, not by {shown(game)}")
        found = self._read("SELECT id FROM tournaments WHERE ? IS NULL OR game = ? ORDER BY id", (game, game))
        return [Tournament(self, number) for (number,) in found]

    def tournament(self, number: int) -> Tournament:
        """The tournament with this number."""
        return Tournament(self, as_integer("the number of a tournament", number, 1, 2**62))

    # ---- the hall of fame ----

    def fame(self, game: str | Game | None = None) -> HallOfFame:
        """List the agents of rated tournaments by game, strongest first.

        All tournaments of a game are rated together, so that their ratings can be compared.
        """
        if game is not None and not isinstance(game, (str, Game)):
            raise BoardLabError(f"the hall of fame needs a game or its name, not {shown(game)}")
        if isinstance(game, str) and not self._read("SELECT 1 FROM tournaments WHERE game = ?", (game,)):
            rules_of(game)
        if isinstance(game, Game):
            return hall_of_fame(self, *game_key(game), older_key(game)[1])
        return hall_of_fame(self, game)

    # ---- the file ----

    def close(self) -> None:
        """Close the file; it is opened again when needed."""
        with self._lock:
            if self._db is not None and self._pid == os.getpid():
                self._db.close()
            self._db = None

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store {self.path}>"

    def _read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock, self._explained():
            return self._open(create=False).execute(query, values).fetchall()

    def _games(
        self, where: str, values: Sequence[Any], game: Game
    ) -> Iterator[tuple[list[tuple[int, str]], GameRecord, int, int]]:
        """Yield games: (agent, expression) per seat, record, pairing, number."""
        columns = "id, seed, start, actions, vals, error, adjudicated, pairing, number"
        # Games first: a game added meanwhile then has seats but no game, and is left out.
        games = self._read(f"SELECT {columns} FROM games g WHERE {where}", values)
        seats: dict[int, list[tuple[Any, ...]]] = {}
        query = (
            "SELECT s.played, s.agent, a.expression, s.score, s.seconds, s.decisions, s.run FROM seats s "
            "JOIN games g ON g.id = s.played JOIN agents a ON a.id = s.agent "
            f"WHERE {where} ORDER BY s.played, s.seat"
        )
        for played, *row in self._read(query, values):
            seats.setdefault(played, []).append(tuple(row))
        for number, *row, pairing, place in games:
            with understanding(self.path, f"game {number}"):
                there = seats.get(number, [])
                record = record_of(game, row, there)
                agents = [(agent, typed(str, name)) for agent, name, *_ in there]
            yield agents, record, pairing, place

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that locks before reading: it commits everything or nothing."""
        with self._lock, self._explained():
            db = self._open(create=True)
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
                self._check_there()
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # SQLite may have rolled back already, or be closed
                    db.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn SQLite's errors into one sentence."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise BoardLabError(f"the store {self.path} {reason(error)}") from None

    def _open(self, *, create: bool) -> sqlite3.Connection:
        # A connection must not be used in a forked process.
        if self._db is not None and self._pid == os.getpid():
            self._check_there()
            return self._db
        if not self.path.exists():
            if not create:
                raise BoardLabError(f"there is no store {self.path}; a tournament creates one")
            if not self.path.parent.is_dir():
                raise BoardLabError(f"the store {self.path} cannot be created: its folder does not exist")
        if self.path.exists() and not self.path.is_file():
            what = "a folder" if self.path.is_dir() else "a pipe or a device"
            raise BoardLabError(f"the store {self.path} is {what}; it must be a file")
        self._db, self._pid = connect(self.path), os.getpid()
        self._file = self.path.stat()
        return self._db

    def _check_there(self) -> None:
        """Refuse to continue with a file that was replaced: SQLite would not notice."""
        try:
            is_there = os.path.samestat(self._file, self.path.stat())
        except OSError:
            is_there = False
        if not is_there:
            self.close()
            raise BoardLabError(
                f"the store {self.path} was removed or replaced by another file while in use; the new file "
                "lacks its contents"
            )


def store(path: str | os.PathLike[str] | None = None) -> Store:
    """Open the store in a file; default: $BOARDLAB_STORE or ./boardlab.db."""
    return Store(path)


def _plan(
    game: Game,
    agents: Sequence[EntrantLike],
    format: str,
    seed: int,
    options: Mapping[str, Any] | None,
) -> tuple[list[AgentEntry], str, str, str]:
    """Return entrants, seed and options as stored, and the hash of the plan."""
    as_game(game)
    if isinstance(agents, str) or not isinstance(agents, Sequence) or not agents:
        raise BoardLabError(f"a tournament needs a list of agents, not {shown(agents)}")
    entries = [AgentEntry.of(game, agent) for agent in agents]
    check_names([entry.entrant for entry in entries])
    for i, entry in enumerate(entries):
        if entry in entries[:i]:
            names = [e.entrant.name for e in (entries[entries.index(entry)], entry) if e.entrant.name]
            twice = f" ({' and '.join(names)})" if names else ""
            raise BoardLabError(
                f"{entry.expression} is listed twice{twice}; a tournament needs different agents"
            )
    text, options_text = str(as_seed(seed)), as_json("options of a tournament", dict(options or {}))
    facts = [
        *older_key(game),
        format,
        text,
        options_text,
        *((e.expression, e.learned) for e in entries),
    ]
    return entries, text, options_text, hashlib.sha256(json.dumps(facts).encode()).hexdigest()
