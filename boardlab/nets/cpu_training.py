"""Training a net on a CPU: the engine runs its convolutions, PyTorch the rest.

PyTorch keeps the gradients and the optimiser; the engine's part is one function that it differentiates. The
results differ from PyTorch's only by rounding, and do not depend on the number of threads.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from boardlab._engine import LearningUnits
from boardlab.nets.layers import EPSILON
from boardlab.nets.torch_net import Net, Residual

MOMENTUM = 0.1
"""The momentum of batch normalisation: PyTorch's default."""
FILTERS = {((1, 1), (0, 0)): "1x1", ((3, 3), (1, 1)): "3x3", ((3, 3), (0, 0)): "3x3 unpadded"}
"""The engine's names of filters, by size and padding."""


class Unit(NamedTuple):
    """A convolution and its normalisation, followed by ReLU."""

    convolution: nn.Conv2d
    norm: nn.BatchNorm2d

    @property
    def filter(self) -> str:
        """The engine's name of the filter."""
        return FILTERS[self.convolution.kernel_size, self.convolution.padding]  # type: ignore[index]


class LearningNet:
    """A net in training: planes [n, planes, rows, cols] -> (values, logits).

    `units` run in the engine; a net without convolutions, or with frozen first ones, has none. `level`
    names a level of vector instructions; by default the best that this processor has.
    """

    def __init__(self, net: Net, shape: tuple[int, ...], threads: int, level: str = "") -> None:
        planes, rows, cols = shape
        begins = list(_layers(net.body))[:3]
        has_units = bool((begins and _block(begins[0])) or _unit(begins))
        self.engine = LearningUnits(planes, rows, cols, threads if has_units else 1, level)
        self.units: list[Unit] = []
        value, body = self._add_all(list(_layers(net.body)), 0)
        heads = [list(_layers(head)) for head in (net.value, net.policy)]
        self.is_with_heads = bool(self.units) and not body and all(_unit(head[:3]) for head in heads)
        if self.is_with_heads:
            ends = [self._add_all(head, value) for head in heads]
            heads = [rest for _, rest in ends]
            self.engine.finish([end for end, _ in ends])
        elif self.units:
            self.engine.finish([value])
        self.body = nn.Sequential(*body)
        self.value, self.policy = (nn.Sequential(*head) for head in heads)

    def __call__(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """(values, logits)."""
        answers: Sequence[Tensor] = [planes]
        if self.units:
            parameters = [unit.convolution.weight for unit in self.units]
            parameters += [unit.norm.weight for unit in self.units]
            parameters += [unit.norm.bias for unit in self.units]
            answers = _Units.apply(self, planes, *parameters)  # type: ignore[no-untyped-call]
        if not self.is_with_heads:
            answers = [self.body(answers[0])] * 2
        return torch.tanh(self.value(answers[0])), self.policy(answers[1])

    def _add_all(self, layers: list[nn.Module], value: int) -> tuple[int, list[nn.Module]]:
        """Add the units that the layers begin with.

        Return the value of the last unit and the remaining layers.
        """
        while layers:
            begin = value
            if block := _block(layers[0]):
                value = self._add(block[1], self._add(block[0], value), begin)
                layers = layers[1:]
            elif unit := _unit(layers[:3]):
                value = self._add(unit, value)
                layers = layers[3:]
            else:
                break
        return value, layers

    def _add(self, unit: Unit, value: int, added: int | None = None) -> int:
        self.units.append(unit)
        return self.engine.add(value, unit.convolution.out_channels, unit.filter, added)


def _layers(module: nn.Module) -> Iterator[nn.Module]:
    """The layers in order; a residual block counts as one."""
    if isinstance(module, nn.Sequential):
        for part in module:
            yield from _layers(part)
    else:
        yield module


def _block(layer: nn.Module) -> tuple[Unit, Unit] | None:
    """The two units of a residual block; the second one's ReLU is the block's."""
    if not isinstance(layer, Residual):
        return None
    inner = [*_layers(layer.inner), nn.ReLU()]
    first, second = _unit(inner[:3]), _unit(inner[3:])
    return (first, second) if first and second else None


def _unit(layers: Sequence[nn.Module]) -> Unit | None:
    match layers:
        case [nn.Conv2d() as convolution, nn.BatchNorm2d() as norm, nn.ReLU()]:
            unit = Unit(convolution, norm)
            is_learned = all(weights.requires_grad for layer in unit for weights in layer.parameters())
            is_usual = (norm.eps, norm.momentum) == (EPSILON, MOMENTUM) and convolution.bias is None
            is_known = (convolution.kernel_size, convolution.padding) in FILTERS
            return unit if is_learned and is_usual and is_known else None
    return None


class _Units(torch.autograd.Function):
    """All units as one function; the engine keeps a batch until its backward pass."""

    @staticmethod
    def forward(ctx: Any, net: LearningNet, planes: Tensor, *parameters: Tensor) -> tuple[Tensor, ...]:
        ctx.net, ctx.shapes = net, [parameter.shape for parameter in parameters]
        counts = [len(planes) * cells for cells in net.engine.unit_cells]
        if min(counts) < 2:
            raise ValueError("batch normalisation needs more than one number a channel")
        means, variances = ([torch.empty(unit.norm.num_features) for unit in net.units] for _ in range(2))
        answers = [torch.empty((len(planes), *shape)) for shape in net.engine.output_shapes]
        weights, gains, biases = _thirds(parameters)
        ctx.number = net.engine.forward(
            planes.contiguous().numpy(),
            weights,
            gains,
            biases,
            EPSILON,
            [mean.numpy() for mean in means],
            [variance.numpy() for variance in variances],
            [answer.numpy() for answer in answers],
        )
        for unit, mean, variance, count in zip(net.units, means, variances, counts, strict=True):
            norm: Any = unit.norm
            norm.running_mean.lerp_(mean, MOMENTUM)
            norm.running_var.lerp_(variance * (count / (count - 1)), MOMENTUM)
            norm.num_batches_tracked += 1
        return tuple(answer.permute(0, 3, 1, 2) for answer in answers)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        wanted = [gradient.permute(0, 2, 3, 1).contiguous().numpy() for gradient in gradients]
        found = [torch.empty(shape) for shape in ctx.shapes]
        ctx.net.engine.backward(ctx.number, wanted, *_thirds(found))
        return None, None, *found


Arrays = list[NDArray[np.float32]]


def _thirds(tensors: Sequence[Tensor]) -> tuple[Arrays, Arrays, Arrays]:
    """The weights, gains and biases as arrays for the engine."""
    arrays = [tensor.detach().contiguous().numpy() for tensor in tensors]
    count = len(arrays) // 3
    return arrays[:count], arrays[count : 2 * count], arrays[2 * count :]
