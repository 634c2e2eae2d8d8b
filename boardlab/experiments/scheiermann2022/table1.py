"""Table I: the n-tuple systems, the number of weights and the share of active ones.

A weight is active if learning has changed it. Most of the others stand for positions that cannot occur.
"""

from boardlab.experiments.display import Display
from boardlab.experiments.experiment import Budget, Cell, Experiment, Plan
from boardlab.experiments.measuring import Weights
from boardlab.experiments.results import Results
from boardlab.experiments.scheiermann2022 import CONNECT_FOUR, CUBE2, CUBE3, OTHELLO, PAPER, tcl

SYSTEMS = {"Othello": OTHELLO, "ConnectFour": CONNECT_FOUR, "2x2x2 Rubik's": CUBE2, "3x3x3 Rubik's": CUBE3}
RUNS = dict(zip(SYSTEMS, ("othello", "connectfour", "cube2", "cube3"), strict=True))

PUBLISHED = {
    # length n, position values m, tuples k, weights, share of active weights
    "Othello": (7, "4", "2 · 100", 3_276_800, 0.51),
    "ConnectFour": (8, "4", "2 · 70", 9_175_040, 0.08),
    "2x2x2 Rubik's": (7, "{3, 7}", "60", 3_720_780, 0.31),
    "3x3x3 Rubik's": (7, "{2, 3, 8, 12}", "120", 46_563_392, 0.22),
}


def plan(budget: Budget) -> Plan:
    """Train one agent a game and count its weights."""
    trainings = {RUNS[game]: tcl(board, budget[RUNS[game]]) for game, board in SYSTEMS.items()}
    return Plan(trainings, [Cell((game,), Weights(f"{{{run}}}")) for game, run in RUNS.items()])


def show(results: Results) -> Display:
    """The paper's columns, ours beside them."""
    rows = []
    for game, (length, values, tuples, weights, active) in PUBLISHED.items():
        ours = results.mean("active", game, low=0.0, high=1.0)
        rows.append(
            [
                game,
                f"{results.mean('length', game).text()} ({length})",
                values,
                f"{results.mean('tuples', game).text()} ({tuples})",
                f"{results.mean('weights', game).text(9)} ({weights:,})",
                f"{ours.percent()} ({100 * active:.0f})",
            ]
        )
    columns = ["game", "length n", "position m", "k", "weights", "percent active"]
    return Display(columns, rows, ["Ours, published in brackets; ± is the 95% interval over seeds."])


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Table I",
    title="The n-tuple systems: weights, and how many of them learning changes.",
    keys=("game",),
    plan=plan,
    show=show,
    published=PUBLISHED,
    source="Table I",
    choices=(
        "Our tables leave out joint values that the rules exclude; weights are counted with them, as in the "
        "paper.",
        "Connect Four's 70 tuples are a list of our own; the paper does not print its list.",
        "The number of weights of the cubes depends on the tuples drawn.",
    ),
    quick=Budget(
        seeds=1,
        cpu_minutes=1,
        shows="a tenth of the training or less, which leaves rare weights unseen: counts of weights, and a "
        "lower bound of the active ones.",
        settings={"othello": 5_000, "connectfour": 200_000, "cube2": 100_000, "cube3": 100_000},
    ),
    full=Budget(
        seeds=3,
        cpu_minutes=33,
        shows="the paper's training.",
        settings={"othello": 250_000, "connectfour": 6_000_000, "cube2": 3_000_000, "cube3": 3_000_000},
    ),
)
