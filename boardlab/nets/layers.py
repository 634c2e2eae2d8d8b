"""Framework-independent layers of nets with a value and a policy head.

PyTorch trains them (`torch_net.py`) and the engine runs them on a CPU (`program.py`), so that a trained net
plays where PyTorch is not installed. Arrays have the names of PyTorch's `state_dict`, as in run files.

All nets take planes [n, planes, rows, cols] from the view of the player to move and give (values, logits):
values [n, values] in [-1, 1], of the player to move and then of the players after it (one value is enough in
two-player zero-sum games), and one logit per action. Only the heads depend on the size of the board, so that
a body trained on one board can be used on another.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from boardlab.options import option

EPSILON = 1e-5
"""What batch and layer normalisation add to a variance."""


@dataclass(frozen=True)
class NetShape:
    """The sizes of a net that its game decides."""

    planes: int
    rows: int
    cols: int
    actions: int
    values: int


@dataclass(frozen=True)
class NetOptions:
    """The options of a net that the user decides."""

    net: str = option(
        "res",
        "res: residual blocks (AZ-Res); conv: the same without short cuts (AZ-Conv); pool: residual blocks "
        "that see the whole board, no batch normalisation; wang: four convolutions; mlp: fully connected",
        choices=("res", "conv", "pool", "wang", "mlp"),
    )
    blocks: int = option(3, "blocks of the net's body", low=0, high=100)
    channels: int = option(64, "channels of the body; width of an mlp", low=1, high=4096)
    head_filters: int = option(16, "filters of each head's 1x1 convolution", low=1, high=1024)
    hidden: int = option(64, "width of the value head's hidden layer", low=1, high=4096)
    dropout: float = option(0.0, "dropout before fully connected layers", low=0, high=0.95)


# ---- kinds of layers ----


@dataclass(frozen=True)
class Convolution:
    """A convolution with square filters; no bias where a normalisation follows."""

    inputs: int
    outputs: int
    size: int = 3
    padding: int = 1
    has_bias: bool = False


@dataclass(frozen=True)
class Linear:
    """A fully connected layer; its bias is optional."""

    inputs: int
    outputs: int
    has_bias: bool = True


@dataclass(frozen=True)
class Embedding:
    """The sum of one row of weights per group of cells.

    The joint value of a group's cells selects its row.
    """

    cells: tuple[tuple[int, ...], ...]
    """The cells of each group."""
    values: tuple[tuple[int, ...], ...]
    """The number of values of each of these cells; a group's last cell varies fastest."""
    outputs: int

    @property
    def inputs(self) -> int:
        """The number of joint values of all groups together."""
        return sum(map(math.prod, self.values))


@dataclass(frozen=True)
class BatchNorm:
    """Batch normalisation of a convolution's channels or a linear layer's outputs."""

    width: int
    is_of_cells: bool = True


@dataclass(frozen=True)
class LayerNorm:
    """Layer normalisation of a vector."""

    width: int


@dataclass(frozen=True)
class Relu:
    """The larger of x and 0."""


@dataclass(frozen=True)
class Flatten:
    """All cells as one vector."""


@dataclass(frozen=True)
class Dropout:
    """Drops a share of the numbers while training."""

    share: float


@dataclass(frozen=True)
class Residual:
    """x + f(x), then ReLU."""

    inner: "Layer"


@dataclass(frozen=True)
class Scaled:
    """A residual block x + scale f(x) with a learned scale (SkipInit).

    The scale starts at 0, so that deep nets learn without batch normalisation.
    """

    inner: "Layer"


@dataclass(frozen=True)
class Pooled:
    """Adds a function of the means and maxima over the board to every channel."""

    channels: int

    @property
    def mix(self) -> Linear:
        """The layer from the means and maxima to what is added."""
        return Linear(2 * self.channels, self.channels)


Weighted = Convolution | Linear | Embedding | BatchNorm | LayerNorm
Layer = Weighted | Relu | Flatten | Dropout | Residual | Scaled | Pooled | tuple["Layer", ...]
"""One layer, or several in a row."""


@dataclass(frozen=True)
class NetLayers:
    """A body, then two heads; the value is the tanh of the value head's output."""

    shape: NetShape
    body: Layer
    policy: Layer
    value: Layer

    def arrays(self) -> dict[str, tuple[str, int]]:
        """The name, number format and length of every array of the net."""
        shapes = {
            **shapes_of(self.body, "body"),
            **shapes_of(self.policy, "policy"),
            **shapes_of(self.value, "value"),
        }
        return array_kinds(shapes)


class LayeredNet(Protocol):
    """A net with weights: in PyTorch, or read from a run's file."""

    layers: NetLayers

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """All weights and statistics as flat arrays."""
        ...


@dataclass
class StoredNet:
    """A net read from a run's file."""

    layers: NetLayers
    stored: Mapping[str, NDArray[Any]]

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """All weights and statistics as flat arrays."""
        return self.stored


def array_kinds(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[str, int]]:
    """The number format and length of every array, to check a run's file against."""
    return {name: ("<f4" if shape else "<i8", math.prod(shape)) for name, shape in shapes.items()}


