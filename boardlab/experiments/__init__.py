"""Experiments: the papers' tables and figures, one command each; sweeps over settings.

`reproduce` runs one of them. A folder here is a paper, a file in it an experiment; everything else is shared.
`sweep` trains every combination of settings over several seeds (sweep*.py).
"""

from boardlab.experiments.experiment import Budget, Cell, Experiment, Plan, Training
from boardlab.experiments.registry import experiment, experiment_names
from boardlab.experiments.reproduce import Reproduction, reproduce
from boardlab.experiments.sweep import SweepFailedError, SweepResult, sweep
from boardlab.experiments.sweep_values import Range

__all__ = [
    "Budget",
    "Cell",
    "Experiment",
    "Plan",
    "Range",
    "Reproduction",
    "SweepFailedError",
    "SweepResult",
    "Training",
    "experiment",
    "experiment_names",
    "reproduce",
    "sweep",
]
