"""Transfer: start a net with the layers of a run on another board.

Church (2019), section IV-H. Layers that depend neither on the size of the board nor on the number of actions
are taken over, and may be frozen. The others are new and always learn.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.nets.stored import build_net, described_layers, load_net, net_description
from boardlab.runs import RunFolder

if TYPE_CHECKING:
    from torch import nn

    from boardlab.nets.torch_net import Net

BODY_OPTIONS = ("net", "blocks", "channels")
HEAD_OPTIONS = ("head_filters", "hidden", "dropout")
"""Options that may differ: a head of another width is a new layer."""


def inherited(path: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the net in the run `path`.

    `given` options that contradict the body of that net are refused.
    """
    old = _network(RunFolder(path))
    for name in BODY_OPTIONS:
        if name in given and given[name] != old[name]:
            raise BoardLabError(
                f"the net in {path} has {name}={old[name]}, not {given[name]}: leave {name} out, or train "
                "from scratch"
            )
    return {name: old[name] for name in (*BODY_OPTIONS, *HEAD_OPTIONS)}


def describe_transfer(game: Game, options: Any, path: str, freeze: str) -> dict[str, Any]:
    """The net's description with its parent, the layers taken over and those frozen."""
    folder = RunFolder(path)
    old = _network(folder)
    _, trained_on = folder.read_trained("alphazero")
    if trained_on.name != game.name:
        raise BoardLabError(
            f"{path} was trained on {trained_on.name}, not on {game.name}: a net goes over to another size "
            "or variant of its game, not to another game"
        )
    new = net_description(game, options)
    if new["planes"] != old["planes"]:
        raise BoardLabError(
            f"the net in {path} looks at {old['planes']} planes, {game!r} has {new['planes']}: nothing fits"
        )
    kept, layers = kept_layers(old, new), list(_layers(build_net(new)))
    return {
        **new,
        "parent": str(path),
        "parent_game": repr(trained_on),
        "parent_weights": folder.fingerprint(),
        "kept": kept,
        "frozen": _frozen(freeze, kept, layers),
    }


def kept_layers(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the layers that can be taken over.

    They have equal shapes and, if the board or the actions differ, do not depend on them. A 6x7 and a 7x6
    board have layers of equal shape whose weights belong to other cells.
    """
    here, there = _layers(build_net(new)), _layers(build_net(old))
    board = ("rows", "cols", "actions")
    elsewhere = _layers(build_net({**new, **{name: new[name] + 1 for name in board}}))
    is_same_board = all(old[name] == new[name] for name in board)
    return [
        name
        for name, layer in here.items()
        if name in there
        and _shapes(layer) == _shapes(there[name])
        and (is_same_board or _shapes(layer) == _shapes(elsewhere[name]))
    ]


def take_over(net: "Net", description: Mapping[str, Any]) -> tuple[float, float]:
    """Copy the kept layers from the parent.

    Return the outcomes that the parent's values -1 and 1 stand for.
    """
    folder = RunFolder(description["parent"])
    old, scale = load_net(folder, folder.read_agent("alphazero"))
    here, there = _layers(net), _layers(old)
    for name in description["kept"]:
        here[name].load_state_dict(there[name].state_dict())
    return scale


def freeze_layers(net: "Net", description: Mapping[str, Any]) -> list["nn.Module"]:
    """Exclude the weights of the frozen layers from learning; return these layers."""
    layers = _layers(net)
    try:
        frozen = [layers[name] for name in description.get("frozen", ())]
    except KeyError as error:
        raise BoardLabError(f"the run's agent.toml freezes a layer that its net has not: {error}") from None
    for layer in frozen:
        layer.requires_grad_(False)
    return frozen


def _network(folder: RunFolder) -> Mapping[str, Any]:
    """The description of a run's net in its agent.toml."""
    network = folder.read_agent("alphazero").get("network")
    wanted = ("planes", "rows", "cols", "actions", "values", *BODY_OPTIONS, *HEAD_OPTIONS)
    if not isinstance(network, dict) or any(name not in network for name in wanted):
        raise BoardLabError(f"{folder.path}/agent.toml does not describe a net")
    try:
        described_layers(network)
    except (TypeError, BoardLabError) as error:
        raise BoardLabError(f"{folder.path}/agent.toml does not describe a net: {error}") from None
    return network


def _layers(net: "Net") -> dict[str, "nn.Module"]:
    """Every module with weights of its own, by name."""
    return {name: module for name, module in net.named_modules() if _shapes(module, recurse=False)}


def _shapes(module: "nn.Module", *, recurse: bool = True) -> list[tuple[int, ...]]:
    return [tuple(weights.shape) for weights in module.parameters(recurse=recurse)]


def _frozen(freeze: str, kept: Sequence[str], layers: Sequence[str]) -> list[str]:
    """The kept layers that `freeze` names."""
    if freeze == "none":
        return []
    names = [""] if freeze == "kept" else [name.strip() for name in freeze.split(",")]
    for name in names:
        if (not name and freeze != "kept") or not any(_is_part(layer, name) for layer in layers):
            raise BoardLabError(
                f'freeze must be none, body, kept or names of layers, not "{freeze}"; the net has '
                f"{', '.join(layers)}"
            )
        if not any(_is_part(layer, name) for layer in kept):
            raise BoardLabError(
                f'freeze="{freeze}": {name or "the net"} is new here and has to learn; layers taken over are '
                f"{', '.join(kept) or 'none'}"
            )
    frozen = [layer for layer in kept if any(_is_part(layer, name) for name in names)]
    if len(frozen) == len(layers):
        raise BoardLabError(f'freeze="{freeze}" leaves nothing to learn: every layer was taken over')
    return frozen


def _is_part(layer: str, name: str) -> bool:
    return not name or layer == name or layer.startswith(f"{name}.")
