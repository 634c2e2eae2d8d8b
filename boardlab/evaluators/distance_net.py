"""Neural nets that estimate how many actions a puzzle is from its goal, in PyTorch (extra `az`).

They read the board vector, not planes: a cell or a group of cells (a cubie and its turn) is one of so many
values, and the first layer adds a row of weights for each. Distances become values in the game's units: the
best score, plus the step reward for every action on the way.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.evaluators.nets import Residual, from_arrays
from boardlab.evaluators.python import Judge, python_evaluator
from boardlab.games.game import Game
from boardlab.runs import RunFolder

CPU_ROWS = 4096
"""Rows that a CPU judges at a time: their activations stay in its cache."""


class DistanceNet(nn.Module):
    """One-hot groups of cells, two layers, residual blocks, one number."""

    def __init__(
        self, radices: list[list[int]], groups: list[list[int]], first: int, width: int, blocks: int
    ):
        super().__init__()
        longest = max(map(len, groups))
        columns = torch.zeros(longest, len(groups), dtype=torch.long)
        factors = torch.zeros(longest, len(groups), dtype=torch.int32)
        offsets = torch.zeros(len(groups), dtype=torch.int32)
        inputs = 0
        for i, (cells, values) in enumerate(zip(groups, radices, strict=True)):
            offsets[i], factor = inputs, 1
            for k in reversed(range(len(cells))):
                columns[k, i], factors[k, i] = cells[k], factor
                factor *= values[k]
            inputs += factor
        # Known from the description, so that they are no part of the weights.
        self.register_buffer("columns", columns, persistent=False)
        self.register_buffer("factors", factors, persistent=False)
        self.register_buffer("offsets", offsets, persistent=False)
        self.inputs = inputs
        self.embedding = nn.EmbeddingBag(inputs, first, mode="sum")
        nn.init.normal_(self.embedding.weight, std=len(groups) ** -0.5)
        body: list[nn.Module] = [
            nn.BatchNorm1d(first),
            nn.ReLU(),
            nn.Linear(first, width, bias=False),
            nn.BatchNorm1d(width),
            nn.ReLU(),
        ]
        body += [Residual(_block(width)) for _ in range(blocks)]
        self.body = nn.Sequential(*body)
        self.head = nn.Linear(width, 1)

    def forward(self, cells: Tensor) -> Tensor:
        """Distances [n] of board vectors uint8 [n, cells]."""
        index = self.rows(cells)
        # A GPU multiplies faster than it gathers rows.
        x = self.body(self.product(index) if cells.is_cuda else self.embedding(index))
        # Half precision would not tell distances apart that differ by less than a hundredth.
        with torch.autocast(cells.device.type, enabled=False):
            return functional.linear(x.float(), self.head.weight, self.head.bias).squeeze(1)

    def rows(self, cells: Tensor) -> Tensor:
        """The inputs that are 1, int32 [n, groups]."""
        columns, factors, offsets = self.columns, self.factors, self.offsets
        assert isinstance(columns, Tensor) and isinstance(factors, Tensor) and isinstance(offsets, Tensor)
        index = offsets.expand(len(cells), -1)
        for column, factor in zip(columns, factors, strict=True):
            index = index + cells[:, column] * factor
        return index

    def product(self, index: Tensor) -> Tensor:
        """The sum of the rows, as the product with a matrix of ones and zeros."""
        device = index.device.type
        kind = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else torch.float32
        hot = torch.zeros(len(index), self.inputs, dtype=kind, device=index.device)
        return hot.scatter_(1, index.long(), 1) @ self.embedding.weight


def _block(width: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(width, width, bias=False),
        nn.BatchNorm1d(width),
        nn.ReLU(),
        nn.Linear(width, width, bias=False),
        nn.BatchNorm1d(width),
    )


def build_distance_net(game: Game, description: Mapping[str, Any]) -> DistanceNet:
    """The net of a description, with fresh weights."""
    values = game.core.cell_values()
    groups = [[int(cell) for cell in group] for group in description["groups"]]
    radices = [[values[cell] for cell in group] for group in groups]
    first, width, blocks = (int(description[name]) for name in ("first", "width", "blocks"))
    return DistanceNet(radices, groups, first, width, blocks)


def distance_judge(game: Game, net: DistanceNet, device: str) -> Judge:
    """Asks the net about a batch; distances become values."""
    best, step = game.score_range[1], game.core.step_reward

    def judge(cells: NDArray[np.uint8], legal: NDArray[np.bool_]) -> NDArray[np.float32]:
        with torch.inference_mode():
            rows = torch.from_numpy(cells)
            if device == "cuda":
                with torch.autocast("cuda", dtype=torch.float16):
                    distances = net(rows.to(device))
            else:
                distances = torch.cat([net(part) for part in torch.split(rows, CPU_ROWS)])
            values: NDArray[np.float32] = (best + step * distances).cpu().numpy()
            return values

    return judge


def distance_evaluator(game: Game, net: DistanceNet, device: str) -> _engine.Evaluator:
    """The engine's evaluator over the net."""
    return python_evaluator(game, distance_judge(game, net.eval(), device), inputs="cells", priors=False)


def load_distance_net(folder: RunFolder, agent: Mapping[str, Any], game: Game) -> DistanceNet:
    """The trained net of a run."""
    try:
        net = build_distance_net(game, agent["network"])
    except (KeyError, TypeError, ValueError, RuntimeError, IndexError) as error:
        raise BoardLabError(f"{folder.path}/agent.toml does not describe a net: {error}") from None
    wanted = {
        name: ("<f4" if tensor.dtype.is_floating_point else "<i8", tensor.numel())
        for name, tensor in net.state_dict().items()
    }
    from_arrays(net, folder.read_arrays("weights.npz", wanted))
    return net
