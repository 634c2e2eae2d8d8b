"""Tournaments in the store: their plan, games and ratings."""

import dataclasses
import functools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boardlab.arena.arena import GameRecord
from boardlab.arena.store.file import typed, understanding
from boardlab.arena.store.rows import GameRow, as_records, insert_games, now
from boardlab.errors import BoardLabError
from boardlab.games.game import Game, as_integer
from boardlab.games.registry import game_from_table
from boardlab.search.entrants import Entrant, names_of

if TYPE_CHECKING:
    from boardlab.arena.store.store import Store


@dataclass(frozen=True)
class Pairing:
    """Entrants that meet, and their progress."""

    number: int
    round: int
    entrants: tuple[int, ...]
    games: int
    """Games to play."""
    played: int
    """Games in the store, always the first ones."""

    @property
    def is_done(self) -> bool:
        """Whether all games were played."""
        return self.played >= self.games


@dataclass(frozen=True)
class StoredGame:
    """A game of a tournament: its record and its place in the plan."""

    pairing: int
    number: int
    record: GameRecord


@dataclass(frozen=True)
class Rating:
    """An entrant's rating by one system."""

    entrant: int
    rating: float
    low: float
    """The 95% interval."""
    high: float
    games: int


class Tournament:
    """A tournament in the store: its plan, games and ratings."""

    def __init__(self, store: "Store", number: int) -> None:
        self.store, self.number = store, number
        row = store._read(
            "SELECT name, game, parameters, format, seed, options, created FROM tournaments WHERE id = ?",
            (number,),
        )
        if not row:
            raise BoardLabError(f"the store {store.path} has no tournament {number}")
        with understanding(store.path, f"tournament {number}"):
            texts = (typed(str, value) for value in row[0])
            self.name, self.game_name, parameters, self.format, seed, options, self.created = texts
            self._key = (self.game_name, parameters)
            self.seed, self.options = int(seed), dict(json.loads(options))
        entrants = store._read(
            "SELECT agent, expression, e.name, e.runs FROM entrants e JOIN agents a ON a.id = e.agent "
            "WHERE tournament = ? ORDER BY number",
            (number,),
        )
        self._ids = [agent for agent, *_ in entrants]
        with understanding(store.path, f"an agent of tournament {number}"):
            self.entrants = tuple(
                Entrant(typed(str, expression), typed(str, name), tuple(map(str, json.loads(runs))))
                for _, expression, name, runs in entrants
            )
            """The entrants with the names that the user gave, and the runs of those that are folders."""
            self.agents = tuple(typed(str, expression) for _, expression, *_ in entrants)
            """The entrants' expressions."""

    @property
    def names(self) -> tuple[str, ...]:
        """What tables show: the names that the user gave, or the expressions."""
        return names_of(self.entrants, self.agents)

    @functools.cached_property
    def game(self) -> Game:
        """The game; raises an error if its library is not loaded."""
        return game_from_table(self.table)

    @property
    def table(self) -> dict[str, Any]:
        """The game's name and parameters, whether or not its library is loaded."""
        with understanding(self.store.path, f"tournament {self.number}"):
            return {**dict(json.loads(self._key[1])), "name": self.game_name}

    @property
    def title(self) -> str:
        """The tournament's name in a sentence."""
        called = f' "{self.name}"' if self.name else ""
        return f"tournament {self.number}{called} of {self.game_name}"

    @property
    def is_finished(self) -> bool:
        """Whether `finish` was called."""
        return (
            self.store._read("SELECT finished FROM tournaments WHERE id = ?", (self.number,))[0][0]
            is not None
        )

    @property
    def is_rated(self) -> bool:
        """Whether ratings were added."""
        return bool(self.store._read("SELECT 1 FROM ratings WHERE tournament = ? LIMIT 1", (self.number,)))

    def finish(self) -> None:
        """Mark the tournament as done."""
        with self.store._writing() as db:
            db.execute("UPDATE tournaments SET finished = ? WHERE id = ?", (now(), self.number))

    def add_pairings(self, pairings: Iterable[tuple[Sequence[int], int]], round: int = 0) -> None:
        """Add (entrants, games to play) to the plan.

        A round already stored stays unchanged.
        """
        rows = []
        for entrants, games in pairings:
            listed = [as_integer("an entrant", e, 0, len(self.agents) - 1) for e in entrants]
            rows.append((json.dumps(listed), as_integer("the games of a pairing", games, 1, 10**9)))
        with self.store._writing() as db:
            there, last = db.execute(
                "SELECT sum(round = ?), coalesce(max(number), -1) FROM pairings WHERE tournament = ?",
                (round, self.number),
            ).fetchone()
            if there:
                return
            db.executemany(
                "INSERT INTO pairings (tournament, number, round, entrants, games) VALUES (?,?,?,?,?)",
                [(self.number, last + 1 + i, round, *row) for i, row in enumerate(rows)],
            )

    def pairings(self) -> list[Pairing]:
        """Return the plan so far, with the number of games played."""
        found = self.store._read(
            "SELECT p.number, p.round, p.entrants, p.games, (SELECT count(*) FROM games g "
            "WHERE g.tournament = p.tournament AND g.pairing = p.number) "
            "FROM pairings p WHERE tournament = ? ORDER BY p.number",
            (self.number,),
        )
        pairings = []
        for number, round, entrants, games, played in found:
            with understanding(self.store.path, f"pairing {number} of tournament {self.number}"):
                listed = tuple(
                    as_integer("an entrant", e, 0, len(self.agents) - 1) for e in json.loads(entrants)
                )
                pairings.append(Pairing(number, typed(int, round), listed, typed(int, games), played))
        return pairings

    def add_games(self, pairing: int, records: Iterable[GameRecord], first: int) -> int:
        """Store games first, first + 1 ... of a pairing in one transaction.

        Return how many were new.

        `record.seats` are numbers of entrants. A game that another process stored meanwhile is kept.
        """
        first = as_integer("the first game's number", first, 0, 10**9)
        pairing = as_integer("a pairing", pairing, 0, 10**9)
        rows = [GameRow.of(self.game, record, len(self.agents)) for record in as_records(records)]
        with self.store._writing() as db:
            return insert_games(db, self._key, rows, self._ids, self.number, pairing, first)

    def games(self) -> list[StoredGame]:
        """Return all games played, by pairing and number.

        `seats` are numbers of entrants.
        """
        found = []
        for seats, record, pairing, number in self.store._games(
            "g.tournament = ?", (self.number,), self.game
        ):
            with understanding(self.store.path, f"a game of tournament {self.number}"):
                entrants = tuple(self._ids.index(agent) for agent, _ in seats)
                place = (typed(int, pairing), typed(int, number))
            found.append(StoredGame(*place, dataclasses.replace(record, seats=entrants)))
        return sorted(found, key=lambda game: (game.pairing, game.number))

    def add_ratings(self, method: str, ratings: Iterable[Rating]) -> None:
        """Store the ratings of a system, replacing its earlier ones."""
        rows = []
        for r in ratings:
            agent = self._ids[as_integer("an entrant", r.entrant, 0, len(self.agents) - 1)]
            games = as_integer("the games of a rating", r.games, 0, 10**12)
            rows.append((self.number, method, agent, float(r.rating), float(r.low), float(r.high), games))
        if not all(np.isfinite(row[3:6]).all() for row in rows):
            raise BoardLabError("a rating and its interval must be finite numbers")
        with self.store._writing() as db:
            db.execute("DELETE FROM ratings WHERE tournament = ? AND method = ?", (self.number, method))
            db.executemany("INSERT INTO ratings VALUES (?,?,?,?,?,?,?)", rows)

    def ratings(self, method: str) -> list[Rating]:
        """Return the stored ratings of a system, strongest first.

        Elo stored by a version without BayesElo's scale stays unchanged; `boardlab.rate` rates the games
        again.
        """
        found = self.store._read(
            "SELECT agent, rating, low, high, games FROM ratings WHERE tournament = ? AND method = ? "
            "ORDER BY rating DESC",
            (self.number, method),
        )
        with understanding(self.store.path, f"a rating of tournament {self.number}"):
            return [
                Rating(
                    self._ids.index(agent),
                    typed(float, rating),
                    typed(float, low),
                    typed(float, high),
                    typed(int, games),
                )
                for agent, rating, low, high, games in found
            ]

    def __repr__(self) -> str:
        return f"<Tournament {self.number}: {self.format} of {len(self.agents)} agents at {self.game_name}>"
