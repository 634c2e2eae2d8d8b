"""Learners: they make an evaluator better by playing, and keep what they learned in a run folder."""

from boardlab.learning.features import TdFeatures
from boardlab.learning.many import ManyRuns, train_many
from boardlab.learning.presets import PRESETS, preset
from boardlab.learning.settings import QNTuple, SarsaNTuple, TdNTuple
from boardlab.learning.tabular import QM, QTableSettings
from boardlab.learning.train import LEARNERS, Run, default_learner, open_run, resume, train
from boardlab.learning.training import Progress

__all__ = [
    "LEARNERS",
    "PRESETS",
    "QM",
    "ManyRuns",
    "Progress",
    "QNTuple",
    "QTableSettings",
    "Run",
    "SarsaNTuple",
    "TdFeatures",
    "TdNTuple",
    "default_learner",
    "open_run",
    "preset",
    "resume",
    "train",
    "train_many",
]
