"""Learners improve an evaluator by playing, and keep it in a run folder."""

from boardlab.learners.compare import Comparison, compare
from boardlab.learners.features import TdFeatures
from boardlab.learners.learner import Learner, LearnerSettings
from boardlab.learners.listing import RunList, list_runs
from boardlab.learners.many import ManyRuns, resume_many, train_many
from boardlab.learners.ntuple.settings import QNTuple, SarsaNTuple, TdNTuple
from boardlab.learners.own import register_learner
from boardlab.learners.players import Players, players
from boardlab.learners.presets import PRESETS, preset
from boardlab.learners.registry import LEARNERS, default_learner, known_learner
from boardlab.learners.resume import resume
from boardlab.learners.run import Run, open_run
from boardlab.learners.tabular import QM, QTableSettings
from boardlab.learners.train import train
from boardlab.learners.training import Progress

__all__ = [
    "LEARNERS",
    "PRESETS",
    "QM",
    "Comparison",
    "Learner",
    "LearnerSettings",
    "ManyRuns",
    "Players",
    "Progress",
    "QNTuple",
    "QTableSettings",
    "Run",
    "RunList",
    "SarsaNTuple",
    "TdFeatures",
    "TdNTuple",
    "compare",
    "default_learner",
    "known_learner",
    "list_runs",
    "open_run",
    "players",
    "preset",
    "register_learner",
    "resume",
    "resume_many",
    "train",
    "train_many",
]
