"""The opponents of Fig. 4 and 8 to 10: Edax's levels, or a ladder of our own where there is no Edax."""

import os
import shutil

from boardlab.experiments.experiment import Cell
from boardlab.experiments.measuring import Match
from boardlab.experiments.results import Results
from boardlab.experiments.scheiermann2022 import OTHELLO
from boardlab.references.othello import LADDER_VERSION

LEVELS = tuple(range(1, 10))
LADDER = f"our ladder, version {LADDER_VERSION}"


def opponent_name() -> str:
    """Edax where it is installed, else our ladder with its version."""
    return "Edax" if shutil.which(os.environ.get("EDAX") or "edax") else LADDER


def opponent(level: int) -> str:
    """The opponent of that level."""
    return f"edax(level={level})" if opponent_name() == "Edax" else f"ladder(level={level})"


def cells(group: str, agent: str, levels: tuple[int, ...] = LEVELS) -> list[Cell]:
    """An agent in both roles against every level: two games with each seed."""
    return [
        Cell((group, opponent_name(), str(level)), Match(OTHELLO, (agent, opponent(level)), 2))
        for level in levels
    ]


def opponents(results: Results) -> str:
    """Who the results were played against."""
    return str(results.rows[0]["opponent"]) if results.rows else opponent_name()


def comparable(results: Results) -> list[str]:
    """What a reader must know about the opponent."""
    if opponents(results) == "Edax":
        return ["The opponent is Edax, as in the paper."]
    return [
        f"The opponent is not Edax but {LADDER}: alpha-beta to depth N, exact from 2N empty squares, over "
        "weighted squares (heur). Its levels are weaker than Edax's: do not compare the numbers with the "
        "published ones. docs/references.md says how to get Edax."
    ]
