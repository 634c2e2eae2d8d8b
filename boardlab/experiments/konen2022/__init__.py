"""Konen (2022): GBG, a framework of games, agents, wrappers and an arena for one, two and more players."""

from boardlab.experiments.experiment import Paper

PAPER = Paper("konen2022", "Konen (2022)")
