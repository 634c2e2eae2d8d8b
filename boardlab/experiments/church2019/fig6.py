"""Fig. 6: six players of Connect Four against MCTS with 50, 200, 400 and 800 searches.

Every player has 50 iterations of training, 5,000 games of self-play. Both sides have the same number of
searches a move; 100 games, the orders switched.
"""

from boardlab.experiments.church2019 import CONNECT_FOUR
from boardlab.experiments.church2019._connectfour import FULL, FULL_SHOWS, PLAYERS, QUICK
from boardlab.experiments.church2019._players import SEARCHES, against_mcts
from boardlab.experiments.experiment import Budget

_TABLE = {
    "AZ-Res": ((92, 2, 6), (73, 6, 21), (60, 4, 36), (56, 2, 42)),
    "AZ-Conv": ((80, 7, 13), (65, 12, 23), (55, 11, 34), (60, 8, 32)),
    "AZ-Res6": ((87, 4, 9), (72, 9, 19), (72, 5, 23), (66, 2, 32)),
    "AZ-ResC": ((90, 3, 7), (66, 9, 25), (36, 16, 48), (48, 10, 42)),
    "AZ-ResDiff": ((88, 3, 9), (71, 5, 24), (70, 0, 30), (54, 6, 40)),
    "AZ-Res32": ((94, 1, 5), (76, 7, 17), (74, 10, 16), (62, 4, 34)),
}
PUBLISHED = {(name, n): row for name, rows in _TABLE.items() for n, row in zip(SEARCHES, rows, strict=True)}
"""Wins, draws and losses."""

EXPERIMENT = against_mcts(
    "Fig. 6",
    CONNECT_FOUR,
    PLAYERS,
    PUBLISHED,
    Budget(
        1,
        2,
        "32 channels, two of 50 iterations, 20 games with 50 and 200 searches: that it runs.",
        {**QUICK, "searches": (50, 200), "games": 20},
    ),
    Budget(1, 470, FULL_SHOWS, {**FULL, "searches": SEARCHES, "games": 100}),
)
