"""The learners by name: a line each."""

from collections.abc import Iterable

from boardlab.learners.alphazero.settings import AlphaZero
from boardlab.learners.features import TdFeatures
from boardlab.learners.learner import LearnerSettings
from boardlab.learners.ntuple.settings import QNTuple, SarsaNTuple, TdNTuple
from boardlab.learners.puzzles.settings import Davi, DaviNet, RandomWalk
from boardlab.learners.tabular import QM, QTableSettings

LEARNERS: dict[str, type[LearnerSettings]] = {
    TdNTuple.name: TdNTuple,
    SarsaNTuple.name: SarsaNTuple,
    QNTuple.name: QNTuple,
    TdFeatures.name: TdFeatures,
    QTableSettings.name: QTableSettings,
    QM.name: QM,
    AlphaZero.name: AlphaZero,
    Davi.name: Davi,
    DaviNet.name: DaviNet,
    RandomWalk.name: RandomWalk,
}


def default_learner(settings: Iterable[str]) -> str:
    """The learner where the user names none: only AlphaZero can begin with the net of another run."""
    return AlphaZero.name if {"from", "from_"} & set(settings) else TdNTuple.name
