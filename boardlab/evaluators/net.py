"""The evaluator `net("run")`: a neural net that was trained, under any search."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.python import python_evaluator
from boardlab.games.game import Game
from boardlab.nets.device import choose_device
from boardlab.nets.distance import Distances, stored_distance_net
from boardlab.nets.inference import NetJudge, net_distances, net_judge
from boardlab.nets.stored import stored_net
from boardlab.options import option
from boardlab.runs import RunFolder

DISTANCES = ("random-walk", "davi-net")
"""The kinds of runs whose net tells the distance of a puzzle to its goal."""

PLAYING_ROWS = 64
"""The largest batch that a GPU is prepared for under a search in play; larger ones work too."""


@dataclass(frozen=True)
class Net(EvaluatorSpec):
    """A trained neural net: AlphaZero's (values and priors), or a puzzle's (distances to the goal)."""

    run: str = option("", "the folder of the run")
    device: str = option(
        "auto", "cpu, cuda, or auto: the GPU if there is one", choices=("auto", "cpu", "cuda")
    )

    name = "net"
    older_names: ClassVar[dict[str, str]] = {"path": "run"}  # stores hold agents that were written so

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        if not self.run:
            raise BoardLabError('net needs the folder of a run, as in net("runs/connectfour")')
        folder = RunFolder(self.run)
        agent, _ = folder.read_trained("alphazero", *DISTANCES, game=game)
        if agent["kind"] in DISTANCES:
            net = stored_distance_net(folder, agent, game)
            return distance_evaluator(game, net_distances(*net, choose_device(self.device)))
        judge = self._judge(folder, agent)
        judge.prepare(1, PLAYING_ROWS, game.initial_state().planes().shape)
        return python_evaluator(game, judge)

    def judge(self, game: Game) -> NetJudge | None:
        """Asks the net about batches of positions; None where it is not AlphaZero's."""
        folder = RunFolder(self.run)
        agent, _ = folder.read_trained("alphazero", *DISTANCES, game=game)
        return None if agent["kind"] in DISTANCES else self._judge(folder, agent)

    def _judge(self, folder: RunFolder, agent: Mapping[str, Any]) -> NetJudge:
        net, scale = stored_net(folder, agent)
        return net_judge(net, choose_device(self.device), *scale)


def distance_evaluator(game: Game, distances: Distances) -> _engine.Evaluator:
    """The engine's evaluator over a net: distances become values."""
    best, step = np.float32(game.score_range[1]), np.float32(game.core.step_reward)

    def judge(cells: NDArray[np.uint8], legal: NDArray[np.bool_]) -> NDArray[np.float32]:
        return best + step * distances(cells)

    return python_evaluator(game, judge, inputs="cells", priors=False)
