"""Perfect Nim for two players in normal play (Bouton 1901)."""

import functools
import operator
import random
from dataclasses import dataclass

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State
from boardlab.games.nim import Nim
from boardlab.search.agent import python_agent
from boardlab.search.spec import SearchSpec


@dataclass(frozen=True)
class Bouton(SearchSpec):
    """Perfect Nim: leaves heaps with XOR 0 mod (max_take + 1), else plays at random."""

    name = "bouton"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Make the engine's search for this game."""
        rules = game.rules
        if not isinstance(rules, Nim) or rules.players != 2 or rules.misere:
            raise BoardLabError(f"bouton plays nim for two players in normal play, not {game!r}")
        modulus = rules.max_take + 1
        rng = random.Random(seed)

        def choose(state: State) -> int:
            legal = state.legal_actions()
            winning = []
            for action in legal:
                heaps = state.fields[:-1]
                heaps[action // rules.max_take] -= action % rules.max_take + 1
                if functools.reduce(operator.xor, (heap % modulus for heap in heaps)) == 0:
                    winning.append(action)
            return rng.choice(winning or legal)

        return python_agent(game, choose, self.name, rng.seed).core
