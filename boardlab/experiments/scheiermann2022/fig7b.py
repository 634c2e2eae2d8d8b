"""Fig. 7b: the effect of MCTS wrapping on Rubik's Cube, over scrambling twists.

200 cubes for each number of twists up to 13 (3x3x3: 9), solved within e_E = 20 steps.
"""

from boardlab.experiments.display import Display
from boardlab.experiments.estimates import Estimate
from boardlab.experiments.experiment import Budget, Cell, Experiment, Plan
from boardlab.experiments.forms import lines
from boardlab.experiments.measuring import Cubes
from boardlab.experiments.results import Results
from boardlab.experiments.scheiermann2022 import PAPER
from boardlab.experiments.scheiermann2022._cubes import CHOICES, CUBES, agent, trainings

MOST = {"2x2x2": 13, "3x3x3": 9}
ITERATIONS = (0, 100, 500, 1000)


def plan(budget: Budget) -> Plan:
    """Both cubes, every number of twists, four numbers of iterations."""
    cells = []
    for size in CUBES:
        for n in budget["iterations"]:
            for twists in range(1, MOST[size] + 1):
                board, solver = agent(size, n)
                cells.append(
                    Cell((size, str(n), str(twists)), Cubes(board, solver, (twists,), budget["cubes"]))
                )
    return Plan(trainings(budget), cells)


def name(size: str, iterations: int) -> str:
    """The name of a curve."""
    return f"{size}, {iterations}"


def show(results: Results) -> Display:
    """Solved cubes over twists, a curve for each cube and number of iterations."""
    names = {name(size, n): (size, str(n)) for size in CUBES for n in results.budget["iterations"]}

    def ours(curve: str, twists: int) -> Estimate:
        return results.share("solved", *names[curve], str(twists), of="cubes")

    return lines(ours, {}, names=tuple(names), xs=range(1, 14), x="scrambling twists", y="percentage solved")


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Fig. 7b",
    title="Rubik's Cube: cubes solved within 20 steps, over scrambling twists and iterations.",
    keys=("cube", "iterations", "twists"),
    plan=plan,
    show=show,
    source="Fig. 7b prints curves and no numbers; its means over the last three twists are those of Fig. 7a",
    choices=CHOICES,
    quick=Budget(
        seeds=1,
        cpu_minutes=2,
        shows="a third of the training (2x2x2) and a tenth (3x3x3), one run, 50 cubes a number.",
        settings={"cube2": 1_000_000, "cube3": 300_000, "cubes": 50, "iterations": (0, 100)},
    ),
    full=Budget(
        seeds=4,
        cpu_minutes=21,
        shows="the paper's budget: four runs, 200 cubes a number.",
        settings={"cube2": 3_000_000, "cube3": 3_000_000, "cubes": 200, "iterations": ITERATIONS},
    ),
)
