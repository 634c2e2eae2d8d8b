"""The result of a tournament: standings, cross table, ratings, heat map."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from boardlab.arena.arena import GameRecord
from boardlab.arena.between_runs import RunScore, points_of, run_scores, score_of, spread, spread_text, wider
from boardlab.arena.intervals import NORMAL_95, interval_of_parts
from boardlab.arena.played import count_distinct, game_points
from boardlab.arena.ratings import BayesElo, Result, SkillRating, bayes_elo, openskill
from boardlab.arena.records.pgn import parameters_text
from boardlab.arena.tables import Row, player_table
from boardlab.errors import BoardLabError, MissingPackageError, install
from boardlab.games.game import Game
from boardlab.html import Html
from boardlab.numbers import counted, duration, plain
from boardlab.plots import figure_bytes, has_matplotlib, new_figure, wrapped
from boardlab.reports import Report
from boardlab.search.budget import budgets
from boardlab.search.entrants import Entrant, legend, names_of

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Standing:
    """One agent's results in a tournament."""

    agent: str
    games: int
    wins: int
    """Games in which it had the highest score and not all players had it."""
    draws: int
    losses: int
    points: float
    """Points, summed over games: the share of other players with a lower score, ties counting half. Byes do
    not count."""
    point_interval: float
    """Half width of the 95% interval of points per game, over rounds that share an opening."""
    mean_score: float
    score_interval: float
    seconds_per_decision: float = field(compare=False)

    @property
    def share(self) -> float:
        """Points per game."""
        return self.points / self.games if self.games else math.nan


