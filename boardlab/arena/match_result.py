"""The result of a match: wins, means with error bars, Elo."""

import datetime
import functools
import math
import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

from boardlab.arena.arena import GameRecord
from boardlab.arena.between_runs import (
    RunScore,
    points_of,
    run_scores,
    score_of,
    spread,
    spread_text,
    superiority,
    wider,
)
from boardlab.arena.intervals import above, fresh_share, interval, standard_error, wilson
from boardlab.arena.played import game_keys, game_points, is_dealt, was_cut
from boardlab.arena.sprt import SprtResult
from boardlab.games.game import Game
from boardlab.html import Html
from boardlab.numbers import counted, duration, plain, with_interval
from boardlab.reports import Report
from boardlab.search.entrants import Entrant, legend, names_of


@dataclass(frozen=True, repr=False)
class MatchResult(Report):
    """The result of a match. Lists have one entry per listed agent."""

    game: Game
    agents: tuple[str, ...]
    """Their expressions."""
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
    """Half widths of the 95% intervals of the mean scores: over rounds, or between the runs of a folder if
    that is wider."""
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
    entrants: tuple[Entrant, ...] = ()
    """The agents with the names that the user gave."""
    runs: tuple[tuple[RunScore, ...], ...] = ()
    """The results of each run of an agent that is a folder of runs; of other agents none."""

    @property
    def names(self) -> tuple[str, ...]:
        """What tables show: the names that the user gave, or the expressions."""
        return names_of(self.entrants, self.agents)

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
        if (between := spread(self.entrants, self.records, 0, points_of)) is not None:
            likelihood = superiority(self.points[0], between)
            if likelihood is not None:
                return likelihood
        most = len(self.rounds) - 1  # half points that a round can bring
        shares = [i / most for i, count in enumerate(self.rounds) for _ in range(count)]
        return above(shares, 0.5, most // 2, *self.fresh[:1])

    def _headline(self) -> str:
        if len(self.agents) == 1:
            text = f"{self.names[0]} mean score {plain(self.mean_scores[0])}"
        else:
            wins = (f"{name} wins {won}" for name, won in zip(self.names, self.wins, strict=True))
            text = f"{', '.join(wins)}, {self.draws} without a winner"
        return f"{self.game.name}, {counted(self.games, 'games')}: {text}"

    def _page(self) -> Html:
        from boardlab.arena.pages import match_page  # pages import results

        return match_page(self)

    def __str__(self) -> str:
        names, folders = self.names, any(self.runs)
        width = max(map(len, names))
        solo = len(self.agents) == 1
        lines = []
        for i, name in enumerate(names):
            low, high = wilson(self.wins[i], self.games)
            wilsons = "" if folders else f", {low:.0%}-{high:.0%}"  # of games, which say little of other runs
            wins = "" if solo else f"  wins {self.wins[i]} ({self.wins[i] / self.games:.1%}{wilsons})"
            score = with_interval(self.mean_scores[i], self.intervals[i])
            lines.append(f"{name:<{width}}{wins}  mean score {score}")
            lines += self._run_lines(i)
        return "\n".join([*lines, *self.notes()])

    def notes(self) -> list[str]:
        """List what the scores mean: Elo, the test, how many games differ, full names."""
        names, folders, solo = self.names, any(self.runs), len(self.agents) == 1
        lines = []
        if len(self.agents) == 2 and self.points and not math.isnan(self.point_intervals[0]):
            lines.append(
                f"{names[0]} scores {self.points[0]:.1%} ± {self.point_intervals[0]:.1%}: "
                f"{_elo_text(*self.elo)}, stronger with {self.superiority:.1%}"
            )
            if len(self.rounds) == 5 and any(self.rounds):
                counts = " ".join(map(str, self.rounds))
                lines.append(f"pairs of games on one opening with 0, 1/2, 1, 3/2, 2 points: {counts}")
        if self.sprt:
            lines.append(str(self.sprt))
        began = {record.seats[0] for record in self.records}
        if not solo and len(began) == 1 and self.games > 1:
            lines.append(f"{names[began.pop()]} began every game")
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
        kind = "the wider 95% interval, of games or between runs" if folders else "a 95% interval"
        last += ": too few for a ±" if too_few else f" (± is {kind})"
        return [*lines, last, *legend(names, self.agents)]

    def _run_lines(self, number: int) -> list[str]:
        """Format the results of a folder's runs."""
        if not self.runs or not self.runs[number]:
            return []
        found = self.runs[number]
        width = max(len(score.run) for score in found)
        lines = [f"  {spread_text([score.mean_score for score in found])}:"]
        for score in found:
            outcomes = f"wins {score.wins}, draws {score.draws}, losses {score.losses}, "
            outcomes = outcomes if len(self.agents) > 1 else ""
            lines.append(f"  {score.run:<{width}}  {outcomes}mean score {plain(score.mean_score)}")
        return lines

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
                replace(from_match(self.game, self.names, record), tags=tag | self._agent_tags(record))
                for record, tag in zip(self.records, tags, strict=True)
            ],
            append=append,
        )

    def _agent_tags(self, record: GameRecord) -> dict[str, str]:
        """Return a tag with the expression of each player that has a name, or is a run of a folder."""
        from boardlab.arena.records.pgn import agent_tags

        tags = {}
        for seat, tag in enumerate(agent_tags(self.game.players)):
            entrant = self.entrants[record.seats[seat]] if self.entrants else None
            if entrant is not None and (entrant.name or entrant.members):
                tags[tag] = entrant.members[record.runs[seat]] if entrant.members else entrant.expression
        return tags


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
    game: Game,
    agents: tuple[str, ...],
    records: tuple[GameRecord, ...],
    round_size: int,
    entrants: Sequence[Entrant] = (),
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
    between = [spread(entrants, records, i, score_of) for i in range(count)]
    between_points = [spread(entrants, records, i, points_of) for i in range(count)]
    mean_scores = tuple(sum(s) / len(s) for s in scores)
    mean_points = tuple(sum(p) / len(p) for p in points)
    return MatchResult(
        game=game,
        agents=agents,
        games=len(records),
        wins=tuple(wins),
        draws=draws,
        mean_scores=mean_scores,
        score_errors=tuple(
            max(standard_error(s, round_size, f), b.error if b else 0.0)
            for s, f, b in zip(scores, fresh, between, strict=True)
        ),
        intervals=tuple(
            wider(interval(s, game.score_range, round_size, f), b, mean, game.score_range)
            for s, f, b, mean in zip(scores, fresh, between, mean_scores, strict=True)
        ),
        errors=sum(record.failed for record in records),
        distinct=len(set(keys)),
        records=records,
        points=mean_points,
        point_intervals=tuple(
            wider(interval(p, (0.0, 1.0), round_size, f), b, mean, (0.0, 1.0))
            for p, f, b, mean in zip(points, fresh, between_points, mean_points, strict=True)
        ),
        rounds=tuple(rounds),
        adjudicated=sum(record.adjudicated for record in records),
        fresh=fresh,
        seconds_per_decision=tuple(t / n if n else math.nan for t, n in zip(seconds, decisions, strict=True)),
        entrants=tuple(entrants),
        runs=run_scores(entrants, records),
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
