"""Learners: they make an evaluator better by playing, and keep what they learned in a run folder."""

from boardlab.learning.presets import PRESETS, preset
from boardlab.learning.settings import TdNTuple
from boardlab.learning.train import Progress, Run, resume, train

__all__ = ["PRESETS", "Progress", "Run", "TdNTuple", "preset", "resume", "train"]