@dataclass(frozen=True, repr=False)
class TournamentResult(Report):
    """A tournament as far as it was played.

    Agents keep the order in which they were listed.
    """

    number: int
    """Number in the store."""
    game: Game
    agents: tuple[str, ...]
    """Their expressions."""
    format: str
    is_finished: bool
    standings: tuple[Standing, ...]
    """In the order of the agents."""
    cross: Matrix = field(compare=False)
    """[i, j]: points of i against j per game in which both sat; NaN if they never met."""
    first: NDArray[np.int64] = field(compare=False)
    """[i, j, 0 .. 2]: two players: games that i won, drew and lost when moving first against j."""
    ratings: BayesElo | dict[str, SkillRating] | None
    """Bayesian Elo for two players, openskill for more, None for one."""
    records: tuple[GameRecord, ...]
    """All games by pairing and number; seats are numbers of agents."""
    distinct: int
    """How many of the games were different."""
    errors: int
    """Games lost because an agent failed or broke the rules."""
    name: str = ""
    """Title of the tournament."""
    fresh: int = field(default=0, compare=False)
    """Games played by the call that returned this; the others were in the store."""
    entrants: tuple[Entrant, ...] = ()
    """The agents with the names that the user gave."""
    runs: tuple[tuple[RunScore, ...], ...] = ()
    """The results of each run of an agent that is a folder of runs; of other agents none."""

    @property
    def names(self) -> tuple[str, ...]:
        """What tables show: the names that the user gave, or the expressions."""
        return names_of(self.entrants, self.agents)

    @property
    def ranking(self) -> list[int]:
        """Numbers of the agents, best first: by rating, else by points or mean score."""
        names = list(self.names)
        if isinstance(self.ratings, BayesElo):
            return [names.index(rating.name) for rating in self.ratings.ratings]
        if self.ratings:
            return [names.index(name) for name in self.ratings]
        value = [s.mean_score if self.game.players == 1 else s.share for s in self.standings]
        return sorted(range(len(names)), key=lambda i: (-value[i] if value[i] == value[i] else math.inf, i))

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int | None = None) -> str:
        """Format the result; tables fit a terminal of `width` columns."""
        kind = f'{self.format} "{self.name}"' if self.name else self.format
        lines = [
            f"{self.game.name}: {kind} of {len(self.agents)} agents, {counted(len(self.records), 'games')}"
        ]
        lines[0] += f" (tournament {self.number} of the store)" if self.is_finished else " so far"
        lines += ["", *self._list(width), ""]
        if self.game.players > 1:
            lines += ["Points in percent against each (row against column)", *self._cross(width), ""]
        return "\n".join([*lines, *self.notes()]).rstrip()

    def notes(self) -> list[str]:
        """List what to know about the games: repeated ones, budgets, errors."""
        lines = []
        if self.distinct < len(self.records) and not self.game.has_chance:
            lines.append(
                f"{self.distinct} of {len(self.records)} games are distinct; error bars count all of them"
            )
        lines += [*self._run_lines(), *budgets([self.agents[i] for i in self.ranking])]
        if self.errors:
            first = next(record.error for record in self.records if record.failed)
            lines.append(f"lost by an agent's error: {counted(self.errors, 'games')}; the first: {first}")
        ranked = [(self.names[i], self.agents[i]) for i in self.ranking]
        return lines + legend([name for name, _ in ranked], [agent for _, agent in ranked])

    def _page(self) -> Html:
        from boardlab.arena.pages import tournament_page  # pages import results

        return tournament_page(self)

    def _run_lines(self) -> list[str]:
        """Format how far the runs of folders lie apart."""
        lines = []
        solo = self.game.players == 1
        for name, found in zip(self.names, self.runs or [()] * len(self.agents), strict=True):
            if found:
                values = [score.mean_score if solo else 100 * score.points for score in found]
                unit = "mean scores" if solo else "points in percent"
                lines.append(f"{name}: {unit} of {spread_text(values)}")
        if lines and isinstance(self.ratings, BayesElo):
            lines.append("Elo bounds count games, not runs; --each rates every run")
        return lines

    @property
    def _rows(self) -> list[Row]:
        """Return ranks and names, best first."""
        return [(rank, self.names[i]) for rank, i in enumerate(self.ranking, 1)]

    def _list(self, width: int | None) -> list[str]:
        """Format the ranking: rating ± 95%, points, wins, draws, losses, time per move."""
        standings = [self.standings[i] for i in self.ranking]
        solo = self.game.players == 1
        columns = []
        if (rated := self.rated()) is not None:
            head = f" {'Elo' if isinstance(self.ratings, BayesElo) else 'skill':>5} ± 95%"
            ratings = (rated[i] for i in self.ranking)
            columns.append(
                [head, *(f" {r:>z5.{digits}f} {half:>5.{digits}f}" for r, half, digits in ratings)]
            )
        columns.append(["  games", *(f"  {s.games:>5}" for s in standings)])
        if not solo:
            points = (f" {s.share:>6.1%} {_or_blank(s.point_interval, '.1%'):>5}" for s in standings)
            columns.append([" points ± 95%", *points])
            for head in ("wins", "draws", "losses"):
                columns.append([f" {head:>6}", *(f" {getattr(s, head):>6}" for s in standings)])
        if solo or self.game.score_range != (-1, 1):  # scores carry more than points
            halves = ("" if math.isnan(s.score_interval) else plain(s.score_interval, 2) for s in standings)
            scores = (
                f"  {plain(s.mean_score, 5):>10} {h:>5}" for s, h in zip(standings, halves, strict=True)
            )
            columns.append(["  mean score ± 95%", *scores])
        seconds = [s.seconds_per_decision for s in standings]
        times = ("" if math.isnan(mean) else duration(mean) for mean in seconds)
        columns.append([f"   {'time/move':>11}", *(f"   {time:>11}" for time in times)])
        return player_table(self._rows, columns, width, heads=("Rank", "Agent"), legend=True)

    def rated(self) -> list[tuple[float, float, int]] | None:
        """Return rating, half width and digits of each agent."""
        if isinstance(self.ratings, BayesElo):
            found = [self.ratings[name] for name in self.names]
            return [(r.elo, r.plus, 0) for r in found]
        if self.ratings:
            skills = [self.ratings[name] for name in self.names]
            return [(s.mean, NORMAL_95 * s.deviation, 1) for s in skills]
        return None

    def _cross(self, width: int | None) -> list[str]:
        columns = [
            [f"{rank:>5}", *(_cell(self.cross[i, j], i == j) for i in self.ranking)]
            for rank, j in enumerate(self.ranking, 1)
        ]
        return player_table(self._rows, columns, width)

    def first_seat_table(self, width: int | None = None) -> str:
        """Format wins/draws/losses of the row, moving first, against the column."""
        if self.game.players != 2:
            raise BoardLabError(
                f"the first-seat table needs a game for two players; {self.game.name} has another number"
            )
        ranking = self.ranking
        cells = [["/".join(map(str, self.first[i, j])) if i != j else "" for i in ranking] for j in ranking]
        widest = max(len(cell) for column in cells for cell in column) + 2
        columns = [
            [f"{word:>{widest}}" for word in (str(rank), *column)] for rank, column in enumerate(cells, 1)
        ]
        return "\n".join(player_table(self._rows, columns, width))

    def heat_map(self) -> bytes:
        """Draw the cross table as a PNG picture; needs matplotlib."""
        check_meetings(self.game)
        if not has_matplotlib():
            raise MissingPackageError(f"a heat map needs matplotlib: {install('plots')}")
        ranking = self.ranking
        names = [f"{rank}  {wrapped(self.names[i])}" for rank, i in enumerate(ranking, 1)]
        shares = 100 * self.cross[np.ix_(ranking, ranking)]
        size = 1.2 + 0.45 * len(names)
        figure = new_figure(size + 4, size + 0.8)
        axes = figure.add_subplot()
        image = axes.imshow(shares, vmin=0, vmax=100, cmap="RdYlBu")
        axes.set_xticks(range(len(names)), [str(rank) for rank in range(1, len(names) + 1)])
        axes.set_yticks(range(len(names)), names, fontsize=8, parse_math=False)
        axes.xaxis.tick_top()
        for (i, j), share in np.ndenumerate(shares):
            if not math.isnan(share):
                colour = "black" if 15 < share < 85 else "white"
                axes.text(j, i, f"{share:.0f}", ha="center", va="center", fontsize=8, color=colour)
        figure.suptitle(f"{self.game.name}: points in percent, row against column", fontsize=10)
        figure.colorbar(image, shrink=0.8)
        return figure_bytes(figure)

    def heat_text(self, width: int | None = None) -> str:
        """Draw the cross table as shades of text: darker means more points of the row."""
        columns = [
            [f"{rank:>3}", *(f" {_shade(self.cross[i, j])}" for i in self.ranking)]
            for rank, j in enumerate(self.ranking, 1)
        ]
        return "\n".join(player_table(self._rows, columns, width))


