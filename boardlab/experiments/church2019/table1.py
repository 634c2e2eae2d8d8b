"""Table 1: the number of blocks varied."""

from boardlab.experiments.church2019._sweep import sweep

PUBLISHED = {1: 36, 2: 40, 3: 36, 4: 45}
"""Win percentages."""

EXPERIMENT = sweep("Table 1", "# blocks", "blocks", PUBLISHED, 7)
