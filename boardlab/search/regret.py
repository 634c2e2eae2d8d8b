"""The agent that plays a strategy learned by cfr."""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.evaluators.regret import Regret as RegretEvaluator
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.search.spec import SearchSpec


@dataclass(frozen=True)
class Regret(SearchSpec):
    """Draws its action from the average strategy of a run of cfr: regret("runs/leduc").

    The same as policy(regret("runs/leduc"), sample=True).
    """

    run: str = option("", "the folder of the run")

    name = "regret"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return _engine.policy_search(RegretEvaluator(self.run).build(game), seed, True)
