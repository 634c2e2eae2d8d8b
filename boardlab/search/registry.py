"""The searches by name.

To add one, write a frozen dataclass with a method `build` in a new file and list it here.
"""

from boardlab.search.beam import Beam
from boardlab.search.enhancements import RaveMcts, RolloutMcts, RoRaMcts, WRoMcts, WRoRaMcts
from boardlab.search.full_width import AlphaBeta, Expectimax, MaxN
from boardlab.search.ismcts import Ismcts
from boardlab.search.mcts import Mcts
from boardlab.search.nrpa import Nrpa
from boardlab.search.regret import Regret
from boardlab.search.rhea import Rhea
from boardlab.search.simple import Greedy, MonteCarlo, Policy, Random
from boardlab.search.spec import SearchSpec
from boardlab.search.vote import Vote

_OWN: tuple[type[SearchSpec], ...] = (
    Random,
    Greedy,
    Policy,
    MonteCarlo,
    Mcts,
    RolloutMcts,
    RaveMcts,
    RoRaMcts,
    WRoMcts,
    WRoRaMcts,
    Ismcts,
    Regret,
    MaxN,
    Expectimax,
    AlphaBeta,
    Rhea,
    Nrpa,
    Beam,
    Vote,
)

SEARCHES: dict[str, type[SearchSpec]] = {spec.name: spec for spec in _OWN}
