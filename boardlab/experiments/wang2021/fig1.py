"""Fig. 1: Elo ratings for fixed warm starts of I' = 1, 3, 5, 7 and 9 iterations, Connect Four.

All models play one tournament; the ratings are Bayesian Elo.
"""

import dataclasses
from typing import Any

from boardlab.experiments.display import Display
from boardlab.experiments.estimates import UNKNOWN, Estimate
from boardlab.experiments.experiment import Budget, Experiment, Plan
from boardlab.experiments.figures import curve
from boardlab.experiments.pool import pool_cells, pool_ratings, pool_results
from boardlab.experiments.results import Results
from boardlab.experiments.wang2021 import CHOICES, ENHANCEMENTS, GAMES, PAPER, default_mcts, model

GAME = "Connect Four"
LENGTHS = (1, 3, 5, 7, 9)
BASELINE = "Baseline"


def name_of(enhancement: str, length: int) -> str:
    """The name of a model: one for all its runs."""
    return f"{enhancement}, {length}"


def plan(budget: Budget) -> Plan:
    """Models of every enhancement and length, and a baseline, in one pool."""
    board, trainings, players = GAMES[GAME], {}, {}
    for repeat in range(budget["runs"]):
        for enhancement in (BASELINE, *ENHANCEMENTS):
            for length in LENGTHS if enhancement != BASELINE else (0,):
                run = f"{enhancement}_{length}_{repeat}".lower()
                warm: dict[str, Any] = {}
                if length:
                    warm = {"warm_start": ENHANCEMENTS[enhancement], "warm_iterations": length}
                trained = model(board, budget["iterations"], budget["channels"], **warm)
                trainings[run] = dataclasses.replace(trained, repeat=repeat)
                title = name_of(enhancement, length) if length else BASELINE
                players[f"{title}, run {repeat + 1}"] = default_mcts(run, budget["searches"])
    return Plan(trainings, pool_cells(GAME, board, players, budget["games"], random_actions=2))


def without_run(player: str) -> str:
    """The model that a player is a run of."""
    return player.partition(", run")[0]


def show(results: Results) -> Display:
    """Elo by enhancement and length; the baseline is 0."""
    games = pool_results(results.rows, GAME, without_run)
    rated = pool_ratings(games, anchor=BASELINE if any(BASELINE in g.players for g in games) else None)
    found = {r.name: Estimate(r.elo, (r.plus + r.minus) / 2) for r in rated.ratings} if rated else {}

    def elo(enhancement: str, length: int) -> Estimate:
        return found.get(name_of(enhancement, length), UNKNOWN)

    rows = [[name, *(elo(name, length).text() for length in LENGTHS)] for name in ENHANCEMENTS]

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for number, name in enumerate(ENHANCEMENTS):
            curve(axes, LENGTHS, [elo(name, n) for n in LENGTHS], label=name, color=f"C{number}")
        axes.axhline(0, color="0.6", linewidth=1)
        axes.set_xticks(LENGTHS)
        axes.set_xlabel("I'")
        axes.set_ylabel("Elo above the baseline")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)

    notes = ["Bayesian Elo; the baseline without a warm start is 0. All runs of a model are one player; ± is "
             "the 95% interval over games, which leaves out the spread between runs."]  # fmt: skip
    return Display(["I' =", *map(str, LENGTHS)], rows, notes, draw)


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Fig. 1",
    title="Connect Four 6x6: Elo of fixed warm starts of different lengths, in one pool.",
    keys=("pool", "one", "other"),
    plan=plan,
    show=show,
    source="Fig. 1 prints curves; Rave and WRoRa are best with I' = 7, for the others it is unclear",
    choices=(*CHOICES[:1], "Games begin with two random actions: deterministic models would repeat theirs."),
    extras=("az",),
    quick=Budget(
        1,
        2,
        "16 instead of 512 channels, three iterations instead of 100, one run, 2 games a pair: that it runs.",
        {"channels": 16, "iterations": 3, "runs": 1, "searches": 50, "games": 2},
    ),
    full=Budget(
        1,
        60,
        "16 instead of 512 channels, 20 iterations instead of 100, 2 runs of each model, 10 games a pair.",
        {"channels": 16, "iterations": 20, "runs": 2, "searches": 100, "games": 10},
    ),
)
