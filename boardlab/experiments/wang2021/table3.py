"""Table 3: the iterations in which the adaptive method switches the enhancement off.

In each iteration the enhancement plays against default MCTS; the switch falls for good once default MCTS wins
more than it loses. Eight runs each. In Gobang it always fell in the first iteration with m = 100, so that the
table has m = 200.
"""

import statistics

from boardlab.experiments.display import Display
from boardlab.experiments.estimates import Estimate
from boardlab.experiments.experiment import Budget, Cell, Experiment, Plan
from boardlab.experiments.forms import beside
from boardlab.experiments.measuring import Switch
from boardlab.experiments.results import Results
from boardlab.experiments.wang2021 import CHOICES, ENHANCEMENTS, GAMES, PAPER, model

_TABLE = {
    "Rollout": ((6.625, 3.039), (5.5, 1.732), (1.375, 0.484)),
    "Rave": ((2.375, 1.218), (3.125, 2.667), (1.125, 0.331)),
    "RoRa": ((7.75, 4.74), (5.125, 1.364), (1.125, 0.331)),
    "WRo": ((4.25, 1.561), (4.375, 1.654), (1.125, 0.331)),
    "WRoRa": ((4.375, 1.576), (4.0, 1.0), (1.25, 0.433)),
}
PUBLISHED = {
    (name, game): Estimate(mean, deviation=deviation)
    for name, row in _TABLE.items()
    for game, (mean, deviation) in zip(GAMES, row, strict=True)
}
SIMULATIONS = {"Connect Four": 100, "Othello": 100, "Gobang": 200}


def run(name: str, game: str) -> str:
    """The name of a training."""
    return f"{ENHANCEMENTS[name]}_{game.lower().replace(' ', '')}"


def plan(budget: Budget) -> Plan:
    """A run with the adaptive switch for every enhancement and game."""
    trainings, cells = {}, []
    for game, board in GAMES.items():
        for name, enhancement in ENHANCEMENTS.items():
            trainings[run(name, game)] = model(
                board,
                budget["iterations"],
                budget["channels"],
                warm_start=enhancement,
                switch="adaptive",
                simulations=SIMULATIONS[game],
            )
            cells.append(Cell((name, game), Switch(f"{{{run(name, game)}}}")))
    return Plan(trainings, cells)


def show(results: Results) -> Display:
    """Mean ± standard deviation over runs, as in the paper."""
    rows = []
    late = 0
    for name in ENHANCEMENTS:
        row = [name]
        for game in GAMES:
            found = results.numbers("switch", name, game)
            late += sum(switch > results.budget["iterations"] for switch in found)
            mean = results.mean("switch", name, game)
            spread = statistics.pstdev(found) if len(found) > 1 else float("nan")
            ours = Estimate(mean.value, deviation=spread).deviating()
            row.append(beside(ours, PUBLISHED[name, game], percent=False))
        rows.append(row)
    notes = [
        "Iteration of the switch, mean ± standard deviation over runs, published in brackets.",
        f"{late} runs had not switched at the end; they count as one iteration more.",
    ]
    return Display(["", *GAMES], rows, notes)


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Table 3",
    title="Switching iterations of the adaptive warm start.",
    keys=("enhancement", "game"),
    plan=plan,
    show=show,
    published=PUBLISHED,
    source="Table 3; 8 repetitions, average ± standard deviation",
    choices=CHOICES,
    extras=("az",),
    quick=Budget(
        1,
        2,
        "16 instead of 512 channels, five iterations, one run.",
        {"channels": 16, "iterations": 5},
    ),
    full=Budget(
        8,
        75,
        "16 instead of 512 channels, 15 iterations; the switch needs no more.",
        {"channels": 16, "iterations": 15},
    ),
)
