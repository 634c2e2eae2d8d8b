"""Nets as judges of batches, on a CPU or a GPU.

The engine's layers run them on a CPU, PyTorch on a GPU. A judge has its own copy of a net's weights; `load`
replaces them. Several threads may ask it at once.
"""

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab._engine import NetProgram
from boardlab.nets.distance import DistanceLayers, Distances
from boardlab.nets.layers import LayeredNet
from boardlab.nets.program import distance_program, net_program

Answer = tuple[NDArray[np.float32], NDArray[np.float32]]

CHUNK = 16
"""The fewest rows per thread when threads of a CPU share a batch."""
DISTANCES_CHUNK = 128
"""The same for a puzzle's net, which takes a few microseconds per row."""


class NetJudge:
    """A net as a judge of batches.

    Its values in [-1, 1] are scaled to outcomes between `low` and `high`.
    """

    middle: np.float32
    half: np.float32

    def load(self, net: LayeredNet, low: float, high: float) -> None:
        """Replace the weights, while no thread asks."""
        raise NotImplementedError

    def _scale(self, low: float, high: float) -> None:
        self.middle, self.half = np.float32((high + low) / 2), np.float32((high - low) / 2)

    def prepare(self, askers: int, rows: int, shape: tuple[int, ...]) -> None:
        """Prepare for batches of at most `rows` rows from `askers` threads.

        `shape` is that of a row. No thread may ask meanwhile.
        """

    def __call__(self, planes: NDArray[np.float32], legal: NDArray[np.bool_]) -> Answer:
        """(values [n, values], logits [n, actions]) of planes [n, planes, rows, cols]."""
        raise NotImplementedError


def net_judge(net: LayeredNet, device: str, low: float, high: float, threads: int = 1) -> NetJudge:
    """Return the judge for a device.

    On a CPU, `threads` threads divide a batch between them; the answers do not depend on their number.
    """
    if device == "cuda":
        from boardlab.nets.gpu import GpuJudge

        return GpuJudge(net, low, high)
    return CpuJudge(net, low, high, threads)


class Crew:
    """Threads that run the parts of a batch through an engine program in parallel."""

    def __init__(self, threads: int, chunk: int) -> None:
        self._threads, self._chunk = threads, chunk
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    def run(self, program: NetProgram, planes: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """The program's answers; each thread gets at least `chunk` rows."""
        rows = len(planes)
        parts = min(self._threads, rows // self._chunk)
        if self._pool is None or parts <= 1:
            return program.run(planes)
        first, *others = (planes[rows * i // parts : rows * (i + 1) // parts] for i in range(parts))
        shared = [self._pool.submit(program.run, part) for part in others]
        answers = [program.run(first), *(part.result() for part in shared)]
        return [np.concatenate(parts) for parts in zip(*answers, strict=True)]


class CpuJudge(NetJudge):
    """A judge on a CPU: the net as a program of the engine."""

    def __init__(self, net: LayeredNet, low: float, high: float, threads: int = 1) -> None:
        self._crew = Crew(threads, CHUNK)
        self.load(net, low, high)

    def load(self, net: LayeredNet, low: float, high: float) -> None:
        """Replace the weights."""
        self._scale(low, high)
        self._program = net_program(net)

    def __call__(self, planes: NDArray[np.float32], legal: NDArray[np.bool_]) -> Answer:
        """(values, logits)."""
        values, logits = self._crew.run(self._program, np.ascontiguousarray(planes, np.float32))
        return np.tanh(values) * self.half + self.middle, logits


def net_distances(
    layers: DistanceLayers, arrays: Mapping[str, NDArray[Any]], device: str, threads: int = 0
) -> Distances:
    """A puzzle's net on a device; `threads` of a CPU share a batch (0: all cores)."""
    if device == "cuda":
        from boardlab.nets.distance_net import DistanceNet, gpu_distances
        from boardlab.nets.torch_net import from_arrays

        net = DistanceNet(layers)
        from_arrays(net, arrays)
        return gpu_distances(net.to(device))
    program, crew = distance_program(layers, arrays), Crew(threads or os.cpu_count() or 1, DISTANCES_CHUNK)

    def distances(cells: NDArray[np.uint8]) -> NDArray[np.float32]:
        (answers,) = crew.run(program, cells.astype(np.float32)[:, :, None, None])
        return answers[:, 0]

    return distances
