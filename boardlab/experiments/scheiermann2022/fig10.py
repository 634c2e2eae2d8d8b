"""Fig. 10: MCTS inside self-play with all 250,000 episodes.

W100 takes 30 times the training time of W0, which is TCL-wrap.
"""

from boardlab.experiments.experiment import Budget, Experiment
from boardlab.experiments.forms import Published
from boardlab.experiments.scheiermann2022 import PAPER, _inside
from boardlab.experiments.scheiermann2022._edax import LEVELS

PUBLISHED: Published = {("W0", 8): 0.34, ("W100", 8): 0.66}
"""Win rates against Edax by group and level, where the paper gives them as numbers."""

EXPERIMENT = Experiment(
    paper=PAPER,
    item="Fig. 10",
    title="Othello: MCTS inside self-play with all episodes.",
    keys=("group", "opponent", "level"),
    plan=_inside.plan,
    show=lambda results: _inside.show(results, PUBLISHED),
    published=PUBLISHED,
    source="Fig. 10: W100 is mostly better than W0; level 8 rises from 34% to 66%",
    choices=_inside.CHOICES,
    quick=Budget(
        seeds=1,
        cpu_minutes=2,
        shows="a hundredth of the episodes (W100: a thousandth), one agent each, 1,000 of 10,000 iterations.",
        settings={
            "episodes": {"W0": 2_500, "W100": 250},
            "iterations": 1_000,
            "levels": (1, 3, 5),
        },
    ),
    full=Budget(
        seeds=5,
        cpu_minutes=125,
        shows="a tenth of the episodes, five agents each.",
        settings={
            "episodes": {"W0": 25_000, "W100": 25_000},
            "iterations": 10_000,
            "levels": LEVELS,
        },
    ),
)
