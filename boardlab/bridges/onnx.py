"""Trained nets as ONNX files, for other programs: `export("runs/az", "model.onnx")`."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.bridges.needing import needing
from boardlab.errors import BoardLabError
from boardlab.evaluators.net import DISTANCES
from boardlab.games.batch_env import BatchEnv
from boardlab.games.game import Game, game_table
from boardlab.nets.distance import stored_distance_net
from boardlab.nets.inference import net_distances, net_judge
from boardlab.nets.stored import stored_net
from boardlab.paths import as_path
from boardlab.runs import RunFolder
from boardlab.runs.files import check_writable, write_file

with needing("ONNX export", "onnx"):
    import onnxruntime

    from boardlab.nets.onnx_graph import distance_graph, net_graph

TOLERANCE = 1e-4
"""Differences from the engine above this refuse the file.

Usual nets are within 1e-5; in deep ones the engine's fast convolutions round more than ONNX's plain ones.
"""
POSITIONS = 64


@dataclass(frozen=True)
class Exported:
    """What was written: the file, its inputs and outputs, and how it differs from the engine."""

    path: Path
    inputs: dict[str, list[int | str]]
    outputs: dict[str, list[int | str]]
    bytes: int
    difference: float
    """Largest difference from the engine's values (as shares of their range), probabilities or distances."""

    def __str__(self) -> str:
        def shown(shapes: dict[str, list[int | str]]) -> str:
            return ", ".join(f"{name} [{', '.join(map(str, shape))}]" for name, shape in shapes.items())

        return (
            f"{self.path}: {shown(self.inputs)} -> {shown(self.outputs)}, {self.bytes:,} bytes, within "
            f"{self.difference:.1e} of the engine in {POSITIONS} positions"
        )


def export(run: str | Path, path: str | Path) -> Exported:
    """Write the net of a training run to an ONNX file, and check it against the engine.

    AlphaZero's net takes planes and gives values, in the units of the game's score, and logits; a puzzle's
    net takes the board vector and gives distances. Nothing is written if the answers differ.
    """
    target = as_path("an ONNX file", path)
    check_writable(target, ".onnx")
    folder = RunFolder(run)
    agent = folder.read_agent()
    if agent.get("kind") not in ("alphazero", *DISTANCES):
        raise BoardLabError(f"{run} is a run of {agent.get('kind')}, which has no neural net to export")
    agent, game = folder.read_trained("alphazero", *DISTANCES)
    made = _of_puzzle(folder, agent, game) if agent["kind"] in DISTANCES else _of_players(folder, agent)
    model = made.model
    for key, value in (("game", json.dumps(game_table(game))), ("learner", str(agent["kind"]))):
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    model.producer_name = "boardlab"
    content: bytes = model.SerializeToString()
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    difference = made.largest_difference(game, session)
    if not difference <= TOLERANCE:
        raise BoardLabError(
            f"the ONNX net of {run} differs from the engine's by {difference:.1e}; nothing was written"
        )
    write_file(target, content)
    return Exported(
        target,
        {given.name: list(given.shape) for given in session.get_inputs()},
        {given.name: list(given.shape) for given in session.get_outputs()},
        len(content),
        difference,
    )


@dataclass(frozen=True)
class _Made:
    """A model, and the same net in the engine."""

    model: Any
    inputs: str
    engine: Callable[[NDArray[Any]], Sequence[NDArray[np.float32]]]
    """The engine's answers, in the order of the model's outputs."""
    comparable: Callable[[Sequence[NDArray[np.float32]]], Sequence[NDArray[np.float32]]]
    """Answers as numbers of about 1 at most."""

    def largest_difference(self, game: Game, session: Any) -> float:
        """Ask both about positions of random games."""
        env = BatchEnv(game, POSITIONS, seed=1, inputs=self.inputs)
        for step in range(POSITIONS):  # another number of actions in every game
            env.step(env.random_actions(), where=np.arange(POSITIONS) >= step)
        seen = env.observe().copy()
        ours, theirs = self.engine(seen), session.run(None, {self.inputs: seen})
        pairs = zip(self.comparable(ours), self.comparable(theirs), strict=True)
        return max(float(np.max(np.abs(a - b))) for a, b in pairs)


def _of_players(folder: RunFolder, agent: dict[str, Any]) -> _Made:
    net, (low, high) = stored_net(folder, agent)
    judge = net_judge(net, "cpu", low, high)

    def comparable(answers: Sequence[NDArray[np.float32]]) -> Sequence[NDArray[np.float32]]:
        values, logits = answers
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        return values / np.float32((high - low) / 2), chances / chances.sum(axis=1, keepdims=True)

    def engine(planes: NDArray[Any]) -> Sequence[NDArray[np.float32]]:
        return judge(planes, np.ones((len(planes), net.layers.shape.actions), bool))

    return _Made(net_graph(net, low, high), "planes", engine, comparable)


def _of_puzzle(folder: RunFolder, agent: dict[str, Any], game: Game) -> _Made:
    layers, arrays = stored_distance_net(folder, agent, game)
    distances = net_distances(layers, arrays, "cpu", threads=1)

    def comparable(answers: Sequence[NDArray[np.float32]]) -> Sequence[NDArray[np.float32]]:
        return [answers[0] / np.float32(game.horizon)]

    return _Made(
        distance_graph(layers, arrays), "cells", lambda cells: [distances(cells)[:, None]], comparable
    )
