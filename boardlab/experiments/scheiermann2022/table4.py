"""Table IV: the time of a move of TCL-base, TCL-wrap and MCTS.

Averages and standard deviations over the moves of 50 games (25 cubes of 8 twists).
"""

from boardlab.experiments.display import Display
from boardlab.experiments.estimates import Estimate
from boardlab.experiments.experiment import Board, Budget, Cell, Experiment, Plan
from boardlab.experiments.forms import beside
from boardlab.experiments.measuring import MoveTime
from boardlab.experiments.results import Results
from boardlab.experiments.scheiermann2022 import CONNECT_FOUR, CUBE3, MCTS, OTHELLO, PAPER, base, tcl, wrap

GAMES = {"Othello": OTHELLO, "ConnectFour": CONNECT_FOUR, "3x3x3 Rubik's": CUBE3}
RUNS = {"Othello": "othello", "ConnectFour": "connectfour", "3x3x3 Rubik's": "cube3"}
AGENTS = ("TCL-base", "TCL-wrap [100]", "TCL-wrap [1000]", "TCL-wrap [10000]", "MCTS [10000]")
PUBLISHED = {
    game: dict(zip(AGENTS, (Estimate(mean, deviation=spread) for mean, spread in row), strict=True))
    for game, row in {
        "Othello": ((0.4, 0.5), (10, 6), (100, 80), (1300, 700), (551, 371)),
        "ConnectFour": ((0.05, 0.02), (3, 2), (30, 20), (300, 200), (66, 20)),
        "3x3x3 Rubik's": ((0.6, 0.7), (10, 6), (100, 70), (1800, 1000), (783, 49)),
    }.items()
}  # fmt: skip
"""Milliseconds, mean and standard deviation."""
TWISTS, STEPS = 8, 20


def plan(budget: Budget) -> Plan:
    """Time every agent in every game."""
    cells = []
    for game, board in GAMES.items():
        run = RUNS[game]
        agents = dict(
            zip(AGENTS, (base(run), *(wrap(run, n) for n in (100, 1000, 10000)), MCTS), strict=True)
        )
        for agent, expression in agents.items():
            games = budget["games"] if agent in budget["agents"] else 0
            if board is CUBE3:
                scrambled = Board(board.name, {**board.parameters, "twists": TWISTS})
                measure = MoveTime(scrambled, expression, games // 2, limit=STEPS)
            else:
                measure = MoveTime(board, expression, games)
            if games:
                cells.append(Cell((game, agent), measure))
    trainings = {RUNS[game]: tcl(board, budget[RUNS[game]]) for game, board in GAMES.items()}
    return Plan(trainings, cells)


def show(results: Results) -> Display:
    """Mean and standard deviation over moves."""
    rows = []
    for game in GAMES:
        row = [game]
        for agent in AGENTS:
            mean = results.mean("milliseconds", game, agent)
            moves = results.mean("deviation", game, agent)
            ours = Estimate(mean.value, deviation=moves.value).deviating(2)
            row.append(beside(ours, PUBLISHED[game][agent], percent=False))
        rows.append(row)
    notes = [
        "CPU milliseconds of a move; ± is the standard deviation over moves, as in the paper.",
        "Published in brackets: one Intel i7-9850H at 2.6 GHz, Java.",
    ]
    return Display(["game", *AGENTS], rows, notes)


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Table IV",
    title="The time of a move of TCL-base, TCL-wrap and MCTS.",
    keys=("game", "agent"),
    plan=plan,
    show=show,
    published=PUBLISHED,
    source="Table IV",
    choices=(
        "Agents play both sides; the paper does not name the opponent.",
        "A cube ends when it is solved, or after 20 steps.",
    ),
    quick=Budget(
        seeds=1,
        cpu_minutes=1,
        shows="short trainings, 4 games (2 cubes), up to 1,000 iterations; the time of a move hardly depends "
        "on the training.",
        settings={
            "games": 4,
            "agents": AGENTS[:3],
            "othello": 1_000,
            "connectfour": 20_000,
            "cube3": 20_000,
        },
    ),
    full=Budget(
        seeds=1,
        cpu_minutes=9,
        shows="the paper's games, with shorter trainings (20,000, 500,000 and 500,000 episodes), on which "
        "the time of a move hardly depends.",
        settings={
            "games": 50,
            "agents": AGENTS,
            "othello": 20_000,
            "connectfour": 500_000,
            "cube3": 500_000,
        },
    ),
)
