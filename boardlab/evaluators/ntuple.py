"""The evaluator over a trained n-tuple network.

Also builds a network from its description.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.runs import RunFolder

PER_ACTION = {"td-ntuple": False, "davi": False, "sarsa-ntuple": True, "q-ntuple": True}
"""The kinds of runs that hold an n-tuple network, and whether it has tables for every action."""


@dataclass(frozen=True)
class NTuple(EvaluatorSpec):
    """A trained n-tuple network, read from its run folder: ntuple("runs/c4")."""

    run: str = option("", "the folder of the run")

    name = "ntuple"

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        if not self.run:
            raise BoardLabError('ntuple needs the folder of a run, as in ntuple("runs/c4")')
        network, description, _ = load_network(self.run, game)
        return network.evaluator(description["reward"], float(description["gamma"]), learns=False)


def load_network(
    run: str | os.PathLike[str], game: Game | None = None
) -> tuple[_engine.NTupleNetwork, dict[str, Any], Game]:
    """Return the trained network of a run, its description and its game.

    The game must be `game` if that is given.
    """
    folder = RunFolder(run)
    agent, game = folder.read_trained(*PER_ACTION, game=game)
    description = agent["network"]
    per_action = PER_ACTION[agent["kind"]]
    with folder.understanding():
        size = table_bytes(game, description, coherent=False, per_action=per_action)
    folder.check_holds("weights.npz", size)
    with folder.understanding():
        network = build_network(game, description, coherent=False, memory_gb=1e6, per_action=per_action)
    folder.read_into("weights.npz", {"weights": network.weights})
    return network, description, game


NETWORK: dict[str, type | tuple[type, ...]] = {
    "tuples": list,
    "symmetries": list,
    "compact": bool,
    "tables": str,
    "staged": bool,
    "feature_tables": bool,
    "sigma": str,
    "reward": str,
    "gamma": (int, float),
}
"""The keys that describe a network in agent.toml, with their types."""


def build_network(
    game: Game, description: Mapping[str, Any], *, coherent: bool, memory_gb: float, per_action: bool = False
) -> _engine.NTupleNetwork:
    """The described network, its weights zero.

    `coherent` adds the counters of TCL, `per_action` makes a set of tables for every action.
    """
    with _understood():
        return _engine.NTupleNetwork(
            game.core,
            **_tables(game, description),
            squash=description["sigma"] == "tanh",
            coherent=coherent,
            memory_limit=int(memory_gb * 2**30),
            per_action=per_action,
        )


def table_bytes(game: Game, description: Mapping[str, Any], *, coherent: bool, per_action: bool) -> float:
    """The bytes that the tables of such a network would take."""
    with _understood():
        return _engine.NTupleNetwork.bytes_of(
            game.core, **_tables(game, description), coherent=coherent, per_action=per_action
        )


def _tables(game: Game, description: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the engine that determine the tables."""
    for key, kind in NETWORK.items():
        if not isinstance(description.get(key), kind):
            raise BoardLabError(f"the description of the network lacks {key}, or it is of the wrong kind")
    return {
        "tuples": description["tuples"],
        "symmetries": description["symmetries"],
        "groups": game.core.joint_values() if description["compact"] else [],
        "per_player": description["tables"] == "player",
        "staged": description["staged"],
        "feature_tables": description["feature_tables"],
    }


@contextlib.contextmanager
def _understood() -> Iterator[None]:
    """Turn the engine's errors about a description into BoardLabError."""
    try:
        yield
    except MemoryError:
        raise BoardLabError("there is not enough memory for the tables") from None
    except ValueError as error:
        raise BoardLabError(str(error)) from None
    except TypeError:
        raise BoardLabError("tuples must be lists of cells, symmetries whole numbers") from None


def grid_size(game: Game) -> tuple[int, int]:
    """The rows and columns of a game whose cells form a grid, row by row."""
    try:
        _, rows, cols = game.initial_state().planes().shape
    except ValueError:
        rows = cols = 0
    if not game.core.cells or rows * cols != game.core.cells:
        raise BoardLabError(f"the cells of {game.name} are not a grid of rows and columns")
    return rows, cols