def check_meetings(game: Game) -> None:
    """Refuse a cross table for a one-player game."""
    if game.players == 1:
        raise BoardLabError(f"a heat map shows who beat whom; {game.name} is a game for one player")


def _or_blank(value: float, form: str) -> str:
    return "" if math.isnan(value) else format(value, form)


def _shade(share: float) -> str:
    return "  " if math.isnan(share) else 2 * "·░▒▓█"[min(4, int(5 * share))]


def _cell(share: float, same: bool) -> str:
    return "    ·" if same else "     " if math.isnan(share) else f"{100 * share:>5.0f}"


def tally(
    number: int,
    game: Game,
    agents: Sequence[str],
    format: str,
    is_finished: bool,
    pairings: Sequence[Sequence[GameRecord]],
    round_size: int,
    name: str = "",
    entrants: Sequence[Entrant] = (),
) -> TournamentResult:
    """Sum up all pairings, whose games share an opening in groups of `round_size`."""
    count = len(agents)
    records = tuple(record for played in pairings for record in played)
    shares: list[dict[int, list[float]]] = [
        defaultdict(list) for _ in agents
    ]  # points in each pairing's games
    scores: list[dict[int, list[float]]] = [defaultdict(list) for _ in agents]
    wins, draws, losses = ([0] * count for _ in range(3))
    seconds, decisions = [0.0] * count, [0] * count
    against, met = np.zeros((count, count)), np.zeros((count, count))
    first = np.zeros((count, count, 3), np.int64)
    for pairing, record in ((i, record) for i, played in enumerate(pairings) for record in played):
        points = game_points(record.scores)
        best, tied = max(record.scores), len(set(record.scores)) == 1
        for seat, agent in enumerate(record.seats):
            score = record.scores[seat]
            shares[agent][pairing].append(points[seat])
            scores[agent][pairing].append(score)
            if len(record.seats) > 1:
                counter = draws if tied else wins if score == best else losses
                counter[agent] += 1
            if record.decisions:
                seconds[agent] += record.seconds[seat]
                decisions[agent] += record.decisions[seat]
            for other, rival in enumerate(record.seats):
                if other != seat:
                    met[agent, rival] += 1
                    against[agent, rival] += (score > record.scores[other]) + 0.5 * (
                        score == record.scores[other]
                    )
        if len(record.seats) == 2:
            first[record.seats][0 if points[0] == 1 else 1 if points[0] == 0.5 else 2] += 1
    with np.errstate(invalid="ignore"):
        cross = against / met
    between = [spread(entrants, records, i, points_of, own=True) for i in range(count)]
    between_scores = [spread(entrants, records, i, score_of, own=True) for i in range(count)]
    standings = tuple(
        Standing(
            agent=agents[i],
            games=(games := sum(map(len, scores[i].values()))),
            wins=wins[i],
            draws=draws[i],
            losses=losses[i],
            points=sum(map(sum, shares[i].values())),
            point_interval=wider(
                interval_of_parts(shares[i].values(), (0.0, 1.0), round_size),
                between[i],
                sum(map(sum, shares[i].values())) / max(1, games),
                (0.0, 1.0),
            ),
            mean_score=sum(map(sum, scores[i].values())) / games if games else math.nan,
            score_interval=wider(
                interval_of_parts(scores[i].values(), game.score_range, round_size),
                between_scores[i],
                sum(map(sum, scores[i].values())) / max(1, games),
                game.score_range,
            ),
            seconds_per_decision=seconds[i] / decisions[i] if decisions[i] else math.nan,
        )
        for i in range(count)
    )
    return TournamentResult(
        number=number,
        game=game,
        agents=tuple(agents),
        format=format,
        is_finished=is_finished,
        standings=standings,
        cross=cross,
        first=first,
        ratings=_ratings(game, names_of(entrants, agents), records),
        records=records,
        distinct=count_distinct(game, records),
        errors=sum(record.failed for record in records),
        name=name,
        entrants=tuple(entrants),
        runs=run_scores(entrants, records) if entrants else (),
    )


def results_of(game: Game, agents: Sequence[str], records: Sequence[GameRecord]) -> list[Result]:
    """Return the records as results for rating systems."""
    played = f"{game.name} {parameters_text(game)}".strip()
    return [Result(tuple(agents[a] for a in record.seats), record.scores, game=played) for record in records]


def _ratings(
    game: Game, agents: Sequence[str], records: Sequence[GameRecord]
) -> BayesElo | dict[str, SkillRating] | None:
    if game.players == 1 or not records:
        return None
    results = results_of(game, agents, records)
    if len({name for result in results for name in result.players}) < len(agents):
        return None  # some agent has not played yet
    return bayes_elo(results) if game.players == 2 else openskill(results)
