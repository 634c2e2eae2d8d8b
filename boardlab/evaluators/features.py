"""The evaluator over a trained value function on features."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.runs import RunFolder


@dataclass(frozen=True)
class Features(EvaluatorSpec):
    """A trained value function on features, read from its run folder: features("runs/nim")."""

    run: str = option("", "the folder of the run")

    name = "features"

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        if not self.run:
            raise BoardLabError('features needs the folder of a run, as in features("runs/nim")')
        folder = RunFolder(self.run)
        agent = folder.read_agent("td-features")
        if folder.game(agent) != game:
            raise BoardLabError(f"{self.run} was trained on {folder.game(agent)!r}, not on {game!r}")
        description = agent.get("network")
        if not isinstance(description, dict):
            raise BoardLabError(f"{self.run}/agent.toml does not describe its network")
        network = build_features(game, description, 0)
        stored = folder.read_arrays("weights.npz", {"weights": ("<f8", network.weights.size)})
        network.weights[:] = stored["weights"]
        return network.evaluator(description["reward"], float(description["gamma"]))


DESCRIPTION: dict[str, type | tuple[type, ...]] = {
    "hidden": int,
    "sigma": str,
    "reward": str,
    "gamma": (int, float),
}
"""What describes a value function on features in agent.toml."""


def build_features(game: Game, description: Mapping[str, Any], seed: int) -> _engine.FeatureNetwork:
    """The value function that the description tells; its hidden weights come from the seed."""
    for key, kind in DESCRIPTION.items():
        if not isinstance(description.get(key), kind):
            raise BoardLabError(f"the description of the network lacks {key}, or it is of the wrong kind")
    try:
        return _engine.FeatureNetwork(game.core, description["hidden"], description["sigma"] == "tanh", seed)
    except ValueError as error:
        raise BoardLabError(str(error)) from None
