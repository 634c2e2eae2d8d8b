"""Nets in run folders: the description in agent.toml, and the net that it and the weights make."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from boardlab.errors import BoardLabError
from boardlab.games.game import Game, as_integer
from boardlab.nets.device import require_torch
from boardlab.nets.layers import NetLayers, NetOptions, NetShape, StoredNet, net_layers
from boardlab.options import check_options, options_of
from boardlab.runs import RunFolder

if TYPE_CHECKING:
    from boardlab.nets.torch_net import Net as TorchNet

SHAPE = ("planes", "rows", "cols", "actions", "values")
NET_OPTIONS = tuple(option.name for option in options_of(NetOptions))


def net_description(game: Game, options: NetOptions) -> dict[str, Any]:
    """A net as agent.toml keeps it: the shapes that the game decides, the options that the user decides."""
    try:
        planes, rows, cols = game.initial_state().planes().shape
    except ValueError:
        raise BoardLabError(
            f"{game.name} has neither planes nor a board vector for a net to look at; the learner q-table "
            "needs none"
        ) from None
    zero_sum = game.players == 2 and game.is_zero_sum
    return {
        "planes": planes,
        "rows": rows,
        "cols": cols,
        "actions": game.action_count,
        "values": 1 if zero_sum else game.players,
        **{name: getattr(options, name) for name in NET_OPTIONS},
    }


def described_layers(description: Mapping[str, Any]) -> NetLayers:
    """The layers of a net that agent.toml describes; what a net cannot be is a BoardLabError."""
    shape = {name: as_integer(name, description[name], 1, 1 << 24) for name in SHAPE}
    options = check_options("net", NetOptions, {name: description[name] for name in NET_OPTIONS})
    for name in NET_OPTIONS:  # 16.0 is no number of channels in a file
        if isinstance(options[name], int):
            as_integer(name, description[name], 0, 1 << 24)
    return net_layers(NetShape(**shape), NetOptions(**options))


def build_net(description: Mapping[str, Any]) -> "TorchNet":
    """The net of a description in PyTorch, with fresh weights."""
    from boardlab.nets.torch_net import Net

    return Net(described_layers(description))


def check_planes(game: Game, description: Mapping[str, Any], whose: str) -> None:
    """Refuses a net of a time when the game had other planes."""
    if description["planes"] != game.core.plane_shape[0]:
        raise BoardLabError(
            f"the net {whose} looks at {description['planes']} planes, but {game!r} has "
            f"{game.core.plane_shape[0]} now: train a new one"
        )


def stored_net(folder: RunFolder, agent: Mapping[str, Any]) -> tuple[StoredNet, tuple[float, float]]:
    """The net of a run whose agent.toml was read, and the outcomes that its values -1 and 1 stand for."""
    try:
        layers = described_layers(agent["network"])
    except (KeyError, TypeError, ValueError) as error:
        raise BoardLabError(f"{folder.path}/agent.toml does not describe a net: {error}") from None
    check_planes(folder.game(agent), agent["network"], f"in {folder.path}")
    arrays = folder.read_arrays("weights.npz", {**layers.arrays(), "scale": ("<f8", 2)})
    low, high = arrays.pop("scale").tolist()
    return StoredNet(layers, arrays), (low, high)


def load_net(folder: RunFolder, agent: Mapping[str, Any]) -> tuple["TorchNet", tuple[float, float]]:
    """The same in PyTorch."""
    require_torch()
    from boardlab.nets.gpu import in_torch

    stored, scale = stored_net(folder, agent)
    return in_torch(stored), scale
