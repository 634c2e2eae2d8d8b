"""Perfect Kuhn poker: the family of Nash strategies (Kuhn 1950)."""

import random
from dataclasses import dataclass

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State
from boardlab.games.kuhnpoker import BET, PASS, KuhnPoker
from boardlab.options import option
from boardlab.search.agent import Decision, python_agent
from boardlab.search.spec import SearchSpec

JACK, QUEEN, KING = 1, 2, 3


def bet_probability(card: int, betting: tuple[int, ...], alpha: float) -> float:
    """Return how often to bet or call with a card (1 jack .. 3 king)."""
    return {
        (): {JACK: alpha, QUEEN: 0.0, KING: 3 * alpha},
        (PASS,): {JACK: 1 / 3, QUEEN: 0.0, KING: 1.0},
        (BET,): {JACK: 0.0, QUEEN: 1 / 3, KING: 1.0},
        (PASS, BET): {JACK: 0.0, QUEEN: alpha + 1 / 3, KING: 1.0},
    }[betting][card]


@dataclass(frozen=True)
class Nash(SearchSpec):
    """Unexploitable Kuhn poker: one of the family of Nash strategies."""

    alpha: float = option(1 / 3, "probability that the first player bets with a jack", low=0, high=1 / 3)

    name = "nash"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Make the engine's search for this game."""
        if not isinstance(game.rules, KuhnPoker):
            raise BoardLabError(f"nash plays kuhnpoker, not {game!r}")
        rng = random.Random(seed)

        def choose(state: State) -> Decision:
            fields = state.fields
            card, count = fields[3 + state.player], fields[5]
            bet = bet_probability(card, tuple(fields[6 : 6 + count]), self.alpha)
            action = BET if rng.random() < bet else PASS
            return Decision(action, {PASS: 1 - bet, BET: bet})

        return python_agent(game, choose, self.name, rng.seed).core
