"""Asking a neural net quickly: on a CPU through the engine's own layers, on a GPU through `gpu.py`.

A judge is made for a net once and has its own copy of the weights; `load` puts new ones into their place. It
answers whichever thread asks it, several at once.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from boardlab.evaluators.layers import LayeredNet
from boardlab.evaluators.program import net_program

Answer = tuple[NDArray[np.float32], NDArray[np.float32]]

CHUNK = 16
"""The fewest rows for which another thread of a CPU is asked to share a batch."""


class NetJudge:
    """Asks a net about positions; its values in [-1, 1] become outcomes between `low` and `high`."""

    middle: np.float32
    half: np.float32

    def load(self, net: LayeredNet, low: float, high: float) -> None:
        """The net has learned. No question may be under way."""
        raise NotImplementedError

    def _scale(self, low: float, high: float) -> None:
        self.middle, self.half = np.float32((high + low) / 2), np.float32((high - low) / 2)

    def prepare(self, askers: int, rows: int, shape: tuple[int, ...]) -> None:
        """So many threads will ask at once, about so many rows of that shape at most. Not while one asks."""

    def __call__(self, planes: NDArray[np.float32], legal: NDArray[np.bool_]) -> Answer:
        """(values [n, values], logits [n, actions]) of planes [n, planes, rows, cols]."""
        raise NotImplementedError


def net_judge(net: LayeredNet, device: str, low: float, high: float, threads: int = 1) -> NetJudge:
    """The judge on a device. `threads` of a CPU share a batch; the answers do not depend on their number."""
    if device == "cuda":
        from boardlab.evaluators.gpu import GpuJudge

        return GpuJudge(net, low, high)
    return CpuJudge(net, low, high, threads)


class CpuJudge(NetJudge):
    """On a CPU as a program of the engine. Parts of a batch go through it side by side, a thread each."""

    def __init__(self, net: LayeredNet, low: float, high: float, threads: int = 1) -> None:
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        self.load(net, low, high)

    def load(self, net: LayeredNet, low: float, high: float) -> None:
        """Takes new weights in."""
        self._scale(low, high)
        self._program = net_program(net)

    def __call__(self, planes: NDArray[np.float32], legal: NDArray[np.bool_]) -> Answer:
        """(values, logits)."""
        planes = np.ascontiguousarray(planes, np.float32)
        program, rows = self._program, len(planes)
        parts = min(self._threads, rows // CHUNK)
        if self._pool is None or parts <= 1:
            values, logits = program.run(planes)
        else:
            first, *others = (planes[rows * i // parts : rows * (i + 1) // parts] for i in range(parts))
            shared = [self._pool.submit(program.run, part) for part in others]
            answers = [program.run(first), *(part.result() for part in shared)]
            values, logits = (np.concatenate([answer[i] for answer in answers]) for i in range(2))
        return np.tanh(values) * self.half + self.middle, logits
