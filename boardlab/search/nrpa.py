"""Nested rollout policy adaptation."""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.games.game import Game, check_outcome
from boardlab.options import option
from boardlab.search.spec import SearchSpec


@dataclass(frozen=True)
class Nrpa(SearchSpec):
    """Nested rollout policy adaptation: plans a whole puzzle, then follows the plan.

    Rosin (2011). For one-player games without chance (morpion, rubiks). All the time is spent on the first
    decision; it plans again only if the game leaves the plan.
    """

    level: int = option(
        3, "nesting depth; each level multiplies the playouts by `iterations`", low=1, high=10
    )
    iterations: int = option(100, "calls of the next lower level, at every level", low=1, high=1_000_000)
    alpha: float = option(1.0, "step size of the policy towards the best sequence", low=0, high=1000)
    seconds: float | None = option(
        None, "seconds for the plan; by default one complete search", low=1e-3, high=1e6
    )
    restart: bool = option(True, "start another search while time is left")
    depth: int | None = option(
        None, "maximum number of actions in a playout; by default the game's horizon", low=1, high=1_000_000
    )
    code: str | None = option(
        None,
        "what has a weight in the policy: an action, or an action at a ply; by default the action if the "
        "game has more actions than its horizon",
        choices=("action", "ply"),
    )
    outcome: str = option("score", "what to maximise: the score or a named reward of the game")

    name = "nrpa"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        by_action = game.core.action_count > game.core.horizon if self.code is None else self.code == "action"
        return _engine.nrpa_search(
            game.core,
            outcome=check_outcome(game, self.outcome),
            level=self.level,
            iterations=self.iterations,
            alpha=self.alpha,
            seconds=self.seconds or 0.0,
            restart=self.restart,
            depth=self.depth or 0,
            by_ply=not by_action,
            seed=seed,
        )
