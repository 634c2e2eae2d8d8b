"""A net of `nets.py` as a program of the engine: how a CPU asks it, with no framework between the layers."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from boardlab._engine import NetProgram
from boardlab.evaluators.nets import Net, Pooled, Residual, Scaled


def net_program(net: Net, shape: tuple[int, ...], level: str = "") -> NetProgram:
    """The program of a folded net for planes of that shape; it answers (values before tanh, logits).

    `level` names a level of vector instructions; without it, it is the best that this processor has.
    """
    planes, rows, cols = shape
    program = NetProgram(planes, rows, cols, level)
    features = _add(program, net.body, 0)
    program.finish([_add(program, net.value, features), _add(program, net.policy, features)])
    return program


def _add(
    program: NetProgram,
    module: nn.Module,
    x: int,
    *,
    scale: float = 1.0,
    added: int | None = None,
    relu: bool = False,
) -> int:
    """Adds a module that reads value x: scale * module(x) + added, then ReLU where it is asked for."""
    layers = list(_layers(module))
    if added is not None and (not layers or not isinstance(layers[-1], nn.Conv2d | nn.Linear)):
        raise NotImplementedError(f"a block must end with a convolution or a linear layer: {module}")
    while layers:
        layer = layers.pop(0)
        followed = bool(layers) and isinstance(layers[0], nn.ReLU)
        if followed:
            layers.pop(0)
        if layers:
            x = _add_layer(program, layer, x, relu=followed)
        else:
            x = _add_layer(program, layer, x, scale=scale, added=added, relu=followed or relu)
    return x


def _layers(module: nn.Module) -> Iterator[nn.Module]:
    """The layers in their order, without those that do nothing in a net that plays.

    A linear layer of the engine reads all cells as one vector, so that flattening is nothing either.
    """
    if isinstance(module, nn.Sequential):
        for part in module:
            yield from _layers(part)
    elif not isinstance(module, nn.Identity | nn.Dropout | nn.Flatten):
        yield module


def _add_layer(
    program: NetProgram,
    layer: nn.Module,
    x: int,
    *,
    scale: float = 1.0,
    added: int | None = None,
    relu: bool = False,
) -> int:
    if isinstance(layer, nn.Conv2d):
        weights, bias = _weights(layer, scale)
        shape = (layer.kernel_size, layer.padding, layer.stride, layer.dilation, layer.groups)
        if shape == ((1, 1), (0, 0), (1, 1), (1, 1), 1):
            return program.pointwise(x, weights, bias, added, relu)
        for padding in (0, 1):
            if shape == ((3, 3), (padding, padding), (1, 1), (1, 1), 1):
                return program.convolution(x, weights, bias, bool(padding), added, relu)
    if isinstance(layer, nn.Linear):
        return program.linear(x, *_weights(layer, scale), added, relu)
    if isinstance(layer, Residual):
        return _add(program, layer.inner, x, added=x, relu=True)
    if isinstance(layer, Scaled):
        y = _add(program, layer.inner, x, scale=float(layer.scale), added=x)
        return program.relu(y) if relu else y
    if isinstance(layer, Pooled):
        weights, bias = _weights(layer.mix)
        by_cell = np.ascontiguousarray(weights.reshape(len(bias), 2, -1).transpose(0, 2, 1))  # mean, maximum
        return program.spread(x, program.linear(program.relu(program.pool(x)), by_cell, bias), relu)
    if isinstance(layer, nn.LayerNorm):
        gain, bias = _array(layer.weight), _array(layer.bias)
        return program.norm(x, gain, bias, layer.eps)
    if isinstance(layer, nn.ReLU):
        return program.relu(x)
    raise NotImplementedError(f"the engine has no layer for {layer}")


def _weights(
    layer: nn.Conv2d | nn.Linear, scale: float = 1.0
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    weights = _array(layer.weight) * np.float32(scale)
    outputs = len(weights)
    bias = np.zeros(outputs, np.float32) if layer.bias is None else _array(layer.bias) * np.float32(scale)
    return weights, bias


def _array(tensor: Tensor) -> NDArray[np.float32]:
    array: NDArray[np.float32] = np.ascontiguousarray(tensor.detach().cpu().numpy(), np.float32)
    return array
