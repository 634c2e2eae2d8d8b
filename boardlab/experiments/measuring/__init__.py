"""Measures: what is done with trained agents to get the numbers of a cell.

A measure is a plain value, and `take(seed)` returns its numbers by name. Its texts may mention the runs of
trainings as {NAME}; the runner puts their folders there. To add one, write it in a file here and list it.
"""

from boardlab.experiments.measuring.games import Cubes, Exam, Match, Pair, Versus
from boardlab.experiments.measuring.measure import Measure
from boardlab.experiments.measuring.runs import Generation, Switch, Weights
from boardlab.experiments.measuring.times import EpisodeTime, MoveTime

MEASURES: dict[str, type[Measure]] = {
    measure.name: measure
    for measure in (Match, Pair, Versus, Exam, Cubes, Weights, Generation, Switch, MoveTime, EpisodeTime)
}

__all__ = [
    "MEASURES",
    "Cubes",
    "EpisodeTime",
    "Exam",
    "Generation",
    "Match",
    "Measure",
    "MoveTime",
    "Pair",
    "Switch",
    "Versus",
    "Weights",
]
