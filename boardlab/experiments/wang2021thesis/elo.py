"""Table A.3: an Elo rating list by BayesElo, of a full tournament of trained models in Othello 6x6.

Eight runs of a baseline and of five warm starts, and a random player: 49 players, 20 games a pair. The
columns are those of the BayesElo program.
"""

from typing import Any

from boardlab.arena.ratings import BayesElo, read_pgn_results
from boardlab.experiments.display import Display
from boardlab.experiments.experiment import Budget, Experiment, Plan
from boardlab.experiments.pool import pool_cells, pool_ratings, pool_results
from boardlab.experiments.results import Results
from boardlab.experiments.wang2021._methods import GAMES, METHODS, pool
from boardlab.experiments.wang2021thesis import PAPER

GAME = "Othello"
FIXED = [method for method in METHODS if not method.endswith("adaptive")]
RANDOM = "randomplayer"
AUTHORS_FILE = "arena_othello_final.pgn"
"""The authors' games; in the folder of results it is rated as well."""
PUBLISHED = {
    "Baseline": (77, 39, 18, -2, -7, -17, -65, -100),
    "Rollout, fixed": (17, 11, 7, -6, -8, -11, -43, -109),
    "Rave, fixed": (86, 53, 32, 21, 10, 5, 4, -66),
    "RoRa, fixed": (117, 62, 28, 15, 6, 2, -10, -17),
    "WRo, fixed": (97, 44, 39, 34, 30, 20, 20, 8),
    "WRoRa, fixed": (102, 100, 81, 71, 54, 53, 52, 36),
    RANDOM: (-988,),
}
"""The ratings of the runs of each method."""


def plan(budget: Budget) -> Plan:
    """All models and a random player in one pool."""
    trainings, players = pool(GAME, FIXED, budget)
    players[RANDOM] = "random"
    return Plan(trainings, pool_cells(GAME, GAMES[GAME], players, budget["games"], random_actions=0))


def rating_rows(rated: BayesElo) -> list[list[str]]:
    """The list in the form of the BayesElo program."""
    return [
        [
            str(rank),
            r.name,
            f"{r.elo:.0f}",
            f"{r.plus:.0f}",
            f"{r.minus:.0f}",
            f"{r.games}",
            f"{r.score:.0%}",
            f"{r.opponents:.0f}",
            f"{r.draws:.0%}",
        ]
        for rank, r in enumerate(rated.ratings, 1)
    ]


def show(results: Results) -> Display:
    """Our list, the published means by method, and the authors' own list where their file is there."""
    rows: list[list[str]] = []
    rated = pool_ratings(pool_results(results.rows, GAME), like="bayeselo")
    if rated is not None:
        rows += rating_rows(rated)
    for method, ratings in PUBLISHED.items():
        mean = sum(ratings) / len(ratings)
        span = f"mean of {len(ratings)}, {min(ratings)} to {max(ratings)}"
        rows.append(["", f"published: {method}, {span}", f"{mean:.0f}", *[""] * 6])
    file = None if results.path is None else results.path / AUTHORS_FILE
    if file is not None and file.is_file():
        theirs = pool_ratings(list(read_pgn_results(file)), like="bayeselo")
        rows += (
            [[row[0], f"authors' file: {row[1]}", *row[2:]] for row in rating_rows(theirs)] if theirs else []
        )

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        found = {r.name: r.elo for r in rated.ratings} if rated else {}
        for place, method in enumerate(FIXED):
            mine = [elo for name, elo in found.items() if name.startswith(f"{method}, run")]
            axes.plot([place - 0.12] * len(mine), mine, "o", color="tab:blue")
            axes.plot([place + 0.12] * len(PUBLISHED[method]), PUBLISHED[method], "x", color="0.5")
        axes.set_xticks(range(len(FIXED)), FIXED, rotation=30)
        axes.set_ylabel("Elo (o ours, x published)")
        axes.grid(alpha=0.3)  # fmt: skip

    notes = [
        "Rated like the BayesElo program: first-move advantage 32.8, draw width 97.3.",
        f"Put the authors' {AUTHORS_FILE} into this folder and run the command again to see their list "
        "beside ours; or: boardlab rate FILE --like bayeselo.",
    ]
    columns = ["Rank", "Name", "Elo", "+", "-", "games", "score", "oppo.", "draws"]
    return Display(columns, rows, notes, draw)


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Table A.3",
    title="Elo rating list of Othello 6x6 models with and without warm starts.",
    keys=("pool", "one", "other"),
    plan=plan,
    show=show,
    published=PUBLISHED,
    source="Table A.3, by method",
    extras=("az",),
    quick=Budget(
        1,
        1,
        "16 instead of 512 channels, three iterations instead of 100, one run, 4 games a pair: the form.",
        {"channels": 16, "iterations": 3, "runs": 1, "searches": 50, "games": 4},
    ),
    full=Budget(
        1,
        45,
        "16 instead of 512 channels, 20 iterations instead of 100, 4 of 8 runs, 20 games a pair.",
        {"channels": 16, "iterations": 20, "runs": 4, "searches": 100, "games": 20},
    ),
)
