"""Tournaments: agents meet by a plan, kept in the store and resumable.

Game i of a tournament depends only on the seed, its number and its entrants. All pairings of a round play the
same opening, so that an unfinished tournament is fair too. The plan identifies a tournament: the same call
after a crash, or after kill -9, plays only the missing games and ends with the same result.
"""

import dataclasses
import hashlib
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from boardlab.arena.arena import Adjudication, Arena, GameRecord
from boardlab.arena.blocks import arena_executor, play_games
from boardlab.arena.field import Field
from boardlab.arena.intervals import NORMAL_95
from boardlab.arena.openings import Starts
from boardlab.arena.pairing import (
    FORMATS,
    SEATS,
    Group,
    first_turns,
    gauntlet,
    order_count,
    round_robin,
    seat_orders,
    swiss_round,
    turn_count,
)
from boardlab.arena.played import game_points
from boardlab.arena.ratings import BayesElo
from boardlab.arena.standings import TournamentResult, tally
from boardlab.arena.store import Rating, Store
from boardlab.arena.store import Tournament as StoredTournament
from boardlab.arena.store.file import understanding
from boardlab.arena.store.rows import fingerprint
from boardlab.errors import BoardLabError, check_known, shown
from boardlab.games.game import Game, as_game, as_integer, as_seed
from boardlab.interrupts import ended_by_signals
from boardlab.jobs import JobExecutor
from boardlab.search.budget import with_iterations
from boardlab.search.entrants import EntrantLike

Progress = Callable[[int, int], None]
"""Called with the number of games played and the total."""


