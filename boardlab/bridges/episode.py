"""One game played action by action, as environments of other libraries see it."""

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardLabError
from boardlab.games.game import CHANCE, Game, State, as_game
from boardlab.games.registry import game as make_game

MOST_EMPTY_GAMES = 1000


def game_of(name: str | Game, parameters: dict[str, object]) -> Game:
    """Return a game that can be observed, by its name and parameters or as it is."""
    if isinstance(name, Game) and parameters:
        raise BoardLabError(f"{name!r} already has its parameters; leave out {', '.join(parameters)}")
    game = make_game(name, **parameters) if isinstance(name, str) else as_game(name)
    if not game.core.plane_shape[0]:
        raise BoardLabError(f"{game.name} has neither planes nor a board vector: nothing can be observed")
    return game


class Episode:
    """A game with nature's moves drawn inside, and what each action paid."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.state: State = game.initial_state()
        self.actions_played = 0
        self._nature = np.random.default_rng()
        self._paid = np.zeros(game.players)

    def start(self, nature: np.random.Generator) -> None:
        """Start a new game in which a player is to move."""
        self._nature = nature
        for _ in range(MOST_EMPTY_GAMES):
            self.state = self.game.initial_state(self._draw())
            self.actions_played = 0
            self._settle()
            if not self.state.is_terminal:
                self._paid = self.state.scores
                return
        raise BoardLabError(f"{self.game.name} ends before a player can act")

    def step(self, action: int) -> NDArray[np.float64]:
        """Play an action and nature's moves after it; return what they paid to each player."""
        mover = self.state.player
        self.state.apply(action)
        self.actions_played += 1
        self._settle()
        scores = self.state.scores
        rewards = scores - self._paid
        rewards[mover] += self.game.core.step_reward
        self._paid = scores
        return rewards

    @property
    def is_over(self) -> bool:
        """Whether the rules ended the game."""
        return self.state.is_terminal

    @property
    def is_cut(self) -> bool:
        """Whether the game reached its horizon."""
        return not self.is_over and self.actions_played >= self.game.horizon

    def observe(self, player: int) -> NDArray[np.float32]:
        """Return what a player sees, [planes, rows, cols]."""
        return self.state.seen_by(player).planes(player)

    def mask(self, player: int) -> NDArray[np.int8]:
        """Return a flag for each action; none is legal for a player who is not to move."""
        flags = np.zeros(self.game.action_count, np.int8)
        if self.state.player == player and not self.is_cut:
            flags[self.state.legal_actions()] = 1
        return flags

    def _settle(self) -> None:
        while self.state.player == CHANCE:
            self.state.apply(self.state.sample_chance(self._draw()))

    def _draw(self) -> int:
        return int(self._nature.integers(2**63))
