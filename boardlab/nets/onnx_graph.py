"""The nets of `layers.py` and `distance.py` as ONNX graphs, for other programs.

Needs the package onnx (extra `onnx`), not PyTorch.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

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
    shapes_of,
)

OPSET = 18
IR_VERSION = 9
"""Old enough for runtimes of 2023."""


def net_graph(net: LayeredNet, low: float, high: float) -> Any:
    """Return the model of a net with a value and a policy head.

    planes [n, planes, rows, cols] -> values [n, values] between `low` and `high`, logits [n, actions].
    """
    shape = net.layers.shape
    graph = Graph(net.arrays())
    features = graph.add("body", net.layers.body, "planes")
    squashed = graph.node("Tanh", graph.add("value", net.layers.value, features))
    half, middle = graph.constant((high - low) / 2), graph.constant((high + low) / 2)
    graph.node("Add", graph.node("Mul", squashed, half), middle, output="values")
    graph.node("Identity", graph.add("policy", net.layers.policy, features), output="logits")
    return graph.model(
        [("planes", TensorProto.FLOAT, ["n", shape.planes, shape.rows, shape.cols])],
        [
            ("values", TensorProto.FLOAT, ["n", shape.values]),
            ("logits", TensorProto.FLOAT, ["n", shape.actions]),
        ],
    )


def distance_graph(layers: DistanceLayers, arrays: Mapping[str, NDArray[Any]]) -> Any:
    """Return the model of a puzzle's net: cells uint8 [n, cells] -> distances [n, 1]."""
    graph = Graph(arrays)
    x = "cells"
    for name, layer in layers.named:
        x = graph.add(name, layer, x)
    graph.node("Identity", x, output="distances")
    return graph.model(
        [("cells", TensorProto.UINT8, ["n", layers.cell_count])],
        [("distances", TensorProto.FLOAT, ["n", 1])],
    )


class Graph:
    """Collects the nodes of a graph; every function returns the name of a result."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.arrays = arrays
        self.nodes: list[Any] = []
        self.weights: dict[str, Any] = {}

    def node(self, kind: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        """Add an operation."""
        name = output or f"x{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, values: Any, kind: Any = np.float32) -> str:
        """Add an array of numbers."""
        return self._weight(f"constant{len(self.weights)}", np.asarray(values, kind))

    def add(self, name: str, layer: Layer, x: str) -> str:
        """Add a layer that reads x."""
        match layer:
            case tuple():
                for i, part in enumerate(layer):
                    x = self.add(f"{name}.{i}", part, x)
                return x
            case Convolution(padding=padding):
                return self.node("Conv", x, *self._of(name, layer), pads=[padding] * 4)
            case Linear():
                return self.node("Gemm", x, *self._of(name, layer), transB=1)
            case Embedding():
                return self._embedding(name, layer, x)
            case BatchNorm():
                given = self._of(name, layer, ("weight", "bias", "running_mean", "running_var"))
                return self.node("BatchNormalization", x, *given, epsilon=EPSILON)
            case LayerNorm():
                return self.node("LayerNormalization", x, *self._of(name, layer), epsilon=EPSILON)
            case Relu():
                return self.node("Relu", x)
            case Flatten():
                return self.node("Flatten", x)
            case Dropout():
                return x
            case Residual(inner):
                return self.node("Relu", self.node("Add", x, self.add(f"{name}.inner", inner, x)))
            case Scaled(inner):
                added = self.add(f"{name}.inner", inner, x)
                return self.node("Add", x, self.node("Mul", added, *self._of(name, layer, ("scale",))))
            case Pooled():
                return self._pooled(name, layer, x)

    def _pooled(self, name: str, layer: Pooled, x: str) -> str:
        board = self.constant([2, 3], np.int64)
        means = self.node("ReduceMean", x, board, keepdims=0)
        maxima = self.node("ReduceMax", x, board, keepdims=0)
        seen = self.node("Relu", self.node("Concat", means, maxima, axis=1))
        added = self.add(f"{name}.mix", layer.mix, seen)
        return self.node("Add", x, self.node("Unsqueeze", added, board))

    def _embedding(self, name: str, layer: Embedding, x: str) -> str:
        """Add the sum of one row for each group of cells."""
        numbers = self.node("Cast", x, to=TensorProto.INT64)
        cells = sum(map(len, layer.cells))
        # A row's number is a sum of cell values times factors: one product with a sparse matrix.
        factors = np.zeros((1 + max(c for group in layer.cells for c in group), len(layer.cells)), np.int64)
        first = np.zeros(len(layer.cells), np.int64)
        rows = 0
        for i, (group, counts) in enumerate(zip(layer.cells, layer.values, strict=True)):
            first[i], factor = rows, 1
            for cell, count in zip(reversed(group), reversed(counts), strict=True):
                factors[cell, i] += factor
                factor *= count
            rows += factor
        assert cells and rows == layer.inputs
        known = self.node("Slice", numbers, *(self.constant([k], np.int64) for k in (0, len(factors), 1)))
        place = self.node(
            "Add",
            self.node("MatMul", known, self.constant(factors, np.int64)),
            self.constant(first, np.int64),
        )
        found = self.node("Gather", *self._of(name, layer, ("weight",)), place, axis=0)
        return self.node("ReduceSum", found, self.constant([1], np.int64), keepdims=0)

    def _of(self, name: str, layer: Layer, keys: Sequence[str] = ("weight", "bias")) -> list[str]:
        """Add a layer's own arrays, those that it has."""
        shapes = shapes_of(layer, name)
        return [
            self._weight(
                f"{name}.{key}",
                np.asarray(self.arrays[f"{name}.{key}"], np.float32).reshape(shapes[f"{name}.{key}"]),
            )
            for key in keys
            if f"{name}.{key}" in shapes
        ]

    def _weight(self, name: str, values: NDArray[Any]) -> str:
        self.weights[name] = numpy_helper.from_array(np.ascontiguousarray(values), name)
        return name

    def model(
        self, inputs: list[tuple[str, int, list[Any]]], outputs: list[tuple[str, int, list[Any]]]
    ) -> Any:
        """Return the whole model, checked."""
        graph = helper.make_graph(
            self.nodes,
            "boardlab",
            [helper.make_tensor_value_info(*given) for given in inputs],
            [helper.make_tensor_value_info(*given) for given in outputs],
            list(self.weights.values()),
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        onnx.checker.check_model(made)
        return made
