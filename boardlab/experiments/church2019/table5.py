"""Table 5: the dropout varied."""

from boardlab.experiments.church2019._sweep import sweep

PUBLISHED = {0.1: 48, 0.3: 37, 0.5: 46}
"""Win percentages."""

EXPERIMENT = sweep("Table 5", "dropout", "dropout", PUBLISHED, 4)
