"""Exams during training: which, how often, and when the agent is good enough to stop.

An exam is one of the arena's by name ("abdl", "perfect", "score" ...), or any agent, against which the
learner then plays in every seat.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boardlab.arena.exams import EXAMS, UNKNOWN, ExamResult, check_has, evaluate, exams_for
from boardlab.arena.exams.exam import SHARE
from boardlab.arena.exams.openings import exact_values, take_openings
from boardlab.arena.exams.opponents import Against
from boardlab.errors import OF_YOUR_OWN, BoardLabError, shown
from boardlab.games.game import Game, as_integer, is_number
from boardlab.learners.usual_exams import FEWEST_GAMES, MOST_EXAMS, MOST_GAMES
from boardlab.numbers import counted, plain
from boardlab.search.agent import Agent
from boardlab.search.expression import ExpressionError
from boardlab.search.expression import agent as make_agent

MOST_ERRORS = 0.1
"""The share of an exam's games that may end by an agent's error; a program may be late now and then."""


@dataclass(frozen=True)
class ExamPlan:
    """What is examined during a run, and when the run may stop before its time."""

    names: tuple[str, ...] = ()
    every: int = 0
    """Episodes between exams (GBG's numEval); 0: one at the end."""
    games: int = MOST_GAMES
    """Games an exam."""
    stop_exam: str | None = None
    """The exam that ends the run early (GBG's stopTest)."""
    stop_at: float | None = None
    """The value that counts as a success; None: the best possible."""
    stop_after: int = 3
    """So many successes in a row end the run (GBG's stopEval)."""
    stop_since: int = 0
    """Exams up to this episode do not count: the run was told to go on."""
    spread: bool = False
    """Whether exams are spread to fit the run's length (usual_exams.py): a longer run has longer pauses."""
    final: tuple[str, ...] = ()
    """Exams that are taken once, at the end, with few games."""

    def take(self, game: Game, agent: Agent, seed: int, is_last: bool = False) -> dict[str, ExamResult]:
        """The results of all exams by name."""
        results = {name: take_exam(name, game, agent, self.games, seed) for name in self.names}
        if is_last:
            results |= {name: take_exam(name, game, agent, FEWEST_GAMES, seed) for name in self.final}
        return results

    def is_success(self, results: Mapping[str, ExamResult]) -> bool:
        """Whether the exam that may end the run was passed."""
        if self.stop_exam is None:
            return False
        result = results[self.stop_exam]
        wanted = result.best if self.stop_at is None else self.stop_at
        return result.value >= wanted - 1e-9

    def is_passed(self, log: Sequence[Mapping[str, Any]]) -> bool:
        """Whether the last rows of the log are enough successes in a row."""
        if self.stop_exam is None:
            return False
        rows = [row for row in log if int(row["episodes"]) > self.stop_since][-self.stop_after :]
        return len(rows) == self.stop_after and all(str(row.get("passed")) == "1" for row in rows)

    def __str__(self) -> str:
        if not self.names:
            return "none"
        how_often = f"every {counted(self.every, 'episodes')}" if self.every else "at the end"
        said = f"{', '.join(self.names)}, {counted(self.games, 'games')} {how_often}"
        return said + "".join(f"; {name}, {FEWEST_GAMES} games at the end" for name in self.final)

    def as_dict(self) -> dict[str, Any]:
        """All fields that are not None, for the run's file."""
        fields = dataclasses.asdict(self)
        for name in ("spread", "final"):
            if not fields[name]:  # as in files of earlier versions
                del fields[name]
        return {name: value for name, value in fields.items() if value is not None}


def default_every(total: int) -> int:
    """Episodes between exams of a run of so many, when nobody says how often."""
    return max(1, total // MOST_EXAMS)


def take_exam(name: str, game: Game, agent: Agent, games: int, seed: int) -> ExamResult:
    """One exam: the arena's of that name, else a match against the agent that the name is."""
    if name in EXAMS:
        result = evaluate(agent, game, name, games, seed)
    else:
        result = evaluate(agent, game, games=games, seed=seed, against=name)
    if result.details.get("errors", 0.0) > MOST_ERRORS:  # such games say nothing about what was learned
        raise BoardLabError(
            f"{result.details['errors']:.0%} of the games of the exam {name} ended by an error, the first: "
            f"{result.problem}"
        )
    return result


def plan_exams(
    game: Game,
    total: int,
    names: Sequence[str] | str = (),
    every: int | None = 0,
    games: int = MOST_GAMES,
    stop_exam: str | None = None,
    stop_at: float | None = None,
    stop_after: int = 3,
    stop_since: int = 0,
    spread: bool = False,
    final: Sequence[str] = (),
) -> ExamPlan:
    """A checked plan. `every` None: a twentieth of the run."""
    if not isinstance(names, Sequence):
        raise BoardLabError(f"exams must be a list of exams, not {shown(names)}")
    names = (names,) if isinstance(names, str) else tuple(names)
    if stop_exam is None and stop_at is not None:
        raise BoardLabError("stop_at needs a stop_exam, the exam whose value it is")
    if stop_exam is not None and stop_exam not in names:
        names = (*names, stop_exam)
    for name in (*names, *final):
        _check_exam(game, name)
    if stop_exam is not None and every == 0:
        every = None  # a run that may stop early needs exams on the way
    if every is None:
        every = default_every(total)
    if stop_at is not None and not is_number(stop_at):
        raise BoardLabError(f"stop_at must be a number, not {shown(stop_at)}")
    if stop_exam in EXAMS and stop_at is None and EXAMS[stop_exam].best_in_words(game) == UNKNOWN:
        raise BoardLabError(f"stop_at must be given: nobody knows the best possible score of {game!r}")
    return ExamPlan(
        tuple(dict.fromkeys(names)),
        as_integer("exam_every", every, 0, 10**12),
        as_integer("exam_games", games, 2, 10**7),
        stop_exam,
        None if stop_at is None else float(stop_at),
        as_integer("stop_after", stop_after, 1, 10**6),
        as_integer("stop_since", stop_since, 0, 10**12),
        bool(spread),
        tuple(final),
    )


def _check_exam(game: Game, name: Any) -> None:
    """Refuses what cannot be examined before the run begins: an unknown exam, a missing package."""
    if not isinstance(name, str):
        raise BoardLabError(f"an exam is a name or an agent expression, not {shown(name)}")
    known = exams_for(game)
    if name in EXAMS:
        check_has(game, name)
        take = EXAMS[name].take
        if isinstance(take, Against):
            make_agent(take.opponent, game)
        elif take is take_openings:
            exact_values(game)
    else:
        if game.players == 1:
            raise BoardLabError(
                f'{game.name} is for one player; its exams are {", ".join(known)}, not "{name}"'
            )
        try:
            make_agent(name, game)
        except ExpressionError as error:
            said = f"{error.message} (or an exam: {', '.join(known)})"
            if error.message.startswith("unknown ") and OF_YOUR_OWN not in said:
                said += OF_YOUR_OWN  # the run may have been started with a plugin
            raise ExpressionError(said, error.source, error.place) from None


def check_stop(game: Game, plan: ExamPlan) -> None:
    """Refuses a value to stop at that cannot come out of its exam: the run would never stop."""
    if plan.stop_exam is None or plan.stop_at is None:
        return
    most = exam_range(plan.stop_exam, game)[1]
    if plan.stop_at > most:
        raise BoardLabError(
            f"stop_at must be at most {plain(most)}, the highest value of the exam {plan.stop_exam}, "
            f"not {shown(plan.stop_at)}"
        )


def exam_range(name: str, game: Game) -> tuple[float, float]:
    """What can come out of the exam: mostly scores of the game."""
    values = EXAMS[name].values if name in EXAMS else None
    return values or game.score_range


def exam_unit(name: str) -> str:
    """What the value of the exam is, in a word or two."""
    values = EXAMS[name].values if name in EXAMS else None
    return "mean score" if values is None else "share" if values == SHARE else "value"


def exam_title(name: str) -> str:
    """The exam as a heading says it: what is no exam's name is an opponent."""
    return f"exam {name}" if name in EXAMS else f"against {name}"


def exam_counts(row: Mapping[str, Any], exam: str) -> str:
    """How many games a row of the log is about and how many of them were distinct; nothing in old logs."""
    games, distinct = (row.get(f"{exam} {column}") for column in ("games", "distinct"))
    if games in (None, ""):
        return ""
    return f", {counted(int(games), 'samples')}" + (
        "" if distinct in (None, "") else f", {int(distinct)} distinct"
    )


def exam_names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The exams that a log has columns of."""
    columns = dict.fromkeys(key for row in rows for key in row)
    return [column for column in columns if f"{column} error" in columns]
