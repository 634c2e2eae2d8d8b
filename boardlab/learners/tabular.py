"""Tabular Q-learning and QM-learning (Wang, 2021, Algorithm 9)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from boardlab import _engine
from boardlab.evaluators.qtable import build_table
from boardlab.games.game import Game
from boardlab.learners.engine_learner import EngineLearner, SelfPlaySettings
from boardlab.options import option

_DEFAULT = {"alpha": 0.3, "alpha_final": 0.05, "epsilon": 1.0, "epsilon_final": 0.2}
_PAPER = {"episodes": 50_000, "epsilon": 0.5, "epsilon_final": 0.0, "opponents": "random"}

TABULAR_PRESETS: dict[str, dict[str, Mapping[str, Any]]] = {
    # Wang (2021) has the algorithm and its symbols; alpha, gamma and epsilon have the usual values.
    "tictactoe": {
        "paper": {**_PAPER, "memory_mb": 1},
        "default": {**_DEFAULT, "episodes": 200_000, "memory_mb": 1},
    },
    "connectfour": {"paper": _PAPER},
    "gobang": {"paper": _PAPER},
    "hex": {"paper": _PAPER},
}
TABULAR: dict[str, Any] = {**_DEFAULT, "episodes": 100_000, "memory_mb": 64}
"""For a game without a default of its own."""


@dataclass(frozen=True)
class QTableSettings(SelfPlaySettings):
    """Tabular Q-learning: every match is learned from its end to its start.

    Values are goals from 0 (the worst score) to 1 (the best), and so is a pair that was never learned: 0.
    In a game with rounds they are scores, and a state is known by its cells, which all rounds share.
    """

    alpha: float = option(0.1, "learning rate", low=1e-9, high=1)
    alpha_final: float | None = option(
        None, "learning rate at the end, reached geometrically; by default alpha", low=1e-9, high=1
    )
    gamma: float = option(0.9, "discount of future values", low=0, high=1)
    opponents: str = option(
        "self",
        "self: every player learns; random: one learns, each match another, and the others play at random",
        choices=("self", "random"),
    )
    memory_mb: float = option(16.0, "memory of the table in MiB, 16 bytes a pair", low=0.001, high=1_000_000)

    # A match is learned as a whole, so that there are no traces to set.
    lambda_: float = field(default=0.0, init=False)
    traces: str = field(default="et", init=False)
    adapt_others: bool = field(default=True, init=False)

    name = "q-table"
    learns_hidden = True
    evaluator = "qtable"
    asks_monte_carlo: ClassVar[bool] = False

    @classmethod
    def presets(cls, game: Game) -> Mapping[str, Mapping[str, Any]]:
        """The presets for the game, by name."""
        return {"default": TABULAR, **TABULAR_PRESETS.get(game.name, {})}

    @property
    def playouts(self) -> tuple[int, float]:
        """Playouts of a Monte Carlo Search: their number and their time, 0 for no limit."""
        return 1, 0.0

    def rollouts(self, game: Game) -> int:
        """Playouts after each action of the trained agent in an unknown state."""
        return 0

    def exam_cost(self, cost: float) -> float:
        """Episodes are short."""
        return 12 * cost

    def describe(self, game: Game, seed: int) -> dict[str, Any]:
        """The table without its values, as agent.toml keeps it."""
        table = {"reward": self.reward, "memory_mb": self.memory_mb, "rollouts": self.rollouts(game)}
        return {**table, "key": "cells"} if game.core.has_rounds else table

    def build(self, game: Game, description: Mapping[str, Any], episodes: int, seed: int) -> EngineLearner:
        """A learner whose table is empty. Memory is taken here, or refused."""
        return TableLearner(game, self, build_table(game, description), episodes, seed)


@dataclass(frozen=True)
class QM(QTableSettings):
    """Tabular Q-learning with Monte Carlo Search in unknown states (QM-learning)."""

    search_iterations: int | None = option(
        None, "playouts of a Monte Carlo Search; 50 if no time is given either", low=1, high=10**9
    )
    search_seconds: float | None = option(
        None, "seconds of a Monte Carlo Search; runs with it cannot be repeated", low=1e-4, high=1000
    )

    name = "qm"
    asks_monte_carlo = True

    @property
    def playouts(self) -> tuple[int, float]:
        """Playouts of a Monte Carlo Search: their number and their time, 0 for no limit."""
        unlimited = 50 if self.search_seconds is None else 0
        return self.search_iterations or unlimited, self.search_seconds or 0.0

    def rollouts(self, game: Game) -> int:
        """Playouts after each action of the trained agent in an unknown state."""
        iterations, _ = self.playouts
        return max(1, (iterations or 50) // max(1, len(game.initial_state().legal_actions())))


class TableLearner(EngineLearner):
    """Learns a table of state-action values."""

    def __init__(
        self, game: Game, settings: QTableSettings, table: _engine.QTable, episodes: int, seed: int
    ) -> None:
        iterations, seconds = settings.playouts
        learner = _engine.QLearner(
            table,
            settings.engine_settings(episodes),
            settings.reward,
            random_opponents=settings.opponents == "random",
            asks_monte_carlo=settings.asks_monte_carlo,
            search_iterations=iterations,
            search_seconds=seconds,
            seed=seed,
        )
        super().__init__(game, learner)
        self.settings, self.table = settings, table
        self.weights = {"keys": table.keys, "values": table.values}

    def restore(self) -> None:
        """Count the pairs that were read."""
        self.table.recount()

    def evaluator(self) -> _engine.Evaluator:
        """An evaluator over the table."""
        return self.table.evaluator(self.settings.rollouts(self.game))
