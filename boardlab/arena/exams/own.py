"""Exams written by users, registered by name like all others."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, overload

import numpy as np

from boardlab.arena.exams.exam import UNKNOWN, Exam, ExamResult, Paper
from boardlab.arena.intervals import interval, standard_error
from boardlab.errors import BoardLabError, shown
from boardlab.evaluators.python import check_own_name
from boardlab.games.game import Game, is_number
from boardlab.numbers import plain
from boardlab.options import first_line
from boardlab.search.expression import AGENTS

Take = TypeVar("Take", bound=Callable[[Paper], Any])
"""take(paper) -> an ExamResult, or numbers"""

ANY_VALUE = (-math.inf, math.inf)


@dataclass(frozen=True)
class _Registered(Exam):
    """An exam that `register_exam` added."""


@overload
def register_exam(
    name: str,
    *,
    best: float | None = None,
    values: tuple[float, float] = ANY_VALUE,
    applies: Callable[[Game], bool] | None = None,
) -> Callable[[Take], Take]: ...
@overload
def register_exam(
    name: str,
    function: Take,
    *,
    best: float | None = None,
    values: tuple[float, float] = ANY_VALUE,
    applies: Callable[[Game], bool] | None = None,
) -> Take: ...
def register_exam(
    name: str,
    function: Any = None,
    *,
    best: float | None = None,
    values: tuple[float, float] = ANY_VALUE,
    applies: Callable[[Game], bool] | None = None,
) -> Any:
    """Register an exam by name, for `evaluate` and for training runs.

    Decorates a function of the `Paper` (the agent, the game, the number of games, the seed) that returns an
    `ExamResult` (`paper.play` and `paper.share` make one), or numbers, one per game, whose mean is the value:

        @bl.register_exam("length", values=(5, 9), applies=lambda game: game.name == "tictactoe")
        def length(paper):
            result = bl.match(paper.game, [paper.agent, "random"], paper.games, paper.seed)
            return [len(record.actions) for record in result.records]

        bl.evaluate("mcts", bl.game("tictactoe"), "length")

    `register_exam("length", length)` does the same. `best` is the best possible value, if it is known;
    `values` are the least and the greatest possible value; `applies` returns whether a game has this exam (by
    default all have it). `boardlab evaluate --list` shows the first line of the docstring.
    """
    from boardlab.arena.exams import EXAMS

    check_own_name("an exam", name)
    if name in EXAMS and not isinstance(EXAMS[name], _Registered):
        raise BoardLabError(f'"{name}" is a built-in exam; choose another name')
    if name in AGENTS:
        raise BoardLabError(f'"{name}" is an agent, which is already an exam; choose another name')
    if best is not None and not is_number(best):
        raise BoardLabError(f"best must be a number or None, not {shown(best)}")
    possible = _as_range(values)
    if applies is not None and not callable(applies):
        raise BoardLabError(f"applies must be a function of a game, not {shown(applies)}")

    def register(take: Take) -> Take:
        if not callable(take):
            raise BoardLabError(f"register_exam needs a function of the paper, not {shown(take)}")
        exam = _Registered(
            name,
            first_line(take, "an exam written in Python"),
            applies or (lambda game: True),
            lambda paper: _result(paper, take(paper), best, possible),
            UNKNOWN if best is None else plain(best),
            values=possible,
        )
        EXAMS.register(name, exam)
        return take

    return register if function is None else register(function)


def own_exams() -> list[str]:
    """List the names that `register_exam` added."""
    from boardlab.arena.exams import EXAMS

    return [name for name, exam in EXAMS.items() if isinstance(exam, _Registered)]


def _as_range(values: Any) -> tuple[float, float]:
    try:
        low, high = map(float, values)
    except (TypeError, ValueError):
        low = high = math.nan
    if not low < high:
        raise BoardLabError(f"values must be the least and the greatest, as (0, 1), not {shown(values)}")
    return low, high


def _result(paper: Paper, answer: Any, best: float | None, possible: tuple[float, float]) -> ExamResult:
    """Turn the function's answer into a result with an error bar."""
    exam, (low, high) = paper.exam, possible
    if isinstance(answer, ExamResult):
        if not is_number(answer.value):
            raise BoardLabError(f"the value of the exam {exam} must be a number, not {shown(answer.value)}")
        return replace(answer, exam=exam)
    try:
        array = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise BoardLabError(f"the exam {exam} must return an ExamResult or numbers, not {shown(answer)}")
    scores: list[float] = array.tolist()
    for score in scores:
        if not low <= score <= high:
            raise BoardLabError(f"the exam {exam} has values from {low:g} to {high:g}, not {score:g}")
    return ExamResult(
        exam,
        sum(scores) / len(scores),
        standard_error(scores),
        len(scores),
        high if best is None else float(best),
        interval=interval(scores, possible),
        is_bound=best is None,
    )
