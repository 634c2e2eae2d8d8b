"""What an exam is: a name, a sentence, for which games, how it is taken, and what comes out of it."""

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from boardlab.arena.intervals import fresh_share, interval, standard_error
from boardlab.arena.match import MatchResult, match, with_interval
from boardlab.arena.openings import varied_openings
from boardlab.games.game import Game, State
from boardlab.numbers import counted, plain
from boardlab.reports import Report
from boardlab.search.agent import Agent
from boardlab.search.expression import agent as make_agent

Progress = Callable[[int], None]
SHARE = (0.0, 1.0)
"""What can come out of an exam that counts right answers."""
UNKNOWN = "unknown"
"""The best possible value where nobody knows it."""


@dataclass(frozen=True, repr=False)
class ExamResult(Report):
    """What an exam found; printed as `boardlab evaluate` does."""

    exam: str
    value: float
    error: float
    """Standard error of the value."""
    games: int
    best: float
    """The best possible value, or a bound of it; infinite where nobody knows one."""
    details: dict[str, float] = field(default_factory=dict)
    """Parts of the value: the solved rate by twists, the share of games that reached a tile ..."""
    interval: float = float("nan")
    """Half width of the 95% interval of the value."""
    units: str = "games"
    """What was counted: games, positions ..."""
    problem: str = ""
    """What the first error said, where an agent failed or broke the rules in a game."""
    is_bound: bool = False
    """Whether nobody knows how near to `best` one can come."""
    distinct: int | None = None
    """How many of the games, positions ... were different; None where the exam cannot tell."""

    def __str__(self) -> str:
        return self.text()

    def text(self, asked: int | None = None) -> str:
        """Two or three lines; how many games were `asked` for is said where it were others."""
        from boardlab.arena.exams import EXAMS

        best = f"{'at most' if self.is_bound else 'best possible'} {plain(self.best)}"
        best = f", {best}" if self.best != float("inf") else ""
        value = with_interval(self.value, self.interval) + (" (95%)" if self.interval >= 0 else "")
        number = counted(self.games, self.units)
        if asked not in (None, self.games):
            number += f" ({asked} asked for)"
        if self.distinct is not None:
            number += f", {self.distinct} distinct"
        lines = [f"{self.exam}: {value}{best}, {number}"]
        if self.exam in EXAMS:
            lines.append(f"  {EXAMS[self.exam].sentence}")
        if self.details:
            lines.append("  " + ", ".join(f"{name} {_shown(value)}" for name, value in self.details.items()))
        if self.problem:
            lines.append(f"  the first error: {self.problem}")
        return "\n".join(lines)


def _shown(value: float) -> str:
    """Shares in percent, other numbers as they are."""
    return f"{value:.1%}" if 0 <= value <= 1 else plain(value)


@dataclass(frozen=True)
class Exam:
    """A named exam: for which games, a sentence, how it is taken."""

    name: str
    sentence: str
    applies: Callable[[Game], bool]
    take: Callable[["Paper"], ExamResult]
    best: str | Callable[[Game], str] = ""
    """The best possible value in words, for the list of exams."""
    slow: bool = False
    """Takes minutes in some games: only when it is asked for by name."""
    values: tuple[float, float] | None = None
    """What can come out, where it is no score of the game."""
    needs: str = ""
    """The games that have it, where a refused one may not see why it has not."""

    def best_in_words(self, game: Game) -> str:
        """The best possible value in that game, or UNKNOWN."""
        return self.best(game) if callable(self.best) else self.best


@dataclass(frozen=True)
class Paper:
    """What an exam is given: the agent, the game, how many games, the seed."""

    exam: str
    agent: str | Agent
    game: Game
    games: int
    seed: int
    threads: int = 1
    progress: Progress | None = None

    def make_agent(self) -> Agent:
        """The agent that is examined, for exams that ask it about positions."""
        return make_agent(self.agent, self.game, self.seed)

    def play(
        self,
        opponent: str | Agent,
        *,
        best: float | None = None,
        starts: Sequence[State] | None = None,
        seatings: Sequence[Sequence[int]] | None = None,
        random_actions: int = 0,
    ) -> ExamResult:
        """The agent's mean score against copies of one opponent in all other seats.

        By default games begin from varied openings, each played in every seat: two deterministic players
        would play one game again and again. `starts=()` is the initial position; so are the starts against a
        random player, and where `seatings` say who begins.
        """
        others = [opponent] * (self.game.players - 1)
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
            progress=self.progress,
        )
        return self.of_match(result, best)

    def _openings(self, opponent: str | Agent) -> list[State]:
        """Varied ones in an order of the seed; none where a player draws its actions at random."""
        names = (a.expression if isinstance(a, Agent) else a.strip() for a in (self.agent, opponent))
        openings = [] if "random" in names else list(varied_openings(self.game))
        random.Random(self.seed).shuffle(openings)
        return openings

    def of_match(self, result: MatchResult, best: float | None) -> ExamResult:
        """The first agent's part of a match."""
        details = {"wins": result.wins[0] / result.games, "draws": result.draws / result.games}
        if result.errors:
            details["errors"] = result.errors / result.games
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
        )

    def share(
        self,
        right: Sequence[bool],
        details: dict[str, float],
        units: str,
        questions: Sequence[Hashable] | None = None,
    ) -> ExamResult:
        """The share of right answers; the best is 1. Of equal `questions` only one counts as a sample."""
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
