"""Experiments: the papers' tables and figures, one command each.

`reproduce` runs one of them. A folder here is a paper, a file in it an experiment; everything else is shared.
"""

from boardlab.experiments.experiment import Budget, Cell, Experiment, Plan, Training
from boardlab.experiments.registry import experiment, experiment_names
from boardlab.experiments.reproduce import Reproduction, reproduce

__all__ = [
    "Budget",
    "Cell",
    "Experiment",
    "Plan",
    "Reproduction",
    "Training",
    "experiment",
    "experiment_names",
    "reproduce",
]
