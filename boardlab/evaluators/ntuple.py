"""The evaluator over a trained n-tuple network, and how a network is built from its description."""

import contextlib
import itertools
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
    """The trained network of a run, its description, and its game, which must be `game` if that is given."""
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
"""What describes a network in agent.toml."""


def build_network(
    game: Game, description: Mapping[str, Any], *, coherent: bool, memory_gb: float, per_action: bool = False
) -> _engine.NTupleNetwork:
    """The network that the description tells, its weights zero.

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
    """The memory that the tables of such a network take; none is taken here."""
    with _understood():
        return _engine.NTupleNetwork.bytes_of(
            game.core, **_tables(game, description), coherent=coherent, per_action=per_action
        )


def _tables(game: Game, description: Mapping[str, Any]) -> dict[str, Any]:
    """What decides which tables there are, as the engine takes it."""
    for key, kind in NETWORK.items():
        if not isinstance(description.get(key), kind):
            raise BoardLabError(f"the description of the network lacks {key}, or it is of the wrong kind")
    return {
        "tuples": description["tuples"],
        "symmetries": description["symmetries"],
        "groups": joint_values(game) if description["compact"] else [],
        "per_player": description["tables"] == "player",
        "staged": description["staged"],
        "feature_tables": description["feature_tables"],
    }


@contextlib.contextmanager
def _understood() -> Iterator[None]:
    """Says what the engine finds wrong with a description."""
    try:
        yield
    except MemoryError:
        raise BoardLabError("there is not enough memory for the tables") from None
    except ValueError as error:
        raise BoardLabError(str(error)) from None
    except TypeError:
        raise BoardLabError("tuples must be lists of cells, symmetries whole numbers") from None


def grid_size(game: Game) -> tuple[int, int]:
    """Rows and columns of a game whose cells are a grid, row by row."""
    try:
        _, rows, cols = game.initial_state().planes().shape
    except ValueError:
        rows = cols = 0
    if not game.core.cells or rows * cols != game.core.cells:
        raise BoardLabError(f"the cells of {game.name} are not a grid of rows and columns")
    return rows, cols


def joint_values(game: Game) -> list[tuple[list[int], list[list[int]]]]:
    """Groups of cells whose values depend on one another, with all joint values that the rules allow.

    ConnectFour: a column of n cells is a stack. With h stones in it, 2**h colourings, the cell above them
    is the one to be played next and the rest is out of reach: 2**(n+1) - 1 joint values instead of 4**n.

    2x2x2 cube: no two places hold the same corner, and the turns of all add up to whole turns: 5040 joint
    values instead of 7**7, and 729 instead of 3**7.
    """
    if game.name == "connectfour":
        rows, cols = grid_size(game)
        if 4**rows > 1 << 22:
            return []
        stacks = [
            ([1 + (colours >> i & 1) for i in range(height)] + [3] + [0] * rows)[:rows]
            for height in range(rows + 1)
            for colours in range(2**height)
        ]
        return [([(rows - 1 - i) * cols + col for i in range(rows)], stacks) for col in range(cols)]
    if game.name == "rubiks" and game.core.cells == 14:
        corners = [list(held) for held in itertools.permutations(range(7))]
        turns = [list(held) for held in itertools.product(range(3), repeat=7) if sum(held) % 3 == 0]
        return [(list(range(7)), corners), (list(range(7, 14)), turns)]
    return []
