"""Fig. 4: Othello agents against Edax at levels 1 to 9.

20 TCL agents, each with its own random tuples, play every level in both roles: 40 games a number. All players
are deterministic, so that only the agents differ.
"""

from boardlab.experiments.display import Display
from boardlab.experiments.estimates import Estimate, of_games
from boardlab.experiments.experiment import Budget, Experiment, Plan
from boardlab.experiments.forms import lines
from boardlab.experiments.results import Results
from boardlab.experiments.scheiermann2022 import MCTS, OTHELLO, PAPER, base, tcl, wrap
from boardlab.experiments.scheiermann2022._edax import LEVELS, cells, comparable, opponents

AGENTS = ("TCL-wrap", "TCL-base", "MCTS-10k")
PUBLISHED = {
    "TCL-wrap": (1.0, 1.0, 0.97, 0.88, 0.79, 0.69, 0.50, 0.28, 0.26),
    "TCL-base": (0.64, 0.45, 0.11, 0, 0, 0, 0, 0, 0),
    "MCTS-10k": (0.71, 0.21, 0, 0, 0, 0, 0, 0, 0),
}
"""Win rates against Edax, levels 1 to 9."""


def plan(budget: Budget) -> Plan:
    """Three agents against every level."""
    agents = (wrap("tcl", budget["iterations"]), base("tcl"), MCTS)
    return Plan(
        {"tcl": tcl(OTHELLO, budget["episodes"])},
        [
            cell
            for name, agent in zip(AGENTS, agents, strict=True)
            for cell in cells(name, agent, budget["levels"])
        ],
    )


def show(results: Results) -> Display:
    """Win rates over levels."""

    def ours(agent: str, level: int) -> Estimate:
        return results.share("wins", agent, opponents(results), str(level))

    published = {
        (name, level): of_games(row[level - 1], 40) for name, row in PUBLISHED.items() for level in LEVELS
    }
    return lines(
        ours,
        published,
        names=AGENTS,
        xs=LEVELS,
        x=f"level of {opponents(results)}",
        y="win rate",
        notes=comparable(results),
    )


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Fig. 4",
    title="Othello: TCL-wrap (10,000 iterations), TCL-base and MCTS against Edax, levels 1 to 9.",
    keys=("agent", "opponent", "level"),
    plan=plan,
    show=show,
    published=PUBLISHED,
    source="Fig. 4, its numbers from the authors' result files",
    quick=Budget(
        seeds=2,
        cpu_minutes=3,
        shows="10,000 of 250,000 episodes, 1,000 of 10,000 iterations, two agents, six levels.",
        settings={"episodes": 10_000, "iterations": 1000, "levels": (1, 2, 3, 5, 7, 9)},
    ),
    full=Budget(
        seeds=20,
        cpu_minutes=125,
        shows="the paper's training and games.",
        settings={"episodes": 250_000, "iterations": 10_000, "levels": LEVELS},
    ),
)
