"""An agent: a search with an evaluator, for one game."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from boardlab import _engine
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import CHANCE, TERMINAL, Game, State, as_game, as_integer, as_seed


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

    __slots__ = ("core", "expression", "game", "rebuild")

    def __init__(
        self,
        game: Game,
        core: _engine.Search,
        expression: str,
        rebuild: Callable[[Game, int], _engine.Search],
    ) -> None:
        self.game, self.core, self.expression = game, core, expression
        self.rebuild = rebuild

    def twin(self, game: Game, seed: int = 0) -> "Agent":
        """Another agent of the same kind, with a memory and a random stream of its own."""
        if as_game(game) != self.game:
            raise BoardLabError(f"this agent plays {self.game!r}, not {game!r}")
        return Agent(game, self.rebuild(game, as_seed(seed)), self.expression, self.rebuild)

    def act(self, state: State) -> Decision:
        """Chooses an action. The agent is shown only what its player may see."""
        if not isinstance(state, State):
            raise BoardLabError(f"an agent is asked about a state, not about {shown(state)}")
        if state.game != self.game:
            raise BoardLabError(f"this agent plays {self.game!r}; the state belongs to another game")
        if state.player in (CHANCE, TERMINAL):
            over = state.player == TERMINAL
            raise BoardLabError(
                "the game is over: there is nothing to decide"
                if over
                else "nature moves here, not a player; apply a chance outcome first"
            )
        core = state.core_for(self.game)
        seen = core.seen_by(state.player) if self.game.is_hidden else core
        action, actions, policy, values, scores, info = self.core.act(seen)
        return Decision(
            action=action,
            policy=dict(zip(actions, policy.tolist(), strict=True)),
            values={a: v for a, v in zip(actions, values.tolist(), strict=True) if not math.isnan(v)},
            scores=scores,
            info=info,
        )

    def reset(self, seed: int = 0) -> None:
        """Forgets the game played so far and starts a new random stream."""
        self.core.reset(as_seed(seed))

    def __repr__(self) -> str:
        return f"<Agent {self.expression} for {self.game.name}>"


@dataclass(frozen=True)
class Choice:
    """What a Python agent may return instead of a bare action: the action with what it thinks."""

    action: int
    policy: dict[int, float]
    values: dict[int, float] = field(default_factory=dict)


def python_agent(
    game: Game,
    choose: Callable[[State], int | Choice],
    name: str,
    reset: Callable[[int], None] | None = None,
    *,
    with_history: bool = False,
) -> Agent:
    """An agent whose choice is made by a Python function of the state (as its player sees it).

    `with_history` lets it undo the state to the beginning of the game, which costs time in long games.
    """

    def rebuild(game: Game, seed: int) -> _engine.Search:
        def choose_core(core: _engine.State) -> int | tuple[int, list[float], list[float]]:
            chosen = choose(State(game, core))
            if not isinstance(chosen, Choice):
                return as_integer("what an agent returns", chosen, -(2**31), 2**31 - 1)
            legal = core.legal_actions()
            return (
                as_integer("what an agent returns", chosen.action, -(2**31), 2**31 - 1),
                [chosen.policy.get(action, 0.0) for action in legal],
                [chosen.values.get(action, math.nan) for action in legal],
            )

        return _engine.python_search(game.core, choose_core, reset, with_history)

    return Agent(game, rebuild(game, 0), name, rebuild)
