"""Exams: how strong an agent is, as one number with an error bar, and what the best possible number is.

An exam is what GBG calls an Evaluator: against which opponent, from which starts, in which seats. Adding one:
a function that returns an `ExamResult`, an entry in EXAMS.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from boardlab.arena.match import interval, match, standard_error
from boardlab.errors import BoardLabError, unknown
from boardlab.games.connectfour import ConnectFour
from boardlab.games.game import Game, State, as_integer
from boardlab.games.nim import Nim
from boardlab.games.rubiks import Rubiks
from boardlab.search.agent import Agent

Progress = Callable[[int], None]


@dataclass(frozen=True)
class ExamResult:
    """What an exam found."""

    exam: str
    value: float
    error: float
    """Standard error of the value."""
    games: int
    best: float
    """The best possible value; infinite where nobody knows it."""
    details: dict[str, float] = field(default_factory=dict)
    """Parts of the value: the solved rate by twists, the share of games that reached a tile ..."""
    interval: float = float("nan")
    """Half width of the 95% interval of the value."""


@dataclass(frozen=True)
class Exam:
    """A named exam: for which games, a sentence, how it is taken."""

    name: str
    sentence: str
    applies: Callable[[Game], bool]
    take: Callable[["Paper"], ExamResult]


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

    def play(
        self,
        opponent: str,
        *,
        best: float,
        starts: Sequence[State] = (),
        seatings: Sequence[Sequence[int]] | None = None,
    ) -> ExamResult:
        """The agent's mean score against copies of one opponent in all other seats."""
        others = [opponent] * (self.game.players - 1)
        result = match(
            self.game,
            [self.agent, *others],
            self.games,
            self.seed,
            starts=starts,
            seatings=seatings,
            threads=self.threads,
            progress=self.progress,
        )
        details = {"wins": result.wins[0] / result.games, "draws": result.draws / result.games}
        return ExamResult(
            self.exam,
            result.mean_scores[0],
            result.score_errors[0],
            result.games,
            best,
            details,
            result.intervals[0],
        )


def starts_up_to(game: Game, plies: int) -> list[State]:
    """All positions that are still running after 0 .. plies actions, each once."""
    found = {game.initial_state(): None}
    frontier = list(found)
    for _ in range(plies):
        frontier = [child for state in frontier for _, child in state.children() if not child.is_terminal]
        found.update(dict.fromkeys(frontier))
    return list(found)


def _against_random(paper: Paper) -> ExamResult:
    return paper.play("random", best=paper.game.score_range[1])


def _score(paper: Paper) -> ExamResult:
    result = match(
        paper.game, [paper.agent], paper.games, paper.seed, threads=paper.threads, progress=paper.progress
    )
    details = _tiles(paper.game, [r.actions for r in result.records]) if paper.game.name == "2048" else {}
    return ExamResult(
        paper.exam,
        result.mean_scores[0],
        result.score_errors[0],
        result.games,
        float("inf"),
        details,
        result.intervals[0],
    )


def _tiles(game: Game, played: Sequence[tuple[int, ...]]) -> dict[str, float]:
    """The share of games that reached each tile, from 1024 up."""
    highest = []
    for actions in played:
        state = game.initial_state()
        for action in actions:
            state.apply(action)
        highest.append(2 ** max(state.fields[: game.core.cells]))
    shares = {}
    for exponent in range(10, 18):
        share = sum(tile >= 2**exponent for tile in highest) / len(highest)
        if share:
            shares[f"reached {2**exponent}"] = share
    return shares


