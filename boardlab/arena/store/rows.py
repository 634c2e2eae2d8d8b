"""Agents, runs and games as rows of the store's tables, and back."""

import array
import contextlib
import datetime
import hashlib
import json
import sqlite3
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from boardlab.arena.arena import GameRecord
from boardlab.arena.store.file import typed
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import Game, as_game, game_table
from boardlab.runs import RunFolder, runs_in
from boardlab.search.entrants import Entrant, EntrantLike, as_entrants, named_runs
from boardlab.search.expression import format_spec, parse, parts_of

# ---- agents and runs ----


def canonical(expression: str) -> str:
    """Normalise an expression; names of agents made in Python stay unchanged."""
    try:
        return format_spec(parse(expression))
    except BoardLabError:
        return expression


def run_folders(expression: str) -> list[str]:
    """List the run folders that an agent expression names, those of a folder of runs one by one."""
    return [
        run
        for path in named_runs(expression)
        for run in [folder.as_posix() for folder in runs_in(path)] or [path]
    ]


def code_of(expression: str) -> list[str]:
    """List the fingerprints of a user's evaluators and agents in an expression."""
    codes = (part.own_code for part in parts_of(expression))
    return list(dict.fromkeys(filter(None, codes)))


def fingerprint(expression: str) -> str:
    """Fingerprint an agent's learned weights and user code; empty if it has neither."""
    learned = [RunFolder(folder).fingerprint() for folder in run_folders(expression)]
    return _one_mark([*learned, *code_of(expression)])


def _one_mark(marks: Sequence[str]) -> str:
    return hashlib.sha256("".join(marks).encode()).hexdigest()[:32] if len(marks) > 1 else "".join(marks)


@dataclass(frozen=True)
class AgentEntry:
    """An agent to be stored; its run folders are read before the transaction begins."""

    key: tuple[str, str]
    expression: str
    fingerprint: str
    learned: str
    """Its fingerprint without the user's code, as earlier versions had it."""
    runs: tuple[tuple[Any, ...], ...]
    entrant: Entrant = field(compare=False)
    """Its name, and the names of its runs."""

    @staticmethod
    def of(game: Game, agent: EntrantLike) -> "AgentEntry":
        """Return the agent with the data of its run folders."""
        entrant = as_entrants([agent])[0]
        expression = entrant.expression
        runs = tuple(_run_row(folder) for folder in run_folders(expression))
        learned = [run[0] for run in runs]
        mark = _one_mark([*learned, *code_of(expression)])
        return AgentEntry(game_key(game), expression, mark, _one_mark(learned), runs, entrant)

    def keep(self, db: sqlite3.Connection) -> int:
        """Store the agent unless it is there, and return its number."""
        values = (*self.key, self.expression, self.fingerprint)
        db.execute(
            "INSERT OR IGNORE INTO agents (game, parameters, expression, fingerprint) VALUES (?,?,?,?)",
            values,
        )
        where = "game = ? AND parameters = ? AND expression = ? AND fingerprint = ?"
        number: int = db.execute(f"SELECT id FROM agents WHERE {where}", values).fetchone()[0]
        if self.entrant.name:
            db.execute("UPDATE agents SET name = ? WHERE id = ?", (self.entrant.name, number))
        for run in self.runs:
            db.execute(
                "INSERT INTO runs (fingerprint, folder, learner, preset, seed, version, episodes, actions, "
                "seconds, cpu_seconds, description) VALUES (?,?,?,?,?,?,?,?,?,?,?) "
                # Update all columns: two runs, or a run and its last snapshot, may share weights.
                "ON CONFLICT (fingerprint) DO UPDATE SET folder = excluded.folder, "
                "learner = excluded.learner, preset = excluded.preset, seed = excluded.seed, "
                "version = excluded.version, episodes = excluded.episodes, actions = excluded.actions, "
                "seconds = excluded.seconds, cpu_seconds = excluded.cpu_seconds, "
                "description = excluded.description",
                run,
            )
            db.execute(
                "INSERT OR IGNORE INTO agent_runs SELECT ?, id FROM runs WHERE fingerprint = ?",
                (number, run[0]),
            )
        return number


