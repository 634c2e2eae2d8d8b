"""Learners: they make an evaluator better by playing, and keep what they learned in a run folder."""

from boardlab.learning.features import TdFeatures
from boardlab.learning.presets import PRESETS, preset
from boardlab.learning.settings import QNTuple, SarsaNTuple, TdNTuple
from boardlab.learning.train import LEARNERS, Progress, Run, resume, train

__all__ = [
    "LEARNERS",
    "PRESETS",
    "Progress",
    "QNTuple",
    "Run",
    "SarsaNTuple",
    "TdFeatures",
    "TdNTuple",
    "preset",
    "resume",
    "train",
]
