"""Fig. 4: early results against a random opponent.

The figure shows a player that "could not even convincingly learn to beat a random opponent" because of coding
mistakes that were fixed later. Ours is the first five iterations of a player without them.
"""

from boardlab.experiments.church2019._connect3 import against_random
from boardlab.experiments.experiment import Budget

EXPERIMENT = against_random(
    "Fig. 4",
    "Early results of AZ-Conv on Connect3 (5x6) against a random player.",
    "Fig. 4 shows a player with mistakes that the author then fixed: not comparable",
    Budget(
        1,
        1,
        "32 channels, three iterations, 40 games.",
        {"iterations": 3, "channels": 32, "searches": 25, "games": 40},
    ),
    Budget(
        3,
        1,
        "64 channels, five iterations, 100 games, three runs.",
        {"iterations": 5, "channels": 64, "searches": 25, "games": 100},
    ),
)