def _perfect(paper: Paper) -> ExamResult:
    """Against exhaustive search, from every position after no or one action, in every seat."""
    starts = starts_up_to(paper.game, 1)
    exact = f"alphabeta(depth={min(200, paper.game.horizon)}, exact=True)"
    games = max(1, paper.games // (2 * len(starts))) * 2 * len(starts)  # every start equally often
    best = [_exact_scores(paper.game, exact, start)[seat] for start in starts for seat in (0, 1)]
    return replace(paper, games=games).play(exact, best=sum(best) / len(best), starts=starts)


def _exact_scores(game: Game, expression: str, state: State) -> list[float]:
    from boardlab.search.expression import agent

    return [float(score) for score in agent(expression, game).act(state).scores]


def _bouton(paper: Paper) -> ExamResult:
    starts = starts_up_to(paper.game, 1)
    games = max(1, paper.games // (2 * len(starts))) * 2 * len(starts)
    ideal = match(paper.game, ["bouton", "bouton"], 2 * len(starts), starts=starts)
    return replace(paper, games=games).play("bouton", best=ideal.mean_scores[0], starts=starts)


def _first_against(opponent: str) -> Callable[[Paper], ExamResult]:
    return lambda paper: paper.play(opponent, best=1.0, seatings=[[0, 1]])


def solved_by_twists(paper: Paper, twists: Sequence[int], steps: int) -> ExamResult:
    """The share of cubes solved within `steps`, for each number of scramble twists, and their mean."""
    rules = paper.game.rules
    assert isinstance(rules, Rubiks)
    shares, errors, details = [], [], {}
    every: list[float] = []
    for number in twists:
        scrambles = Game(replace(rules, twists=number))
        starts = [scrambles.initial_state(paper.seed * 1_000_003 + i) for i in range(paper.games)]
        result = match(
            paper.game, [paper.agent], paper.games, paper.seed, starts=starts, threads=paper.threads
        )
        solved = [float(r.scores[0] == 1 and len(r.actions) <= steps) for r in result.records]
        shares.append(sum(solved) / len(solved))
        errors.append(standard_error(solved))
        every += solved
        details[f"{number} twists"] = shares[-1]
    mean_error = sum(error**2 for error in errors) ** 0.5 / len(errors)
    games = paper.games * len(shares)
    width = interval(every, (0.0, 1.0))
    return ExamResult(paper.exam, sum(shares) / len(shares), mean_error, games, 1.0, details, width)


def _twists(steps: int) -> Callable[[Paper], ExamResult]:
    def take(paper: Paper) -> ExamResult:
        rules = paper.game.rules
        assert isinstance(rules, Rubiks)
        numbers = {(2, "htm"): (11, 12, 13), (2, "qtm"): (14, 15, 16)}
        return solved_by_twists(paper, numbers.get((rules.size, rules.metric), (7, 8, 9)), steps)

    return take


EXAMS: dict[str, Exam] = {
    exam.name: exam
    for exam in (
        Exam(
            "random",
            "mean score against random players, in every seat",
            lambda game: game.players > 1,
            _against_random,
        ),
        Exam("score", "mean score", lambda game: game.players == 1 and game.name != "rubiks", _score),
        Exam(
            "perfect",
            "mean score against exhaustive search from all starts of no or one action, in both seats",
            lambda game: game.name == "tictactoe",
            _perfect,
        ),
        Exam(
            "bouton",
            "mean score against perfect Nim from all starts of no or one action, in both seats",
            lambda game: isinstance(game.rules, Nim) and game.players == 2 and not game.rules.misere,
            _bouton,
        ),
        Exam(
            "ab",
            "mean score, moving first, against perfect Connect Four that errs when it is lost (GBG's AB)",
            lambda game: game.rules == ConnectFour(),
            _first_against("ab"),
        ),
        Exam(
            "abdl",
            "mean score, moving first, against perfect Connect Four that resists longest (GBG's AB-DL)",
            lambda game: game.rules == ConnectFour(),
            _first_against("abdl"),
        ),
        Exam(
            "twists50",
            "share of far scrambled cubes solved within 50 twists",
            lambda game: game.name == "rubiks",
            _twists(50),
        ),
        Exam(
            "twists20",
            "share of far scrambled cubes solved within 20 twists",
            lambda game: game.name == "rubiks",
            _twists(20),
        ),
    )
}


def exams_for(game: Game) -> list[str]:
    """The exams that a game has."""
    return [name for name, exam in EXAMS.items() if exam.applies(game)]


def evaluate(
    agent: str | Agent,
    game: Game,
    exam: str | None = None,
    games: int = 100,
    seed: int = 0,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> ExamResult:
    """Lets an agent take one of the game's exams (by default the first)."""
    known = exams_for(game)
    if exam is None:
        if not known:
            raise BoardLabError(f"{game.name} has no exam")
        exam = known[0]
    if exam not in EXAMS:
        raise unknown("exam", exam, known)
    if exam not in known:
        raise BoardLabError(f'{game!r} has no exam "{exam}"; it has {", ".join(known)}')
    games = as_integer("games", games, 2, 100_000_000)
    return EXAMS[exam].take(Paper(exam, agent, game, games, seed, threads, progress))
