"""Evaluators estimate a position's value, its action values and its priors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from boardlab import _engine
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import Game, State, as_seed


@dataclass(frozen=True)
class EvaluatorSpec:
    """The parameters of an evaluator in an agent expression.

    An evaluator that reads a trained run names its folder `run`, where the store looks for it.
    """

    name: ClassVar[str]
    older_names: ClassVar[dict[str, str]] = {}
    """Former names of parameters, which older files still use."""

    own_code: ClassVar[str] = ""
    """A fingerprint of the code of a user's own evaluator, by which the store tells versions apart."""

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        raise NotImplementedError


class Evaluator:
    """An evaluator for one game.

    Make one with `boardlab.evaluator(expression, game)`.
    """

    __slots__ = ("core", "expression", "game")

    def __init__(self, game: Game, core: _engine.Evaluator, expression: str) -> None:
        self.game: Game = game
        self.core: _engine.Evaluator = core
        self.expression: str = expression

    def value(self, state: State, seed: int = 0) -> NDArray[np.float64]:
        """The expected outcome for every player."""
        return self.core.value(self._core_state(state), as_seed(seed))

    def values(self, states: Sequence[State], seed: int = 0) -> NDArray[np.float64]:
        """Return the values of many states, [states, players].

        Nets and judges in Python get them as one batch.
        """
        if isinstance(states, State) or not isinstance(states, Sequence):
            raise BoardLabError(f"values needs a list of states, not {shown(states)}; value judges one")
        return self.core.values([self._core_state(state) for state in states], as_seed(seed))

    def action_values(self, state: State, seed: int = 0) -> dict[int, float]:
        """Each legal action's value for the player to move."""
        values = self.core.action_values(self._core_state(state), as_seed(seed))
        return dict(zip(state.legal_actions(), values.tolist(), strict=True))

    def priors(self, state: State, seed: int = 0) -> dict[int, float]:
        """A probability for each legal action."""
        values = self.core.priors(self._core_state(state), as_seed(seed))
        return dict(zip(state.legal_actions(), values.tolist(), strict=True))

    def _core_state(self, state: State) -> _engine.State:
        if not isinstance(state, State):
            raise BoardLabError(f"an evaluator judges a state, not {shown(state)}")
        if state.game != self.game:
            raise BoardLabError(f"this evaluator judges {self.game!r}; the state belongs to another game")
        return state.core_for(self.game)

    def __repr__(self) -> str:
        return f"<Evaluator {self.expression} for {self.game.name}>"
