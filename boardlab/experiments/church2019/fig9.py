"""Fig. 9: a tournament of the six players of Pathwayz and MCTS, from random first moves."""

from boardlab.experiments.church2019 import PATHWAYZ
from boardlab.experiments.church2019._pathwayz import FULL, FULL_SHOWS, PLAYERS, QUICK
from boardlab.experiments.church2019._players import TOURNAMENT_SEARCHES, tournament
from boardlab.experiments.experiment import Budget

EXPERIMENT = tournament(
    "Fig. 9",
    PATHWAYZ,
    PLAYERS,
    Budget(
        1,
        2,
        "32 channels, one of 50 iterations, 6 games a pair with 50 searches: that it runs.",
        {**QUICK, "searches": 50, "games": 6},
    ),
    Budget(1, 235, FULL_SHOWS, {**FULL, "searches": TOURNAMENT_SEARCHES, "games": 100}),
)
