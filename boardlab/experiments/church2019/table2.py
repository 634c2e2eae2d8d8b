"""Table 2: the exploration C varied."""

from boardlab.experiments.church2019._sweep import sweep

PUBLISHED = {1.0: 40, 3.0: 35}
"""Win percentages."""

EXPERIMENT = sweep("Table 2", "C", "cpuct", PUBLISHED, 3)
