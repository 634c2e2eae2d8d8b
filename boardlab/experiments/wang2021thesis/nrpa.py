"""NRPA on Morpion Solitaire: nested rollout policy adaptation (Rosin 2011).

The thesis names it as the method behind the records of Morpion Solitaire.
"""

from boardlab.experiments.display import Display
from boardlab.experiments.experiment import Board, Budget, Cell, Experiment, Plan
from boardlab.experiments.forms import beside
from boardlab.experiments.measuring import Exam
from boardlab.experiments.results import Results
from boardlab.experiments.wang2021thesis import PAPER

VARIANTS = ("4D", "4T", "5D", "5T")
PUBLISHED = {"4D": "35, proven", "4T": "62, proven", "5D": "82", "5T": "178"}
"""The best known scores; NRPA found those of 5D and 5T (Rosin 2011)."""


def plan(budget: Budget) -> Plan:
    """NRPA of every level, and a random player, on every variant."""
    agents = {f"NRPA, level {n}": f"nrpa(level={n})" for n in budget["levels"]}
    agents["random"] = "random"
    cells = [
        Cell(
            (name, variant),
            Exam(Board("morpion", {"variant": variant}), agent, "score", 20 if name == "random" else 1),
        )
        for variant in VARIANTS
        for name, agent in agents.items()
    ]
    return Plan({}, cells)


def show(results: Results) -> Display:
    """Mean and best scores."""
    rows = []
    names = ["random", *(f"NRPA, level {n}" for n in results.budget["levels"])]
    for name in names:
        row = [name]
        for variant in VARIANTS:
            found = results.numbers("value", name, variant)
            best = f", best {max(found):g}" if found and name != "random" else ""
            row.append(results.mean("value", name, variant).text() + best)
        rows.append(row)
    rows.append(["best known", *(beside("", PUBLISHED[variant]).strip() for variant in VARIANTS)])
    return Display(["", *VARIANTS], rows, ["Score of a search; ± is the 95% interval over searches."])


EXPERIMENT = Experiment(
    paper=PAPER,
    item="NRPA",
    title="Nested rollout policy adaptation on Morpion Solitaire.",
    keys=("agent", "variant"),
    plan=plan,
    show=show,
    published=PUBLISHED,
    source="Rosin (2011), cited as [29], found 82 (5D) and 178 (5T); 35 and 62 are proven",
    choices=("100 iterations at every level, alpha = 1, as Rosin; his records are of level 5.",),
    quick=Budget(3, 1, "levels 1 and 2: up to 10,000 playouts a search.", {"levels": (1, 2)}),
    full=Budget(5, 4, "levels 1 to 3: up to a million playouts a search.", {"levels": (1, 2, 3)}),
)
