"""The evaluator `net("run")`: a trained neural net, under any search.

On a CPU the engine asks the net itself; on a GPU it asks PyTorch, through a judge in Python.
"""

import os
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
from boardlab.nets.distance import DistanceLayers, Distances, stored_distance_net
from boardlab.nets.inference import NetJudge, net_distances, net_judge
from boardlab.nets.layers import LayeredNet
from boardlab.nets.program import distance_program, net_program
from boardlab.nets.stored import stored_net
from boardlab.options import option
from boardlab.runs import RunFolder

DISTANCES = ("random-walk", "davi-net")
"""The kinds of runs whose net estimates the distance of a puzzle to its goal."""

PLAYING_ROWS = 64
"""The largest batch that a GPU is prepared for under a search in play; larger ones work too."""


@dataclass(frozen=True)
class Net(EvaluatorSpec):
    """A trained neural net: AlphaZero's, or a puzzle's distance net.

    AlphaZero's nets give values and priors, those of puzzles distances to the goal.
    """

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
        device = choose_device(self.device)
        if agent["kind"] in DISTANCES:
            return puzzle_evaluator(game, *stored_distance_net(folder, agent, game), device)
        net, (low, high) = stored_net(folder, agent)
        return net_evaluator(game, net, device, low, high)

    def judge(self, game: Game) -> NetJudge | None:
        """A judge of batches in Python; None for a net that is not AlphaZero's."""
        folder = RunFolder(self.run)
        agent, _ = folder.read_trained("alphazero", *DISTANCES, game=game)
        if agent["kind"] in DISTANCES:
            return None
        net, scale = stored_net(folder, agent)
        return net_judge(net, choose_device(self.device), *scale)


def net_evaluator(game: Game, net: LayeredNet, device: str, low: float, high: float) -> _engine.Evaluator:
    """Return the engine's evaluator over AlphaZero's net.

    The net's values -1 and 1 stand for the outcomes `low` and `high`.
    """
    if device == "cpu":
        factor, offset = (high - low) / 2, (high + low) / 2
        return _engine.net_evaluator(
            game.core, net_program(net), "planes", squashes=True, factor=factor, offset=offset
        )
    judge = net_judge(net, device, low, high)
    judge.prepare(1, PLAYING_ROWS, game.initial_state().planes().shape)
    return python_evaluator(game, judge)


def puzzle_evaluator(
    game: Game, layers: DistanceLayers, arrays: Mapping[str, NDArray[Any]], device: str
) -> _engine.Evaluator:
    """Return the engine's evaluator over a net of distances.

    Large batches are divided among all cores of a CPU.
    """
    if device != "cpu":
        return distance_evaluator(game, net_distances(layers, arrays, device))
    return _engine.net_evaluator(
        game.core,
        distance_program(layers, arrays),
        "cells",
        squashes=False,
        factor=game.core.step_reward,
        offset=game.score_range[1],
        threads=min(os.cpu_count() or 1, 1024),
    )


def distance_evaluator(game: Game, distances: Distances) -> _engine.Evaluator:
    """The engine's evaluator over a function in Python that estimates distances."""
    best, step = np.float32(game.score_range[1]), np.float32(game.core.step_reward)

    def judge(cells: NDArray[np.uint8], legal: NDArray[np.bool_]) -> NDArray[np.float32]:
        return best + step * distances(cells)

    return python_evaluator(game, judge, inputs="cells", priors=False)
