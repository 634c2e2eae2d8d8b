"""Fig. 3: the losses of AZ-Conv while it learns Connect3 on a 5x6 board.

The loss is the mean squared error of the values plus the cross entropy of the probabilities.
"""

from boardlab.experiments.church2019 import CHOICES, PAPER
from boardlab.experiments.church2019._connect3 import learner
from boardlab.experiments.display import Display
from boardlab.experiments.estimates import Estimate, mean_of
from boardlab.experiments.experiment import Budget, Cell, Experiment, Plan
from boardlab.experiments.forms import lines
from boardlab.experiments.measuring import Generation
from boardlab.experiments.results import Results

LOSSES = ("combined loss", "value loss", "probability loss")


def plan(budget: Budget) -> Plan:
    """Train once and read the losses of every iteration."""
    iterations = range(1, budget["iterations"] + 1)
    cells = [Cell((str(number),), Generation("{az}", number)) for number in iterations]
    return Plan({"az": learner(budget["iterations"], budget["channels"])}, cells)


def show(results: Results) -> Display:
    """Three losses over iterations."""

    def ours(loss: str, number: int) -> Estimate:
        values = results.numbers("value_loss", str(number))
        policies = results.numbers("policy_loss", str(number))
        pairs = list(zip(values, policies, strict=True))
        parts = {"combined loss": [v + p for v, p in pairs], "value loss": values}
        return mean_of(parts.get(loss, policies))

    xs = range(1, results.budget["iterations"] + 1)
    return lines(ours, {}, names=LOSSES, xs=xs, x="iteration", y="loss", percent=False)


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Fig. 3",
    title="Losses of AZ-Conv on Connect3 (5x6) over training iterations.",
    keys=("iteration",),
    plan=plan,
    show=show,
    source="Fig. 3 shows falling curves and no numbers",
    choices=CHOICES[:1],
    extras=("az",),
    quick=Budget(1, 1, "32 channels, five iterations.", {"iterations": 5, "channels": 32}),
    full=Budget(3, 2, "64 channels, 20 iterations, three runs.", {"iterations": 20, "channels": 64}),
)
