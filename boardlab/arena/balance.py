"""Game balancing: measure the worth of each seat, and find even starts.

A start that looks even after a few games may only have been lucky, so there are two stages. Many starts are
screened with a few games each, the promising ones with more, and the most even ones are kept. The reported
figures then come from new games of the kept starts, with other seeds.
"""

import math
import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from boardlab.arena.arena import GameRecord
from boardlab.arena.intervals import fresh_share, interval, standard_error
from boardlab.arena.match import StoppedMatch, match
from boardlab.arena.played import count_distinct, game_keys, is_dealt
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import CHANCE, Game, State, as_game, as_integer, as_seed
from boardlab.html import Html
from boardlab.numbers import counted, plain
from boardlab.paths import as_path
from boardlab.reports import Report
from boardlab.runs import write_file
from boardlab.search.agent import Agent, AgentLike, as_agents

MORE = 4
"""The second screening takes MORE times as many starts as are kept, with MORE times the games each."""

Progress = Callable[[str, int, int], None]
"""Called with the stage, the games done, and the total."""


@dataclass(frozen=True)
class SeatReport:
    """What each seat is worth. Lists have one entry per seat; seat 0 begins."""

    games: int
    mean_scores: tuple[float, ...]
    intervals: tuple[float, ...]
    """Half widths of the 95% intervals of the mean scores."""
    wins: tuple[float, ...]
    """Share of games that the seat won."""
    draws: float
    distinct: int
    """How many of the games were different."""
    errors: int
    """Games that ended because an agent failed."""

    @property
    def advantage(self) -> float:
        """The first seat's mean score minus the mean of all seats."""
        return self.mean_scores[0] - sum(self.mean_scores) / len(self.mean_scores)


@dataclass(frozen=True)
class BalancedStart:
    """A kept start, measured by games that played no part in choosing it."""

    state: State
    actions: tuple[str, ...]
    """The actions that lead to it."""
    screened: float
    """The first seat's advantage in the games that chose it."""
    report: SeatReport
    """Results of new games."""


@dataclass(frozen=True, repr=False)
class BalanceResult(Report):
    """The balance of the standard start and of the even starts found.

    Prints as `boardlab balance`.
    """

    game: Game
    agents: tuple[str, ...]
    usual: SeatReport
    """From the game's standard start."""
    starts: tuple[BalancedStart, ...]
    together: SeatReport | None
    """All new games of the kept starts."""
    imbalance: float
    """Root mean square of the kept starts' true advantages, corrected for the noise of few games."""

    def __str__(self) -> str:
        """Format the seats from the standard start, then the starts found."""
        lines = [self._seats("standard start", self.usual)]
        for number, start in enumerate(self.starts, 1):
            report = start.report
            lines.append(
                f"start {number}: {' '.join(start.actions)}: {report.advantage:+z.3f}"
                f"{_half(report.intervals[0])} ({report.games} new games; {start.screened:+z.3f} "
                "in the games that chose it)"
            )
        if self.together:
            together = "this start" if len(self.starts) == 1 else f"these {len(self.starts)} starts"
            lines.append(self._seats(together, self.together))
            lines.append(f"imbalance per start: {self.imbalance:.3f} (root mean square, corrected for noise)")
        return "\n".join(lines)

    def _page(self) -> Html:
        from boardlab.arena.pages import balance_page  # pages import results

        return balance_page(self)

    def _seats(self, title: str, report: SeatReport) -> str:
        seats = ", ".join(
            f"{self.game.rules.player_name(seat)} {score:+z.3f}{_half(width)} (wins {wins:.1%})"
            for seat, (score, width, wins) in enumerate(
                zip(report.mean_scores, report.intervals, report.wins, strict=True)
            )
        )
        tail = f", {report.errors} ended by an agent's error" if report.errors else ""
        return (
            f"{title}: {seats}, draws {report.draws:.1%}; {counted(report.games, 'games')}, "
            f"{report.distinct} distinct{tail}"
        )


