"""Exams: an agent's strength as a number with error bar and best possible value.

GBG calls an exam an Evaluator. It is a match (opponent, starts, seats) or a set of positions whose answers
are known. To add one, write a function that returns an `ExamResult` and list it as an `Exam` in its file.
"""

import functools
import os
from dataclasses import replace

from boardlab.arena.exams.cards import CARDS
from boardlab.arena.exams.cubes import CUBES, solved_by_twists
from boardlab.arena.exams.exam import UNKNOWN, Exam, ExamResult, Paper, Progress, of_runs
from boardlab.arena.exams.openings import OPENINGS
from boardlab.arena.exams.opponents import FIRST, OPPONENTS
from boardlab.arena.exams.optimal import OPTIMAL
from boardlab.arena.exams.own import register_exam
from boardlab.arena.openings import read_starts, starts_up_to
from boardlab.errors import OF_YOUR_OWN, BoardLabError, shown, unknown
from boardlab.games.game import Game, as_game, as_integer, as_seed
from boardlab.registries import Registry
from boardlab.search.agent import Agent
from boardlab.search.entrants import Entrant, EntrantLike, as_entrants

EXAMS: Registry[Exam] = Registry(
    "exam", [(exam.name, exam) for exam in (*FIRST, *OPPONENTS, *OPTIMAL, *OPENINGS, *CARDS, *CUBES)]
)

__all__ = [
    "EXAMS",
    "UNKNOWN",
    "Exam",
    "ExamResult",
    "Paper",
    "check_exam",
    "check_has",
    "evaluate",
    "exams_for",
    "of_runs",
    "register_exam",
    "solved_by_twists",
    "starts_up_to",
]


def exams_for(game: Game) -> list[str]:
    """List the exams of a game, without variants such as twists30."""
    return [name for name, exam in EXAMS.items() if exam.listed and exam.applies(game)]


def check_has(game: Game, exam: str) -> None:
    """Refuse an exam that the game does not have."""
    if not EXAMS[exam].applies(game):
        why = f", which is for {EXAMS[exam].needs}" if EXAMS[exam].needs else ""
        known = ", ".join(exams_for(game)) or "none"
        raise BoardLabError(f'{game!r} has no exam "{exam}"{why}; it has {known}')


def check_exam(game: Game, exam: str) -> None:
    """Refuse an exam that does not exist, or that the game does not have."""
    if not isinstance(exam, str) or exam not in EXAMS:
        raise unknown("exam", exam, exams_for(game), OF_YOUR_OWN)
    check_has(game, exam)


def evaluate(
    agent: EntrantLike,
    game: Game,
    exam: str | None = None,
    games: int = 100,
    seed: int = 0,
    *,
    against: EntrantLike | None = None,
    starts: int | str | os.PathLike[str] = "default",
    moves_first: bool = False,
    threads: int = 1,
    jobs: int = 1,
    progress: Progress | None = None,
) -> ExamResult:
    """Let an agent take an exam (default: the game's first), or play an opponent.

    `against` names the opponent, any agent. `starts` sets where games begin ("0": at the initial position,
    "1": from all positions after one action, "0-1", "random 4", or a file of openings); with `moves_first`
    the agent always begins. By default games begin from varied openings if the players may repeat themselves,
    otherwise, and with `moves_first`, at the initial position. The result reports how many games were
    distinct; repeated games do not narrow its interval. `jobs` processes play the games of exams that are
    matches, each on `threads` threads.

    Every run of an agent that names a folder of runs, as in 'greedy(ntuple("runs/multi"))', takes the whole
    exam; the result is their mean, with the interval between runs. An opponent that is a folder deals the
    games to its runs, as in `match`.
    """
    as_game(game)
    entrant = as_entrants([agent])[0]
    games = as_integer("games", games, 2, 100_000_000)
    if against is not None and exam is not None:
        raise BoardLabError("give an exam or an opponent (against), not both")
    rest = (game, exam, games, seed, against, starts, moves_first, threads, jobs)
    if not entrant.members:
        return _taken(entrant.agent, *rest, progress)
    results = {}
    for number, (run, member) in enumerate(zip(entrant.runs, entrant.members, strict=True)):
        told = functools.partial(_told, progress, number * games) if progress else None
        results[run] = _taken(member, *rest, told)
    return of_runs(results)


def _told(progress: Progress, before: int, done: int) -> None:
    progress(before + done)


def _taken(
    player: str | Agent,
    game: Game,
    exam: str | None,
    games: int,
    seed: int,
    against: EntrantLike | None,
    starts: int | str | os.PathLike[str],
    moves_first: bool,
    threads: int,
    jobs: int,
    progress: Progress | None,
) -> ExamResult:
    """Let one agent take the exam."""
    if against is not None:
        opponent = as_entrants([against])[0]
        return _against(player, game, games, seed, opponent, starts, moves_first, threads, progress, jobs)
    if starts != "default" or moves_first:
        raise BoardLabError("starts and moves_first need an opponent; name one with against")
    if exam is None:
        exam = next(iter(exams_for(game)), None)
        if exam is None:
            raise BoardLabError(f"{game.name} has no exam")
    check_exam(game, exam)
    return EXAMS[exam].take(Paper(exam, player, game, games, as_seed(seed), threads, progress, jobs))


def _against(
    agent: str | Agent,
    game: Game,
    games: int,
    seed: int,
    against: Entrant,
    starts: int | str | os.PathLike[str],
    moves_first: bool,
    threads: int,
    progress: Progress | None,
    jobs: int,
) -> ExamResult:
    if game.players == 1:
        raise BoardLabError(f"{game.name} is for one player, so there is nobody to play against")
    if not isinstance(starts, (int, str, os.PathLike)):
        raise BoardLabError(f"starts must be a number of actions or text, not {shown(starts)}")
    positions, random_actions = read_starts(game, starts)
    is_default = isinstance(starts, str) and starts.strip() == "default"
    seatings = [list(range(game.players))] if moves_first else None
    paper = Paper(f"against {against.given}", agent, game, games, as_seed(seed), threads, progress, jobs)
    return paper.play(
        replace(against, name=""),  # it may sit in several seats
        starts=None if is_default else positions,
        seatings=seatings,
        random_actions=random_actions,
    )
