"""Games as Gymnasium environments: `env("2048")`, `env("othello", against="random")`.

Importing the module registers them, as in `gymnasium.make("boardlab/othello-v0", against="random")`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.bridges.episode import MOST_EMPTY_GAMES, Episode, game_of
from boardlab.bridges.needing import needing
from boardlab.bridges.pictures import MODES, check_mode, rendered
from boardlab.checks import as_integer, is_number
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import Game
from boardlab.games.registry import games
from boardlab.search.agent import Agent, AgentLike, as_agent
from boardlab.search.expression import agent as make_agent

with needing("the bridge to Gymnasium", "gymnasium"):
    import gymnasium
    from gymnasium import spaces


def env(
    name: str | Game,
    *,
    against: AgentLike | None = None,
    seat: int | str = 0,
    illegal_reward: float = -1.0,
    render_mode: str | None = None,
    **parameters: Any,
) -> "BoardEnv":
    """Make an environment of a game for one player, or of one seat against an agent.

    against         the agent in all other seats, as in "mcts(rollout, iterations=50)"
    seat            the learner's seat, 0 to players-1, or "random" for another one each game
    illegal_reward  what an illegal action pays; it changes nothing else
    Parameters of the game follow by name.
    """
    return BoardEnv(game_of(name, parameters), against, seat, illegal_reward, render_mode)


def vector_env(
    name: str | Game,
    num_envs: int = 1,
    *,
    against: AgentLike | None = None,
    seat: int | str = 0,
    illegal_reward: float = -1.0,
    threads: int = 1,
    **parameters: Any,
) -> Any:
    """Make many games side by side in the engine: Gymnasium's vector interface over BatchEnv.

    Without `against`, the learner plays all seats of a game for several players: an observation is that of
    the player to move, and a reward that of the player who acted. The rest is as for `env`.
    """
    from boardlab.bridges.gymnasium_vector import BoardVectorEnv

    game = game_of(name, parameters)
    return BoardVectorEnv(game, num_envs, against, seat, illegal_reward, threads)


def check_seat(game: Game, seat: int | str) -> int | str:
    """Return a seat of the game, or "random"."""
    if seat == "random":
        return seat
    if isinstance(seat, str):
        raise BoardLabError(f'seat must be a player or "random", not {shown(seat)}')
    return as_integer("seat", seat, 0, game.players - 1)


def check_reward(illegal_reward: float) -> float:
    """Return the reward of an illegal action, which must be a number."""
    if not is_number(illegal_reward):
        raise BoardLabError(f"illegal_reward must be a number, not {shown(illegal_reward)}")
    return float(illegal_reward)


def opponents(game: Game, against: AgentLike) -> list[Agent]:
    """Return an agent for each seat, with memories of their own."""
    if game.players == 1:
        raise BoardLabError(f"{game.name} is for one player: leave out against")
    first = make_agent(as_agent(against), game, 0)
    return [first, *(first.twin(game, player) for player in range(1, game.players))]


class BoardEnv(gymnasium.Env):
    """One learner's view of a game: planes in, an action out.

    `info["action_mask"]` flags the legal actions. An illegal action pays `illegal_reward`, sets
    `info["illegal"]` and leaves the position as it is. Other seats and nature act inside `step`.
    """

    def __init__(
        self,
        game: Game,
        against: AgentLike | None = None,
        seat: int | str = 0,
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
    ) -> None:
        if against is None and game.players > 1:
            raise BoardLabError(
                f'{game.name} is for {game.players} players: name an opponent, as in against="random", or '
                "play all seats with boardlab.bridges.pettingzoo or vector_env"
            )
        self.game = game
        self.agents = [] if against is None else opponents(game, against)
        self.wanted_seat = check_seat(game, seat)
        self.seat = 0
        self.illegal_reward = check_reward(illegal_reward)
        self.render_mode = check_mode(render_mode, "gymnasium")
        self.metadata = {"render_modes": list(MODES), "render_fps": 1}
        self.observation_space = spaces.Box(-np.inf, np.inf, game.core.plane_shape, np.float32)
        self.action_space = spaces.Discrete(game.action_count)
        self.episode = Episode(game)
        self._illegal_actions = 0
        self._has_started = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start a game; the first observation is the learner's first turn."""
        super().reset(seed=seed)
        for _ in range(MOST_EMPTY_GAMES):
            self.seat = (
                int(self.np_random.integers(self.game.players))
                if isinstance(self.wanted_seat, str)
                else self.wanted_seat
            )
            self._illegal_actions = 0
            for agent in self.agents:
                agent.reset(int(self.np_random.integers(2**63)))
            self.episode.start(self.np_random)
            self._let_others_act()
            if not self._has_ended:
                self._has_started = True
                return self.episode.observe(self.seat), self._info()
        raise BoardLabError(f"{self.game.name} ends before player {self.seat} can act")

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then all others until it is the learner's turn again."""
        if not self._has_started:
            raise BoardLabError("no game has begun: call reset first")
        if self._has_ended:
            raise BoardLabError("the game is over: call reset first")
        is_illegal = not self._is_legal(action)
        if is_illegal:
            self._illegal_actions += 1
            reward = self.illegal_reward
        else:
            reward = float(self.episode.step(int(action))[self.seat]) + self._let_others_act()
        # A learner that never finds a legal action must not play for ever.
        is_cut = self.episode.is_cut or self._illegal_actions >= self.game.horizon
        seen = self.episode.observe(self.seat)
        return seen, reward, self.episode.is_over, is_cut, self._info(illegal=is_illegal)

    def render(self) -> Any:
        """Return the position as a spectator sees it, with all cards."""
        return rendered(self.episode.state, self.render_mode, "gymnasium")

    @property
    def _has_ended(self) -> bool:
        return self.episode.is_over or self.episode.is_cut

    def _is_legal(self, action: int) -> bool:
        number = as_integer("an action", action, -(2**63), 2**63 - 1)
        return number in self.episode.state.legal_actions()

    def _let_others_act(self) -> float:
        """Play until it is the learner's turn; return what that paid."""
        paid = 0.0
        while not self._has_ended and self.episode.state.player != self.seat:
            state = self.episode.state
            action = self.agents[state.player].act(state).action
            paid += float(self.episode.step(action)[self.seat])
        return paid

    def _info(self, illegal: bool = False) -> dict[str, Any]:
        return {"action_mask": self.episode.mask(self.seat), "illegal": illegal, "seat": self.seat}


def _register() -> None:
    """Register all games that are known by now: boardlab/2048-v0."""
    for name in games():
        identity = f"boardlab/{name}-v0"
        if identity not in gymnasium.registry:
            gymnasium.register(
                id=identity,
                entry_point="boardlab.bridges.gymnasium:env",
                vector_entry_point="boardlab.bridges.gymnasium:vector_env",
                kwargs={"name": name},
            )


_register()
