"""Matches: games between agents that take every seat in turn, with error bars."""

import contextlib
import datetime
import functools
import math
import os
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace

from boardlab import _engine
from boardlab.arena.arena import Adjudication, Arena, EnoughError, GameRecord
from boardlab.arena.blocks import arena_executor, play_games
from boardlab.arena.intervals import above, fresh_share, interval, standard_error, wilson
from boardlab.arena.openings import Starts
from boardlab.arena.pairing import seat_orders, turn_count
from boardlab.arena.sprt import RunningSprt, Sprt, SprtResult, as_sprt
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import Game, State, as_game, as_integer, as_seed
from boardlab.numbers import counted, plain
from boardlab.reports import Report
from boardlab.search.agent import AgentLike
from boardlab.search.budget import with_iterations


@dataclass(frozen=True, repr=False)
class MatchResult(Report):
    """The result of a match. Lists have one entry per listed agent."""

    game: Game
    agents: tuple[str, ...]
    games: int
    wins: tuple[int, ...]
    """Games in which the agent had the highest score and not all players had it; a team wins together."""
    draws: int
    """Games in which all players had the same score (none in one-player games)."""
    mean_scores: tuple[float, ...]
    score_errors: tuple[float, ...]
    """Standard errors of the mean scores, over rounds that share a seed and an opening; repeated games add
    nothing (`fresh`)."""
    intervals: tuple[float, ...]
    """Half widths of the 95% intervals of the mean scores."""
    errors: int
    """Games lost because an agent failed or broke the rules."""
    distinct: int
    """How many of the games were different: 40 games between deterministic players may be 2."""
    records: tuple[GameRecord, ...]
    points: tuple[float, ...] = ()
    """Mean points per game: the share of the other players with a lower score, ties counting half."""
    point_intervals: tuple[float, ...] = ()
    """Half widths of the 95% intervals of the points."""
    rounds: tuple[int, ...] = ()
    """Two players: how many rounds gave the first agent 0, 1/2, 1 ... points. With both seat orders a round
    is a pair of games on one opening, and these are the pentanomial counts."""
    adjudicated: int = 0
    """Games that adjudication ended."""
    fresh: tuple[float, ...] = ()
    """The effective share of the games as samples: below 1 if games were repeated (`fresh_share`)."""
    sprt: SprtResult | None = None
    """State of the sequential test, if there was one."""
    seconds_per_decision: tuple[float, ...] = field(default=(), compare=False)
    """Mean thinking time of each agent; NaN if it made no decision."""

    @functools.cached_property
    def cut(self) -> int:
        """Games cut at the game's horizon before they were over.

        Their current scores count.
        """
        return sum(was_cut(self.game, record) for record in self.records)

    @property
    def elo(self) -> tuple[float, float, float]:
        """Two players: the first agent's Elo advantage, with its 95% interval."""
        points, half = self.points[0], self.point_intervals[0]
        return _elo(points), _elo(points - half), _elo(points + half)

    @property
    def superiority(self) -> float:
        """Two players: the likelihood that the first agent is the stronger one."""
        most = len(self.rounds) - 1  # half points that a round can bring
        shares = [i / most for i, count in enumerate(self.rounds) for _ in range(count)]
        return above(shares, 0.5, most // 2, *self.fresh[:1])

    def _headline(self) -> str:
        if len(self.agents) == 1:
            text = f"{self.agents[0]} mean score {plain(self.mean_scores[0])}"
        else:
            wins = (f"{name} wins {won}" for name, won in zip(self.agents, self.wins, strict=True))
            text = f"{', '.join(wins)}, {self.draws} without a winner"
        return f"{self.game.name}, {counted(self.games, 'games')}: {text}"

    def __str__(self) -> str:
        width = max(len(name) for name in self.agents)
        solo = len(self.agents) == 1
        lines = []
        for i, name in enumerate(self.agents):
            low, high = wilson(self.wins[i], self.games)
            wins = (
                ""
                if solo
                else f"  wins {self.wins[i]} ({self.wins[i] / self.games:.1%}, {low:.0%}-{high:.0%})"
            )
            score = with_interval(self.mean_scores[i], self.intervals[i])
            lines.append(f"{name:<{width}}{wins}  mean score {score}")
        if len(self.agents) == 2 and self.points and not math.isnan(self.point_intervals[0]):
            lines.append(
                f"{self.agents[0]} scores {self.points[0]:.1%} ± {self.point_intervals[0]:.1%}: "
                f"{_elo_text(*self.elo)}, stronger with {self.superiority:.1%}"
            )
            if len(self.rounds) == 5 and any(self.rounds):
                counts = " ".join(map(str, self.rounds))
                lines.append(f"pairs of games on one opening with 0, 1/2, 1, 3/2, 2 points: {counts}")
        if self.sprt:
            lines.append(str(self.sprt))
        last = counted(self.games, "games")
        if not solo:
            last += f", {self.draws} without a winner"
        last += f", {self.distinct} distinct"
        if self.adjudicated:
            last += f", {self.adjudicated} adjudicated"
        if self.cut:
            last += f", {self.cut} cut at the horizon"
        if self.errors:
            last += f", {self.errors} ended by an agent's error"
        too_few = any(map(math.isnan, self.intervals))
        return "\n".join([*lines, last + (": too few for a ±" if too_few else " (± is a 95% interval)")])

    def save(self, path: str | os.PathLike[str], *, append: bool = False) -> None:
        """Write all games to a .pgn, .ggf (othello) or .txt file (one line per game).

        `append` keeps the games already in it.
        """
        from boardlab.arena.records import from_match, write_records  # records import matches

        date = f"{datetime.date.today():%Y.%m.%d}"
        tags = ({"Event": "boardlab match", "Date": date, "Round": str(i)} for i in range(1, self.games + 1))
        write_records(
            path,
            [
                replace(from_match(self.game, self.agents, record), tags=tag)
                for record, tag in zip(self.records, tags, strict=True)
            ],
            append=append,
        )


def thinking_times(agents: Sequence[str], seconds: Sequence[float]) -> str:
    """Format a line with each agent's mean time per decision."""
    known = [(a, s) for a, s in zip(agents, seconds, strict=True) if not math.isnan(s)]
    return "thinking time per move: " + ", ".join(f"{agent} {duration(s)}" for agent, s in known)


def _elo(points: float) -> float:
    """Return the logistic rating difference that predicts these points."""
    if not 1e-9 < points < 1 - 1e-9:  # an interval that reaches an end, up to rounding
        return math.inf if points > 0.5 else -math.inf if points < 0.5 else math.nan
    return -400 * math.log10(1 / points - 1)


def _elo_text(elo: float, low: float, high: float) -> str:
    """Format the Elo difference with its interval; one-sided games give a bound."""
    if low == -math.inf and high == math.inf:
        return "too few games for an Elo estimate"
    if math.isinf(elo):
        return f"Elo above {round(low):+d}" if elo > 0 else f"Elo below {round(high):+d}"
    return f"Elo {round(elo):+d} ({low:+z.0f} to {high:+z.0f})"


def with_interval(value: float, width: float) -> str:
    """Format a mean with the half width of its interval: 0.25 ± 0.1."""
    return plain(value) if math.isnan(width) else f"{plain(value)} ± {plain(width, 2)}"


def duration(seconds: float) -> str:
    """Format a duration for people."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{plain(seconds / size, 3)} {unit}"
    return f"{seconds * 1e9:.0f} ns"


class StoppedMatch(KeyboardInterrupt):
    """Ctrl-C during a match: `result` covers the games finished so far."""

    def __init__(self, result: MatchResult) -> None:
        super().__init__(f"stopped after {counted(result.games, 'games')}")
        self.result = result


def match(
    game: Game,
    agents: AgentLike | Sequence[AgentLike],
    games: int = 100,
    seed: int = 0,
    *,
    random_actions: int = 0,
    starts: Starts = (),
    seatings: Sequence[Sequence[int]] | None = None,
    threads: int = 1,
    sprt: Sprt | tuple[float, float] | None = None,
    adjudicate: str | Adjudication | None = None,
    values: bool = False,
    iterations: int | None = None,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> MatchResult:
    """Play `games` games in which every agent takes every seat in turn.

    One rotation of the seats shares a seed and an opening; with three and more players each rotation has
    another order around the table. `random_actions` plays that many random actions before the agents take
    over, the same ones in all games of a rotation. `starts` are positions to begin from, one per rotation, or
    a number of actions (all positions after them), "0-1", "random 4" or a file of openings, in random order.
    `seatings` restricts the seat orders: with `[[0, 1]]` the first agent always begins. `sprt=(elo0, elo1)`
    stops as soon as the test decides whether the first agent is stronger by elo1 or only by elo0.
    `adjudicate` names an evaluator that ends clear games. `values` keeps what the agents expected of their
    actions. `iterations` gives every tree search that many simulations per decision. `jobs` processes play,
    each on `threads` threads; the result depends on neither number. Ctrl-C raises `StoppedMatch`, a
    KeyboardInterrupt that has the result so far.
    """
    as_game(game)
    agents = with_iterations(agents, iterations)
    if progress is not None and not callable(progress):
        raise BoardLabError(f"progress must be a function of the games done, not {shown(progress)}")
    if len(agents) != game.players:
        raise BoardLabError(
            f"{game.name} needs {counted(game.players, 'agents')}, not {counted(len(agents), 'agents')}"
        )
    games = as_integer("games", games, 1, 100_000_000)
    seats = _seatings(game, games, seatings)
    turn = len(seats) if seatings else game.players
    test = as_sprt(sprt)
    if test and game.players != 2:
        raise BoardLabError(
            f"an SPRT is a test between two agents; {game.name} has {counted(game.players, 'players')}"
        )
    running = RunningSprt(test, 2 * turn + 1) if test else None
    arena = Arena(
        game,
        agents,
        as_seed(seed),
        random_actions=random_actions,
        starts=starts,
        threads=threads,
        adjudicate=adjudicate,
        values=values,
    )
    arena.check_openings(-(-games // turn))
    records: list[GameRecord] = []

    def receive(fresh: list[GameRecord]) -> None:
        for record in fresh:
            records.append(record)
            if running and len(records) % turn == 0:
                points = sum(game_points(r.scores)[r.seats.index(0)] for r in records[-turn:])
                if running.add(int(2 * points)):
                    raise EnoughError
        if progress:
            progress(len(records))

    def result() -> MatchResult:
        found = summarise(game, arena.names, tuple(records), turn)
        return replace(found, sprt=running.result) if running else found

    try:
        with contextlib.suppress(EnoughError), arena_executor(arena, jobs) as executor:
            play_games(executor, arena, seats, games, receive, turn=turn)
    except KeyboardInterrupt:
        if not records:
            raise
        raise StoppedMatch(result()) from None
    return result()


def _seatings(game: Game, games: int, given: Sequence[Sequence[int]] | None) -> list[list[int]]:
    """Return the given seatings, or rotations in which all take every seat."""
    everyone = tuple(range(game.players))
    if not given:
        turns = min(-(-games // game.players), turn_count(game.players, "all"))
        return [list(order) for turn in range(turns) for order in seat_orders(everyone, "all", turn)]
    try:
        seats = [list(order) for order in given]
        fair = all(sorted(order) == list(everyone) for order in seats)
    except TypeError:
        fair = False
    if not fair:
        raise BoardLabError(f"a seating of {game.name} must name each of its {game.players} agents once")
    return seats


def game_points(scores: Sequence[float]) -> tuple[float, ...]:
    """Return each seat's points: the share of players behind it, ties counting half."""
    if len(scores) == 1:
        return (0.0,)
    if len(scores) == 2:
        a, b = scores
        return (1.0, 0.0) if a > b else (0.0, 1.0) if b > a else (0.5, 0.5)
    others = len(scores) - 1
    return tuple(
        (sum(s > t for t in scores) + (sum(s == t for t in scores) - 1) / 2) / others for s in scores
    )


def summarise(
    game: Game, agents: tuple[str, ...], records: tuple[GameRecord, ...], round_size: int
) -> MatchResult:
    """Count wins, draws and errors, and compute the means with their standard errors."""
    count = len(agents)
    wins, draws = [0] * count, 0
    scores: list[list[float]] = [[] for _ in range(count)]
    points: list[list[float]] = [[] for _ in range(count)]
    seconds, decisions = [0.0] * count, [0] * count
    for record in records:
        best = max(record.scores)
        winners = [seat for seat, score in enumerate(record.scores) if score == best]
        shares = game_points(record.scores)
        for seat, agent in enumerate(record.seats):
            scores[agent].append(record.scores[seat])
            points[agent].append(shares[seat])
            if record.decisions:
                decisions[agent] += record.decisions[seat]
                seconds[agent] += record.seconds[seat]
        if len(winners) < count:
            for seat in winners:
                wins[record.seats[seat]] += 1
        elif count > 1:
            draws += 1
    rounds = [0] * (2 * round_size + 1) if count == 2 else []
    if rounds:
        for i in range(len(records) // round_size):
            rounds[int(2 * sum(points[0][i * round_size : (i + 1) * round_size]))] += 1
    keys = game_keys(game, records)
    fresh = _fresh_shares(game, records, keys, count)
    return MatchResult(
        game=game,
        agents=agents,
        games=len(records),
        wins=tuple(wins),
        draws=draws,
        mean_scores=tuple(sum(s) / len(s) for s in scores),
        score_errors=tuple(standard_error(s, round_size, f) for s, f in zip(scores, fresh, strict=True)),
        intervals=tuple(
            interval(s, game.score_range, round_size, f) for s, f in zip(scores, fresh, strict=True)
        ),
        errors=sum(record.failed for record in records),
        distinct=len(set(keys)),
        records=records,
        points=tuple(sum(p) / len(p) for p in points),
        point_intervals=tuple(
            interval(p, (0.0, 1.0), round_size, f) for p, f in zip(points, fresh, strict=True)
        ),
        rounds=tuple(rounds),
        adjudicated=sum(record.adjudicated for record in records),
        fresh=fresh,
        seconds_per_decision=tuple(t / n if n else math.nan for t, n in zip(seconds, decisions, strict=True)),
    )


def game_keys(game: Game, records: Sequence[GameRecord]) -> list[Hashable]:
    """Return one key per game, equal for equal games.

    Another scramble is another game.
    """
    starts: dict[tuple[int, int], bytes] = {}
    keys: list[Hashable] = []
    for r in records:
        key = (id(r.start), 0 if r.start is not None else r.seed)
        if key not in starts:
            starts[key] = _start(game, r)
        keys.append((starts[key], r.actions, r.scores if r.error else ()))
    return keys


def count_distinct(game: Game, records: Sequence[GameRecord]) -> int:
    """Count the different games."""
    return len(set(game_keys(game, records)))


def is_dealt(game: Game, records: Sequence[GameRecord]) -> bool:
    """Return whether chance varies the games: dice, cards or a seeded set-up.

    Games that chance repeats are a fair sample; without chance a repeated game is not a new sample.
    """
    if game.has_chance:
        return True
    seeds = list(dict.fromkeys(r.seed for r in records if r.start is None))[:2]
    return len({_engine.match_start(game.core, seed).to_bytes() for seed in seeds}) > 1


def _fresh_shares(
    game: Game, records: Sequence[GameRecord], keys: Sequence[Hashable], agents: int
) -> tuple[float, ...]:
    """Return each agent's effective share.

    The same game from another seat is another sample.
    """
    if is_dealt(game, records):
        return (1.0,) * agents
    return tuple(
        fresh_share((key, record.seats.index(agent)) for key, record in zip(keys, records, strict=True))
        for agent in range(agents)
    )


def was_cut(game: Game, record: GameRecord) -> bool:
    """Return whether a game was cut at the horizon before it was over."""
    if record.error or record.adjudicated or len(record.actions) < game.horizon:
        return False
    core = first_state(game, record).core
    for action in record.actions:
        core.apply(action)
    return not core.is_terminal


def _start(game: Game, record: GameRecord) -> bytes:
    return first_state(game, record).core.to_bytes()


def replay(game: Game, record: GameRecord) -> list[State]:
    """Return all positions of a recorded game, including the first."""
    if not isinstance(game, Game) or not isinstance(record, GameRecord):
        raise BoardLabError("replay needs the game and one of the match's records")
    state = first_state(game, record)
    states = [state.copy()]
    for action in record.actions:
        state.apply(action)
        states.append(state.copy())
    return states


def first_state(game: Game, record: GameRecord) -> State:
    """Return the position in which a recorded game began."""
    if record.start is not None:
        return record.start.copy()
    return State(game, _engine.match_start(game.core, record.seed))
