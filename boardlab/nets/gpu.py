"""Nets on a GPU: folded batch normalisation, bfloat16 and CUDA graphs.

Needs PyTorch.
"""

import copy
import threading
import warnings

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

from boardlab.nets.inference import Answer, NetJudge
from boardlab.nets.layers import LayeredNet
from boardlab.nets.torch_net import Net, from_arrays


def in_torch(net: LayeredNet) -> Net:
    """The net in PyTorch, made without drawing random numbers."""
    if isinstance(net, Net):
        return net
    with torch.device("meta"):
        empty = Net(net.layers)
    made = empty.to_empty(device="cpu")
    from_arrays(made, net.arrays())
    return made


def folded(net: Net) -> Net:
    """A copy for inference: batch normalisation becomes part of the layer before it."""
    copied = copy.deepcopy(net).eval()
    for module in list(copied.modules()):
        if not isinstance(module, nn.Sequential):
            continue
        for i in range(len(module) - 1):
            layer, norm = module[i], module[i + 1]
            if isinstance(layer, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
                module[i] = fuse_conv_bn_eval(layer, norm)
            elif isinstance(layer, nn.Linear) and isinstance(norm, nn.BatchNorm1d):
                module[i] = fuse_linear_bn_eval(layer, norm)
            else:
                continue
            module[i + 1] = nn.Identity()
    return copied.requires_grad_(False).to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


class GpuJudge(NetJudge):
    """A judge on a GPU in bfloat16.

    Batches of prepared sizes are replayed as CUDA graphs. A small net is a chain of short kernels, and
    launching them one by one takes several times as long as they run. Each thread that asks has a stream and
    buffers of its own, so that one batch is computed while another is on its way and a third is being
    collected.
    """

    def __init__(self, net: LayeredNet, low: float, high: float) -> None:
        self.net = folded(in_torch(net)).to("cuda", torch.bfloat16)
        self._scale(low, high)
        self._lanes: list[_Lane] = []
        self._prepared = (0, 0)
        self._lock = threading.Lock()

    def load(self, net: LayeredNet, low: float, high: float) -> None:
        """Replace the weights."""
        self._scale(low, high)
        fresh = folded(in_torch(net)).state_dict()
        with torch.no_grad():
            for name, tensor in self.net.state_dict().items():
                tensor.copy_(fresh[name])
        torch.cuda.synchronize()  # before another stream reads them

    def prepare(self, askers: int, rows: int, shape: tuple[int, ...]) -> None:
        """Record the graphs."""
        if askers <= self._prepared[0] and rows <= self._prepared[1]:
            return
        self._prepared = (askers, rows)
        try:
            self._lanes = [_Lane(self.net, rows, shape) for _ in range(askers)]
        except RuntimeError as error:  # an old driver
            warnings.warn(f"CUDA graphs cannot be recorded here, which is slower: {error}", stacklevel=2)

    def __call__(self, planes: NDArray[np.float32], legal: NDArray[np.bool_]) -> Answer:
        """(values, logits)."""
        with self._lock:
            lane = self._lanes.pop() if self._lanes else _Lane(self.net, 0, planes.shape[1:])
        try:
            answer = lane.ask(planes)
        finally:
            with self._lock:
                self._lanes.append(lane)
        values = answer.shape[1] - legal.shape[1]
        return answer[:, :values] * self.half + self.middle, answer[:, values:]


class _Lane:
    """One thread's stream, pinned memory and graphs, one graph per batch size."""

    def __init__(self, net: Net, rows: int, shape: tuple[int, ...]) -> None:
        self.net = net
        self.stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        self.graphs: list[tuple[int, torch.cuda.CUDAGraph, Tensor]] = []  # the smallest first
        if rows:
            self._record(rows, shape)

    def _record(self, rows: int, shape: tuple[int, ...]) -> None:
        self.to_gpu = torch.zeros((rows, *shape), pin_memory=True)
        self.inputs = torch.zeros((rows, *shape), device="cuda")
        torch.cuda.synchronize()
        pool = None
        with torch.no_grad(), torch.cuda.stream(self.stream):
            for size in sorted({-(-rows * k // 8) for k in (1, 2, 3, 4, 6, 8)}, reverse=True):
                # Libraries choose their kernels and take their memory before the recording.
                for _ in range(2):
                    self._forward(self.inputs[:size])
                self.stream.synchronize()
                graph = torch.cuda.CUDAGraph()
                graph.capture_begin(pool, capture_error_mode="thread_local")
                try:
                    answer = self._forward(self.inputs[:size])
                finally:
                    graph.capture_end()
                pool = graph.pool()  # one graph of a lane runs at a time, so that they share their memory
                self.graphs.insert(0, (size, graph, answer))
        self.from_gpu = torch.zeros(self.graphs[-1][2].shape, pin_memory=True)
        self.stream.synchronize()

    def _forward(self, planes: Tensor) -> Tensor:
        values, logits = self.net(planes.to(torch.bfloat16).contiguous(memory_format=torch.channels_last))
        return torch.cat([values.float(), logits.float()], 1)

    def ask(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        """The answers [n, values + actions]."""
        rows = len(planes)
        with torch.no_grad(), torch.cuda.stream(self.stream):
            fitting = next((entry for entry in self.graphs if entry[0] >= rows), None)
            if fitting is None:
                return self._forward(torch.from_numpy(planes).to("cuda")).cpu().numpy()
            _, graph, answer = fitting
            self.to_gpu[:rows].copy_(torch.from_numpy(planes))
            self.inputs[:rows].copy_(self.to_gpu[:rows], non_blocking=True)
            graph.replay()
            self.from_gpu[:rows].copy_(answer[:rows], non_blocking=True)
            self.stream.synchronize()
            return self.from_gpu[:rows].numpy().copy()  # another thread may use the lane next
