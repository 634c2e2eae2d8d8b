"""Fig. 7a: the effect of MCTS wrapping on Rubik's Cube, over iterations.

600 cubes scrambled with 11, 12 or 13 twists (3x3x3: 7, 8 or 9); a cube counts as solved within e_E = 20
steps.
"""

from boardlab.experiments.display import Display
from boardlab.experiments.estimates import Estimate
from boardlab.experiments.experiment import Budget, Cell, Experiment, Plan
from boardlab.experiments.forms import Published, lines
from boardlab.experiments.measuring import Cubes
from boardlab.experiments.results import Results
from boardlab.experiments.scheiermann2022 import PAPER
from boardlab.experiments.scheiermann2022._cubes import CHOICES, CUBES, agent, trainings

TWISTS = {"2x2x2": (11, 12, 13), "3x3x3": (7, 8, 9)}
ITERATIONS = (0, 50, 100, 200, 400, 600, 800, 1000)
PUBLISHED: Published = {
    ("2x2x2", 0): 0.75,
    ("3x3x3", 0): 0.25,
    **{("2x2x2", n): 1.0 for n in ITERATIONS if n >= 200},
    ("3x3x3", 1000): "50 to 75",
}


def plan(budget: Budget) -> Plan:
    """Both cubes with every number of iterations."""
    cells = []
    for size in CUBES:
        for n in budget["iterations"]:
            board, solver = agent(size, n)
            cells.append(Cell((size, str(n)), Cubes(board, solver, TWISTS[size], budget["cubes"])))
    return Plan(trainings(budget), cells)


def show(results: Results) -> Display:
    """Solved cubes over iterations; 0 is TCL-base."""

    def ours(size: str, n: int) -> Estimate:
        return results.share("solved", size, str(n), of="cubes")

    return lines(ours, PUBLISHED, names=tuple(CUBES), xs=ITERATIONS, x="iterMWrap", y="percentage solved")


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Fig. 7a",
    title="Rubik's Cube: cubes solved within 20 steps, over the wrapper's iterations.",
    keys=("cube", "iterations"),
    plan=plan,
    show=show,
    published=PUBLISHED,
    source="Fig. 7a and Section IV-C: 75% and 25% raw, 100% from 200 iterations, doubled or tripled",
    choices=CHOICES,
    quick=Budget(
        seeds=1,
        cpu_minutes=2,
        shows="a third of the training (2x2x2) and a tenth (3x3x3), one run, 50 cubes of each number of "
        "twists.",
        settings={"cube2": 1_000_000, "cube3": 300_000, "cubes": 50, "iterations": (0, 100, 200, 400)},
    ),
    full=Budget(
        seeds=4,
        cpu_minutes=20,
        shows="the paper's budget: four runs, 200 cubes of each number of twists.",
        settings={"cube2": 3_000_000, "cube3": 3_000_000, "cubes": 200, "iterations": ITERATIONS},
    ),
)
