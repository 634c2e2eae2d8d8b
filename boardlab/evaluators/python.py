"""Evaluators written in Python: a function of arrays, asked about many positions at once."""

import re
from collections.abc import Callable
from dataclasses import dataclass, fields, make_dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boardlab import _engine
from boardlab.errors import BoardLabError, shown
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.games.game import Game, State, as_game, check_outcome
from boardlab.options import first_line, own_options
from boardlab.paths import code_of

Judge: TypeAlias = Callable[[Any, NDArray[np.bool_]], Any]
"""judge(inputs, legal) -> values or (values, logits), for n positions at once:

inputs  what `inputs` names, from the view of the player to move:
        "planes" float32 [n, planes, rows, cols], "cells" uint8 [n, cells], "features" float64 [n, features],
        "states" a list of n states
legal   bool [n, actions]
values  [n, players]: expected outcomes of the player to move, then of the players after it in the order of
        their numbers; [n] is enough for one player and in two-player zero-sum games
logits  [n, actions]: the priors are their softmax over the legal actions

The arrays are written anew for the next batch: copy what you want to keep. A position in which nature moves
is never asked about; nature moves on first, at random. In games with rounds values are what the rest of the
round will bring: searches add the score so far, and end with the round.
"""

INPUTS = ("planes", "cells", "features", "states")

Factory: TypeAlias = Callable[..., Judge]
"""factory(game, **parameters) -> judge"""


def python_evaluator(
    game: Game, judge: Judge, *, inputs: str = "planes", priors: bool = True, outcome: str = "score"
) -> _engine.Evaluator:
    """The engine's evaluator over `judge`; `priors` says whether it returns logits."""
    as_game(game)
    if not callable(judge):
        raise BoardLabError(f"an evaluator in Python is a function judge(inputs, legal), not {shown(judge)}")
    if inputs not in INPUTS:
        allowed = ", ".join(f'"{name}"' for name in INPUTS)
        raise BoardLabError(f"inputs must be one of {allowed}, not {shown(inputs)}")
    check_outcome(game, outcome)

    def ask(rows: Any, legal: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        if inputs == "states":
            rows = [State(game, core) for core in rows]
        return checked_answer(judge(rows, legal), priors)

    return _engine.python_evaluator(game.core, ask, inputs, bool(priors), outcome)


def checked_answer(answer: Any, priors: bool) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
    """What a judge returned, as 32-bit arrays with two dimensions; the engine checks the rest."""
    if isinstance(answer, tuple) and len(answer) == 2:
        values, logits = answer
    elif priors:
        raise BoardLabError(
            f"the evaluator has priors, so that it returns (values, logits), not {_kind(answer)}"
        )
    else:
        values, logits = answer, None
    values = _floats("values", values)
    if values.ndim == 1:
        values = values[:, np.newaxis]
    if values.ndim != 2:
        raise BoardLabError(f"the evaluator's values must be [n] or [n, players], not {list(values.shape)}")
    if not priors:
        return np.ascontiguousarray(values), None
    logits = _floats("logits", logits)
    if logits.ndim != 2:
        raise BoardLabError(f"the evaluator's logits must be [n, actions], not {list(logits.shape)}")
    return np.ascontiguousarray(values), np.ascontiguousarray(logits)


def _floats(what: str, given: Any) -> NDArray[np.float32]:
    try:
        array = np.asarray(given)
    except (TypeError, ValueError, RuntimeError) as error:  # a ragged list; a tensor that needs its gradient
        raise BoardLabError(f"the evaluator's {what} are no array: {error}") from None
    if array.dtype.kind not in "fiub":
        raise BoardLabError(f"the evaluator's {what} must be an array of numbers, not {_kind(given)}")
    return array.astype(np.float32, copy=False)


def _kind(value: Any) -> str:
    shape = getattr(value, "shape", None)
    kind = type(value).__name__
    return f"{kind} of shape {list(shape)}" if isinstance(shape, tuple) else f"{kind} {shown(value)}"


def register_evaluator(
    name: str, *, inputs: str = "planes", priors: bool = True, outcome: str = "score"
) -> Callable[[Factory], Factory]:
    """Makes an evaluator in Python known by name: `mcts(NAME, iterations=100)` then works as any other agent.

    Decorates a function of the game that returns the judge (see `Judge`):

        @bl.register_evaluator("even", priors=False)
        def even(game):
            return lambda planes, legal: np.zeros(len(planes))

    Its keyword arguments are parameters: after `def even(game, weight=1.0)` there is `mcts(even(weight=2))`.
    The first line of its docstring is what `boardlab agents` says about it. On the command line, name the
    file that registers it: `boardlab --plugin even.py match tictactoe "mcts(even)" random`.
    """
    from boardlab.evaluators import EVALUATORS, RESERVED

    check_own_name("an evaluator", name)
    if name in EVALUATORS and not issubclass(EVALUATORS[name], _Registered):
        raise BoardLabError(f'"{name}" is an evaluator of BoardLab itself; choose another name')
    if name in RESERVED:
        raise BoardLabError(f'"{name}" is a search or a player already; choose another name')
    if inputs not in INPUTS:
        allowed = ", ".join(f'"{known}"' for known in INPUTS)
        raise BoardLabError(f"inputs must be one of {allowed}, not {shown(inputs)}")

    def register(make: Factory) -> Factory:
        if not callable(make):
            raise BoardLabError(
                f"register_evaluator decorates a function of the game that returns a judge, not {shown(make)}"
            )
        said = first_line(make, "An evaluator written in Python.")

        def build(self: EvaluatorSpec, game: Game) -> _engine.Evaluator:
            parameters = {field.name: getattr(self, field.name) for field in fields(self)}
            judge = make(game, **parameters)
            return python_evaluator(game, judge, inputs=inputs, priors=priors, outcome=outcome)

        EVALUATORS[name] = make_dataclass(
            name,
            own_options(make, ["game"], f"the evaluator {name}", ["name", *dir(_Registered)]),
            bases=(_Registered,),
            namespace={"__doc__": said, "name": name, "own_code": code_of(make), "build": build},
            frozen=True,
        )
        return make

    return register


def check_own_name(what: str, name: Any) -> None:
    """Refuses a name that cannot stand in an expression."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][\w-]*", name):
        raise BoardLabError(
            f"the name of {what} is a letter, then letters, digits, _ and -, not {shown(name)}"
        )


@dataclass(frozen=True)
class _Registered(EvaluatorSpec):
    """An evaluator that `register_evaluator` made known."""


def own_evaluators() -> list[str]:
    """The names that `register_evaluator` made known."""
    from boardlab.evaluators import EVALUATORS

    return [name for name, kind in EVALUATORS.items() if issubclass(kind, _Registered)]
