"""Nets of `layers.py` as engine programs, which run on a CPU without PyTorch."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab._engine import NetProgram
from boardlab.nets.distance import DistanceLayers
from boardlab.nets.layers import (
    EPSILON,
    BatchNorm,
    Convolution,
    Dropout,
    Embedding,
    Flatten,
    Layer,
    LayeredNet,
    LayerNorm,
    Linear,
    Pooled,
    Relu,
    Residual,
    Scaled,
)

Floats = NDArray[np.float32]
Named = tuple[str, Layer]


def net_program(net: LayeredNet, level: str = "") -> NetProgram:
    """The program of a net; it answers (values before tanh, logits).

    `level` names a level of vector instructions; by default the best that this processor has.
    """
    shape = net.layers.shape
    program = NetProgram(shape.planes, shape.rows, shape.cols, level)
    builder = Builder(program, net.arrays())
    features = builder.add(("body", net.layers.body), 0)
    heads = [("value", net.layers.value), ("policy", net.layers.policy)]
    program.finish([builder.add(head, features) for head in heads])
    return program


def distance_program(
    layers: DistanceLayers, arrays: Mapping[str, NDArray[Any]], level: str = ""
) -> NetProgram:
    """The program of a net from board vectors [n, cells, 1, 1] to distances [n, 1]."""
    program = NetProgram(layers.cell_count, 1, 1, level)
    program.finish([Builder(program, arrays).add_all(layers.named, 0)])
    return program


class Builder:
    """Adds layers to an engine program.

    Batch normalisation is folded into the layer before it.
    """

    def __init__(self, program: NetProgram, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.program, self.arrays = program, arrays

    def add(
        self,
        named: Named,
        x: int,
        *,
        scale: float = 1.0,
        added: int | None = None,
        relu: bool = False,
    ) -> int:
        """Add layers that read value x: scale * layers(x) + added, then ReLU if `relu`."""
        return self.add_all([named], x, scale=scale, added=added, relu=relu)

    def add_all(
        self,
        named: Sequence[Named],
        x: int,
        *,
        scale: float = 1.0,
        added: int | None = None,
        relu: bool = False,
    ) -> int:
        """Add several layers in a row, as `add` does."""
        layers = [flat for one in named for flat in _flat(*one)]
        ends = [layer for _, layer in layers if not isinstance(layer, BatchNorm)][-1:]
        if added is not None and not (ends and isinstance(ends[0], Convolution | Linear)):
            raise NotImplementedError(f"a block must end with a convolution or a linear layer: {named}")

        def next_is(kind: type) -> bool:
            return bool(layers) and isinstance(layers[0][1], kind)

        while layers:
            name, layer = layers.pop(0)
            norm = layers.pop(0)[0] if next_is(BatchNorm) else None
            followed = next_is(Relu)
            if followed:
                layers.pop(0)
            if layers:
                x = self._add_layer(name, layer, norm, x, relu=followed)
            else:
                x = self._add_layer(name, layer, norm, x, scale=scale, added=added, relu=followed or relu)
        return x

    def _add_layer(
        self,
        name: str,
        layer: Layer,
        norm: str | None,
        x: int,
        *,
        scale: float = 1.0,
        added: int | None = None,
        relu: bool = False,
    ) -> int:
        program = self.program
        match layer:
            case Convolution(size=1, padding=0):
                return program.pointwise(x, *self._weights(name, layer, norm, scale), added, relu)
            case Convolution(size=3, padding=0 | 1):
                weights, bias = self._weights(name, layer, norm, scale)
                return program.convolution(x, weights, bias, bool(layer.padding), added, relu)
            case Linear():
                return program.linear(x, *self._weights(name, layer, norm, scale), added, relu)
            case Embedding():
                return program.embedding(layer.cells, layer.values, *self._weights(name, layer, norm), relu)
            case Residual(inner):
                return self.add((f"{name}.inner", inner), x, added=x, relu=True)
            case Scaled(inner):
                factor = float(self._array(f"{name}.scale")[0])
                y = self.add((f"{name}.inner", inner), x, scale=factor, added=x)
                return program.relu(y) if relu else y
            case Pooled():
                weights, bias = self._weights(f"{name}.mix", layer.mix, None)
                means_and_maxima = weights.reshape(len(bias), 2, -1)
                by_cell = np.ascontiguousarray(means_and_maxima.transpose(0, 2, 1))
                return program.spread(x, program.linear(program.relu(program.pool(x)), by_cell, bias), relu)
            case LayerNorm():
                y = program.norm(x, self._array(f"{name}.weight"), self._array(f"{name}.bias"), EPSILON)
                return program.relu(y) if relu else y
            case Relu():
                return program.relu(x)
        raise NotImplementedError(f"the engine has no layer for {layer}")

    def _weights(
        self, name: str, layer: Convolution | Linear | Embedding, norm: str | None, scale: float = 1.0
    ) -> tuple[Floats, Floats]:
        outputs = layer.outputs
        weights: Floats = self._array(f"{name}.weight")
        weights = (
            weights.reshape(-1, outputs).T if isinstance(layer, Embedding) else weights.reshape(outputs, -1)
        )
        has_bias = not isinstance(layer, Embedding) and layer.has_bias
        bias = self._array(f"{name}.bias") if has_bias else np.zeros(outputs, np.float32)
        if norm:
            mean, variance, gain, added = (
                self._array(f"{norm}.{key}") for key in ("running_mean", "running_var", "weight", "bias")
            )
            with np.errstate(invalid="ignore", divide="ignore"):  # of a damaged file; the answers will say so
                shrink = 1 / np.sqrt(variance + np.float32(EPSILON))
            weights, bias = weights * (gain * shrink)[:, None], (bias - mean) * shrink * gain + added
        weights, bias = weights * np.float32(scale), bias * np.float32(scale)
        if isinstance(layer, Convolution):
            weights = weights.reshape(outputs, layer.inputs, layer.size, layer.size)
        elif isinstance(layer, Embedding):
            weights = weights.T
        return np.ascontiguousarray(weights), bias

    def _array(self, name: str) -> Floats:
        return np.ascontiguousarray(self.arrays[name], np.float32)


def _flat(name: str, layer: Layer) -> Iterator[Named]:
    """The layers in order, without those that do nothing in a net that plays.

    Flattening is one of them: a linear layer of the engine reads all cells as one vector.
    """
    if isinstance(layer, tuple):
        for i, part in enumerate(layer):
            yield from _flat(f"{name}.{i}", part)
    elif not isinstance(layer, Dropout | Flatten):
        yield name, layer
