"""Learners: they make an evaluator better by playing, and keep what they learned in a run folder."""

from boardlab.learning.many import ManyRuns, train_many
from boardlab.learning.presets import PRESETS, preset
from boardlab.learning.settings import TdNTuple
from boardlab.learning.train import Progress, Run, open_run, resume, train

__all__ = [
    "PRESETS",
    "ManyRuns",
    "Progress",
    "Run",
    "TdNTuple",
    "open_run",
    "preset",
    "resume",
    "train",
    "train_many",
]
