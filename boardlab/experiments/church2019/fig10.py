"""Fig. 10: transfer from Connect Four on 6x7 to 8x9.

AZ-Res6 of 50 iterations on 6x7 is the parent. On 8x9 two players begin with its body: in one it is frozen and
only the heads learn, in the other everything learns, both for 30 iterations with a learning rate of .001. A
third learns from scratch. A fourth has the parent's body and fresh heads, and learns nothing.
"""

import dataclasses
import itertools

from boardlab.experiments.church2019 import CHOICES, CONNECT_FOUR, PAPER, az, player, uct
from boardlab.experiments.church2019._players import standings
from boardlab.experiments.display import Display
from boardlab.experiments.experiment import Board, Budget, Cell, Experiment, Plan
from boardlab.experiments.forms import beside
from boardlab.experiments.measuring import Match
from boardlab.experiments.results import Results

LARGE = Board("connectfour", {"rows": 8, "cols": 9})
ARMS = {"frozen": "body", "fine-tuned": "none", "untrained": "body"}
RUNS = {"frozen": "frozen", "fine-tuned": "tuned", "untrained": "untrained", "from scratch": "scratch"}
PUBLISHED = {"frozen": "> 70", "fine-tuned": "> 70", "untrained": "31", "from scratch": "73"}
"""Percent of games won against MCTS with 200 searches."""
WINS = {"frozen": 442, "fine-tuned": 376}
"""Wins in the tournament."""


def plan(budget: Budget) -> Plan:
    """The parent, its three children, a player from scratch, and their tournament with MCTS."""
    channels, preset = budget["channels"], budget["preset"]
    trainings = {"parent": player(CONNECT_FOUR, preset, budget["parent"], channels)}
    for arm, freeze in ARMS.items():
        iterations = 0 if arm == "untrained" else budget["iterations"]
        child = player(LARGE, preset, iterations, channels, freeze=freeze, lr=0.001)
        trainings[RUNS[arm]] = dataclasses.replace(child, parent="parent")
    trainings["scratch"] = player(LARGE, preset, budget["iterations"], channels)
    entrants = {name: az(run, budget["searches"]) for name, run in RUNS.items()}
    entrants["MCTS"] = uct(budget["searches"])
    cells = [
        Cell((one, other), Match(LARGE, (entrants[one], entrants[other]), budget["games"], random_actions=2))
        for one, other in itertools.combinations(entrants, 2)
    ]
    return Plan(trainings, cells)


def show(results: Results) -> Display:
    """The tournament as stacked bars, and the wins against MCTS."""
    bars = standings(results, [*RUNS, "MCTS"])
    rows = []
    for row in bars.rows:
        name = row[0]
        share = results.share("wins", name, "MCTS") if name in RUNS else None
        against = beside(share.percent(), PUBLISHED[name]) if share else ""
        rows.append([name, beside(row[1], str(WINS[name]) if name in WINS else None), *row[2:], against])
    notes = ["Ours, published in brackets. Games of all pairs and seeds together; ± is the 95% interval over "
             "seeds, or over games with one seed."]  # fmt: skip
    columns = ["player", "wins", "draws", "losses", "wins against MCTS, %"]
    return Display(columns, rows, notes, bars.draw)


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Fig. 10",
    title="Connect Four on 8x9: transfer from 6x7, frozen and fine-tuned, beside learning from scratch.",
    keys=("one", "other"),
    plan=plan,
    show=show,
    published=PUBLISHED,
    source="Fig. 10 and Section V-D; the abstract gives 82% to the fine-tuned player",
    choices=(
        *CHOICES,
        "All numbers are from games with random first moves; the paper's percentages may be from the empty "
        "board.",
    ),
    extras=("az",),
    quick=Budget(
        1,
        1,
        "AZ-Res, 32 channels, two iterations (the parent four), 10 games a pair with 50 searches: that it "
        "runs.",
        {
            "preset": "az-res",
            "channels": 32,
            "parent": 4,
            "iterations": 2,
            "searches": 50,
            "games": 10,
        },
    ),
    full=Budget(
        2,
        150,
        "64 channels, the paper's iterations, two runs.",
        {
            "preset": "az-res6",
            "channels": 64,
            "parent": 50,
            "iterations": 30,
            "searches": 200,
            "games": 100,
        },
    ),
)
