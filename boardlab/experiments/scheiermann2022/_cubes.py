"""What Fig. 7a and 7b share: agents for both cubes, and their trainings."""

from boardlab.experiments.experiment import Board, Budget, Training
from boardlab.experiments.scheiermann2022 import CUBE2, CUBE3, base, tcl, wrap

CUBES = {"2x2x2": CUBE2, "3x3x3": CUBE3}
RUNS = {"2x2x2": "cube2", "3x3x3": "cube3"}
CHOICES = (
    "TCL-base does not take its last twist back, as in GBG.",
    "In the wrapper step rewards do not count (paper=True), as in GBG.",
)


def trainings(budget: Budget) -> dict[str, Training]:
    """One agent for each cube."""
    return {RUNS[size]: tcl(board, budget[RUNS[size]]) for size, board in CUBES.items()}


def agent(size: str, iterations: int) -> tuple[Board, str]:
    """TCL-base for no iterations, else TCL-wrap, and its cube."""
    run = RUNS[size]
    return CUBES[size], wrap(run, iterations) if iterations else base(run, memory=1)