@ended_by_signals()
def tournament(
    game: Game,
    agents: Sequence[EntrantLike] | Mapping[str, EntrantLike],
    format: str = "round-robin",
    games: int = 20,
    seed: int = 0,
    *,
    seats: str = "all",
    rounds: int | None = None,
    random_actions: int = 0,
    starts: Starts = (),
    adjudicate: str | Adjudication | None = None,
    threads: int = 1,
    jobs: int = 1,
    store: Store | str | os.PathLike[str] | None = None,
    name: str = "",
    again: bool = False,
    iterations: int | None = None,
    each: bool = False,
    progress: Progress | None = None,
) -> TournamentResult:
    """Play a tournament, or continue the stored one with the same plan.

    `format` is "round-robin", "gauntlet" (the first agent against all others) or "swiss" (`rounds` rounds, by
    default enough to find a winner). Every pairing plays `games` games, rounded up to whole turns of the seat
    orders: `seats` is "single" (one order per turn), "double" (each agent once in each seat) or "all" (the
    same, with another order around the table each turn). A turn shares an opening: see `match` for
    `random_actions`, `starts` and `adjudicate`. `again` starts over even if the store has this tournament;
    another `name` renames it. `iterations` gives every tree search that many simulations per decision, for
    equal budgets. `jobs` processes play, each on `threads` threads; the games depend on neither number.
    `result.fresh` is the number of games that this call played.

    `agents` may be a dict of agents by name. An agent that names a folder of runs is one entrant, whose runs
    share its games (rounded up, so that all play equally often); with `each`, every run is an entrant.
    """
    as_game(game)
    if isinstance(agents, str) or not isinstance(agents, (Sequence, Mapping)):
        raise BoardLabError(f"a tournament needs a list of agents, not {shown(agents)}")
    if progress is not None and not callable(progress):
        raise BoardLabError(f"progress must be a function of games done and games, not {shown(progress)}")
    field = Field(with_iterations(agents, iterations, each=each))
    entrants = field.entrants
    for what, given, known in (
        ("format of a tournament", format, FORMATS),
        ("seats of a tournament", seats, SEATS),
    ):
        check_known(what, given, known)
    least = max(2, game.players)
    if len(entrants) < least:
        raise BoardLabError(f"a tournament of {game.name} needs at least {least} agents, not {len(entrants)}")
    if game.players == 1 and format != "round-robin":
        raise BoardLabError(f'nobody meets in {game.name}, a game for one player: use format "round-robin"')
    if rounds is not None and format != "swiss":
        raise BoardLabError(f'rounds are for the format "swiss", not for "{format}"')
    usual = math.ceil(math.log2(len(entrants)))
    swiss = as_integer("rounds", rounds, 1, 1000) if rounds is not None else usual
    turn = order_count(game.players, seats)
    games = as_integer("games", games, 1, 10_000_000)
    turns = field.whole_rounds(-(-games // turn), turn)
    arena = Arena(
        game,
        field.agents,
        as_seed(seed),
        random_actions=random_actions,
        starts=starts,
        threads=threads,
        adjudicate=adjudicate,
        labels=field.labels,
    )
    executor = arena_executor(arena, jobs)
    arena.check_openings(turns * (swiss if format == "swiss" else 1))
    options: dict[str, Any] = {"games": turns * turn, "seats": seats, "random_actions": arena.random_actions}
    if format == "swiss":
        options["rounds"] = swiss
    if arena.starts:
        fields = np.array([start.fields for start in arena.starts], "<i4")
        options["starts"] = [len(arena.starts), hashlib.sha256(fields.tobytes()).hexdigest()]
    if arena.rules:
        options["adjudicate"] = dataclasses.asdict(arena.rules)
        if mark := fingerprint(f"greedy({arena.rules.judge})"):
            options["adjudicate"]["fingerprint"] = mark
    kept = store if isinstance(store, Store) else Store(store)
    if game.players > 2 and seats == "all":
        earlier = {**options, "games": -(-games // (every := math.factorial(game.players))) * every}
        options["turn"] = turn
        if not again and not kept.has_tournament(game, entrants, format, seed=seed, options=options):
            there = kept.has_tournament(game, entrants, format, seed=seed, options=earlier)
            options = earlier if there else options
    plan = kept.start_tournament(game, entrants, format, seed=seed, options=options, name=name, again=again)
    if turn_of(plan) != turn:
        if not plan.is_finished:
            raise BoardLabError(
                f"{plan.title} was started by an earlier version, with all {turn_of(plan)} seat orders "
                "on one opening, and cannot be continued; --again (again=True) starts over"
            )
        return stored_tournament(plan)
    with executor:
        event = _Event(arena, field, executor, plan, seats, turns, progress)
        if format == "swiss":
            event.play_swiss(swiss)
        else:
            groups = (round_robin if format == "round-robin" else gauntlet)(len(entrants), game.players)
            event.play_round(0, groups, len(groups) * turns * turn)
    result = stored_tournament(plan)
    if not plan.is_finished:
        _keep_ratings(plan, result)
        plan.finish()
    # Another process may have played the last games.
    return dataclasses.replace(result, is_finished=True, fresh=event.played)


def stored_tournament(plan: StoredTournament) -> TournamentResult:
    """Sum up a tournament in the store, finished or not."""
    played: dict[int, list[GameRecord]] = {}
    for stored in plan.games():
        played.setdefault(stored.pairing, []).append(stored.record)
    facts = (plan.number, plan.game, plan.agents, plan.format, plan.is_finished)
    with understanding(plan.store.path, plan.title):
        return tally(*facts, list(played.values()), turn_of(plan), plan.name, plan.entrants)


def turn_of(plan: StoredTournament) -> int:
    """Return how many games of a pairing share an opening."""
    with understanding(plan.store.path, plan.title):
        players, seats = plan.game.players, plan.options.get("seats", "all")
        if seats not in SEATS:
            raise ValueError(f"there is no {seats!r} among its seats")
        usual = math.factorial(players) if seats == "all" else order_count(players, seats)
        turn: int = plan.options.get("turn", usual)
        return turn


def _keep_ratings(plan: StoredTournament, result: TournamentResult) -> None:
    numbers = {name: i for i, name in enumerate(result.names)}
    if isinstance(result.ratings, BayesElo):
        plan.add_ratings(
            "bayeselo",
            [
                Rating(numbers[r.name], r.elo, r.elo - r.minus, r.elo + r.plus, r.games)
                for r in result.ratings.ratings
            ],
        )
    elif result.ratings is not None:
        plan.add_ratings(
            "openskill",
            [
                Rating(
                    numbers[name],
                    s.mean,
                    s.mean - NORMAL_95 * s.deviation,
                    s.mean + NORMAL_95 * s.deviation,
                    s.games,
                )
                for name, s in result.ratings.items()
            ],
        )
    elif plan.game.players == 1:
        plan.add_ratings(
            "score",
            [
                Rating(
                    i, s.mean_score, s.mean_score - _finite(s.score_interval), s.mean_score +
                    _finite(s.score_interval), s.games,
                )
                for i, s in enumerate(result.standings)
            ],
        )  # fmt: skip


def _finite(width: float) -> float:
    """Return 0 for the undefined interval of a single game."""
    return 0.0 if math.isnan(width) else width


class _Event:
    """A running tournament: plays the games that the store lacks, and stores them."""

    def __init__(
        self,
        arena: Arena,
        field: Field,
        executor: JobExecutor,
        plan: StoredTournament,
        seats: str,
        turns: int,
        progress: Progress | None,
    ) -> None:
        self.arena, self.field, self.executor, self.plan = arena, field, executor, plan
        self.seats, self.turns = seats, turns
        self.turn = order_count(arena.game.players, seats)
        self.report_progress = progress or (lambda done, games: None)
        self.played = 0

    def play_swiss(self, rounds: int) -> None:
        """Play Swiss rounds; the stored results of earlier rounds decide the pairings."""
        entrants, players = len(self.plan.agents), self.arena.game.players
        games = self.turns * self.turn
        total = rounds * (entrants // players) * games
        met = [[0] * entrants for _ in range(entrants)]
        byes = [0] * entrants
        for number in range(rounds):
            points = [float(bye * games) for bye in byes]
            # Not from this round, which may be unfinished.
            whole = {p.number for p in self.plan.pairings() if p.round < number}
            earlier = [stored.record for stored in self.plan.games() if stored.pairing in whole]
            for record in earlier:
                for seat, share in zip(record.seats, game_points(record.scores), strict=True):
                    points[seat] += share
            groups, out = swiss_round(points, met, byes, players)
            begun = [p.entrants for p in self.plan.pairings() if p.round == number]
            if begun:  # perhaps by a version that paired differently
                groups, out = begun, sorted(set(range(entrants)).difference(*begun))
            self.play_round(number, groups, total, [record.seats for record in earlier])
            for group in groups:
                for i in group:
                    for j in group:
                        met[i][j] += i != j
            for i in out:
                byes[i] += 1

    def play_round(
        self, number: int, groups: Sequence[Group], total: int, earlier: Sequence[Group] = ()
    ) -> None:
        """Play all games of these groups turn by turn, all groups on the same opening.

        `earlier` lists the seatings of earlier rounds.
        """
        games = self.turns * self.turn
        self.plan.add_pairings([(group, games) for group in groups], round=number)
        pairings = [p for p in self.plan.pairings() if p.round == number]
        with understanding(self.plan.store.path, f"round {number} of {self.plan.title}"):
            if len(pairings) != len(groups):
                raise ValueError(f"it has {len(pairings)} pairings, not {len(groups)}")
        before = sum(p.games for p in self.plan.pairings() if p.round < number)
        size = len(groups) * self.turn  # games of a turn
        stored = [p.played for p in pairings]

        start = number * size * self.turns
        # Start at the first missing game; later ones that a crash left in the store are replayed and kept.
        missing = min(
            done // self.turn * size + pairing * self.turn + done % self.turn
            for pairing, done in enumerate(stored)
        )
        at = start + min(missing, size * self.turns)

        def receive(fresh: list[GameRecord]) -> None:
            nonlocal at
            by_pairing: dict[int, list[GameRecord]] = {}
            firsts: dict[int, int] = {}
            for record in map(self.field.placed, fresh):
                turn, place = divmod(at - start, size)
                pairing = place // self.turn
                by_pairing.setdefault(pairing, []).append(record)
                firsts.setdefault(pairing, turn * self.turn + place % self.turn)
                at += 1
            for pairing, records in by_pairing.items():
                number = pairings[pairing].number
                self.played += self.plan.add_games(number, records, first=firsts[pairing])
            self.report_progress(before + at - start, total)

        self.report_progress(before + at - start, total)
        if missing >= size * self.turns:
            return
        begins = first_turns(groups, earlier)
        players = self.arena.game.players
        turns = self.turns if self.field.has_folders else min(self.turns, turn_count(players, self.seats))
        seatings = [
            self.field.seated(order, number * self.turns + turn, len(self.arena.starts))
            for turn in range(turns)
            for group, first in zip(groups, begins, strict=True)
            for order in seat_orders(group, self.seats, first + turn)
        ]
        shift = start % len(seatings)  # the arena counts games from the first round
        seatings = seatings[len(seatings) - shift :] + seatings[: len(seatings) - shift]
        play_games(
            self.executor, self.arena, seatings, start + size * self.turns, receive, first=at, turn=size
        )
