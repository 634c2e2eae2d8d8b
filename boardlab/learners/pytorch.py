"""What learners with nets share of PyTorch: its random numbers, its threads, the course of learning rates."""

import contextlib
import math
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def seeded(seed: int, device: str) -> Iterator[None]:
    """PyTorch draws from the seed; the process's own random numbers go on afterwards where they were."""
    with torch.random.fork_rng([torch.cuda.current_device()] if device == "cuda" else []):
        torch.default_generator.manual_seed(seed)
        if device == "cuda":
            torch.cuda.manual_seed(seed)
        yield


@contextlib.contextmanager
def threaded(threads: int) -> Iterator[None]:
    """PyTorch computes with so many threads; the process has its own number again afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def cosine(first: float, last: float, share: float) -> float:
    """A learning rate that falls from `first` to `last` as half a cosine; a `share` of the run is done."""
    return last + (first - last) * (1 + math.cos(math.pi * min(share, 1))) / 2
