"""The result of a match: wins, means with error bars, Elo."""

import datetime
import functools
import math
import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

from boardlab.arena.arena import GameRecord
from boardlab.arena.intervals import above, fresh_share, interval, standard_error, wilson
from boardlab.arena.played import game_keys, game_points, is_dealt, was_cut
from boardlab.arena.sprt import SprtResult
from boardlab.games.game import Game
from boardlab.numbers import counted, duration, plain, with_interval
from boardlab.reports import Report


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
