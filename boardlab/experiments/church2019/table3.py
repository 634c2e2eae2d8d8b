"""Table 3: the optimiser varied."""

from boardlab.experiments.church2019._sweep import sweep

PUBLISHED = {"sgd": 40, "adam": 45}
"""Win percentages."""

EXPERIMENT = sweep("Table 3", "optimiser", "optimiser", PUBLISHED, 3)