def _run_row(path: str) -> tuple[Any, ...]:
    folder = RunFolder(path)
    agent = folder.read_agent()
    episodes = actions = seconds = None
    with contextlib.suppress(BoardLabError):  # a run shared without its checkpoint
        stored = folder.read_arrays("checkpoint.npz", {"progress": ("<i8", 2), "seconds": ("<f8", 1)})
        episodes, actions = stored["progress"].tolist()
        seconds = float(stored["seconds"][0])
    facts = (str(agent.get(key, "")) for key in ("kind", "preset", "seed", "boardlab"))
    return (
        folder.fingerprint(),
        path,
        *facts,
        episodes,
        actions,
        seconds,
        folder.cpu_seconds(),
        as_json("agent.toml", agent),
    )


# ---- games ----


@dataclass(frozen=True)
class GameRow:
    """A game record as rows of the tables."""

    row: tuple[Any, ...]
    seats: tuple[tuple[int, float, float | None, int | None, int | None], ...]

    @staticmethod
    def of(game: Game, record: GameRecord, agents: int) -> "GameRow":
        """Make the rows.

        Refuse a record that does not fit the game or the number of agents.
        """
        if len(record.seats) != game.players or len(record.scores) != game.players:
            raise BoardLabError(f"a record of {game.name} must have {game.players} seats and scores")
        if any(not 0 <= seat < agents for seat in record.seats):
            raise BoardLabError(
                f"a record's seats must be numbers of agents below {agents}, not {shown(record.seats)}"
            )
        seconds = record.seconds or [None] * game.players
        decisions = record.decisions or [None] * game.players
        runs = record.runs or [None] * game.players
        values = record.values
        row = (
            str(record.seed),
            np.asarray(record.start.fields, "<i4").tobytes() if record.start is not None else None,
            pack(record.actions),
            np.asarray(values, "<f4").tobytes() if values else None,
            record.error,
            int(record.adjudicated),
        )
        return GameRow(row, tuple(zip(record.seats, record.scores, seconds, decisions, runs, strict=True)))


def insert_games(
    db: sqlite3.Connection,
    key: tuple[str, str],
    rows: Sequence[GameRow],
    agents: Sequence[int],
    tournament: int | None,
    pairing: int | None,
    first: int,
) -> int:
    """Insert games, keep those already stored, and return how many were new."""
    if tournament is not None:
        there = {
            number
            for (number,) in db.execute(
                "SELECT number FROM games WHERE tournament = ? AND pairing = ? AND number BETWEEN ? AND ?",
                (tournament, pairing, first, first + len(rows) - 1),
            )
        }
        gap = db.execute(
            "SELECT count(*) < ? FROM games WHERE tournament = ? AND pairing = ? AND number < ?",
            (first, tournament, pairing, first),
        ).fetchone()[0]
        if gap:
            raise BoardLabError(f"game {first} of pairing {pairing} must be stored after all earlier ones")
        wanted = db.execute(
            "SELECT games FROM pairings WHERE tournament = ? AND number = ?", (tournament, pairing)
        ).fetchone()
        if wanted is None:
            raise BoardLabError(f"the tournament has no pairing {pairing}")
    else:
        there = set()
    fresh = [(first + i, row) for i, row in enumerate(rows) if first + i not in there]
    last = db.execute("SELECT coalesce(max(id), 0) FROM games").fetchone()[0]
    db.executemany(
        "INSERT INTO games (id, game, parameters, tournament, pairing, number, seed, start, actions, vals, "
        "error, adjudicated) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
        [
            (last + 1 + i, *key, tournament, pairing, number if tournament is not None else None, *row.row)
            for i, (number, row) in enumerate(fresh)
        ],
    )
    db.executemany(
        "INSERT INTO seats (played, seat, agent, score, seconds, decisions, run) VALUES (?,?,?,?,?,?,?)",
        [
            (last + 1 + i, seat, agents[agent], *rest)
            for i, (_, row) in enumerate(fresh)
            for seat, (agent, *rest) in enumerate(row.seats)
        ],
    )
    return len(fresh)


