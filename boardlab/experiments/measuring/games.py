"""Measures that are games: matches, opponents, exams, cubes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from boardlab.arena.exams import EXAMS, ExamResult, Paper, solved_by_twists
from boardlab.arena.match import match as play_match
from boardlab.arena.match_result import MatchResult
from boardlab.errors import BoardLabError
from boardlab.experiments.experiment import Board
from boardlab.experiments.measuring.measure import Measure, Numbers


@dataclass(frozen=True)
class Match(Measure):
    """Games of two agents. Numbers are those of the first."""

    board: Board
    agents: Sequence[str]
    games: int
    moves_first: bool = False
    """Whether the first agent begins in every game."""
    random_actions: int = 0

    name = "match"
    values: ClassVar[tuple[str, ...]] = ("wins", "draws", "losses", "games", "distinct")

    def take(self, seed: int) -> Numbers:
        """Play the match."""
        result = played(self, seed, [[0, 1]] if self.moves_first else None)
        return {
            "wins": result.wins[0],
            "draws": result.draws,
            "losses": result.wins[1],
            "games": result.games,
            "distinct": result.distinct,
        }


def played(match: Match, seed: int, seatings: Sequence[Sequence[int]] | None = None) -> MatchResult:
    """The result of a match; an agent that fails ends the experiment."""
    result = play_match(
        match.board.game,
        list(match.agents),
        match.games,
        seed,
        random_actions=match.random_actions,
        seatings=seatings,
    )
    problem = next((record.error for record in result.records if record.failed), "")
    if problem:
        raise BoardLabError(f"an agent failed: {problem}")
    return result


@dataclass(frozen=True)
class Pair(Match):
    """Games of two agents from both seats, counted by seat. Numbers are those of the first."""

    name = "pair"
    values = ("first_wins", "first_draws", "first_losses", "second_wins", "second_draws", "second_losses")

    def take(self, seed: int) -> Numbers:
        """Play the match."""
        numbers: Numbers = dict.fromkeys(self.values, 0)
        for record in played(self, seed).records:
            seat = list(record.seats).index(0)
            score, other = record.scores[seat], record.scores[1 - seat]
            outcome = "wins" if score > other else "draws" if score == other else "losses"
            numbers[f"{('first', 'second')[seat]}_{outcome}"] += 1
        return numbers


@dataclass(frozen=True)
class Versus(Measure):
    """The mean score of an agent against copies of an opponent in all other seats.

    From varied openings, each in every seat, or from the initial position if the agent always begins.
    """

    board: Board
    agent: str
    opponent: str
    games: int
    moves_first: bool = False

    name = "versus"
    values = ("value", "games")

    def take(self, seed: int) -> Numbers:
        """Play against the opponent."""
        first = [list(range(self.board.game.players))] if self.moves_first else None
        paper = Paper(self.name, self.agent, self.board.game, self.games, seed)
        return _examined(paper.play(self.opponent, seatings=first))


def _examined(result: ExamResult) -> Numbers:
    """The numbers of an exam; an agent that fails ends the experiment."""
    if result.problem:
        raise BoardLabError(f"an agent failed: {result.problem}")
    return {"value": result.value, "games": result.games}


@dataclass(frozen=True)
class Exam(Measure):
    """An exam of an agent."""

    board: Board
    agent: str
    exam: str
    games: int

    name = "exam"
    values = ("value", "games")

    def take(self, seed: int) -> Numbers:
        """Take the exam."""
        paper = Paper(self.exam, self.agent, self.board.game, self.games, seed)
        return _examined(EXAMS[self.exam].take(paper))


@dataclass(frozen=True)
class Cubes(Measure):
    """The cubes that an agent solves within a number of steps."""

    board: Board
    agent: str
    twists: Sequence[int]
    cubes: int
    """Cubes for each number of scramble twists."""
    steps: int = 20

    name = "cubes"
    values = ("solved", "cubes")

    def take(self, seed: int) -> Numbers:
        """Scramble and solve."""
        paper = Paper("solved", self.agent, self.board.game, self.cubes, seed)
        result = solved_by_twists(paper, self.twists, self.steps)
        return {"solved": round(result.value * result.games), "cubes": result.games}
