"""Fig. 2: the adaptive switch against a fixed I' = 5, in one tournament of all models.

A full round robin of the trained models, 20 games a pair; a box is the spread of the Elo ratings over the
runs of a method.
"""

import statistics
from typing import Any

from boardlab.experiments.display import Display
from boardlab.experiments.estimates import mean_of
from boardlab.experiments.experiment import Budget, Cell, Experiment, Plan, Training
from boardlab.experiments.pool import pool_cells, pool_ratings, pool_results
from boardlab.experiments.results import Results
from boardlab.experiments.wang2021 import CHOICES, PAPER
from boardlab.experiments.wang2021._methods import GAMES, METHODS, method_of, pool


def plan(budget: Budget) -> Plan:
    """Models of every method in both games."""
    trainings: dict[str, Training] = {}
    cells: list[Cell] = []
    for game in GAMES:
        mine, players = pool(game, METHODS, budget)
        trainings |= mine
        cells += pool_cells(game, GAMES[game], players, budget["games"], random_actions=2)
    return Plan(trainings, cells)


def ratings(results: Results, game: str) -> dict[str, list[float]]:
    """The Elo ratings of every method's runs."""
    rated = pool_ratings(pool_results(results.rows, game))
    found: dict[str, list[float]] = {method: [] for method in METHODS}
    for rating in rated.ratings if rated else ():
        found[method_of(rating.name)].append(rating.elo)
    return found


def show(results: Results) -> Display:
    """Mean and spread of Elo by method; a box plot for each game."""
    found = {game: ratings(results, game) for game in GAMES}
    rows = []
    for method in METHODS:
        row = [method]
        for game in GAMES:
            elos = found[game][method]
            mean = mean_of(elos).text()
            between = f", {min(elos):.0f} to {max(elos):.0f}" if elos else ""
            row.append(mean + between)
        rows.append(row)
    for claim, pairs in CLAIMS.items():
        row = [claim]
        for game in GAMES:
            known = [
                statistics.mean(found[game][a]) - statistics.mean(found[game][b])
                for a, b in pairs
                if found[game][a] and found[game][b]
            ]
            row.append(mean_of(known).text())
        rows.append(row)

    def draw(figure: Any) -> None:
        for place, game in enumerate(GAMES, 1):
            axes = figure.add_subplot(1, len(GAMES), place)
            axes.boxplot([found[game][method] for method in METHODS], orientation="horizontal")
            axes.set_yticks(range(1, len(METHODS) + 1), list(METHODS) if place == 1 else [])
            axes.invert_yaxis()
            axes.set_xlabel("Elo")
            axes.set_title(game)
            axes.grid(axis="x", alpha=0.3)

    notes = [
        "Bayesian Elo: mean over the runs of a method ± its 95% interval, and from the worst to the best "
        "run. The mean of a pool is 0.",
        "Below: the paper's claims as differences of these means, averaged over the five enhancements.",
    ]
    return Display(["method", *GAMES], rows, notes, draw, (9.0, 4.2))


CLAIMS = {
    "fixed above the baseline": [(m, "Baseline") for m in METHODS if m.endswith("fixed")],
    "adaptive above the baseline": [(m, "Baseline") for m in METHODS if m.endswith("adaptive")],
    "adaptive above fixed": [(m, m.replace("adaptive", "fixed")) for m in METHODS if m.endswith("adaptive")],
}

EXPERIMENT = Experiment(
    paper=PAPER,
    item="Fig. 2",
    title="Elo of adaptive and fixed warm starts, Connect Four and Othello 6x6, in one pool each.",
    keys=("pool", "one", "other"),
    plan=plan,
    show=show,
    source="Fig. 2 prints boxes: all warm starts are above the baseline, adaptive ones above fixed ones",
    choices=(*CHOICES[:1], "Games begin with two random actions: deterministic models would repeat theirs."),
    extras=("az",),
    quick=Budget(
        1,
        2,
        "16 instead of 512 channels, three iterations instead of 100, two runs, 2 games a pair: that it "
        "runs.",
        {"channels": 16, "iterations": 3, "runs": 2, "searches": 50, "games": 2},
    ),
    full=Budget(
        1,
        110,
        "16 instead of 512 channels, 20 iterations instead of 100, 4 of 8 runs, 10 of 20 games a pair.",
        {"channels": 16, "iterations": 20, "runs": 4, "searches": 100, "games": 10},
    ),
)
