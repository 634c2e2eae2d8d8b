"""Fig. 7: a tournament of the six players of Connect Four and MCTS.

200 games a pair with 200 searches a move. The first move of both players is random, because most games
between two AlphaZero players would repeat themselves.
"""

from boardlab.experiments.church2019 import CONNECT_FOUR
from boardlab.experiments.church2019._connectfour import FULL, FULL_SHOWS, PLAYERS, QUICK
from boardlab.experiments.church2019._players import TOURNAMENT_SEARCHES, tournament
from boardlab.experiments.experiment import Budget

EXPERIMENT = tournament(
    "Fig. 7",
    CONNECT_FOUR,
    PLAYERS,
    Budget(
        1,
        2,
        "32 channels, two of 50 iterations, 10 games a pair with 50 searches: that it runs.",
        {**QUICK, "searches": 50, "games": 10},
    ),
    Budget(
        1,
        260,
        f"{FULL_SHOWS} 40 of the paper's 200 games a pair.",
        {**FULL, "searches": TOURNAMENT_SEARCHES, "games": 40},
    ),
)
