"""Section V-C: TCL-base and TCL-wrap win all games against the heuristic player BENCH.

From the initial position, in both roles; beside it the same from varied openings, and against HEUR.
"""

from boardlab.experiments.display import Display
from boardlab.experiments.experiment import Budget, Cell, Experiment, Plan
from boardlab.experiments.forms import BRACKETS, OVER_SEEDS, beside
from boardlab.experiments.measuring import Match
from boardlab.experiments.results import Results
from boardlab.experiments.scheiermann2022 import OTHELLO, PAPER, base, tcl, wrap

OPPONENTS = ("bench", "heur")
STARTS = {"initial position": 0, "8 random actions": 8}
PUBLISHED = {("TCL-base", "bench", "initial position"): 1.0, ("TCL-wrap", "bench", "initial position"): 1.0}


def plan(budget: Budget) -> Plan:
    """Both agents against both players, from the initial position and from random openings."""
    agents = {"TCL-base": base("tcl"), "TCL-wrap": wrap("tcl", budget["iterations"])}
    cells = [
        Cell(
            (name, opponent, start),
            Match(OTHELLO, (agent, opponent), budget["games"] if actions else 2, random_actions=actions),
        )
        for name, agent in agents.items()
        for opponent in OPPONENTS
        for start, actions in STARTS.items()
    ]
    return Plan({"tcl": tcl(OTHELLO, budget["episodes"])}, cells)


def show(results: Results) -> Display:
    """Win rates: a row for each agent and opponent."""
    rows = []
    for name in ("TCL-base", "TCL-wrap"):
        for opponent in OPPONENTS:
            row = [name, opponent]
            for start in STARTS:
                share = results.share("wins", name, opponent, start)
                row.append(beside(share.percent(), PUBLISHED.get((name, opponent, start))))
            rows.append(row)
    return Display(["agent", "opponent", *STARTS], rows, [f"Win rate, %. {BRACKETS} {OVER_SEEDS}"])


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Section V-C",
    title="Othello: win rates of TCL-base and TCL-wrap against the players BENCH and HEUR.",
    keys=("agent", "opponent", "start"),
    plan=plan,
    show=show,
    published=PUBLISHED,
    source="Section V-C: 100% against BENCH with both",
    choices=("The paper names BENCH alone; HEUR is the other player of van der Ree and Wiering (2013).",),
    quick=Budget(
        seeds=2,
        cpu_minutes=1,
        shows="10,000 of 250,000 episodes, 1,000 of 10,000 iterations, two agents.",
        settings={"episodes": 10_000, "iterations": 1000, "games": 10},
    ),
    full=Budget(
        seeds=5,
        cpu_minutes=35,
        shows="the paper's training; it does not give the number of agents and games.",
        settings={"episodes": 250_000, "iterations": 10_000, "games": 20},
    ),
)
