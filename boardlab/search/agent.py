"""An agent: a search with an evaluator, for one game."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.games.game import CHANCE, TERMINAL, Game, State, as_seed


@dataclass(frozen=True)
class Decision:
    """What an agent plays and what it thinks."""

    action: int
    policy: dict[int, float]
    """Probability of each legal action."""
    values: dict[int, float]
    """Value for the player to move, of the actions whose value the search knows."""
    scores: NDArray[np.float64]
    """Expected outcome for every player; NaN where unknown."""
    info: dict[str, float] = field(default_factory=dict)
    """Iterations, nodes, depth ..."""


class Agent:
    """Plays one game. Make one with `boardlab.agent(expression, game, seed=...)`."""

    __slots__ = ("core", "expression", "game")

    def __init__(self, game: Game, core: _engine.Search, expression: str) -> None:
        self.game, self.core, self.expression = game, core, expression

    def act(self, state: State) -> Decision:
        """Chooses an action. The agent is shown only what its player may see."""
        if not isinstance(state, State) or state.game != self.game:
            raise BoardLabError(f"this agent plays {self.game!r}; the state belongs to another game")
        if state.player in (CHANCE, TERMINAL):
            over = state.player == TERMINAL
            raise BoardLabError(
                "the game is over: there is nothing to decide"
                if over
                else "nature moves here, not a player; apply a chance outcome first"
            )
        seen = self.core_state(state)
        action, actions, policy, values, scores, info = self.core.act(seen)
        return Decision(
            action=action,
            policy=dict(zip(actions, policy.tolist(), strict=True)),
            values={a: v for a, v in zip(actions, values.tolist(), strict=True) if not math.isnan(v)},
            scores=scores,
            info=info,
        )

    def core_state(self, state: State) -> _engine.State:
        """The state as this agent's engine game holds it, without what the player may not see."""
        core = state.core
        if core.game is not self.game.core:
            core = self.game.core.from_fields(core.to_fields())
        return core.seen_by(state.player) if self.game.is_hidden else core

    def reset(self, seed: int = 0) -> None:
        """Forgets the game played so far and starts a new random stream."""
        self.core.reset(as_seed(seed))

    def __repr__(self) -> str:
        return f"<Agent {self.expression} for {self.game.name}>"


def python_agent(
    game: Game,
    choose: Callable[[State], int],
    name: str,
    reset: Callable[[int], None] | None = None,
) -> Agent:
    """An agent whose choice is made by a Python function of the state (as its player sees it)."""

    def choose_core(core: _engine.State) -> int:
        return int(choose(State(game, core)))

    return Agent(game, _engine.python_search(game.core, choose_core, reset), name)
