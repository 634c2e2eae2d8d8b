"""Fig. 8: six players of Pathwayz (4x6) against MCTS with 50, 200, 400 and 800 searches."""

from boardlab.experiments.church2019 import PATHWAYZ
from boardlab.experiments.church2019._pathwayz import FULL, FULL_SHOWS, PLAYERS, QUICK
from boardlab.experiments.church2019._players import SEARCHES, against_mcts
from boardlab.experiments.experiment import Budget

_TABLE = {
    "AZ-Res": ((76, 0, 24), (58, 1, 41), (74, 2, 24), (82, 0, 18)),
    "AZ-Conv": ((62, 0, 38), (72, 0, 28), (71, 4, 25), (92, 0, 8)),
    "AZ-Res6": ((81, 0, 19), (65, 1, 34), (75, 6, 19), (82, 6, 12)),
    "AZ-ResC": ((17, 1, 82), (34, 1, 65), (66, 2, 32), (78, 2, 20)),
    "AZ-ResDirichlet1": ((34, 0, 66), (42, 3, 55), (74, 1, 25), (84, 0, 16)),
    "AZ-ResDirichlet003": ((78, 0, 22), (58, 4, 38), (77, 1, 22), (78, 8, 14)),
}
PUBLISHED = {(name, n): row for name, rows in _TABLE.items() for n, row in zip(SEARCHES, rows, strict=True)}
"""Wins, draws and losses."""

EXPERIMENT = against_mcts(
    "Fig. 8",
    PATHWAYZ,
    PLAYERS,
    PUBLISHED,
    Budget(
        1,
        2,
        "32 channels, one of 50 iterations, 10 games with 50 and 200 searches: that it runs.",
        {**QUICK, "searches": (50, 200), "games": 10},
    ),
    Budget(1, 220, FULL_SHOWS, {**FULL, "searches": SEARCHES, "games": 100}),
)