def shapes_of(layer: Layer, name: str) -> dict[str, tuple[int, ...]]:
    """The shapes of a layer's arrays by name; () for a counter."""
    match layer:
        case tuple():
            parts = [shapes_of(part, f"{name}.{i}") for i, part in enumerate(layer)]
            return {name: shape for part in parts for name, shape in part.items()}
        case Convolution(inputs, outputs, size):
            bias = {f"{name}.bias": (outputs,)} if layer.has_bias else {}
            return {f"{name}.weight": (outputs, inputs, size, size), **bias}
        case Linear(inputs, outputs):
            bias = {f"{name}.bias": (outputs,)} if layer.has_bias else {}
            return {f"{name}.weight": (outputs, inputs), **bias}
        case Embedding():
            return {f"{name}.weight": (layer.inputs, layer.outputs)}
        case BatchNorm(width):
            numbers = ("weight", "bias", "running_mean", "running_var")
            return {**{f"{name}.{key}": (width,) for key in numbers}, f"{name}.num_batches_tracked": ()}
        case LayerNorm(width):
            return {f"{name}.weight": (width,), f"{name}.bias": (width,)}
        case Residual(inner):
            return shapes_of(inner, f"{name}.inner")
        case Scaled(inner):
            return {f"{name}.scale": (1,), **shapes_of(inner, f"{name}.inner")}
        case Pooled():
            return shapes_of(layer.mix, f"{name}.mix")
    return {}


# ---- the nets ----


def _normed(inputs: int, outputs: int, size: int = 3, padding: int | None = None) -> list[Layer]:
    return [
        Convolution(inputs, outputs, size, size // 2 if padding is None else padding),
        BatchNorm(outputs),
    ]


def _head(shape: NetShape, options: NetOptions, first: list[Layer], outputs: int, hidden: int = 0) -> Layer:
    """A head: a 1x1 convolution, then fully connected layers.

    Only heads depend on the size of the board.
    """
    flat = options.head_filters * shape.rows * shape.cols
    layers = [*first, Relu(), Flatten(), Dropout(options.dropout)]
    if hidden:
        layers += [Linear(flat, hidden), Relu(), Dropout(options.dropout)]
    return (*layers, Linear(hidden or flat, outputs))


def _church(shape: NetShape, options: NetOptions, residual: bool) -> NetLayers:
    """AZ-Res and AZ-Conv (Church 2019).

    Blocks of two normalised convolutions, with a short cut (AZ-Res) or without (AZ-Conv).
    """
    width = options.channels
    body: list[Layer] = [*_normed(shape.planes, width), Relu()]
    inner = (*_normed(width, width), Relu(), *_normed(width, width))
    for _ in range(options.blocks):
        body += [Residual(inner)] if residual else [inner, Relu()]
    first = _normed(width, options.head_filters, 1)
    return NetLayers(
        shape,
        tuple(body),
        _head(shape, options, first, shape.actions),
        _head(shape, options, first, shape.values, options.hidden),
    )


def _pool(shape: NetShape, options: NetOptions) -> NetLayers:
    """Residual blocks like KataGo's, without batch normalisation.

    Every second block sees the whole board.
    """
    width = options.channels
    whole = Convolution(width, width, has_bias=True)
    body: list[Layer] = [Convolution(shape.planes, width, has_bias=True)]
    for i in range(options.blocks):
        middle: list[Layer] = [Pooled(width)] if i % 2 else []
        body.append(Scaled((Relu(), whole, *middle, Relu(), whole)))
    first: list[Layer] = [Convolution(width, options.head_filters, 1, 0, has_bias=True)]
    return NetLayers(
        shape,
        (*body, Relu()),
        _head(shape, options, first, shape.actions),
        _head(shape, options, first, shape.values, options.hidden),
    )


def _wang(shape: NetShape, options: NetOptions) -> NetLayers:
    """The net of alpha-zero-general, as in Wang et al. (2021).

    It has four convolutions, the last two without padding.
    """
    shrink = min(2, (min(shape.rows, shape.cols) - 1) // 2)  # a board smaller than 5x5 keeps its padding
    layers: list[Layer] = []
    inputs = shape.planes
    for i in range(4):
        layers += [*_normed(inputs, options.channels, 3, 0 if i >= 4 - shrink else 1), Relu()]
        inputs = options.channels
    flat = options.channels * (shape.rows - 2 * shrink) * (shape.cols - 2 * shrink)
    layers.append(Flatten())
    for width in (2 * options.channels, options.channels):
        layers += [Linear(flat, width), BatchNorm(width, False), Relu(), Dropout(options.dropout)]
        flat = width
    return NetLayers(shape, tuple(layers), Linear(flat, shape.actions), Linear(flat, shape.values))


def _mlp(shape: NetShape, options: NetOptions) -> NetLayers:
    """Fully connected residual layers, for games without a grid and for small boards."""
    width = options.channels
    # One entry with and without dropout, so that the names of the other layers stay those in run files.
    relu: Layer = (Relu(), Dropout(options.dropout)) if options.dropout else Relu()
    block = Residual((LayerNorm(width), Linear(width, width), relu, Linear(width, width)))
    first = Linear(shape.planes * shape.rows * shape.cols, width)
    return NetLayers(
        shape,
        (Flatten(), first, Relu(), *[block] * options.blocks),
        Linear(width, shape.actions),
        (Linear(width, options.hidden), relu, Linear(options.hidden, shape.values)),
    )


NETS: dict[str, Callable[[NetShape, NetOptions], NetLayers]] = {
    "res": lambda shape, options: _church(shape, options, True),
    "conv": lambda shape, options: _church(shape, options, False),
    "pool": _pool,
    "wang": _wang,
    "mlp": _mlp,
}


def net_layers(shape: NetShape, options: NetOptions) -> NetLayers:
    """The layers of a net."""
    return NETS[options.net](shape, options)
