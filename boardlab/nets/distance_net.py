"""The nets of `distance.py` in PyTorch, for training and for GPUs (extra `az`)."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from boardlab.nets.distance import DistanceLayers, Distances
from boardlab.nets.torch_net import module


class DistanceNet(nn.Module):
    """A net of distances with fresh weights from torch's current random state."""

    def __init__(self, layers: DistanceLayers) -> None:
        super().__init__()
        self.layers = layers
        cells, values = layers.embedding.cells, layers.embedding.values
        longest = max(map(len, cells))
        columns = torch.zeros(longest, len(cells), dtype=torch.long)
        factors = torch.zeros(longest, len(cells), dtype=torch.int32)
        offsets = torch.zeros(len(cells), dtype=torch.int32)
        inputs = 0
        for i, (group, counts) in enumerate(zip(cells, values, strict=True)):
            offsets[i], factor = inputs, 1
            for k in reversed(range(len(group))):
                columns[k, i], factors[k, i] = group[k], factor
                factor *= counts[k]
            inputs += factor
        # Not part of the weights: the description determines them.
        self.register_buffer("columns", columns, persistent=False)
        self.register_buffer("factors", factors, persistent=False)
        self.register_buffer("offsets", offsets, persistent=False)
        embedding = module(layers.embedding)
        assert isinstance(embedding, nn.EmbeddingBag)
        nn.init.normal_(embedding.weight, std=len(cells) ** -0.5)
        self.embedding, self.body, self.head = (
            embedding,
            module(layers.body),
            nn.Linear(layers.head.inputs, 1),
        )

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
        hot = torch.zeros(len(index), self.layers.embedding.inputs, dtype=kind, device=index.device)
        return hot.scatter_(1, index.long(), 1) @ self.embedding.weight


def gpu_distances(net: DistanceNet) -> Distances:
    """The distances of a net on a GPU, in half precision."""
    net.eval()

    def distances(cells: NDArray[np.uint8]) -> NDArray[np.float32]:
        with torch.inference_mode(), torch.autocast("cuda", dtype=torch.float16):
            answers: NDArray[np.float32] = net(torch.from_numpy(cells).to("cuda")).cpu().numpy()
            return answers

    return distances
