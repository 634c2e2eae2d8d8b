"""Named presets of AlphaZero.

They are data, completed from the game and the user's settings.
"""

from collections.abc import Mapping
from typing import Any

from boardlab.checks import is_number
from boardlab.games.game import Game
from boardlab.nets.device import uses_gpu

_ALPHAZERO: dict[str, Any] = {"episodes": 25_600, "lr_final": 2e-4}
"""For AlphaZero on any game; the settings' own defaults do the rest."""

_ALPHAZERO_GPU: dict[str, Any] = {
    "episodes": 163_840,
    "blocks": 5,
    "games": 2048,
    "parallel": 2048,
    "lanes": 4,
    "batch": 512,
}
"""The same with a GPU, which wants thousands of positions at once: more games, and a larger net."""

# A CPU minute of Gumbel's selection is worth one of noise and visits with twice the simulations, or more.
# With its own openings alone a good net soon plays the same games again and again, and errs in all others.
_C4 = {"simulations_first": 16, "gumbel": 16, "random_actions": 12}
_ALPHAZERO_GAMES: dict[str, dict[bool, Mapping[str, Any]]] = {
    "connectfour": {
        False: {**_C4, "channels": 32, "simulations": 32, "epochs": 3.0},
        True: {**_C4, "simulations": 64, "epochs": 4.0},
    },
}
"""What is better for a game, without and with a GPU."""

_WANG = {
    "episodes": 5_000,
    "samples": 10**9,  # an epoch is the whole window
    "net": "wang",
    "channels": 512,
    "dropout": 0.3,
    "games": 50,
    "parallel": 50,
    "simulations": 100,
    "cpuct": 1.0,
    "temperature_moves": 15,
    "one_hot": True,  # as in the authors' framework, alpha-zero-general; the paper's text does not say
    "noise_fraction": 0.0,
    "window": 20,
    "window_first": 20,
    "epochs": 10.0,
    "batch": 64,
    "optimiser": "adam",
    "lr": 0.005,
    "weight_decay": 0.0,
    "value_target": "z",
    "gate": 0.6,
    "gate_games": 40,
    "play_solver": False,
    "play_batch": 1,
}
_CHURCH = {
    "episodes": 5_000,
    "net": "res",
    "blocks": 2,
    "channels": 256,
    "head_filters": 2,
    "dropout": 0.3,
    "games": 100,
    "parallel": 100,
    "simulations": 100,
    "cpuct": 1.0,
    # Its epsilon of .25 is the proportion of the priors: "a high epsilon value meaning little noise".
    "noise_fraction": 0.75,
    "noise": 1.0,
    "temperature_moves": 18,
    "one_hot": True,
    "window": 35,
    "window_first": 4,
    "samples": 4096,
    "epochs": 2.0,
    "batch": 64,
    "optimiser": "adam",
    "lr": 0.01,
    "weight_decay": 0.0,
    "value_target": "z",
    "symmetries": False,
    "play_solver": False,
    "play_batch": 1,
}
_CHURCH_VARIANTS: dict[str, dict[str, Any]] = {
    "az-conv": {"net": "conv"},
    "az-res": {},
    "az-res6": {"blocks": 6},
    "az-resc": {"cpuct": 3.0, "play_cpuct": 3.0},
    "az-resdiff": {"dropout": 0.5, "batch": 128},
    "az-res32": {"head_filters": 32},
}
"""The players of Church (2019), Section V-B: what differs from AZ-Res."""
_RANKED = {
    "episodes": 6_400,
    "ranked_reward": 0.75,
    "ranked_window": 250,
    "blocks": 2,
    "channels": 32,
    "head_filters": 1,  # Morpion has 16,384 actions: each filter costs 16 million weights
    "games": 64,
    "parallel": 64,
    "temperature_moves": 30,
    "noise": 0.3,
    "window": 4,
    "batch": 128,
    "lr_final": 2e-4,
}
ALPHAZERO_PRESETS: dict[str, Mapping[str, Any]] = {
    "default": _ALPHAZERO,
    "church": _CHURCH,
    **{name: {**_CHURCH, **changed} for name, changed in _CHURCH_VARIANTS.items()},
    "wang": _WANG,
    "ranked": _RANKED,
}
"""By name: church and az-... (Church, 2019), wang (Wang et al., 2021), ranked reward for one player."""


def alphazero_preset(game: Game, name: str, given: Mapping[str, Any], usual_cpuct: float) -> dict[str, Any]:
    """Return the preset, adapted to the game, a GPU and the `given` settings."""
    if game.name == "morpion" and name == "default":
        name = "ranked"  # its scores are hard to tell apart otherwise, and a larger head has gigabytes
    chosen = dict(ALPHAZERO_PRESETS[name])
    if name == "default":
        on_gpu = uses_gpu(str(given.get("device", "auto")))
        chosen |= _ALPHAZERO_GPU if on_gpu else {}
        chosen |= _ALPHAZERO_GAMES.get(game.name, {}).get(on_gpu, {})
        if "random_actions" in chosen:  # on a small board they would be half the game
            chosen["random_actions"] = min(chosen["random_actions"], 2 * game.horizon // 7)
    of_church = name == "church" or name in _CHURCH_VARIANTS
    if of_church and game.name == "pathwayz":
        chosen |= {"simulations": 200, "noise": 0.3}
    wanted = given.get("cpuct")
    if is_number(wanted) and wanted != chosen.get("cpuct", usual_cpuct):
        chosen["play_cpuct"] = wanted  # who varies C means the player
    if of_church or name == "wang":  # one number in the papers: of self-play, the gate and the matches
        wanted = given.get("simulations")
        chosen["play_simulations"] = wanted if is_number(wanted) else chosen["simulations"]
    if game.players == 1:
        chosen.pop("gate", None)  # there is nobody to meet
    # The learning rate falls and simulations grow, whatever the user gives for one end of it.
    for most, least in (("lr", "lr_final"), ("simulations", "simulations_first")):
        if least in chosen and is_number(wanted := given.get(most)):
            chosen[least] = min(chosen[least], wanted)
    return chosen
