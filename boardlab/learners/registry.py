"""The learners by name: a line each."""

import os
from collections.abc import Iterable
from typing import Any

from boardlab.errors import OF_YOUR_OWN, unknown
from boardlab.learners.alphazero.settings import AlphaZero
from boardlab.learners.cfr import Cfr
from boardlab.learners.features import TdFeatures
from boardlab.learners.learner import LearnerSettings
from boardlab.learners.ntuple.settings import QNTuple, SarsaNTuple, TdNTuple
from boardlab.learners.puzzles.settings import Davi, DaviNet, RandomWalk
from boardlab.learners.tabular import QM, QTableSettings
from boardlab.registries import Registry
from boardlab.runs import RunFolder

_OWN: dict[str, type[LearnerSettings]] = {
    TdNTuple.name: TdNTuple,
    SarsaNTuple.name: SarsaNTuple,
    QNTuple.name: QNTuple,
    TdFeatures.name: TdFeatures,
    QTableSettings.name: QTableSettings,
    QM.name: QM,
    Cfr.name: Cfr,
    AlphaZero.name: AlphaZero,
    Davi.name: Davi,
    DaviNet.name: DaviNet,
    RandomWalk.name: RandomWalk,
}

LEARNERS: Registry[type[LearnerSettings]] = Registry("learner", _OWN)


def known_learner(name: Any) -> type[LearnerSettings]:
    """The learner of that name, or the error that names the nearest."""
    if not isinstance(name, str) or name not in LEARNERS:
        raise unknown("learner", name, LEARNERS.names(), OF_YOUR_OWN)
    return LEARNERS[name]


def default_learner(settings: Iterable[str], is_hidden: bool = False) -> str:
    """The default learner: cfr for hidden cards, else td-ntuple.

    With the setting `from` it is AlphaZero, which takes over another run's net.
    """
    if {"from", "from_"} & set(settings):
        return AlphaZero.name
    return Cfr.name if is_hidden else TdNTuple.name


def run_folder(path: str | os.PathLike[str]) -> RunFolder:
    """The folder of a run, with the files of all learners: it may hold another's run."""
    patterns = (pattern for kind in LEARNERS.values() for pattern in kind.files)
    return RunFolder(path, tuple(dict.fromkeys(patterns)))
