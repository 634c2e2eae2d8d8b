"""Fig. 9: MCTS inside self-play with the same small number of episodes, 12,000.

The training times differ by factors of 10; W0 is weaker than TCL-wrap, which has 250,000 episodes.
"""

from boardlab.experiments.experiment import Budget, Experiment
from boardlab.experiments.forms import Published
from boardlab.experiments.scheiermann2022 import PAPER, _inside
from boardlab.experiments.scheiermann2022._edax import LEVELS

PUBLISHED: Published = {}
"""Win rates against Edax by group and level, where the paper gives them as numbers."""

EXPERIMENT = Experiment(
    paper=PAPER,
    item="Fig. 9",
    title="Othello: MCTS inside self-play with the same small number of episodes.",
    keys=("group", "opponent", "level"),
    plan=_inside.plan,
    show=lambda results: _inside.show(results, PUBLISHED),
    published=PUBLISHED,
    source="Fig. 9 prints curves: levels 5 to 9 stay below TCL-wrap, W1000 and W10000 are not better than "
    "W100",
    choices=_inside.CHOICES,
    quick=Budget(
        seeds=1,
        cpu_minutes=2,
        shows="a fiftieth of the episodes (W1000: a 500th), one agent each, no W10000, 1,000 of 10,000 "
        "iterations in play.",
        settings={
            "episodes": {"W0": 240, "W100": 240, "W1000": 24},
            "iterations": 1_000,
            "levels": (1, 3, 5),
        },
    ),
    full=Budget(
        seeds=5,
        cpu_minutes=130,
        shows="a tenth of the episodes (W10000: a hundredth), five agents each.",
        settings={
            "episodes": {"W0": 1_200, "W100": 1_200, "W1000": 1_200, "W10000": 120},
            "iterations": 10_000,
            "levels": LEVELS,
        },
    ),
)
