"""The device that a net runs on, and whether PyTorch is installed."""

import ctypes
import importlib.util
import os
import sys
from pathlib import Path

from boardlab.errors import BoardLabError, MissingPackageError, install


def require_torch(what: str = "learning a neural net") -> None:
    """Raise an error that says what to install where PyTorch is missing."""
    # Threads wait without spinning: on a busy machine torch then learns several times as fast. OpenMP reads
    # this when torch is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import torch  # noqa: F401
    except ImportError:
        raise MissingPackageError(f"{what} needs PyTorch: {install('az')}") from None


def uses_gpu(wanted: str) -> bool:
    """Whether a net would run on a GPU; never where PyTorch is missing."""
    if wanted == "cpu" or not may_have_gpu() or importlib.util.find_spec("torch") is None:
        return False
    require_torch()
    import torch

    return torch.cuda.is_available()


def may_have_gpu() -> bool:
    """Whether a GPU driver is installed, found without importing PyTorch.

    That import is slow.
    """
    if sys.platform == "win32":
        return True
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return Path("/dev/kfd").exists()  # AMD's
    return True


def choose_device(wanted: str) -> str:
    """The device to use, cpu or cuda; cuda is refused where there is no GPU."""
    if wanted == "cuda":
        require_torch("a net on a GPU")
    if wanted != "cpu" and uses_gpu(wanted):
        return "cuda"
    if wanted == "cuda":
        raise BoardLabError("there is no GPU that PyTorch can use here; use device=cpu")
    return "cpu"
