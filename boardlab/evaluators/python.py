"""Evaluators written in Python.

They are functions of arrays that judge a batch of positions.
"""

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
"""judge(inputs, legal) -> values or (values, logits), for a batch of n positions:

inputs  what `inputs` names, from the view of the player to move:
        "planes" float32 [n, planes, rows, cols], "cells" uint8 [n, cells], "features" float64 [n, features],
        "states" a list of n states
legal   bool [n, actions]
values  [n, players]: expected outcomes of the player to move, then of the players after it in the order of
        their numbers; [n] is enough for one player and in two-player zero-sum games
logits  [n, actions]: the priors are their softmax over the legal actions

The arrays are reused for the next batch: copy what you keep. Where nature moves, a random outcome is played
first, so a judge only sees positions of players. In games with rounds, values are what the rest of the round
will pay: searches add the score so far and end with the round.
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
    check_inputs(inputs)
    check_outcome(game, outcome)

    def ask(rows: Any, legal: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        if inputs == "states":
            rows = [State(game, core) for core in rows]
        return checked_answer(judge(rows, legal), priors)

    return _engine.python_evaluator(game.core, ask, inputs, bool(priors), outcome)


def check_inputs(inputs: str) -> None:
    """Refuse an unknown name of a judge's inputs."""
    if inputs not in INPUTS:
        allowed = ", ".join(f'"{name}"' for name in INPUTS)
        raise BoardLabError(f"inputs must be one of {allowed}, not {shown(inputs)}")


def checked_answer(answer: Any, priors: bool) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
    """Return a judge's answer as 32-bit arrays with two dimensions.

    The engine checks the rest.
    """
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


def own_evaluator(
    name: str, make: Factory, *, inputs: str, priors: bool, outcome: str
) -> type[EvaluatorSpec]:
    """Return a Python evaluator's parameters, read from its factory's signature."""
    if not callable(make):
        raise BoardLabError(
            f"register_evaluator decorates a function of the game that returns a judge, not {shown(make)}"
        )

    def build(self: EvaluatorSpec, game: Game) -> _engine.Evaluator:
        parameters = {field.name: getattr(self, field.name) for field in fields(self)}
        judge = make(game, **parameters)
        return python_evaluator(game, judge, inputs=inputs, priors=priors, outcome=outcome)

    return make_dataclass(
        name,
        own_options(make, ["game"], f"the evaluator {name}", ["name", *dir(OwnEvaluator)]),
        bases=(OwnEvaluator,),
        namespace={
            "__doc__": first_line(make, "An evaluator written in Python."),
            "name": name,
            "own_code": code_of(make),
            "build": build,
        },
        frozen=True,
    )


def check_own_name(what: str, name: Any) -> None:
    """Refuse a name that cannot stand in an expression."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][\w-]*", name):
        raise BoardLabError(
            f"the name of {what} is a letter, then letters, digits, _ and -, not {shown(name)}"
        )


@dataclass(frozen=True)
class OwnEvaluator(EvaluatorSpec):
    """An evaluator that `register_evaluator` made known."""
