"""Matches: games between agents in all seat orders, with error bars."""

import datetime
import itertools
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from boardlab import _engine
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import Game, State, as_game, as_integer, as_seed
from boardlab.search.agent import Agent
from boardlab.search.expression import agent as make_agent


@dataclass(frozen=True)
class GameRecord:
    """One game: who sat where, what was played, how it ended."""

    seats: tuple[int, ...]
    """The listed agent on each seat; seat 0 begins."""
    actions: tuple[int, ...]
    """All actions, chance outcomes included."""
    scores: tuple[float, ...]
    """One number a seat."""
    seed: int
    """Of the initial state and of chance."""
    error: str
    """Why the game ended before its time, or nothing."""
    start: State | None = None
    """Where it began, if not at the initial state of its seed."""


@dataclass(frozen=True)
class MatchResult:
    """What happened in a match. Lists have one entry a listed agent."""

    game: Game
    agents: tuple[str, ...]
    games: int
    wins: tuple[int, ...]
    """Games in which the agent had the highest score and not everybody had it; a team wins together."""
    draws: int
    """Games in which all had the same score (none in one-player games)."""
    mean_scores: tuple[float, ...]
    score_errors: tuple[float, ...]
    """Standard errors of the mean scores, over rounds that share a seed and an opening."""
    intervals: tuple[float, ...]
    """Half widths of the 95% intervals of the mean scores."""
    errors: int
    """Games that ended because an agent failed or broke the rules; it lost them."""
    distinct: int
    """How many of the games were different: 40 games between deterministic players may be 2."""
    records: tuple[GameRecord, ...]

    def __str__(self) -> str:
        width = max(len(name) for name in self.agents)
        solo = len(self.agents) == 1
        lines = []
        for i, name in enumerate(self.agents):
            wins = "" if solo else f"  wins {self.wins[i]} ({self.wins[i] / self.games:.1%})"
            score = f"  mean score {self.mean_scores[i]:.4g} ± {self.intervals[i]:.2g}"
            lines.append(f"{name:<{width}}{wins}{score}")
        last = f"{self.games} games"
        if not solo:
            last += f", {self.draws} without a winner"
        last += f", {self.distinct} distinct"
        if self.errors:
            last += f", {self.errors} ended by an agent's error"
        return "\n".join([*lines, last + " (± is a 95% interval)"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all games into a file: games.pgn; othello also games.ggf; games.txt is one line a game."""
        from boardlab.arena.records import from_match, write_records  # records are made of matches

        date = f"{datetime.date.today():%Y.%m.%d}"
        tags = ({"Event": "boardlab match", "Date": date, "Round": str(i)} for i in range(1, self.games + 1))
        write_records(
            path,
            [
                replace(from_match(self.game, self.agents, record), tags=tag)
                for record, tag in zip(self.records, tags, strict=True)
            ],
        )


def match(
    game: Game,
    agents: Sequence[str | Agent],
    games: int = 100,
    seed: int = 0,
    *,
    random_actions: int = 0,
    starts: Sequence[State] = (),
    seatings: Sequence[Sequence[int]] | None = None,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> MatchResult:
    """Plays `games` games; the seat order changes from game to game, one full turn of orders shares a seed.

    `random_actions` plays that many random actions before the agents take over, the same ones in every seat
    order; `starts` are positions to begin from, one a round. `seatings` restricts the seat orders: `[[0, 1]]`
    lets the first agent always begin. The result is the same for any number of threads.
    """
    as_game(game)
    if isinstance(agents, (str, Agent)):
        agents = [agents]
    if not isinstance(agents, Sequence):
        raise BoardLabError(f"agents must be a list of agents, not {shown(agents)}")
    if progress is not None and not callable(progress):
        raise BoardLabError(f"progress must be a function of the games done, not {shown(progress)}")
    games = as_integer("games", games, 1, 100_000_000)
    seed = as_seed(seed)
    if len(agents) != game.players:
        raise BoardLabError(f"{game.name} needs {game.players} agents, not {len(agents)}")
    made = [make_agent(a, game, seed=i) for i, a in enumerate(agents)]
    made = [  # an agent that meets itself must be two; all must hold the same engine game
        a.twin(game, seed=i) if a.game.core is not game.core or any(a is b for b in made[:i]) else a
        for i, a in enumerate(made)
    ]
    everyone = list(range(game.players))
    try:
        seats = [list(order) for order in seatings or itertools.permutations(everyone)]
        fair = all(sorted(order) == everyone for order in seats)
    except TypeError:
        fair = False
    if not fair:
        raise BoardLabError(f"a seating of {game.name} names each of its {game.players} agents once")
    if not isinstance(starts, Sequence) or not all(isinstance(s, State) for s in starts):
        raise BoardLabError(f"starts must be a list of states, not {shown(starts)}")
    # A cube scrambled by a game with other parameters is a fair start: the fields decide, not the parameters.
    starts = [s if s.game.core is game.core else game.from_fields(s.fields) for s in starts]
    raw = _engine.play_match(
        game.core,
        [a.core for a in made],
        games,
        seed,
        seats,
        as_integer("random_actions", random_actions, 0, 1_000_000),
        [start.core for start in starts],
        as_integer("threads", threads, 1, 1024),
        progress or (lambda done: None),
    )
    records = tuple(
        GameRecord(
            tuple(r.seats),
            tuple(r.actions),
            tuple(r.scores),
            r.seed,
            r.error,
            starts[r.start] if r.start >= 0 else None,
        )
        for r in raw
    )
    return summarise(game, tuple(a.expression for a in made), records, len(seats))


def summarise(
    game: Game, agents: tuple[str, ...], records: tuple[GameRecord, ...], round_size: int
) -> MatchResult:
    """Counts wins, draws and errors, and the means with their standard errors."""
    count = len(agents)
    wins, draws = [0] * count, 0
    scores: list[list[float]] = [[] for _ in range(count)]
    for record in records:
        best = max(record.scores)
        winners = [seat for seat, score in enumerate(record.scores) if score == best]
        for seat, agent in enumerate(record.seats):
            scores[agent].append(record.scores[seat])
        if len(winners) < count:
            for seat in winners:
                wins[record.seats[seat]] += 1
        elif count > 1:
            draws += 1
    return MatchResult(
        game=game,
        agents=agents,
        games=len(records),
        wins=tuple(wins),
        draws=draws,
        mean_scores=tuple(sum(s) / len(s) for s in scores),
        score_errors=tuple(standard_error(s, round_size) for s in scores),
        intervals=tuple(interval(s, game.score_range, round_size) for s in scores),
        errors=sum(1 for record in records if record.error),
        distinct=len(
            {  # the same actions from another scramble are another game
                (_start(game, r), r.actions, r.scores if r.error else ()) for r in records
            }
        ),
        records=records,
    )


def _start(game: Game, record: GameRecord) -> bytes:
    return first_state(game, record).core.to_bytes()


def _samples(scores: list[float], round_size: int) -> list[float]:
    """The games of one round share an opening, so a round counts as one sample."""
    if len(scores) < 2 * round_size:
        return scores
    whole = len(scores) // round_size
    return [sum(scores[i * round_size : (i + 1) * round_size]) / round_size for i in range(whole)]


def standard_error(scores: list[float], round_size: int = 1) -> float:
    """Of the mean, over rounds."""
    scores = _samples(scores, round_size)
    if len(scores) < 2:
        return float("nan")
    mean = sum(scores) / len(scores)
    return math.sqrt(sum((s - mean) ** 2 for s in scores) / (len(scores) - 1) / len(scores))


def interval(scores: list[float], score_range: tuple[float, float], round_size: int = 1) -> float:
    """Half width of the 95% interval of the mean: Student's t over rounds.

    Rounds that all ended alike have no spread to estimate from; what may still hide there is bounded by the
    rule of three: an event not seen in n rounds has a probability of at most 3/n.
    """
    rounds = len(_samples(scores, round_size))
    error = standard_error(scores, round_size)
    if error == 0:
        return (score_range[1] - score_range[0]) * min(1.0, 3 / rounds)
    return _student(rounds - 1) * error if rounds > 1 else float("nan")


def _student(degrees: int) -> float:
    """The 97.5% quantile of Student's t (Cornish-Fisher from three degrees on: within 1%)."""
    if degrees <= 2:
        return (12.706, 4.303)[degrees - 1]
    z, n = 1.959964, degrees
    return z + (z**3 + z) / (4 * n) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)


def replay(game: Game, record: GameRecord) -> list[State]:
    """All positions of a recorded game, the first included."""
    if not isinstance(game, Game) or not isinstance(record, GameRecord):
        raise BoardLabError("replay needs the game and one of the match's records")
    state = first_state(game, record)
    states = [state.copy()]
    for action in record.actions:
        state.apply(action)
        states.append(state.copy())
    return states


def first_state(game: Game, record: GameRecord) -> State:
    """The position in which a recorded game began."""
    if record.start is not None:
        return record.start.copy()
    return State(game, _engine.match_start(game.core, record.seed))
