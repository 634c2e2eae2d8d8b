"""Evaluators without learning: random playouts, current score, exact solver."""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.games.game import Game, check_outcome
from boardlab.options import option


@dataclass(frozen=True)
class Rollout(EvaluatorSpec):
    """The mean outcome of random playouts."""

    rollouts: int = option(1, "playouts a position", low=1, high=1_000_000)
    depth: int | None = option(
        None, "actions after which a playout is cut; by default none", low=1, high=1_000_000
    )
    whole_game: bool = option(
        False, "play on through later rounds instead of stopping at the end of this one"
    )
    outcome: str = option("score", "the score or a named reward of the game")

    name = "rollout"

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        outcome = check_outcome(game, self.outcome)
        return _engine.rollout_evaluator(game.core, outcome, self.rollouts, self.depth or 0, self.whole_game)


@dataclass(frozen=True)
class Score(EvaluatorSpec):
    """The score so far, 0 in games that pay at the end; for searches that reach it."""

    outcome: str = option("score", "the score or a named reward of the game")

    name = "score"

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        return _engine.paid_evaluator(game.core, check_outcome(game, self.outcome))


@dataclass(frozen=True)
class Solver(EvaluatorSpec):
    """The game's own exact solver (rubiks 2x2x2, endgames of othello)."""

    outcome: str = option("score", "the score or a named reward of the game")

    name = "solver"

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        if not game.core.has_solver:
            raise BoardLabError(f"{game.name} has no exact solver of its own with these parameters")
        return _engine.solver_evaluator(game.core, check_outcome(game, self.outcome))


@dataclass(frozen=True)
class Endgame(EvaluatorSpec):
    """Exact values near the end of a game, elsewhere those of another evaluator.

    For two-player games without chance.
    """

    evaluator: EvaluatorSpec = option(Score(), "judges positions that are not solved")
    below: int = option(8, "most actions left for which a position is solved", low=0, high=1000)
    nodes: int = option(
        100_000, "positions after which solving gives up and the other evaluator answers", low=1, high=2**62
    )

    name = "endgame"

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        if not game.core.has_moves_left:
            raise BoardLabError(
                f"endgame needs a game that reports how many actions are left; {game.name} does not"
            )
        return _engine.endgame_evaluator(self.evaluator.build(game), self.below, self.nodes)
