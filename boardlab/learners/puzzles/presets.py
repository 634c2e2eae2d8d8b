"""Presets of the learners of puzzles, as data: minutes of a core for a 2x2x2."""

from collections.abc import Mapping
from typing import Any

from boardlab.games.game import Game
from boardlab.nets.device import uses_gpu

# Without TCL, whose rates shrink too early here; some random steps bring more positions (bench/cube.py).
DAVI: dict[str, Any] = {
    "episodes": 1_000_000,
    "tuples": 60,
    "length": 7,
    "symmetries": 1,
    "alpha": 0.5,
    "epsilon": 0.1,
}

NETS: dict[str, Mapping[str, Any]] = {
    "davi-net": {"episodes": 200_000, "first": 256, "width": 128},
    "random-walk": {"episodes": 400_000, "first": 256, "width": 128},
}

NETS_ON_GPU: dict[str, Mapping[str, Any]] = {
    "davi-net": {"episodes": 2_000_000, "walks": 1000},
    "random-walk": {"episodes": 20_000_000, "walks": 1000},
}
"""The same on a GPU, with the settings' own net."""


def net_preset(game: Game, learner: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The default of a net for the game and the device."""
    if uses_gpu(str(given.get("device", "auto"))):
        return dict(NETS_ON_GPU[learner])
    chosen = dict(NETS[learner])
    if getattr(game.rules, "size", 2) == 3:
        chosen |= {"episodes": 4 * chosen["episodes"], "first": 512}
    return chosen
