"""Fig. 5: later results against a random opponent, who almost always loses."""

from boardlab.experiments.church2019._connect3 import against_random
from boardlab.experiments.experiment import Budget

EXPERIMENT = against_random(
    "Fig. 5",
    "Later results of AZ-Conv on Connect3 (5x6) against a random player.",
    "Fig. 5 and its text: the player could almost always beat a random opponent",
    Budget(
        1,
        1,
        "32 channels, six iterations, 40 games.",
        {"iterations": 6, "channels": 32, "searches": 100, "games": 40},
    ),
    Budget(
        3,
        2,
        "64 channels, 20 iterations, 100 games, three runs.",
        {"iterations": 20, "channels": 64, "searches": 100, "games": 100},
    ),
)
