"""The evaluator over strategies learned by cfr, and the buckets of a description."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.runs import RunFolder

KIND = "cfr"
TABLE = {"keys": "<u8", "counts": "<i4", "actions": "<i4", "sums": "<f8", "regrets": "<f8"}
"""The columns of a table of regrets, with their types; the last is for learning alone."""


@dataclass(frozen=True)
class Regret(EvaluatorSpec):
    """The average strategy learned by cfr, from its run folder: regret("runs/leduc")."""

    run: str = option("", "the folder of the run")

    name = "regret"

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        if not self.run:
            raise BoardLabError('regret needs the folder of a run, as in regret("runs/leducpoker")')
        folder = RunFolder(self.run)
        agent, _ = folder.read_trained(KIND, game=game, any_length=game.core.names_situations)
        with folder.understanding():
            shape = bucket_shape(agent["network"])
        sizes = folder.read_arrays("weights.npz", {"sizes": ("<i8", 3)})["sizes"].tolist()
        wanted = table_types(sizes, playing=True)
        arrays = folder.read_arrays("weights.npz", wanted)
        bounds = arrays.pop("bounds")
        table = _engine.RegretTable(2**62)
        try:
            table.fill(**arrays, regrets=np.zeros(len(arrays["sums"])))
            return table.evaluator(game.core, agent["network"]["reward"], shape, bounds)
        except ValueError as error:
            raise BoardLabError(f"{self.run}/weights.npz is damaged: {error}") from None


def table_types(sizes: list[int], *, playing: bool) -> dict[str, tuple[str, int]]:
    """Types and lengths of the arrays of a run with `sizes`: sets, actions, bounds."""
    sets, actions, bounds = sizes
    if min(sizes) < 0:
        raise BoardLabError("the sizes of its tables are damaged")
    types = {
        name: (kind, sets if name in ("keys", "counts") else actions)
        for name, kind in TABLE.items()
        if not (playing and name == "regrets")
    }
    return {**types, "bounds": ("<f8", bounds)}


def bucket_shape(description: Mapping[str, Any]) -> list[int]:
    """Groups of each hand feature; empty where hands are not put into buckets."""
    shape = description.get("buckets", [])
    if not isinstance(shape, list) or not all(isinstance(n, int) and n >= 1 for n in shape):
        raise BoardLabError("the buckets must be a list of numbers, at least 1")
    if not isinstance(description.get("reward"), str):
        raise BoardLabError("the description of the table lacks reward")
    return shape


def bucket_bounds(game: Game, shape: list[int], hands: int, seed: int) -> NDArray[np.float64]:
    """Bounds that divide random hands evenly: for each stage, feature by feature.

    The groups of the first feature are divided by the second one, and so on (nested quantiles).
    """
    bounds: list[float] = []
    for sample in _engine.sample_hands(game.core, hands, seed) if shape else ():
        groups = [sample]
        for feature, count in enumerate(shape):
            parts = []
            for group in groups:
                values = np.sort(group[:, feature])
                places = [len(values) * i // count for i in range(1, count)]
                # A stage without hands is never met; its bounds may be any.
                cuts = values[places] if len(values) else np.zeros(count - 1)
                bounds += cuts.tolist()
                found = np.searchsorted(cuts, group[:, feature], side="right")
                parts += [group[found == i] for i in range(count)]
            groups = parts
    return np.array(bounds)
