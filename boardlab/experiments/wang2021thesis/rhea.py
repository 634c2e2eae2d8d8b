"""Algorithm 15: the rolling horizon evolutionary algorithm (RHEA) on the games of the thesis.

RHEA meets Monte Carlo Search (Algorithm 8) and MCTS with the same number of evaluations a move.
"""

from boardlab.experiments.display import Display
from boardlab.experiments.experiment import Budget, Cell, Experiment, Plan
from boardlab.experiments.forms import OVER_SEEDS
from boardlab.experiments.measuring import Match
from boardlab.experiments.results import Results
from boardlab.experiments.wang2021 import GAMES
from boardlab.experiments.wang2021thesis import PAPER

OPPONENTS = {"MCS": "mc(iterations={})", "MCTS": "mcts(rollout, iterations={})", "random": "random"}


def plan(budget: Budget) -> Plan:
    """RHEA against every opponent in every game."""
    n = budget["iterations"]
    cells = [
        Cell((opponent, game), Match(board, (f"rhea(iterations={n})", agent.format(n)), budget["games"]))
        for game, board in GAMES.items()
        for opponent, agent in OPPONENTS.items()
    ]
    return Plan({}, cells)


def show(results: Results) -> Display:
    """Win rates of RHEA."""
    rows = [
        [f"RHEA against {opponent}", *(results.share("wins", opponent, game).percent() for game in GAMES)]
        for opponent in OPPONENTS
    ]
    return Display(["", *GAMES], rows, [f"Win rate of RHEA, %. {OVER_SEEDS}"])


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Algorithm 15",
    title="RHEA against Monte Carlo Search, MCTS and a random player, 6x6 boards.",
    keys=("opponent", "game"),
    plan=plan,
    show=show,
    source="none: the appendix has the listing; in the authors' work RHEA supports AlphaZero's first "
    "iterations",
    choices=("Equal numbers of evaluations a move; the listing limits RHEA by time.",),
    quick=Budget(1, 1, "100 evaluations a move, 50 games.", {"iterations": 100, "games": 50}),
    full=Budget(3, 1, "500 evaluations a move, 200 games, three times.", {"iterations": 500, "games": 200}),
)