class StoppedBalance(KeyboardInterrupt):
    """Ctrl-C during a balance: `result` has the seats and starts so far."""

    def __init__(self, result: BalanceResult) -> None:
        super().__init__("stopped before the last game")
        self.result = result


def _half(width: float) -> str:
    """Format a half width; empty if there were too few games for one."""
    return "" if math.isnan(width) else f" ± {plain(width, 2)}"


def seat_report(
    game: Game,
    agents: Sequence[AgentLike],
    games: int = 200,
    seed: int = 0,
    *,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> SeatReport:
    """Measure what each seat is worth when these agents play; one agent plays itself."""
    players = _players(game, agents)
    result = match(
        game, players, games, seed, seatings=_seatings(game, agents), threads=threads, progress=progress
    )
    return _report(game, result.records, len(_seatings(game, agents)))


def balance(
    game: Game,
    agents: AgentLike | Sequence[AgentLike],
    games: int = 200,
    seed: int = 0,
    *,
    plies: int = 0,
    candidates: int = 100,
    keep: int = 10,
    screen: int = 20,
    confirm: int = 100,
    threads: int = 1,
    progress: Progress | None = None,
) -> BalanceResult:
    """Measure the first-move advantage of a game and, with `plies`, find even starts.

    Starts are positions after `plies` random actions. `candidates` different starts are screened with
    `screen` games each, the most promising (four times `keep`) with four times as many; the `keep` starts
    expected to be most even play `confirm` new games each. Ctrl-C raises `StoppedBalance`, a
    KeyboardInterrupt that has the result so far.
    """
    if progress is not None and not callable(progress):
        raise BoardLabError(
            f"progress must be a function of a stage, games done and games, not {shown(progress)}"
        )
    agents = as_agents(agents)
    seed = as_seed(seed)
    plies = as_integer("plies", plies, 0, 1000)
    candidates = as_integer("candidates", candidates, 1, 1_000_000)
    keep = as_integer("keep", keep, 1, candidates)
    screen = as_integer("screen", screen, 2, 1_000_000)
    confirm = as_integer("confirm", confirm, 2, 1_000_000)
    players, seatings = _players(game, agents), _seatings(game, agents)
    report_progress = progress or (lambda stage, done, total: None)
    streams = [random.Random(seed * 5 + i).randrange(2**63) for i in range(5)]
    names = tuple(a if isinstance(a, str) else a.expression for a in agents)

    def seats_alone(usual: SeatReport) -> BalanceResult:
        return BalanceResult(game, names, usual, (), None, float("nan"))

    try:
        usual = seat_report(
            game,
            agents,
            games,
            streams[0],
            threads=threads,
            progress=lambda done: report_progress("usual", done, games),
        )
    except StoppedMatch as stop:
        raise StoppedBalance(seats_alone(_report(game, stop.result.records, len(seatings)))) from None
    if plies == 0:
        return seats_alone(usual)

    def by_start(starts: list[State], records: Sequence[GameRecord]) -> list[list[GameRecord]]:
        """Return the games of each start."""
        place = {id(start): i for i, start in enumerate(starts)}
        groups: list[list[GameRecord]] = [[] for _ in starts]
        for number, record in enumerate(records):
            index = place.get(id(record.start), number // len(seatings) % len(starts))
            groups[index].append(record)
        return groups

    def play(stage: str, starts: list[State], each: int, stream: int) -> list[list[GameRecord]]:
        """Play equally often from each start."""
        rounds = max(1, math.ceil(each / len(seatings)))
        total = rounds * len(seatings) * len(starts)
        result = match(
            game,
            players,
            total,
            stream,
            starts=starts,
            seatings=seatings,
            threads=threads,
            progress=lambda done: report_progress(stage, done, total),
        )
        return by_start(starts, result.records)

    def result_of(order: list[int], fresh: list[list[GameRecord]]) -> BalanceResult:
        """Return the result with the chosen starts that had at least two new games."""
        confirmed = [(i, records) for i, records in zip(order, fresh, strict=True) if len(records) > 1]
        if not confirmed:
            return seats_alone(usual)
        starts = tuple(
            BalancedStart(
                found[i][0],
                found[i][1],
                _report(game, games_of[i], len(seatings)).advantage,
                _report(game, records, len(seatings)),
            )
            for i, records in confirmed
        )
        groups = [records for _, records in confirmed]
        together = _report(game, [record for records in groups for record in records], 1, groups=groups)
        return BalanceResult(game, names, usual, starts, together, _imbalance(groups))

    order: list[int] = []
    try:
        found = random_starts(game, plies, candidates, streams[1])
        states = [game.from_fields(state.fields) for state, _ in found]
        games_of = play("screen", states, screen, streams[2])
        prior = [_prior(games_of, seat) for seat in range(game.players)]
        promising = _most_even(games_of, prior, range(len(states)))[: MORE * keep]
        more = play("screen again", [states[i] for i in promising], MORE * screen, streams[4])
        for i, records in zip(promising, more, strict=True):
            games_of[i] += records
        order = _most_even(games_of, prior, promising)[:keep]
        fresh = play("confirm", [states[i] for i in order], confirm, streams[3])
    except KeyboardInterrupt as stop:
        # Games that chose the starts are not reported: only new ones count.
        played = stop.result.records if isinstance(stop, StoppedMatch) and order else ()
        raise StoppedBalance(result_of(order, by_start([states[i] for i in order], played))) from None
    return result_of(order, fresh)


def random_starts(game: Game, plies: int, count: int, seed: int) -> list[tuple[State, tuple[str, ...]]]:
    """Draw different positions after `plies` random actions, with the actions."""
    rng = random.Random(seed)
    found: dict[State, tuple[str, ...]] = {}
    for _ in range(50 * count):
        state, actions, played = game.initial_state(), [], 0
        while not state.is_terminal and (played < plies or state.player == CHANCE):
            if state.player == CHANCE:
                action = state.sample_chance(rng.randrange(2**63))
            else:
                action = rng.choice(state.legal_actions())
                played += 1
            actions.append(state.action_text(action))
            state.apply(action)
        if not state.is_terminal:
            found.setdefault(state, tuple(actions))
        if len(found) == count:
            break
    if not found:
        raise BoardLabError(f"every game of {game.name} is over after {counted(plies, 'random actions')}")
    return list(found.items())


def write_openings(result: BalanceResult, path: str | os.PathLike[str]) -> None:
    """Save the kept starts as a file of openings, with figures in comments."""
    if not result.starts:
        raise BoardLabError("there are no starts to save; search for some with plies")
    lines = [
        f"# {result.starts[0].state.game!r}, balanced for {', '.join(result.agents)}",
        "# first seat's advantage in new games",
    ]
    for start in result.starts:
        blanks = any(" " in action for action in start.actions)
        actions = (", " if blanks else " ").join(start.actions)
        width = start.report.intervals[0]
        half = "" if math.isnan(width) else f" ± {width:.3f}"
        lines.append(f"{actions}  # {start.report.advantage:+z.3f}{half}, {start.report.games} games")
    write_file(as_path("the file of openings", path), "\n".join(lines) + "\n")


def _players(game: Game, agents: Sequence[AgentLike]) -> list[str | Agent]:
    """Return one agent per seat; a single one plays itself."""
    as_game(game)
    players = as_agents(agents)
    if game.players == 1:
        raise BoardLabError(f"{game.name} is for one player, so there is nothing to balance")
    if len(players) not in (1, game.players):
        raise BoardLabError(
            f"balance needs one agent that plays itself, or {game.players} for {game.name}, "
            f"not {len(players)}"
        )
    for agent in players:
        if not isinstance(agent, (str, Agent)):
            raise BoardLabError(f"an agent must be an expression, not {shown(agent)}")
    return players if len(players) == game.players else players * game.players


def _seatings(game: Game, agents: Sequence[AgentLike]) -> list[list[int]]:
    """Seat different agents in every order, to measure the seat alone."""
    seats = list(range(game.players))
    if len(as_agents(agents)) == 1:
        return [seats]
    return [seats[i:] + seats[:i] for i in range(game.players)]


def _report(
    game: Game,
    records: Sequence[GameRecord],
    round_size: int,
    groups: Sequence[Sequence[GameRecord]] | None = None,
) -> SeatReport:
    count = game.players
    low, high = game.score_range
    scores = [[record.scores[seat] for record in records] for seat in range(count)]
    wins, draws = [0] * count, 0
    for record in records:
        best = max(record.scores)
        winners = [seat for seat in range(count) if record.scores[seat] == best]
        draws += len(winners) == count
        if len(winners) < count:
            for seat in winners:
                wins[seat] += 1
    # Games from one start belong together: with several starts, each start is one sample.
    samples = (
        [[sum(r.scores[seat] for r in group) / len(group) for group in groups] for seat in range(count)]
        if groups is not None and len(groups) > 1
        else None
    )
    # Without dice and cards a repeated game is no new information.
    fresh = 1.0 if is_dealt(game, records) else fresh_share(game_keys(game, records))
    return SeatReport(
        games=len(records),
        mean_scores=tuple(sum(column) / len(column) for column in scores),
        intervals=tuple(
            interval(samples[seat], (low, high))
            if samples
            else interval(scores[seat], (low, high), round_size, fresh)
            for seat in range(count)
        ),
        wins=tuple(number / len(records) for number in wins),
        draws=draws / len(records),
        distinct=count_distinct(game, records),
        errors=sum(record.failed for record in records),
    )


@dataclass(frozen=True)
class _Prior:
    """A seat's true advantage over all starts, and the noise of one game."""

    mean: float
    variance: float
    noise: float
    """Variance of one game around its start's true advantage."""


def _advantages(records: Sequence[GameRecord], seat: int) -> list[float]:
    return [record.scores[seat] - sum(record.scores) / len(record.scores) for record in records]


def _prior(groups: Sequence[Sequence[GameRecord]], seat: int) -> _Prior:
    """Estimate how the starts scatter beyond the noise of their games."""
    columns = [_advantages(group, seat) for group in groups]
    means = [sum(column) / len(column) for column in columns]
    squares = sum((x - m) ** 2 for column, m in zip(columns, means, strict=True) for x in column)
    noise = squares / max(1, sum(len(column) - 1 for column in columns))
    mean = sum(means) / len(means)
    scatter = sum((m - mean) ** 2 for m in means) / max(1, len(means) - 1)
    return _Prior(mean, max(0.0, scatter - noise / len(columns[0])), noise)


def _most_even(
    groups: Sequence[Sequence[GameRecord]], prior: Sequence[_Prior], among: Sequence[int]
) -> list[int]:
    """Sort starts by the expected square of their true advantage, given all games."""

    def expected_square(i: int) -> float:
        total = 0.0
        for seat, belief in enumerate(prior):
            column = _advantages(groups[i], seat)
            noise = belief.noise / len(column)
            weight = belief.variance / (belief.variance + noise) if belief.variance > 0 else 0.0
            if noise == 0 and len(column) > 1:  # games that always end alike leave no doubt
                weight = 1.0
            estimate = belief.mean + weight * (sum(column) / len(column) - belief.mean)
            total += estimate**2 + weight * noise
        return total

    return sorted(among, key=expected_square)


def _imbalance(groups: Sequence[Sequence[GameRecord]]) -> float:
    """Return the root mean square of the true advantages.

    The square of an observed mean is too large by the mean's variance, which is subtracted.
    """
    squares = []
    for group in groups:
        advantages = [record.scores[0] - sum(record.scores) / len(record.scores) for record in group]
        mean = sum(advantages) / len(advantages)
        squares.append(mean**2 - standard_error(advantages) ** 2)
    value = sum(squares) / len(squares)
    return math.sqrt(value) if value > 0 else 0.0
