"""The evaluator over a learned Q table, and the table of a description."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boardlab import _engine
from boardlab.errors import BoardLabError, shown
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.runs import RunFolder

KINDS = ("q-table", "qm")


@dataclass(frozen=True)
class QTable(EvaluatorSpec):
    """A Q table learned by q-table or qm, from its run folder: qtable("runs/ttt")."""

    run: str = option("", "the folder of the run")
    rollouts: int | None = option(
        None,
        "playouts after each action in a state that the table does not know; by default as in training",
        low=0,
        high=1_000_000,
    )

    name = "qtable"

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        if not self.run:
            raise BoardLabError('qtable needs the folder of a run, as in qtable("runs/tictactoe")')
        folder = RunFolder(self.run)
        agent, _ = folder.read_trained(*KINDS, game=game)
        description = agent["network"]
        with folder.understanding():
            size = table_size(description)
        folder.check_holds("weights.npz", size)
        with folder.understanding():
            table = build_table(game, description)
        folder.read_into("weights.npz", {"keys": table.keys, "values": table.values})
        try:
            table.recount()
        except ValueError as error:
            raise BoardLabError(f"{self.run}/weights.npz is damaged: {error}") from None
        return table.evaluator(description["rollouts"] if self.rollouts is None else self.rollouts)


DESCRIPTION: dict[str, type | tuple[type, ...]] = {
    "reward": str,
    "memory_mb": (int, float),
    "rollouts": int,
}
"""The keys that describe a table in agent.toml; `key`, by default "state", is optional."""


def table_size(description: Mapping[str, Any]) -> int:
    """The size of the described table in bytes."""
    for key, kind in DESCRIPTION.items():
        if not isinstance(description.get(key), kind):
            raise BoardLabError(f"the description of the table lacks {key}, or it is of the wrong kind")
    size = int(description["memory_mb"] * 2**20)
    return size - size % 16  # eight bytes for a key, eight for a value


def build_table(game: Game, description: Mapping[str, Any]) -> _engine.QTable:
    """The described table, empty."""
    key = description.get("key", "state")
    if key not in ("state", "cells"):
        raise BoardLabError(f"the key of the table must be state or cells, not {shown(key)}")
    try:
        return _engine.QTable(
            game.core, description["reward"], table_size(description), by_cells=key == "cells"
        )
    except ValueError as error:
        raise BoardLabError(str(error)) from None
