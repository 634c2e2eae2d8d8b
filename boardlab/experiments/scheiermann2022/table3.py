"""Table III: training times, and what they would be with MCTS inside self-play.

The factor is the time of an episode with i_MCTS iterations a move over the time of one without, measured over
a few episodes. Wrapped training is hypothetical: the base training time multiplied by it.
"""

import statistics
from collections.abc import Callable, Sequence

from boardlab.experiments.display import Display
from boardlab.experiments.estimates import MISSING
from boardlab.experiments.experiment import Budget, Cell, Experiment, Plan
from boardlab.experiments.measuring import EpisodeTime
from boardlab.experiments.results import Results
from boardlab.experiments.scheiermann2022 import CONNECT_FOUR, CUBE3, OTHELLO, PAPER

HOUR, DAY, YEAR = 3600.0, 86_400.0, 365.25 * 86_400.0
GAMES = {
    # board, episodes of a training, agents n_ag, iterations i_MCTS
    "Othello": (OTHELLO, 250_000, 20, 10_000),
    "ConnectFour": (CONNECT_FOUR, 6_000_000, 10, 1_000),
    "RubiksCube": (CUBE3, 3_000_000, 5, 1_000),
}
PUBLISHED = {
    # base training time, factor, hypothetical wrapped training time
    "Othello": (1.5 * DAY, 2_575, 10.6 * YEAR),
    "ConnectFour": (1.4 * DAY, 850, 3.3 * YEAR),
    "RubiksCube": (2.2 * HOUR, 770, 71 * DAY),
}


def plan(budget: Budget) -> Plan:
    """The time of an episode without and with MCTS in every game."""
    cells = []
    for name, (board, _, _, iterations) in GAMES.items():
        plain, searched = budget["plain"], budget["searched"][name]
        cells.append(Cell((name, "base"), EpisodeTime(board, {}, plain)))
        search = {"search": "mcts", "search_iterations": iterations, "search_paper": True}
        cells.append(Cell((name, "wrapped"), EpisodeTime(board, search, searched)))
    return Plan({}, cells)


def show(results: Results) -> Display:
    """The paper's columns, ours beside them."""
    rows = []
    for name, (_, episodes, agents, iterations) in GAMES.items():
        base, wrapped = (results.numbers("seconds", name, kind) for kind in ("base", "wrapped"))
        training = [agents * episodes * seconds for seconds in base]
        factors = [long / short for long, short in zip(wrapped, base, strict=False)]
        hypothetical = [agents * episodes * seconds for seconds in wrapped]
        ours = (spread(training, duration), spread(factors, number), spread(hypothetical, duration))
        time, times, long = PUBLISHED[name]
        theirs = (duration(time), number(times), duration(long))
        pairs = (f"{a} ({b})" for a, b in zip(ours, theirs, strict=True))
        base_cell, factor_cell, long_cell = pairs
        rows.append([name, str(agents), base_cell, f"{iterations:,}", factor_cell, long_cell])
    columns = ["game", "agents", "base training time", "i_MCTS", "factor", "hypothetical wrapped time"]
    notes = [
        "CPU time of one core, mean ± standard deviation over seeds; published in brackets (one Intel "
        "i7-9850H at 2.6 GHz, Java)."
    ]
    return Display(columns, rows, notes)


def spread(values: Sequence[float], written: Callable[[float], str]) -> str:
    """The mean, and the standard deviation in percent of it."""
    if not values:
        return MISSING
    mean = statistics.fmean(values)
    more = f" ± {100 * statistics.stdev(values) / mean:.0f}%" if len(values) > 1 else ""
    return written(mean) + more


def number(value: float) -> str:
    """A factor, rounded."""
    return f"{value:,.0f}"


def duration(seconds: float) -> str:
    """A duration in the paper's units."""
    for unit, size in (("years", YEAR), ("d", DAY), ("h", HOUR), ("min", 60.0)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Table III",
    title="Training times without MCTS, and hypothetical ones with MCTS inside self-play.",
    keys=("game", "training"),
    plan=plan,
    show=show,
    published=PUBLISHED,
    source="Table III",
    choices=(
        "The cube is the 3x3x3; the paper does not say which of the two.",
        "Episodes are timed after a short training: an untrained network plays shorter games.",
    ),
    quick=Budget(
        seeds=1,
        cpu_minutes=1,
        shows="a few episodes of every game: times and factors within about a fifth.",
        settings={"plain": 2_000, "searched": {"Othello": 2, "ConnectFour": 10, "RubiksCube": 10}},
    ),
    full=Budget(
        seeds=5,
        cpu_minutes=6,
        shows="as the paper, from a few episodes.",
        settings={"plain": 5_000, "searched": {"Othello": 10, "ConnectFour": 100, "RubiksCube": 100}},
    ),
)