def record_of(game: Game, row: Sequence[Any], seats: Sequence[tuple[Any, ...]]) -> GameRecord:
    """Rebuild a record from the rows of a game; its seats are numbered 0, 1 ..."""
    seed, start, actions, values, error, adjudicated = row
    if len(seats) != game.players:
        raise ValueError(f"it has {len(seats)} seats, not {game.players}")
    timed = all(None not in (seconds, decisions) for _, _, _, seconds, decisions, _ in seats)
    runs = [run for *_, run in seats]
    return GameRecord(
        seats=tuple(range(len(seats))),
        actions=unpack(typed(bytes, actions)),
        scores=tuple(typed(float, score) for _, _, score, *_ in seats),
        seed=int(seed),
        error=typed(str, error),
        start=None if start is None else game.from_fields(np.frombuffer(start, "<i4")),
        adjudicated=bool(adjudicated),
        decisions=tuple(typed(int, decisions) for *_, decisions, _ in seats) if timed else (),
        seconds=tuple(typed(float, seconds) for _, _, _, seconds, _, _ in seats) if timed else (),
        values=tuple(np.frombuffer(values, "<f4").astype(float).tolist()) if values is not None else (),
        resigned=error.endswith(" resigned"),  # the table has no column for it
        runs=() if None in runs else tuple(typed(int, run) for run in runs),
    )


WIDTHS = {"B": 1, "H": 2, "i": 4}
"""Width of a stored action, by the first letter."""


def pack(actions: Sequence[int]) -> bytes:
    """Pack actions into one, two or four bytes each; most games need one."""
    largest = max(actions, default=0)
    letter = "B" if largest < 2**8 and min(actions, default=0) >= 0 else "H" if 0 <= largest < 2**16 else "i"
    if letter == "H" and min(actions) < 0:
        letter = "i"
    numbers = array.array(letter, actions)
    if sys.byteorder == "big":
        numbers.byteswap()
    return letter.encode() + numbers.tobytes()


def unpack(packed: bytes) -> tuple[int, ...]:
    """Unpack what `pack` packed."""
    letter = chr(packed[0]) if packed else ""
    if letter not in WIDTHS or (len(packed) - 1) % WIDTHS[letter]:
        raise BoardLabError("its actions are damaged")
    numbers = array.array(letter, packed[1:])
    if sys.byteorder == "big":
        numbers.byteswap()
    return tuple(numbers)


def as_records(records: Iterable[GameRecord]) -> list[GameRecord]:
    """Check that these are records of a match."""
    listed = list(records)
    if not all(isinstance(record, GameRecord) for record in listed):
        raise BoardLabError("the store keeps the records of a match; give result.records")
    return listed


# ---- small things ----


def game_key(game: Game) -> tuple[str, str]:
    """Return the name and the parameters of a game as the tables have them."""
    table = game_table(as_game(game))
    name = table.pop("name")
    return name, json.dumps(table, sort_keys=True)


def older_key(game: Game) -> tuple[str, str]:
    """Return the key of earlier versions, which named a library by its file."""
    name, parameters = game_key(game)
    table = json.loads(parameters)
    table.pop("fingerprint", None)
    return name, json.dumps(table, sort_keys=True)


def as_json(what: str, value: Any) -> str:
    """Write JSON with sorted keys, so that equal values give equal text."""
    try:
        return json.dumps(value, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError):
        raise BoardLabError(f"{what} must be JSON values, not {shown(value)}") from None


def version() -> str:
    """Return the version of BoardLab."""
    import boardlab

    return boardlab.__version__


def now() -> str:
    """Return the current UTC time in ISO 8601."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
