"""The losses of a batch and their gradients.

On a GPU a step is one recorded graph.
"""

import warnings
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from boardlab.nets.torch_net import Net

Batch = tuple[Tensor, Tensor, Tensor]
"""Planes [n, planes, rows, cols], policies [n, actions] and values [n, values] to learn."""
Answer = Callable[[Tensor], tuple[Tensor, Tensor]]
"""(values, logits) of planes."""


class Gradients:
    """Computes a batch's gradients and adds its losses to `sums`.

    The gradients are those of the net's parameters. `answer` is the net or a replacement for it
    (`LearningNet` on a CPU).

    A step of a small net is some hundred short kernels, and launching them one by one takes longer than
    running them. So a GPU gets them as a graph, recorded with the first batch of `rows` rows. Smaller batches
    are computed without it.
    """

    def __init__(self, net: Net, answer: Answer, value_weight: float, device: str, rows: int) -> None:
        self.net, self.answer = net, answer
        self.value_weight, self.device, self.rows = value_weight, device, rows
        self.parameters = [parameter for parameter in net.parameters() if parameter.requires_grad]
        self.sums = torch.zeros(2, device=device)
        """Of the policy's and the value's loss, over batches."""
        self.is_to_record = True
        self._graph: torch.cuda.CUDAGraph | None = None
        self._inputs: Batch | None = None
        self._gradients: list[Tensor | None] = []

    def __call__(self, planes: Tensor, policy: Tensor, value: Tensor) -> None:
        """One batch."""
        batch = (planes, policy, value)
        if self.device == "cuda" and self.is_to_record and len(planes) == self.rows:
            self.is_to_record = False
            self._record(batch)
        if self._graph is None or self._inputs is None or len(planes) != self.rows:
            self._forget()
            self._compute(*(tensor.to(self.device) for tensor in batch))
            return
        for mine, given in zip(self._inputs, batch, strict=True):
            mine.copy_(given)
        self._graph.replay()
        for parameter, gradient in zip(self.parameters, self._gradients, strict=True):
            parameter.grad = gradient

    def _compute(self, planes: Tensor, policy: Tensor, value: Tensor) -> None:
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=self.device == "cuda"):
            values, logits = self.answer(planes)
        policy_loss = functional.cross_entropy(logits.float(), policy)
        value_loss = functional.mse_loss(values.float(), value)
        (policy_loss + self.value_weight * value_loss).backward()  # type: ignore[no-untyped-call]
        self.sums += torch.stack((policy_loss.detach(), value_loss.detach()))  # a GPU is not waited for

    def _forget(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None

    def _record(self, batch: Batch) -> None:
        planes, policy, value = (tensor.to("cuda").clone() for tensor in batch)
        # Libraries choose their kernels and take their memory first. Nothing is learned from that: statistics
        # and random numbers (dropout) are then as they were.
        touched = [self.sums, *self.net.buffers()]
        before, random_state = [tensor.clone() for tensor in touched], torch.cuda.get_rng_state()
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.stream(stream):
                for _ in range(3):
                    self._forget()
                    self._compute(planes, policy, value)
            torch.cuda.current_stream().wait_stream(stream)
            self._forget()
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                self._compute(planes, policy, value)
        except RuntimeError as error:  # an old driver
            warnings.warn(f"CUDA graphs cannot be recorded here, which is slower: {error}", stacklevel=2)
        else:
            self._graph, self._inputs = graph, (planes, policy, value)
            self._gradients = [parameter.grad for parameter in self.parameters]
        finally:
            for tensor, old in zip(touched, before, strict=True):
                tensor.copy_(old)
            torch.cuda.set_rng_state(random_state)
