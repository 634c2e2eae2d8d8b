"""An exam (name, description, games, function) and its result."""

import math
import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace

from boardlab.arena.between_runs import spread_of, spread_text, wider
from boardlab.arena.intervals import fresh_share, interval, standard_error
from boardlab.arena.match import match
from boardlab.arena.match_result import MatchResult
from boardlab.arena.openings import varied_openings
from boardlab.games.game import Game, State
from boardlab.html import Html
from boardlab.numbers import counted, plain, with_interval
from boardlab.reports import Report
from boardlab.search.agent import Agent
from boardlab.search.entrants import Entrant
from boardlab.search.expression import agent as make_agent

Progress = Callable[[int], None]
SHARE = (0.0, 1.0)
"""Range of an exam that counts right answers."""
UNKNOWN = "unknown"
"""The best possible value if it is not known."""


@dataclass(frozen=True, repr=False)
class ExamResult(Report):
    """The result of an exam; prints as `boardlab evaluate`."""

    exam: str
    value: float
    error: float
    """Standard error of the value."""
    games: int
    best: float
    """The best possible value, or a bound on it; infinite if unknown."""
    details: dict[str, float] = field(default_factory=dict)
    """Parts of the value: solved rate by twists, share of games that reached a tile ..."""
    interval: float = float("nan")
    """Half width of the 95% interval of the value."""
    units: str = "games"
    """What was counted: games, positions ..."""
    problem: str = ""
    """The first error of an agent that failed or broke the rules; else empty."""
    is_bound: bool = False
    """Whether `best` is only a bound that may be unreachable."""
    distinct: int | None = None
    """How many of the games, positions ... were different; None if unknown."""
    wins: int | None = None
    """Games in which the agent had the highest score and not all players had it; None if nobody was met."""
    draws: int | None = None
    """Games in which all players had the same score."""
    losses: int | None = None
    """All other games."""
    runs: dict[str, "ExamResult"] = field(default_factory=dict)
    """The result of each run, where the agent is a folder of runs; `value` is then their mean, `interval`
    that between runs."""

    @property
    def outcomes(self) -> tuple[int, int, int] | None:
        """Wins, draws and losses; None if the exam is not a match."""
        if self.wins is None or self.draws is None or self.losses is None:
            return None
        return self.wins, self.draws, self.losses

    def __str__(self) -> str:
        return self.text()

    def _page(self) -> Html:
        from boardlab.arena.pages import exam_page  # pages import results

        return exam_page(self)

    def text(self, asked: int | None = None) -> str:
        """Format two lines or more.

        Mentions the number `asked` for if another was played.
        """
        from boardlab.arena.exams import EXAMS

        best = f"{'at most' if self.is_bound else 'best possible'} {plain(self.best)}"
        best = f", {best}" if self.best != float("inf") else ""
        kind = f"95% between {counted(len(self.runs), 'runs')}" if self.runs else "95%"
        value = with_interval(self.value, self.interval) + (f" ({kind})" if self.interval >= 0 else "")
        number = counted(self.games, self.units)
        if asked is not None and asked * max(1, len(self.runs)) != self.games:
            number += f" ({asked * max(1, len(self.runs))} requested)"
        if self.distinct is not None:
            number += f", {self.distinct} distinct"
        lines = [f"{self.exam}: {value}{best}, {number}"]
        if self.outcomes is not None:
            lines.append("  " + outcomes_text(self.outcomes))
        if self.exam in EXAMS:
            lines.append(f"  {EXAMS[self.exam].sentence}")
        if self.details:
            lines.append("  " + ", ".join(f"{name} {_shown(value)}" for name, value in self.details.items()))
        if self.runs:
            width = max(map(len, self.runs))
            lines.append(f"  {spread_text([result.value for result in self.runs.values()])}:")
            for run, result in self.runs.items():
                lines.append(f"  {run:<{width}}  {with_interval(result.value, result.interval)}")
        if self.problem:
            lines.append(f"  the first error: {self.problem}")
        return "\n".join(lines)


def of_runs(results: dict[str, ExamResult]) -> ExamResult:
    """Sum up an exam that all runs of a folder have taken: their mean, and the spread between them."""
    each = list(results.values())
    first, values, count = each[0], [result.value for result in each], len(each)
    between, mean = spread_of(values), sum(values) / count
    of_games = math.hypot(*(result.interval for result in each)) / count
    counts = [result.outcomes for result in each]
    outcomes = [None] * 3 if None in counts else [sum(c[i] for c in counts if c) for i in range(3)]
    return replace(
        first,
        value=mean,
        error=max(between.error, math.hypot(*(result.error for result in each)) / count),
        games=sum(result.games for result in each),
        details={
            name: sum(result.details.get(name, 0.0) for result in each) / count for name in first.details
        },
        interval=wider(of_games, between, mean, (-math.inf, math.inf)),
        problem=next((result.problem for result in each if result.problem), ""),
        distinct=None,
        wins=outcomes[0],
        draws=outcomes[1],
        losses=outcomes[2],
        runs=results,
    )


