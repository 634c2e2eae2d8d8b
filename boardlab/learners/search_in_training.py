"""Search inside self-play: what the learners that ask a search for actions share."""

from collections.abc import Container
from dataclasses import dataclass

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.learners.engine_learner import SelfPlaySettings
from boardlab.options import option

FULL_WIDTH = ("maxn", "expectimax")


@dataclass(frozen=True)
class SearchingSettings(SelfPlaySettings):
    """Settings of a search that chooses the actions of self-play."""

    search: str = option(
        "off",
        "mcts, maxn, expectimax: self-play takes its actions from this search over what was learned so far "
        "(Scheiermann and Konen 2022, IV-E)",
        choices=("off", "mcts", *FULL_WIDTH),
    )
    search_depth: int = option(
        2,
        "actions that maxn and expectimax look ahead (GBG's nPly)",
        low=1,
        high=100,
        needs={"search": FULL_WIDTH},
    )
    search_iterations: int = option(
        100, "iterations of MCTS an action", low=1, high=10**9, needs={"search": ("mcts",)}
    )
    search_cpuct: float = option(1.0, "exploration of its PUCT", low=0, high=1e6, needs={"search": ("mcts",)})
    search_choice: str = option(
        "visits",
        "the most visited action, or one drawn in proportion to its visits; epsilon explores besides",
        choices=("visits", "proportional"),
        needs={"search": ("mcts",)},
    )
    search_paper: bool = option(
        False,
        "Algorithm 1 of Scheiermann and Konen (2022), as mcts(paper=True), with one tree an episode; by "
        "default every action has a new tree, MCTS-Solver and scaled values",
        needs={"search": ("mcts",)},
    )

    def check_game(self, game: Game, given: Container[str] = ()) -> None:
        """Refuse a search that cannot play the game."""
        super().check_game(game, given)
        if self.search == "off":
            return
        if game.is_hidden:
            raise BoardLabError(
                f"{self.name}: search inside self-play would see the hidden cards of {game.name}; train "
                "without it, and search with what was trained"
            )
        if self.search == "maxn" and game.has_chance:
            raise BoardLabError(
                f"{self.name}: search maxn is for games without chance; for {game.name} use search expectimax"
            )

    def advise(self, learner: _engine.Learner, target_depth: int = 0, solve_below: int = 0) -> None:
        """Let the engine's learner search as these settings say."""
        if self.search == "off" and not target_depth and not solve_below:
            return
        learner.search_with(
            iterations=self.search_iterations if self.search == "mcts" else 0,
            depth=self.search_depth if self.search in FULL_WIDTH else 0,
            cpuct=self.search_cpuct,
            proportional=self.search_choice == "proportional",
            paper=self.search_paper,
            target_depth=target_depth,
            solve_below=solve_below,
        )
