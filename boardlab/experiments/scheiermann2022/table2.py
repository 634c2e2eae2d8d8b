"""Table II: a tournament of Connect Four.

Every pair plays 100 episodes with either agent as first player. The last column is the share of all games
that an agent has won, which depends on how it fares as second player too.
"""

import itertools

from boardlab.experiments.display import Display
from boardlab.experiments.estimates import Estimate, mean_of
from boardlab.experiments.experiment import Budget, Cell, Experiment, Plan
from boardlab.experiments.measuring import Match
from boardlab.experiments.results import Results
from boardlab.experiments.scheiermann2022 import CONNECT_FOUR, MCTS, PAPER, base, tcl, wrap

AGENTS = {
    "TCL-wrap": wrap("tcl", 1000),
    "AB-DL": "abdl",
    "TCL-base": base("tcl"),
    "MCTS": MCTS,
}
TRAINED = ("TCL-wrap", "TCL-base")
CALIBRATED = "AB-DL*"
"""An AB-DL that errs: MCTS wins as many games against it as against the paper's."""

PUBLISHED = {
    ("TCL-wrap", "AB-DL"): (99, 0, 1),
    ("TCL-wrap", "TCL-base"): (100, 0, 0),
    ("TCL-wrap", "MCTS"): (100, 0, 0),
    ("AB-DL", "TCL-wrap"): (100, 0, 0),
    ("AB-DL", "TCL-base"): (100, 0, 0),
    ("AB-DL", "MCTS"): (100, 0, 0),
    ("TCL-base", "TCL-wrap"): (100, 0, 0),
    ("TCL-base", "AB-DL"): (91, 2, 7),
    ("TCL-base", "MCTS"): (100, 0, 0),
    ("MCTS", "TCL-wrap"): (1, 2, 97),
    ("MCTS", "AB-DL"): (17, 3, 80),
    ("MCTS", "TCL-base"): (97, 2, 1),
}
"""Wins, ties and losses of the first (row) player in 100 episodes."""
RATES = {"TCL-wrap": 0.663, "AB-DL": 0.649, "TCL-base": 0.490, "MCTS": 0.198}


def plan(budget: Budget) -> Plan:
    """All pairs, with either agent as first player."""
    cells = []
    for first, second in itertools.permutations(AGENTS, 2):
        match = Match(CONNECT_FOUR, (AGENTS[first], AGENTS[second]), budget["games"], moves_first=True)
        cells.append(Cell((first, second), match, once=not {first, second} & set(TRAINED)))
    for first in ("TCL-wrap", "TCL-base", "MCTS"):
        match = Match(CONNECT_FOUR, (AGENTS[first], "abdl(error=0.4)"), budget["games"], moves_first=True)
        cells.append(Cell((first, CALIBRATED), match, once=first not in TRAINED))
    return Plan({"tcl": tcl(CONNECT_FOUR, budget["episodes"])}, cells)


def won_games_rate(results: Results, agent: str) -> Estimate:
    """The share of games that the agent won, over the pairs and then over seeds."""
    by_seed: dict[int, list[float]] = {}
    for row in results.rows:
        if CALIBRATED in (row["first"], row["second"]):
            continue
        for seat, outcome in (("first", "wins"), ("second", "losses")):
            if row[seat] == agent:
                seeds = results.seeds if not {row["first"], row["second"]} & set(TRAINED) else [row["seed"]]
                for seed in seeds:
                    by_seed.setdefault(int(seed), []).append(float(row[outcome]) / float(row["games"]))
    pairs = 2 * (len(AGENTS) - 1)
    return mean_of([sum(shares) / pairs for shares in by_seed.values() if len(shares) == pairs], 0.0, 1.0)


def show(results: Results) -> Display:
    """Wins/ties/losses in percent as in the paper, the published ones below ours."""
    rows = []
    for first in AGENTS:
        ours, published, bars = [first], ["  published"], ["  ± of the wins"]
        for second in (*AGENTS, CALIBRATED):
            if first == second or {first, second} == {"AB-DL", CALIBRATED}:
                ours, published, bars = [*ours, ""], [*published, ""], [*bars, ""]
                continue
            shares = [results.share(name, first, second) for name in ("wins", "draws", "losses")]
            ours.append("/".join(share.percent(0, bar=False) for share in shares))
            bars.append(f"{100 * shares[0].bar:.0f}")
            same = second.rstrip("*")
            published.append("/".join(map(str, PUBLISHED[first, same])))
        rate = won_games_rate(results, first)
        rows += [
            [*ours, rate.percent()],
            [*bars, ""],
            [*published, f"{100 * RATES[first]:.1f}"],
        ]
    return Display(
        ["W/T/L, first (row) against second", *AGENTS, CALIBRATED, "won games rate, %"],
        rows,
        ["Wins/ties/losses of the first player in percent; ± is the 95% interval over seeds, or over games "
         "where there is one seed or all seeds are alike.",
         "AB-DL* is abdl(error=0.4), calibrated so that MCTS, moving first, wins as often as in the paper, "
         "whose AB-DL is not perfect; it counts in no won games rate."],
        draw=lambda figure: draw(figure, results),
    )  # fmt: skip


def draw(figure: object, results: Results) -> None:
    """The won games rates as bars."""
    from boardlab.experiments.figures import paired_bars

    rates = {agent: won_games_rate(results, agent) for agent in AGENTS}
    published = {agent: Estimate(rate) for agent, rate in RATES.items()}
    paired_bars(figure, rates, published, "won games rate")


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Table II",
    title="A Connect Four tournament of TCL-wrap, AB-DL, TCL-base and MCTS.",
    keys=("first", "second"),
    plan=plan,
    show=show,
    published=PUBLISHED,
    source="Table II; W/T/L of the first player in 100 episodes",
    choices=(
        "TCL's 70 tuples are a list of our own; the paper's agents read another.",
        "AB-DL is bitbully's exact solver with its opening book.",
    ),
    extras=("references",),
    quick=Budget(
        seeds=1,
        cpu_minutes=2,
        shows="1,000,000 of 6,000,000 episodes and 40 games a pair: what the wrapper adds to a weak network.",
        settings={"episodes": 1_000_000, "games": 40},
    ),
    full=Budget(
        seeds=5,
        cpu_minutes=28,
        shows="the paper's training and games, with five agents instead of one.",
        settings={"episodes": 6_000_000, "games": 100},
    ),
)
