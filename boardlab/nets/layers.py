"""The layers of neural nets with a value and a policy head, as plain descriptions without a framework.

PyTorch learns them (`nets.py`), the engine asks them on a CPU (`program.py`): a net that was trained plays
where there is no PyTorch. Arrays have the names of PyTorch's `state_dict`, as in the files of runs.

All nets take planes [n, planes, rows, cols] from the view of the player to move and give (values, logits):
values [n, values] in [-1, 1], of the player to move and then of the players after it (one is enough in
two-player zero-sum games), and a logit an action. What depends on the size of the board stands in the heads
alone, so that a body learned on one board serves on another.
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
    """What the game decides about its net."""

    planes: int
    rows: int
    cols: int
    actions: int
    values: int


@dataclass(frozen=True)
class NetOptions:
    """What the user decides about a net."""

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
    """Square filters over the cells; without a bias where a normalisation follows."""

    inputs: int
    outputs: int
    size: int = 3
    padding: int = 1
    has_bias: bool = False


@dataclass(frozen=True)
class Linear:
    """Fully connected; without a bias where a normalisation follows and says so."""

    inputs: int
    outputs: int
    has_bias: bool = True


@dataclass(frozen=True)
class Embedding:
    """Groups of cells, each of which is one of so many values: the sum of a row of weights for each."""

    cells: tuple[tuple[int, ...], ...]
    """Of each group."""
    values: tuple[tuple[int, ...], ...]
    """How many each of these cells has; of a group's cells the last one counts singly."""
    outputs: int

    @property
    def inputs(self) -> int:
        """The values of all groups."""
        return sum(map(math.prod, self.values))


@dataclass(frozen=True)
class BatchNorm:
    """Of the convolution's channels or the linear layer's numbers before it."""

    width: int
    is_of_cells: bool = True


@dataclass(frozen=True)
class LayerNorm:
    """Of a vector."""

    width: int


@dataclass(frozen=True)
class Relu:
    """The larger of x and 0."""


@dataclass(frozen=True)
class Flatten:
    """All cells as one vector."""


@dataclass(frozen=True)
class Dropout:
    """Leaves out a share of the numbers while learning."""

    share: float


@dataclass(frozen=True)
class Residual:
    """x + f(x), then ReLU."""

    inner: "Layer"


@dataclass(frozen=True)
class Scaled:
    """x + scale f(x) with a scale that begins at 0: deep without batch normalisation (SkipInit)."""

    inner: "Layer"


@dataclass(frozen=True)
class Pooled:
    """Adds to every channel what the mean and the maximum of all channels say: the whole board at once."""

    channels: int

    @property
    def mix(self) -> Linear:
        """From the means and maxima to what is added."""
        return Linear(2 * self.channels, self.channels)


Weighted = Convolution | Linear | Embedding | BatchNorm | LayerNorm
Layer = Weighted | Relu | Flatten | Dropout | Residual | Scaled | Pooled | tuple["Layer", ...]
"""One layer, or one after the other."""


@dataclass(frozen=True)
class NetLayers:
    """A body, then the two heads; tanh of what the value's gives is the value."""

    shape: NetShape
    body: Layer
    policy: Layer
    value: Layer

    def arrays(self) -> dict[str, tuple[str, int]]:
        """The name, kind of numbers and length of every array of the net."""
        shapes = {
            **shapes_of(self.body, "body"),
            **shapes_of(self.policy, "policy"),
            **shapes_of(self.value, "value"),
        }
        return array_kinds(shapes)


class LayeredNet(Protocol):
    """A net with weights: in PyTorch, or as it stands in the file of a run."""

    layers: NetLayers

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """All weights and statistics as flat arrays."""
        ...


@dataclass
class StoredNet:
    """A net as it stands in the file of a run."""

    layers: NetLayers
    stored: Mapping[str, NDArray[Any]]

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """All weights and statistics as flat arrays."""
        return self.stored


def array_kinds(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[str, int]]:
    """The kind of numbers and the length of every array, as a run's file is checked against."""
    return {name: ("<f4" if shape else "<i8", math.prod(shape)) for name, shape in shapes.items()}


def shapes_of(layer: Layer, name: str) -> dict[str, tuple[int, ...]]:
    """The shapes of a layer's arrays by name; () for the one counter among them."""
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
    """A 1x1 convolution, then fully connected layers; the only part that knows the size of the board."""
    flat = options.head_filters * shape.rows * shape.cols
    layers = [*first, Relu(), Flatten(), Dropout(options.dropout)]
    if hidden:
        layers += [Linear(flat, hidden), Relu(), Dropout(options.dropout)]
    return (*layers, Linear(hidden or flat, outputs))


def _paper_001(shape: NetShape, options: NetOptions, residual: bool) -> NetLayers:
    """AZ-Res and AZ-Conv: blocks of two convolutions with batch normalisation, with a short cut or not."""
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
    """Residual blocks as KataGo's: no batch normalisation, and every second one sees the whole board."""
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
    """alpha-zero-general's net, as in papers 003 and 004: four convolutions, the last two unpadded."""
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
    # One layer either way: the names of the others are those in the files of runs.
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
    "res": lambda shape, options: _paper_001(shape, options, True),
    "conv": lambda shape, options: _paper_001(shape, options, False),
    "pool": _pool,
    "wang": _wang,
    "mlp": _mlp,
}


def net_layers(shape: NetShape, options: NetOptions) -> NetLayers:
    """The layers of a net."""
    return NETS[options.net](shape, options)
