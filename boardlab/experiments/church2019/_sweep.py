"""Tables 1 to 5: one parameter of AZ-Conv varied.

Every player is trained for five iterations and plays 100 games against MCTS with 200 searches a move, the
orders swapped after each game. Only the parameter in the table changes.
"""

from collections.abc import Mapping
from typing import Any

from boardlab.experiments.church2019 import CHOICES, CONNECT_FOUR, PAPER, az, player, uct
from boardlab.experiments.display import Display
from boardlab.experiments.estimates import of_games
from boardlab.experiments.experiment import Budget, Cell, Experiment, Plan
from boardlab.experiments.figures import paired_bars
from boardlab.experiments.measuring import Match
from boardlab.experiments.results import Results

SEARCHES = 200


def sweep(item: str, parameter: str, option: str, published: Mapping[Any, int], minutes: float) -> Experiment:
    """The experiment of a table: win percentages by the values of a parameter.

    `minutes` is the CPU time of the full budget.
    """
    runs = {str(value): f"az{number}" for number, value in enumerate(published)}

    def plan(budget: Budget) -> Plan:
        trainings, cells = {}, []
        for value in published:
            run, given = runs[str(value)], {option: value}
            trainings[run] = player(
                CONNECT_FOUR, "az-conv", budget["iterations"], budget["channels"], **given
            )
            agent = az(run, budget["searches"], value if option == "cpuct" else 1.0)
            match = Match(CONNECT_FOUR, (agent, uct(budget["searches"])), budget["games"])
            cells.append(Cell((str(value),), match))
        return Plan(trainings, cells)

    def show(results: Results) -> Display:
        rows = []
        for value, percentage in published.items():
            shares = [results.share(name, str(value)) for name in ("wins", "draws", "losses")]
            rows.append([str(value), *(share.percent() for share in shares), str(percentage)])

        def draw(figure: Any) -> None:
            ours = {str(value): results.share("wins", str(value)) for value in published}
            theirs = {str(value): of_games(percentage / 100, 100) for value, percentage in published.items()}
            paired_bars(figure, ours, theirs, "win rate against MCTS")

        notes = ["Percent of games; ± is the 95% interval over seeds, or over games with one seed.",
                 "The paper has one run for each value, and its default (two blocks, C = 1, ADAM, batch 64, "
                 "dropout .3) wins 40, 40, 45, 37 and 37% in its five tables: differences below ten points "
                 "mean nothing."]  # fmt: skip
        return Display([parameter, "wins", "draws", "losses", "wins, published"], rows, notes, draw)

    return Experiment(
        paper=PAPER,
        item=item,
        title=f"Connect Four after five iterations, against MCTS with 200 searches: {parameter} varied.",
        keys=(option,),
        plan=plan,
        show=show,
        published=published,
        source=f"{item}, Section V-A; 100 games",
        choices=CHOICES,
        extras=("az",),
        quick=Budget(
            seeds=1,
            cpu_minutes=2,
            shows="the paper's five iterations and 100 games, 32 channels, one run for each value.",
            settings={"iterations": 5, "channels": 32, "searches": SEARCHES, "games": 100},
        ),
        full=Budget(
            seeds=3,
            cpu_minutes=minutes,
            shows="the paper's iterations and games, 64 channels, three runs for each value.",
            settings={"iterations": 5, "channels": 64, "searches": SEARCHES, "games": 100},
        ),
    )
