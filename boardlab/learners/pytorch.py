"""PyTorch for learners with nets: random numbers, threads, learning rates."""

import contextlib
import math
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def seeded(seed: int, device: str) -> Iterator[None]:
    """Seed PyTorch inside the block, and restore the process's random state after."""
    with torch.random.fork_rng([torch.cuda.current_device()] if device == "cuda" else []):
        torch.default_generator.manual_seed(seed)
        if device == "cuda":
            torch.cuda.manual_seed(seed)
        yield


@contextlib.contextmanager
def threaded(threads: int) -> Iterator[None]:
    """Set the number of PyTorch's threads inside the block, and restore it after."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def cosine(first: float, last: float, share: float) -> float:
    """The learning rate after a `share` of the run: half a cosine."""
    return last + (first - last) * (1 + math.cos(math.pi * min(share, 1))) / 2
