"""Fig. 6: the effect of MCTS wrapping on Connect Four.

The agents play second against MCTS, which plays first: five runs of 25 episodes. Second players can only win
if MCTS errs, and they must then know how to use it.
"""

from boardlab.experiments.display import Display
from boardlab.experiments.estimates import Estimate
from boardlab.experiments.experiment import Budget, Cell, Experiment, Plan
from boardlab.experiments.forms import Published, lines
from boardlab.experiments.measuring import Match
from boardlab.experiments.results import Results
from boardlab.experiments.scheiermann2022 import CONNECT_FOUR, MCTS, PAPER, base, tcl, wrap

ITERATIONS = (50, 100, 200, 300, 500, 750, 1000)
PUBLISHED: Published = {
    ("TCL-base", 0): 0.01,
    ("AB-DL", 0): 0.80,
    ("TCL-wrap", 50): "> 80",
    ("TCL-wrap", 100): "> 80",
    ("TCL-wrap", 500): "near 100",
    ("TCL-wrap", 1000): 0.97,
}
"""The share of episodes that the agent wins as second player."""


def plan(budget: Budget) -> Plan:
    """MCTS (first) against every agent (second)."""
    agents = {("TCL-base", "0"): base("tcl"), ("AB-DL", "0"): "abdl"}
    agents |= {("TCL-wrap", str(n)): wrap("tcl", n) for n in ITERATIONS if n <= budget["iterations"]}
    cells = [
        Cell(
            keys,
            Match(CONNECT_FOUR, (MCTS, agent), budget["games"], moves_first=True),
            once=keys[0] == "AB-DL",
        )
        for keys, agent in agents.items()
    ]
    return Plan({"tcl": tcl(CONNECT_FOUR, budget["episodes"])}, cells)


def show(results: Results) -> Display:
    """Win rates of the second player over iterations; 0 is no wrapper."""

    def ours(agent: str, iterations: int) -> Estimate:
        return results.share("losses", agent, str(iterations))

    return lines(
        ours,
        PUBLISHED,
        names=("TCL-wrap", "TCL-base", "AB-DL"),
        xs=(0, *ITERATIONS),
        x="iterMWrap",
        y="win rate against MCTS as second player",
    )


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Fig. 6",
    title="Connect Four: win rate against MCTS as second player, over the wrapper's iterations.",
    keys=("agent", "iterations"),
    plan=plan,
    show=show,
    published=PUBLISHED,
    source="Fig. 6 and its text; 1% and 97% from Table II",
    choices=("TCL's 70 tuples are a list of our own; the paper's agents read another.",),
    extras=("references",),
    quick=Budget(
        seeds=2,
        cpu_minutes=2,
        shows="1,000,000 of 6,000,000 episodes, two runs: whether wrapping helps.",
        settings={"episodes": 1_000_000, "games": 25, "iterations": 500},
    ),
    full=Budget(
        seeds=5,
        cpu_minutes=20,
        shows="the paper's budget: five runs of 25 episodes a number.",
        settings={"episodes": 6_000_000, "games": 25, "iterations": 1000},
    ),
)
