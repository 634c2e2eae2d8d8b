"""Table 4: the batch size varied."""

from boardlab.experiments.church2019._sweep import sweep

PUBLISHED = {32: 38, 64: 37, 128: 50}
"""Win percentages."""

EXPERIMENT = sweep("Table 4", "batch size", "batch", PUBLISHED, 4)
