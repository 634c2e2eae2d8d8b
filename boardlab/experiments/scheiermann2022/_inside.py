"""What Fig. 8, 9 and 10 share: agents trained with MCTS inside self-play, against Edax.

W100 was trained with 100 iterations of MCTS a move. All play with 10,000 iterations. W0 is TCL-wrap.
"""

from collections.abc import Mapping

from boardlab.experiments.display import Display
from boardlab.experiments.estimates import Estimate
from boardlab.experiments.experiment import Budget, Plan, Training
from boardlab.experiments.forms import Published, lines
from boardlab.experiments.results import Results
from boardlab.experiments.scheiermann2022 import OTHELLO, tcl, wrap
from boardlab.experiments.scheiermann2022._edax import LEVELS, cells, comparable, opponents

CHOICES = (
    "Self-play takes the most visited action of Algorithm 1 (search_paper), with epsilon = 0 as the paper "
    "found best for W100; W0 has TCL-base's epsilon.",
)


def training(iterations: int, episodes: int) -> Training:
    """TCL with that many iterations of MCTS in every move of self-play."""
    if not iterations:
        return tcl(OTHELLO, episodes)
    search = {"search": "mcts", "search_iterations": iterations, "search_paper": True}
    return tcl(OTHELLO, episodes, **search, epsilon=0.0, epsilon_final=0.0)


def plan(budget: Budget) -> Plan:
    """Train every group and let it play every level."""
    episodes: Mapping[str, int] = budget["episodes"]
    groups = {name: int(name.removeprefix("W")) for name in episodes}
    return Plan(
        {name: training(iterations, episodes[name]) for name, iterations in groups.items()},
        [c for name in groups for c in cells(name, wrap(name, budget["iterations"]), budget["levels"])],
    )


def show(results: Results, published: Published) -> Display:
    """Win rates over levels."""

    def ours(group: str, level: int) -> Estimate:
        return results.share("wins", group, opponents(results), str(level))

    return lines(
        ours,
        published,
        names=tuple(results.budget["episodes"]),
        xs=LEVELS,
        x=f"level of {opponents(results)}",
        y="win rate",
        notes=comparable(results),
    )
