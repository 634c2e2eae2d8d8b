"""Framework-independent nets that estimate a puzzle's distance to its goal.

They read the board vector, not planes: the first layer adds one row of weights for the value of each cell or
group of cells (a cubie and its turn). Distances become values in the game's units: the best score plus the
step reward for every action on the way. PyTorch trains them (`distance_net.py`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardLabError
from boardlab.games.game import Game, as_integer
from boardlab.nets.layers import (
    BatchNorm,
    Embedding,
    Layer,
    Linear,
    Relu,
    Residual,
    array_kinds,
    shapes_of,
)
from boardlab.runs import RunFolder

LIMITS = {"first": (1, 16384), "width": (1, 16384), "blocks": (0, 100)}
"""Limits of the numbers in a description, as in the learners' options."""

Distances = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""A function from board vectors [n, cells] to distances [n]."""


@dataclass(frozen=True)
class DistanceLayers:
    """One-hot groups of cells, two layers, residual blocks, one number."""

    cell_count: int
    """The length of a board vector."""
    embedding: Embedding
    body: tuple[Layer, ...]
    head: Linear

    @property
    def named(self) -> list[tuple[str, Layer]]:
        """All layers in order, with their names."""
        return [("embedding", self.embedding), ("body", self.body), ("head", self.head)]

    def arrays(self) -> dict[str, tuple[str, int]]:
        """The name, number format and length of every array of the net."""
        return array_kinds({k: v for name, layer in self.named for k, v in shapes_of(layer, name).items()})


def distance_layers(game: Game, description: Mapping[str, Any]) -> DistanceLayers:
    """Return the layers of the net described in agent.toml.

    Raises BoardLabError if the description is invalid.
    """
    values = game.core.cell_values()
    groups = tuple(
        tuple(as_integer("a cell of groups", cell, 0, len(values) - 1) for cell in group)
        for group in description["groups"]
    )
    if not groups or not all(groups):
        raise BoardLabError("groups must have cells")
    first, width, blocks = (
        as_integer(name, description[name], *LIMITS[name]) for name in ("first", "width", "blocks")
    )
    block = (*_normed(width, width), Relu(), *_normed(width, width))
    return DistanceLayers(
        len(values),
        Embedding(groups, tuple(tuple(values[cell] for cell in group) for group in groups), first),
        (BatchNorm(first, False), Relu(), *_normed(first, width), Relu(), *[Residual(block)] * blocks),
        Linear(width, 1),
    )


def _normed(inputs: int, outputs: int) -> tuple[Layer, Layer]:
    return Linear(inputs, outputs, has_bias=False), BatchNorm(outputs, False)


def stored_distance_net(
    folder: RunFolder, agent: Mapping[str, Any], game: Game
) -> tuple[DistanceLayers, dict[str, NDArray[Any]]]:
    """The trained net of a run: its layers and their arrays."""
    try:
        layers = distance_layers(game, agent["network"])
    except (KeyError, TypeError, ValueError) as error:
        raise BoardLabError(f"{folder.path}/agent.toml does not describe a net: {error}") from None
    return layers, folder.read_arrays("weights.npz", layers.arrays())
