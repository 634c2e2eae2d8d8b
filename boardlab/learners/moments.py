"""The state of a PyTorch optimiser as arrays of a checkpoint, and back."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray


def moments(
    optimiser: torch.optim.Optimizer, parameters: Sequence[torch.nn.Parameter]
) -> dict[str, NDArray[Any]]:
    """Flat arrays by name; zeros before the first step."""
    kept: dict[str, NDArray[Any]] = {}
    for i, parameter in enumerate(parameters):
        for name in _names(optimiser):
            stored = optimiser.state.get(parameter, {}).get(name)
            size = 1 if name == "step" else parameter.numel()
            kept[f"optimiser.{i}.{name}"] = (
                np.zeros(size, np.float32) if stored is None else stored.detach().cpu().numpy().reshape(-1)
            )
    return kept


def fill_moments(
    optimiser: torch.optim.Optimizer,
    parameters: Sequence[torch.nn.Parameter],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Put the arrays back; before the first step the optimiser has no state."""
    for i, parameter in enumerate(parameters):
        stored = {name: arrays[f"optimiser.{i}.{name}"] for name in _names(optimiser)}
        if "step" in stored and stored["step"][0] == 0:
            optimiser.state.pop(parameter, None)
            continue
        # A fused optimiser counts its steps where the parameters are, the others on the CPU.
        fused = bool(optimiser.defaults.get("fused"))
        optimiser.state[parameter] = {
            name: torch.tensor(float(array[0]), device=parameter.device if fused else "cpu")
            if name == "step"
            else torch.empty_like(parameter).copy_(torch.from_numpy(array).reshape(parameter.shape))
            for name, array in stored.items()
        }


def _names(optimiser: torch.optim.Optimizer) -> tuple[str, ...]:
    if isinstance(optimiser, torch.optim.SGD):
        return ("momentum_buffer",)
    return ("step", "exp_avg", "exp_avg_sq")
