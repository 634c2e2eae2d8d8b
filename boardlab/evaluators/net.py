"""The evaluator `net("run")`: a neural net that was trained, under any search."""

import ctypes
import importlib.util
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from boardlab import _engine
from boardlab.errors import BoardLabError, MissingPackageError, install
from boardlab.evaluators.distance import distance_evaluator, stored_distance_net
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.inference import NetJudge, net_distances, net_judge
from boardlab.evaluators.layers import NETS, NetLayers, NetOptions, NetShape, StoredNet, net_layers
from boardlab.evaluators.python import python_evaluator
from boardlab.games.game import Game, as_integer, is_number
from boardlab.options import option
from boardlab.runs import RunFolder

if TYPE_CHECKING:
    from boardlab.evaluators.nets import Net as TorchNet

DISTANCES = ("random-walk", "davi-net")
"""The kinds of runs whose net tells the distance of a puzzle to its goal."""

PLAYING_ROWS = 64
"""The largest batch that a GPU is prepared for under a search in play; larger ones work too."""

SHAPE = ("planes", "rows", "cols", "actions", "values")
NET_OPTIONS = ("net", "blocks", "channels", "head_filters", "hidden", "dropout")
LEAST = {"blocks": 0}
"""Of the whole numbers in a description; of the others 1."""
MOST = {"blocks": 100, "channels": 4096, "head_filters": 1024, "hidden": 4096}
"""As in AlphaZero's options; of the others 2^24."""


def require_torch(what: str = "learning a neural net") -> None:
    """Says what to install where PyTorch is missing and `what` needs it."""
    # Threads that wait without spinning: on a machine that does other things too, torch learns several times
    # as fast. OpenMP reads it when torch is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import torch  # noqa: F401
    except ImportError:
        raise MissingPackageError(f"{what} needs PyTorch: {install('az')}") from None


def net_description(game: Game, options: Any) -> dict[str, Any]:
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
    numbers = {
        name: as_integer(name, description[name], LEAST.get(name, 1), MOST.get(name, 1 << 24))
        for name in (*SHAPE, "blocks", "channels", "head_filters", "hidden")
    }
    options = {name: numbers.get(name, description[name]) for name in NET_OPTIONS}
    if options["net"] not in NETS:
        raise BoardLabError(f"there is no net {options['net']!r}")
    if not is_number(options["dropout"]) or not 0 <= options["dropout"] < 1:
        raise BoardLabError(f"dropout must be a number from 0 to below 1, not {options['dropout']!r}")
    return net_layers(NetShape(**{name: numbers[name] for name in SHAPE}), NetOptions(**options))


def build_net(description: Mapping[str, Any]) -> "TorchNet":
    """The net of a description in PyTorch, with fresh weights."""
    from boardlab.evaluators.nets import Net

    return Net(described_layers(description))


def check_planes(game: Game, description: Mapping[str, Any], whose: str) -> None:
    """Refuses a net of a time when the game had other planes."""
    if description["planes"] != game.core.plane_shape[0]:
        raise BoardLabError(
            f"the net {whose} looks at {description['planes']} planes, but {game!r} has "
            f"{game.core.plane_shape[0]} now: train a new one"
        )


@dataclass(frozen=True)
class Net(EvaluatorSpec):
    """A trained neural net: AlphaZero's (values and priors), or a puzzle's (distances to the goal)."""

    run: str = option("", "the folder of the run")
    device: str = option(
        "auto", "cpu, cuda, or auto: the GPU if there is one", choices=("auto", "cpu", "cuda")
    )

    name = "net"
    older_names: ClassVar[dict[str, str]] = {"path": "run"}  # stores hold agents that were written so

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        if not self.run:
            raise BoardLabError('net needs the folder of a run, as in net("runs/connectfour")')
        folder = RunFolder(self.run)
        agent, _ = folder.read_trained("alphazero", *DISTANCES, game=game)
        if agent["kind"] in DISTANCES:
            net = stored_distance_net(folder, agent, game)
            return distance_evaluator(game, net_distances(*net, choose_device(self.device)))
        judge = self._judge(folder, agent)
        judge.prepare(1, PLAYING_ROWS, game.initial_state().planes().shape)
        return python_evaluator(game, judge)

    def judge(self, game: Game) -> NetJudge | None:
        """Asks the net about batches of positions; None where it is not AlphaZero's."""
        folder = RunFolder(self.run)
        agent, _ = folder.read_trained("alphazero", *DISTANCES, game=game)
        return None if agent["kind"] in DISTANCES else self._judge(folder, agent)

    def _judge(self, folder: RunFolder, agent: Mapping[str, Any]) -> NetJudge:
        net, scale = stored_net(folder, agent)
        return net_judge(net, choose_device(self.device), *scale)


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
    from boardlab.evaluators.gpu import in_torch

    stored, scale = stored_net(folder, agent)
    return in_torch(stored), scale


def uses_gpu(wanted: str) -> bool:
    """Whether a net would be on a GPU; not where PyTorch is missing."""
    if wanted == "cpu" or not may_have_gpu() or importlib.util.find_spec("torch") is None:
        return False
    require_torch()
    import torch

    return torch.cuda.is_available()


def may_have_gpu() -> bool:
    """Whether to ask PyTorch for a GPU, whose import takes longer than many a game: is there a driver?"""
    if sys.platform == "win32":
        return True
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return Path("/dev/kfd").exists()  # AMD's
    return True


def choose_device(wanted: str) -> str:
    """The device to use: cpu or cuda, which is refused where there is no GPU."""
    if wanted == "cuda":
        require_torch("a net on a GPU")
    if wanted != "cpu" and uses_gpu(wanted):
        return "cuda"
    if wanted == "cuda":
        raise BoardLabError("there is no GPU that PyTorch can use here; use device=cpu")
    return "cpu"
