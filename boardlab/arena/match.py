"""Matches: games between agents that take every seat in turn, with error bars."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from boardlab.arena.arena import Adjudication, Arena, EnoughError, GameRecord
from boardlab.arena.blocks import arena_executor, play_games
from boardlab.arena.field import Field
from boardlab.arena.match_result import MatchResult, summarise
from boardlab.arena.openings import Starts
from boardlab.arena.pairing import SEATS, order_count, seat_orders, turn_count
from boardlab.arena.played import game_points
from boardlab.arena.sprt import RunningSprt, Sprt, as_sprt
from boardlab.errors import BoardLabError, check_known, shown
from boardlab.games.game import Game, as_game, as_integer, as_seed
from boardlab.numbers import counted
from boardlab.search.budget import with_iterations
from boardlab.search.entrants import EntrantsLike

ToldGames = Callable[[Game, Sequence[str], Sequence[GameRecord], int], None]
"""Called during a match with the game, the agents, the games so far and their number in the end."""


class StoppedMatch(KeyboardInterrupt):
    """Ctrl-C during a match: `result` covers the games finished so far."""

    def __init__(self, result: MatchResult) -> None:
        super().__init__(f"stopped after {counted(result.games, 'games')}")
        self.result = result


def match(
    game: Game,
    agents: EntrantsLike,
    games: int = 100,
    seed: int = 0,
    *,
    random_actions: int = 0,
    starts: Starts = (),
    seats: str = "all",
    seatings: Sequence[Sequence[int]] | None = None,
    threads: int = 1,
    sprt: Sprt | tuple[float, float] | None = None,
    adjudicate: str | Adjudication | None = None,
    values: bool = False,
    iterations: int | None = None,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
    told_games: ToldGames | None = None,
) -> MatchResult:
    """Play `games` games in which every agent takes every seat in turn.

    `agents` is a list, or a dict of agents by name; an expression may begin with its name, as in "A=random".
    An agent that names a folder of runs, as in 'greedy(ntuple("runs/multi"))', plays with all of them: its
    games, rounded up, are dealt to the runs evenly, and intervals are those between runs.

    One rotation of the seats shares a seed and an opening; with three and more players each rotation has
    another order around the table. `random_actions` plays that many random actions before the agents take
    over, the same ones in all games of a rotation. `starts` are positions to begin from, one per rotation, or
    a number of actions (all positions after them), "0-1", "random 4" or a file of openings, in random order.
    `seats` is "single" (always the order given, so the first agent begins every game), "double" (each agent
    once in each seat, in the order given around the table) or "all" (the same, with another order around the
    table each rotation); `seatings` lists the seat orders instead. `sprt=(elo0, elo1)` stops as soon as the
    test decides whether the first agent is stronger by elo1 or only by elo0.
    `adjudicate` names an evaluator that ends clear games. `values` keeps what the agents expected of their
    actions. `iterations` gives every tree search that many simulations per decision. `jobs` processes play,
    each on `threads` threads; the result depends on neither number. `progress` is called with the number of
    games done, `told_games` with the game, the agents' names, the records so far and the number of games.
    Ctrl-C raises `StoppedMatch`, a KeyboardInterrupt that has the result so far.
    """
    as_game(game)
    field = Field(with_iterations(agents, iterations))
    if progress is not None and not callable(progress):
        raise BoardLabError(f"progress must be a function of the games done, not {shown(progress)}")
    listed = len(field.entrants)
    if listed != game.players:
        raise BoardLabError(
            f"{game.name} needs {counted(game.players, 'agents')}, not {counted(listed, 'agents')}"
        )
    games = as_integer("games", games, 1, 100_000_000)
    check_known("seats of a match", seats, SEATS)
    if seatings and seats != "all":
        raise BoardLabError("give the seat orders as seats or as seatings, not as both")
    orders = _given(game, seatings) if seatings else _orders(game, games, seats)
    turn = len(orders) if seatings else order_count(game.players, seats)
    test = as_sprt(sprt)
    if test and game.players != 2:
        raise BoardLabError(
            f"an SPRT is a test between two agents; {game.name} has {counted(game.players, 'players')}"
        )
    if test and field.has_folders:
        raise BoardLabError("an SPRT is a test between two agents, not between folders of runs")
    running = RunningSprt(test, 2 * turn + 1) if test else None
    arena = Arena(
        game,
        field.agents,
        as_seed(seed),
        random_actions=random_actions,
        starts=starts,
        threads=threads,
        adjudicate=adjudicate,
        values=values,
        labels=field.labels,
    )
    if field.has_folders:
        rounds = field.whole_rounds(-(-games // turn), turn)
        games = rounds * turn
        orders = [
            field.seated(order, round, len(arena.starts))
            for round in range(rounds)
            for order in _of_round(orders, turn, round)
        ]
    arena.check_openings(-(-games // turn))
    records: list[GameRecord] = []

    def receive(fresh: list[GameRecord]) -> None:
        for record in fresh:
            records.append(field.placed(record))
            if running and len(records) % turn == 0:
                points = sum(game_points(r.scores)[r.seats.index(0)] for r in records[-turn:])
                if running.add(int(2 * points)):
                    raise EnoughError
        if progress:
            progress(len(records))
        if told_games:
            told_games(game, arena.names, records, games)

    def result() -> MatchResult:
        found = summarise(game, field.expressions, tuple(records), turn, field.described)
        return replace(found, sprt=running.result) if running else found

    try:
        with contextlib.suppress(EnoughError), arena_executor(arena, jobs) as executor:
            play_games(executor, arena, orders, games, receive, turn=turn)
    except KeyboardInterrupt:
        if not records:
            raise
        raise StoppedMatch(result()) from None
    return result()


def _of_round(orders: Sequence[list[int]], turn: int, round: int) -> Sequence[list[int]]:
    """Return the seat orders of a round."""
    first = round * turn % len(orders)
    return orders[first : first + turn]


def _orders(game: Game, games: int, seats: str) -> list[list[int]]:
    """Return the seat orders of as many games, in turn."""
    everyone = tuple(range(game.players))
    if seats == "single":  # a tournament's would rotate, to be fair to all its pairings
        return [list(everyone)]
    turns = min(-(-games // game.players), turn_count(game.players, seats))
    return [list(order) for turn in range(turns) for order in seat_orders(everyone, seats, turn)]


def _given(game: Game, seatings: Sequence[Sequence[int]]) -> list[list[int]]:
    """Check the seat orders that the caller lists."""
    try:
        orders = [list(order) for order in seatings]
        fair = all(sorted(order) == list(range(game.players)) for order in orders)
    except TypeError:
        fair = False
    if not fair:
        raise BoardLabError(f"a seating of {game.name} must name each of its {game.players} agents once")
    return orders
