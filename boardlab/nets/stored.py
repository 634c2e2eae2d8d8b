"""Nets in run folders: a description in agent.toml, the weights in a file."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from boardlab.errors import BoardLabError
from boardlab.games.game import Game, as_integer
from boardlab.nets.device import require_torch
from boardlab.nets.layers import NetLayers, NetOptions, NetShape, StoredNet, net_layers
from boardlab.options import Option, check_options, options_of
from boardlab.runs import RunFolder

if TYPE_CHECKING:
    from boardlab.nets.torch_net import Net as TorchNet

SHAPE = ("planes", "rows", "cols", "actions", "values")
LARGEST_SIZE = 1 << 24
"""The largest of the numbers that the game decides."""


def net_description(game: Game, options: NetOptions) -> dict[str, Any]:
    """Return a net's description for agent.toml.

    Sizes come from the game, options from the user.
    """
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
        **{option.name: getattr(options, option.name) for option in options_of(NetOptions)},
    }


def described_layers(description: Mapping[str, Any]) -> NetLayers:
    """Return the layers of the net described in agent.toml.

    Raises BoardLabError if the description is invalid.
    """
    shape = {name: as_integer(name, description[name], 1, LARGEST_SIZE) for name in SHAPE}
    options = {option.name: _described(option, description[option.name]) for option in options_of(NetOptions)}
    return net_layers(NetShape(**shape), NetOptions(**options))


def _described(option: Option, value: Any) -> Any:
    """An option of a net as agent.toml gives it; 16.0 is no whole number there."""
    if option.type is int:
        assert option.low is not None and option.high is not None
        return as_integer(option.name, value, int(option.low), int(option.high))
    return check_options("net", NetOptions, {option.name: value})[option.name]


def build_net(description: Mapping[str, Any]) -> "TorchNet":
    """The described net in PyTorch, with fresh weights."""
    from boardlab.nets.torch_net import Net

    return Net(described_layers(description))


def check_planes(game: Game, description: Mapping[str, Any], whose: str) -> None:
    """Refuse a net that was trained when the game had other planes."""
    if description["planes"] != game.core.plane_shape[0]:
        raise BoardLabError(
            f"the net {whose} looks at {description['planes']} planes, but {game!r} has "
            f"{game.core.plane_shape[0]} now: train a new one"
        )


def stored_net(folder: RunFolder, agent: Mapping[str, Any]) -> tuple[StoredNet, tuple[float, float]]:
    """The net of a run, and the outcomes that its values -1 and 1 stand for."""
    try:
        layers = described_layers(agent["network"])
    except (KeyError, TypeError, ValueError) as error:
        raise BoardLabError(f"{folder.path}/agent.toml does not describe a net: {error}") from None
    check_planes(folder.game(agent), agent["network"], f"in {folder.path}")
    arrays = folder.read_arrays("weights.npz", {**layers.arrays(), "scale": ("<f8", 2)})
    low, high = arrays.pop("scale").tolist()
    return StoredNet(layers, arrays), (low, high)


def load_net(folder: RunFolder, agent: Mapping[str, Any]) -> tuple["TorchNet", tuple[float, float]]:
    """The net of a run in PyTorch, and its scale as in `stored_net`."""
    require_torch()
    from boardlab.nets.gpu import in_torch

    stored, scale = stored_net(folder, agent)
    return in_torch(stored), scale
