"""Evaluators: judges of positions.

To add one, write a frozen dataclass with `build` and add a line to EVALUATORS.
"""

from boardlab.evaluators.evaluator import Evaluator, EvaluatorSpec
from boardlab.evaluators.features import Features, register_features
from boardlab.evaluators.mix import Mix
from boardlab.evaluators.net import Net
from boardlab.evaluators.ntuple import NTuple
from boardlab.evaluators.python import OwnEvaluator, python_evaluator
from boardlab.evaluators.qtable import QTable
from boardlab.evaluators.regret import Regret
from boardlab.evaluators.simple import Endgame, Rollout, Score, Solver
from boardlab.registries import Registry

_OWN: tuple[type[EvaluatorSpec], ...] = (
    Rollout, Score, Solver, Endgame, NTuple, Net, Features, Mix, QTable, Regret,
)  # fmt: skip

EVALUATORS: Registry[type[EvaluatorSpec]] = Registry("evaluator", [(spec.name, spec) for spec in _OWN])


def own_evaluators() -> list[str]:
    """The names that `register_evaluator` made known."""
    return [name for name, kind in EVALUATORS.items() if issubclass(kind, OwnEvaluator)]


__all__ = [
    "EVALUATORS",
    "Evaluator",
    "EvaluatorSpec",
    "own_evaluators",
    "python_evaluator",
    "register_features",
]
