"""The nets of `layers.py` in PyTorch.

Imported only for training and for GPUs (extra `az`).
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from boardlab.nets import layers
from boardlab.nets.layers import EPSILON, Layer, NetLayers


class Net(nn.Module):
    """A body and two heads with fresh weights from torch's current random state."""

    def __init__(self, described: NetLayers) -> None:
        super().__init__()
        self.layers = described
        self.body, self.policy, self.value = map(module, (described.body, described.policy, described.value))

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """(values, logits)."""
        features = self.body(planes)
        return torch.tanh(self.value(features)), self.policy(features)

    def arrays(self) -> dict[str, Any]:
        """All weights and statistics as flat arrays."""
        return to_arrays(self)


class Residual(nn.Module):
    """x + f(x), then ReLU."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor) -> Tensor:
        """The block's output."""
        return torch.relu(x + self.inner(x))


class Pooled(nn.Module):
    """Adds a function of the means and maxima over the board to every channel."""

    def __init__(self, mix: nn.Module) -> None:
        super().__init__()
        self.mix = mix

    def forward(self, x: Tensor) -> Tensor:
        """The same shape."""
        seen = torch.cat([x.mean(dim=(2, 3)), x.amax(dim=(2, 3))], dim=1)
        added: Tensor = self.mix(torch.relu(seen))
        return x + added[:, :, None, None]


class Scaled(nn.Module):
    """x + scale f(x), the scale learned from 0 on."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner
        self.scale = nn.Parameter(torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        """The block's output."""
        added: Tensor = self.inner(x)
        return x + self.scale * added


def module(layer: Layer) -> nn.Module:
    """The module of a layer."""
    match layer:
        case tuple():
            return nn.Sequential(*map(module, layer))
        case layers.Convolution(inputs, outputs, size, padding, has_bias):
            return nn.Conv2d(inputs, outputs, size, padding=padding, bias=has_bias)
        case layers.Linear(inputs, outputs, has_bias):
            return nn.Linear(inputs, outputs, bias=has_bias)
        case layers.Embedding():
            return nn.EmbeddingBag(layer.inputs, layer.outputs, mode="sum")
        case layers.BatchNorm(width, is_of_cells):
            return (nn.BatchNorm2d if is_of_cells else nn.BatchNorm1d)(width, eps=EPSILON)
        case layers.LayerNorm(width):
            return nn.LayerNorm(width, eps=EPSILON)
        case layers.Relu():
            return nn.ReLU()
        case layers.Flatten():
            return nn.Flatten()
        case layers.Dropout(share):
            return nn.Dropout(share)
        case layers.Residual(inner):
            return Residual(module(inner))
        case layers.Scaled(inner):
            return Scaled(module(inner))
        case layers.Pooled():
            return Pooled(module(layer.mix))


def to_arrays(module: nn.Module) -> dict[str, Any]:
    """All weights and statistics as flat numpy arrays for a run's file."""
    return {name: tensor.detach().cpu().numpy().reshape(-1) for name, tensor in module.state_dict().items()}


def from_arrays(module: nn.Module, arrays: Mapping[str, Any], prefix: str = "") -> None:
    """Load such arrays; `prefix` precedes their names."""
    state = module.state_dict()
    module.load_state_dict(
        {name: torch.from_numpy(arrays[prefix + name].copy()).reshape(state[name].shape) for name in state}
    )
