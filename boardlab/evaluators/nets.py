"""Neural nets with a value and a policy head, in PyTorch; imported only where one is needed (extra `az`).

All take planes [n, planes, rows, cols] from the view of the player to move and give (values, logits):
values [n, values] in [-1, 1], of the player to move and then of the players after it (one is enough in
two-player zero-sum games), and a logit an action. What depends on the size of the board stands in the heads
alone, so that a body learned on one board serves on another.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class NetShape:
    """What the game decides about its net."""

    planes: int
    rows: int
    cols: int
    actions: int
    values: int


@dataclass(frozen=True)
class NetOptions:
    """What the user decides about it."""

    net: str = "res"
    blocks: int = 5
    channels: int = 64
    head_filters: int = 32
    hidden: int = 64
    dropout: float = 0.0


class Net(nn.Module):
    """A body, then the two heads."""

    def __init__(self, body: nn.Module, policy: nn.Module, value: nn.Module) -> None:
        super().__init__()
        self.body, self.policy, self.value = body, policy, value

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """(values, logits)."""
        features = self.body(planes)
        return torch.tanh(self.value(features)), self.policy(features)


class Residual(nn.Module):
    """x + f(x), then ReLU."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor) -> Tensor:
        """The block's output."""
        return torch.relu(x + self.inner(x))


def _convolution(inputs: int, outputs: int, size: int = 3, padding: int | None = None) -> list[nn.Module]:
    pad = size // 2 if padding is None else padding
    return [nn.Conv2d(inputs, outputs, size, padding=pad, bias=False), nn.BatchNorm2d(outputs)]


def _head(shape: NetShape, options: NetOptions, outputs: int, *, hidden: int = 0) -> nn.Sequential:
    """A 1x1 convolution, then fully connected layers; the only part that knows the size of the board."""
    flat = options.head_filters * shape.rows * shape.cols
    layers: list[nn.Module] = [
        *_convolution(options.channels, options.head_filters, 1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(options.dropout),
    ]
    if hidden:
        layers += [nn.Linear(flat, hidden), nn.ReLU(), nn.Dropout(options.dropout)]
    return nn.Sequential(*layers, nn.Linear(hidden or flat, outputs))


def _paper_001(shape: NetShape, options: NetOptions, residual: bool) -> Net:
    """AZ-Res and AZ-Conv: blocks of two convolutions with batch normalisation, with a short cut or not."""
    body: list[nn.Module] = [*_convolution(shape.planes, options.channels), nn.ReLU()]
    for _ in range(options.blocks):
        inner = nn.Sequential(
            *_convolution(options.channels, options.channels),
            nn.ReLU(),
            *_convolution(options.channels, options.channels),
        )
        body += [Residual(inner)] if residual else [inner, nn.ReLU()]
    return Net(
        nn.Sequential(*body),
        _head(shape, options, shape.actions),
        _head(shape, options, shape.values, hidden=options.hidden),
    )


class Pooled(nn.Module):
    """Adds to every channel what the mean and the maximum of all channels say: the whole board at once."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.mix = nn.Linear(2 * channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        """The same shape."""
        seen = torch.cat([x.mean(dim=(2, 3)), x.amax(dim=(2, 3))], dim=1)
        added: Tensor = self.mix(torch.relu(seen))
        return x + added[:, :, None, None]


class Scaled(nn.Module):
    """x + scale f(x) with a scale that begins at 0: deep without batch normalisation (SkipInit)."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner
        self.scale = nn.Parameter(torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        """The block's output."""
        added: Tensor = self.inner(x)
        return x + self.scale * added


def _pool(shape: NetShape, options: NetOptions) -> Net:
    """Residual blocks as KataGo's: no batch normalisation, and every second one sees the whole board."""
    width = options.channels
    body: list[nn.Module] = [nn.Conv2d(shape.planes, width, 3, padding=1)]
    for i in range(options.blocks):
        middle: list[nn.Module] = [Pooled(width)] if i % 2 else []
        body.append(
            Scaled(
                nn.Sequential(
                    nn.ReLU(),
                    nn.Conv2d(width, width, 3, padding=1),
                    *middle,
                    nn.ReLU(),
                    nn.Conv2d(width, width, 3, padding=1),
                )
            )
        )
    flat = options.head_filters * shape.rows * shape.cols

    def head(outputs: int, hidden: int) -> nn.Sequential:
        layers: list[nn.Module] = [nn.Conv2d(width, options.head_filters, 1), nn.ReLU(), nn.Flatten()]
        layers.append(nn.Dropout(options.dropout))
        if hidden:
            layers += [nn.Linear(flat, hidden), nn.ReLU(), nn.Dropout(options.dropout)]
        return nn.Sequential(*layers, nn.Linear(hidden or flat, outputs))

    return Net(nn.Sequential(*body, nn.ReLU()), head(shape.actions, 0), head(shape.values, options.hidden))


def _wang(shape: NetShape, options: NetOptions) -> Net:
    """alpha-zero-general's net, as in papers 003 and 004: four convolutions, the last two unpadded."""
    shrink = min(2, (min(shape.rows, shape.cols) - 1) // 2)  # a board smaller than 5x5 keeps its padding
    layers: list[nn.Module] = []
    inputs = shape.planes
    for i in range(4):
        layers += [*_convolution(inputs, options.channels, 3, 0 if i >= 4 - shrink else 1), nn.ReLU()]
        inputs = options.channels
    flat = options.channels * (shape.rows - 2 * shrink) * (shape.cols - 2 * shrink)
    layers.append(nn.Flatten())
    for width in (2 * options.channels, options.channels):
        layers += [nn.Linear(flat, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(options.dropout)]
        flat = width
    return Net(nn.Sequential(*layers), nn.Linear(flat, shape.actions), nn.Linear(flat, shape.values))


def _mlp(shape: NetShape, options: NetOptions) -> Net:
    """Fully connected residual layers, for games without a grid and for small boards."""
    width = options.channels

    def relu() -> nn.Module:  # one layer either way: the names of the others are those in the files of runs
        return nn.Sequential(nn.ReLU(), nn.Dropout(options.dropout)) if options.dropout else nn.ReLU()

    body: list[nn.Module] = [
        nn.Flatten(),
        nn.Linear(shape.planes * shape.rows * shape.cols, width),
        nn.ReLU(),
    ]
    for _ in range(options.blocks):
        body.append(
            Residual(
                nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), relu(), nn.Linear(width, width))
            )
        )
    return Net(
        nn.Sequential(*body),
        nn.Linear(width, shape.actions),
        nn.Sequential(nn.Linear(width, options.hidden), relu(), nn.Linear(options.hidden, shape.values)),
    )


NETS: dict[str, Callable[[NetShape, NetOptions], Net]] = {
    "res": lambda shape, options: _paper_001(shape, options, True),
    "conv": lambda shape, options: _paper_001(shape, options, False),
    "pool": _pool,
    "wang": _wang,
    "mlp": _mlp,
}


def build_net(shape: NetShape, options: NetOptions) -> Net:
    """The net with fresh weights, drawn from torch's present random state."""
    return NETS[options.net](shape, options)


def to_arrays(module: nn.Module) -> dict[str, Any]:
    """All weights and statistics as flat numpy arrays, for a run's file."""
    return {name: tensor.detach().cpu().numpy().reshape(-1) for name, tensor in module.state_dict().items()}


def from_arrays(module: nn.Module, arrays: dict[str, Any]) -> None:
    """Puts such arrays back."""
    state = module.state_dict()
    module.load_state_dict(
        {name: torch.from_numpy(arrays[name].copy()).reshape(state[name].shape) for name in state}
    )
