"""The default exam: the best one that fits a tenth of the run's time.

The learning curve should not flatten before the end: perfect play where the game has it and its package is
installed, else positions with known answers, else a tree search that the default preset does not beat at
once. Perfect play that is too slow for a curve is met once, at the end. What an exam costs is declared here
and not measured while a run goes on: the same command takes the same exams on every machine.
"""

import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass

from boardlab.arena.exams import EXAMS
from boardlab.errors import install
from boardlab.games.game import Game
from boardlab.learners.run_options import FEWEST_GAMES, MOST_EXAMS, MOST_GAMES

EXAM_SHARE = 0.1
"""The share of a run's time for all its exams together."""
CURVE = 10
"""Exams that make a learning curve: where a better exam is too slow for as many, a faster one is taken."""


@dataclass(frozen=True)
class UsualExam:
    """An exam, or an opponent, and what it costs."""

    name: str
    cost: float
    """Episodes of td-ntuple's default preset in the time of one game, rounded up.
    `bench/exams.py` measures it."""
    package: str = ""
    """The package that it needs, and the extra of BoardLab that installs it."""
    extra: str = ""

    def is_there(self, game: Game) -> bool:
        """Whether the game has it and its package is installed."""
        if self.package and importlib.util.find_spec(self.package) is None:
            return False
        return EXAMS[self.name].applies(game) if self.name in EXAMS else game.players > 1


_ABDL = UsualExam("abdl", 3500, "bitbully", "references")
_MCTS = "mcts(rollout, iterations={})"

USUAL: dict[str, tuple[UsualExam, ...]] = {
    "tictactoe": (UsualExam("perfect", 15),),
    "connectfour": (_ABDL, UsualExam("stages", 30), UsualExam(_MCTS.format(200), 40)),
    "othello": (UsualExam(_MCTS.format(200), 27),),
    "gobang": (UsualExam(_MCTS.format(500), 40),),
    "nim": (UsualExam("perfect", 20), UsualExam("bouton", 50)),
    "sim": (UsualExam(_MCTS.format(1000), 20),),
    "hex": (UsualExam(_MCTS.format(200), 65),),
    "yavalath": (UsualExam(_MCTS.format(2000), 70),),
    "ewn": (UsualExam(_MCTS.format(200), 45),),
    "2048": (UsualExam("score", 2),),
    "kuhnpoker": (UsualExam("exploitability", 1),),
    "leducpoker": (UsualExam("exploitability", 20),),
    "poker": (UsualExam("tight", 50),),
    "blackjack": (UsualExam("basic", 60),),
    "rubiks": (UsualExam("twists20", 20),),  # a game is one cube of each of three numbers of twists
    "morpion": (UsualExam("score", 3),),
    "pathwayz": (UsualExam(_MCTS.format(1000), 50),),
}
"""By game, the best one first. Tictactoe and blackjack are learned in a tenth of a second: their costs are
declared lower, so that exams take less than a tenth of the whole command, with its folder and picture."""

OTHERS = (
    UsualExam("exploitability", 20),
    UsualExam("perfect", 100),
    UsualExam("optimal", 100),
    UsualExam(_MCTS.format(200), 100),
    UsualExam("score", 3),
)
"""For games of the user's own, and variants without the exams of their game."""


@dataclass(frozen=True)
class UsualPlan:
    """Exam, interval and number of games; no exam where the run is too short for any."""

    names: tuple[str, ...] = ()
    every: int = 0
    games: int = MOST_GAMES
    final: tuple[str, ...] = ()
    """A better exam, too slow for a curve, that is taken once at the end."""


def usual_plan(
    game: Game,
    episodes: int,
    own_cost: Callable[[float], float],
    every: int | None = None,
    games: int | None = None,
) -> UsualPlan:
    """Plan the exams of a run of `episodes` episodes.

    `own_cost` turns the cost of a game into episodes of the learner. A user who gives `every` or `games`
    gets an exam, however short the run is.
    """
    exams = (*USUAL.get(game.name, ()), *OTHERS)
    costs = [own_cost(exam.cost) for exam in exams]
    budget = EXAM_SHARE * episodes

    def first(least: float) -> int | None:
        """The best exam of which `least` games fit the budget."""
        enough = (i for i, cost in enumerate(costs) if budget >= least * cost)
        return next((i for i in enough if exams[i].is_there(game)), None)

    chosen = first(CURVE * FEWEST_GAMES)
    if chosen is None:
        chosen = first(FEWEST_GAMES)
    if chosen is None and (every is not None or games is not None):
        there = [i for i, exam in enumerate(exams) if exam.is_there(game)]
        chosen = min(there, key=lambda i: costs[i], default=None)
    if chosen is None:
        return UsualPlan()
    best = first(2 * FEWEST_GAMES)  # at most half of the time
    final = () if best is None or best >= chosen else (exams[best].name,)
    if best is not None and final:
        budget -= FEWEST_GAMES * costs[best]
    every, games = _spread(episodes, budget / costs[chosen], every, games)
    return UsualPlan((exams[chosen].name,), every, games, final)


def _spread(episodes: int, affordable: float, every: int | None, games: int | None) -> tuple[int, int]:
    """Interval and games: 20 exams of 100 games, or fewer games, or fewer exams."""
    number = MOST_EXAMS if every is None else -(-episodes // every) if every else 1
    if games is None:
        games = int(min(max(affordable / max(1, number), FEWEST_GAMES), MOST_GAMES))
    if every is None:
        number = min(max(int(affordable / games), 1), MOST_EXAMS)
        every = max(1, math.ceil(episodes / number))
    return every, games


def better_exam(game: Game, names: tuple[str, ...]) -> str:
    """How to install a better exam than the chosen one; "" where there is none."""
    for exam in USUAL.get(game.name, ()):
        if exam.name in names:
            break
        if exam.package and not exam.is_there(game) and exam.name in EXAMS and EXAMS[exam.name].applies(game):
            return f"against perfect play ({exam.name}) instead: {install(exam.extra)}"
    return ""
