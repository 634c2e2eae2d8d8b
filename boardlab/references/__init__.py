"""Reference players, perfect and famous ones; importing this registers them."""

from boardlab.evaluators import EVALUATORS
from boardlab.references.blackjack import Basic
from boardlab.references.connectfour import AB, ABDL
from boardlab.references.engines import Edax, Engine
from boardlab.references.kuhnpoker import Nash
from boardlab.references.nim import Bouton
from boardlab.references.othello import Bench, BenchWeights, Heur, HeurWeights, Ladder
from boardlab.references.poker import Equity, Tight
from boardlab.references.rubiks import Exact, Kociemba
from boardlab.references.solved import Perfect, Solved
from boardlab.references.twenty48 import Tiles, TilesEvaluator
from boardlab.references.uct import Uct
from boardlab.search.expression import AGENTS

REFERENCES = (
    Uct,
    Perfect,
    Solved,
    AB,
    ABDL,
    Bouton,
    Bench,
    Heur,
    Ladder,
    Edax,
    Engine,
    Tiles,
    Basic,
    Nash,
    Tight,
    Equity,
    Exact,
    Kociemba,
)

for _reference in REFERENCES:
    AGENTS[_reference.name] = _reference
for _heuristic in (BenchWeights, HeurWeights, TilesEvaluator):
    EVALUATORS[_heuristic.name] = _heuristic

__all__ = ["REFERENCES"]
