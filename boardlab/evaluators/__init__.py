"""Evaluators: judges of positions. Adding one: a frozen dataclass with `build`, a line in EVALUATORS."""

from boardlab.evaluators.evaluator import Evaluator, EvaluatorSpec
from boardlab.evaluators.features import Features, register_features
from boardlab.evaluators.mix import Mix
from boardlab.evaluators.net import Net
from boardlab.evaluators.ntuple import NTuple
from boardlab.evaluators.python import python_evaluator, register_evaluator
from boardlab.evaluators.qtable import QTable
from boardlab.evaluators.simple import Endgame, Rollout, Score, Solver

EVALUATORS: dict[str, type[EvaluatorSpec]] = {
    spec.name: spec for spec in (Rollout, Score, Solver, Endgame, NTuple, Net, Features, Mix, QTable)
}

RESERVED: set[str] = set()
"""Names of searches and players: they fill it in, and no evaluator may be registered by one."""

__all__ = [
    "EVALUATORS",
    "RESERVED",
    "Evaluator",
    "EvaluatorSpec",
    "python_evaluator",
    "register_evaluator",
    "register_features",
]
