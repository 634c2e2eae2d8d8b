"""The simplified game of Section IV-J, and the curve of wins against a random player."""

from boardlab.experiments.church2019 import CHOICES, ITERATION, PAPER, player
from boardlab.experiments.display import Display
from boardlab.experiments.estimates import Estimate
from boardlab.experiments.experiment import Board, Budget, Cell, Experiment, Plan, Training
from boardlab.experiments.forms import lines
from boardlab.experiments.measuring import Match
from boardlab.experiments.results import Results

CONNECT3 = Board("connectfour", {"rows": 5, "cols": 6, "connect": 3})
OUTCOMES = {"wins": "wins", "draws": "draws", "losses": "losses"}


def learner(iterations: int, channels: int) -> Training:
    """AZ-Conv on Connect3, with a snapshot after every iteration."""
    return player(CONNECT3, "az-conv", iterations, channels, snapshot_every=ITERATION)


def against_random(item: str, title: str, source: str, quick: Budget, full: Budget) -> Experiment:
    """Wins, draws and losses in 100 games against a random player after every iteration."""

    def plan(budget: Budget) -> Plan:
        cells = []
        for number in range(1, budget["iterations"] + 1):
            agent = f'mcts(net("{{az@{ITERATION * number}}}"), iterations={budget["searches"]}, solver=False)'
            cells.append(Cell((str(number),), Match(CONNECT3, (agent, "random"), budget["games"])))
        return Plan({"az": learner(budget["iterations"], budget["channels"])}, cells)

    def show(results: Results) -> Display:
        def ours(outcome: str, number: int) -> Estimate:
            return results.share(outcome, str(number))

        xs = range(1, results.budget["iterations"] + 1)
        return lines(ours, {}, names=tuple(OUTCOMES), xs=xs, x="iteration", y="share of games")

    return Experiment(
        paper=PAPER,
        item=item,
        title=title,
        keys=("iteration",),
        plan=plan,
        show=show,
        source=source,
        choices=CHOICES[:1],
        extras=("az",),
        quick=quick,
        full=full,
    )
