"""Fig. 8: MCTS inside self-play under the same training time.

Two hours allow 250,000 episodes without MCTS (W0) and 12,000, 1,200 and 120 with 100, 1,000 and 10,000
iterations a move.
"""

from boardlab.experiments.experiment import Budget, Experiment
from boardlab.experiments.forms import Published
from boardlab.experiments.scheiermann2022 import PAPER, _inside
from boardlab.experiments.scheiermann2022._edax import LEVELS

PUBLISHED: Published = {}
"""Win rates against Edax by group and level, where the paper gives them as numbers."""

EXPERIMENT = Experiment(
    paper=PAPER,
    item="Fig. 8",
    title="Othello: MCTS inside self-play under the same training time.",
    keys=("group", "opponent", "level"),
    plan=_inside.plan,
    show=lambda results: _inside.show(results, PUBLISHED),
    published=PUBLISHED,
    source="Fig. 8 prints curves: W1000 and W10000 cannot compete at any level, W0 is best",
    choices=_inside.CHOICES,
    quick=Budget(
        seeds=1,
        cpu_minutes=2,
        shows="a fiftieth of the training time, one agent each, 1,000 of 10,000 iterations in play.",
        settings={
            "episodes": {"W0": 5_000, "W100": 240, "W1000": 24, "W10000": 3},
            "iterations": 1_000,
            "levels": (1, 3, 5),
        },
    ),
    full=Budget(
        seeds=5,
        cpu_minutes=35,
        shows="a tenth of the training time, five agents each.",
        settings={
            "episodes": {"W0": 25_000, "W100": 1_200, "W1000": 120, "W10000": 12},
            "iterations": 10_000,
            "levels": LEVELS,
        },
    ),
)
