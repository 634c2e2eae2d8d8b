"""Wang (2021): the appendix of the thesis, with its algorithms and an Elo list.

The appendix prints listings and one table. Where it has no numbers of its own, the experiments show what the
algorithms do, beside numbers that others published.
"""

from boardlab.experiments.experiment import Paper

PAPER = Paper("wang2021thesis", "Wang (2021)")