OUTCOMES = ("wins", "draws", "losses")


def outcomes_text(counts: tuple[int, int, int]) -> str:
    """Format wins, draws and losses, each with its share."""
    games = max(1, sum(counts))
    return ", ".join(
        f"{name} {count} ({count / games:.1%})" for name, count in zip(OUTCOMES, counts, strict=True)
    )


def _shown(value: float) -> str:
    """Format shares in percent, other numbers plainly."""
    return f"{value:.1%}" if 0 <= value <= 1 else plain(value)


@dataclass(frozen=True)
class Exam:
    """A named exam: a description, its games, and the function that takes it."""

    name: str
    sentence: str
    applies: Callable[[Game], bool]
    take: Callable[["Paper"], ExamResult]
    best: str | Callable[[Game], str] = ""
    """The best possible value in words, for the list of exams."""
    slow: bool = False
    """Takes minutes in some games, so it runs only when named."""
    values: tuple[float, float] | None = None
    """Range of the value, if it is not a score of the game."""
    needs: str = ""
    """The games that have the exam, for errors where the reason is not obvious."""
    listed: bool = True
    """Whether lists name it; otherwise it is a variant of one that they name, as twists30 of twists20."""

    def best_in_words(self, game: Game) -> str:
        """Return the best possible value in the game, or UNKNOWN."""
        return self.best(game) if callable(self.best) else self.best


@dataclass(frozen=True)
class Paper:
    """What an exam receives: the agent, the game, the number of games, the seed."""

    exam: str
    agent: str | Agent
    game: Game
    games: int
    seed: int
    threads: int = 1
    progress: Progress | None = None
    jobs: int = 1
    """Processes that play, in an exam that is a match."""

    def make_agent(self) -> Agent:
        """Make the agent under examination, for exams that ask it about positions."""
        return make_agent(self.agent, self.game, self.seed)

    def play(
        self,
        opponent: str | Agent | Entrant,
        *,
        best: float | None = None,
        starts: Sequence[State] | None = None,
        seatings: Sequence[Sequence[int]] | None = None,
        random_actions: int = 0,
    ) -> ExamResult:
        """Measure the mean score against copies of one opponent in all other seats.

        By default games begin from varied openings, each played in every seat: two deterministic players
        would repeat one game. `starts=()` is the initial position, which is also the default against a random
        player and with `seatings`.
        """
        others: list[str | Agent | Entrant] = [opponent] * (self.game.players - 1)
        games = self.games
        if starts is None:
            starts = () if seatings or random_actions else self._openings(opponent)
        elif starts:  # every start equally often, in every seat
            round_size = len(seatings) if seatings else self.game.players
            games = max(1, games // (round_size * len(starts))) * round_size * len(starts)
        result = match(
            self.game,
            [self.agent, *others],
            games,
            self.seed,
            random_actions=random_actions,
            starts=starts,
            seatings=seatings,
            threads=self.threads,
            jobs=self.jobs,
            progress=self.progress,
        )
        return self.of_match(result, best)

    def _openings(self, opponent: str | Agent | Entrant) -> list[State]:
        """Return varied openings in seeded order.

        Empty if a player draws its actions at random.
        """
        names = (a.strip() if isinstance(a, str) else a.expression for a in (self.agent, opponent))
        openings = [] if "random" in names else list(varied_openings(self.game))
        random.Random(self.seed).shuffle(openings)
        return openings

    def of_match(self, result: MatchResult, best: float | None) -> ExamResult:
        """Return the first agent's part of a match."""
        details = {"errors": result.errors / result.games} if result.errors else {}
        wins, draws = (result.wins[0], result.draws) if self.game.players > 1 else (None, None)
        return ExamResult(
            self.exam,
            result.mean_scores[0],
            result.score_errors[0],
            result.games,
            self.game.score_range[1] if best is None else best,
            details,
            result.intervals[0],
            problem=next((record.error for record in result.records if record.failed), ""),
            is_bound=best is None,
            distinct=result.distinct,
            wins=wins,
            draws=draws,
            losses=None if wins is None or draws is None else result.games - wins - draws,
        )

    def share(
        self,
        right: Sequence[bool],
        details: dict[str, float],
        units: str,
        questions: Sequence[Hashable] | None = None,
    ) -> ExamResult:
        """Return the share of right answers; the best is 1.

        Equal `questions` count as one sample.
        """
        scores = [float(answer) for answer in right]
        fresh = 1.0 if questions is None else fresh_share(questions)
        return ExamResult(
            self.exam,
            sum(scores) / len(scores),
            standard_error(scores, fresh=fresh),
            len(scores),
            1.0,
            details,
            interval(scores, SHARE, fresh=fresh),
            units,
            distinct=None if questions is None else len(set(questions)),
        )
