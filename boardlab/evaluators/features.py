"""The evaluator over a trained value function on features.

Features may be the game's or the user's own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boardlab import _engine
from boardlab.errors import BoardLabError, shown, unknown
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.python import check_own_name
from boardlab.games.game import Game, State
from boardlab.options import option
from boardlab.registries import Registry
from boardlab.runs import RunFolder

OwnFeatures: TypeAlias = Callable[[State, int], Any]
"""own(state, player) -> features of the position for the player who just moved, a fixed number."""

OWN_FEATURES: Registry[OwnFeatures] = Registry("feature")
"""The registered features by name."""

KINDS = ("game", "board", "both")
"""Inputs that need no registration: the game's features, its board vector with one input for every value
of every cell, and the two together."""

GAINED = frozenset({"tictactoe", "connectfour", "hex", "nim", "2048", "othello", "sim", "yavalath", "ewn"})
"""Games that had no features in the first version: runs that name none learned from the board there."""


def usual_kind(game: Game) -> str:
    """The inputs of a learner that is not told any: the game's features if it has them, else the board."""
    return "game" if game.core.feature_count else "board"


def register_features(name: str) -> Callable[[OwnFeatures], OwnFeatures]:
    """Register your own features by name, for the learner td-features and its runs.

        @bl.register_features("corners")
        def corners(state, player):
            return [state.fields[cell] == player + 1 for cell in (0, 2, 6, 8)]

        bl.train(bl.game("tictactoe"), "td-features", features="corners")

    On the command line, name the file that registers them: `boardlab --plugin corners.py train tictactoe
    --learner td-features --features corners`.
    """
    check_own_name("features", name)
    if name in KINDS:
        raise BoardLabError(
            f'the name of features cannot be "{name}", which the learner knows; choose another'
        )

    def register(own: OwnFeatures) -> OwnFeatures:
        if not callable(own):
            raise BoardLabError(
                f"register_features decorates a function of a state and a player, not {shown(own)}"
            )
        OWN_FEATURES.register(name, own)
        return own

    return register


def _asked(game: Game, name: str) -> Callable[[_engine.State, int], NDArray[np.float64]]:
    """The features of that name, as a function that the engine calls."""
    if name not in OWN_FEATURES:
        raise unknown("features (register_features, --plugin)", name, [*KINDS, *OWN_FEATURES])
    own = OWN_FEATURES[name]

    def ask(core: _engine.State, player: int) -> NDArray[np.float64]:
        given = own(State(game, core), player)
        try:
            array = np.ascontiguousarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise BoardLabError(f'features "{name}" must return numbers, not {shown(given)}') from None
        if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
            raise BoardLabError(
                f'features "{name}" must return finite numbers in one row, not {shown(given)}'
            )
        return array

    return ask


@dataclass(frozen=True)
class Features(EvaluatorSpec):
    """A value function trained on features, from its run: features("runs/nim")."""

    run: str = option("", "the folder of the run")

    name = "features"

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        if not self.run:
            raise BoardLabError('features needs the folder of a run, as in features("runs/nim")')
        folder = RunFolder(self.run)
        agent, _ = folder.read_trained("td-features", game=game)
        description = agent["network"]
        with folder.understanding():
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
"""The keys that describe a value function on features in agent.toml, with their types."""


def build_features(game: Game, description: Mapping[str, Any], seed: int) -> _engine.FeatureNetwork:
    """The described value function; its hidden weights are drawn from the seed."""
    for key, kind in DESCRIPTION.items():
        if not isinstance(description.get(key), kind):
            raise BoardLabError(f"the description of the network lacks {key}, or it is of the wrong kind")
    own, count = None, 0
    name = str(description.get("features", "")) or ("board" if game.name in GAINED else usual_kind(game))
    inputs = name if name in KINDS else "own"
    if inputs in ("game", "both") and not game.core.feature_count:
        raise BoardLabError(
            f"{game.name} has no features of its own; give features=board, or the name of features that you "
            "register"
        )
    if inputs == "own":
        own = _asked(game, name)
        count = own(game.initial_state().core, 0).size
    try:
        return _engine.FeatureNetwork(
            game.core, description["hidden"], description["sigma"] == "tanh", seed, inputs, count, own
        )
    except ValueError as error:
        raise BoardLabError(str(error)) from None
