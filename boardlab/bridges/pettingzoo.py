"""Games as PettingZoo environments (AEC): `env("hex", size=7)`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.bridges.episode import Episode, game_of
from boardlab.bridges.needing import needing
from boardlab.bridges.pictures import MODES, check_mode, rendered
from boardlab.errors import BoardLabError
from boardlab.games.game import Game

with needing("the bridge to PettingZoo", "pettingzoo"):
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers


def env(name: str | Game, *, render_mode: str | None = None, **parameters: Any) -> Any:
    """Make an environment with PettingZoo's usual wrappers.

    As in PettingZoo's classic games, an illegal action ends the game: it pays the lowest score to the player
    who made it and nothing to the others. Parameters of the game follow by name.
    """
    raw = raw_env(name, render_mode=render_mode, **parameters)
    lowest = raw.game.score_range[0]
    legal = wrappers.TerminateIllegalWrapper(raw, illegal_reward=min(lowest, -1.0))
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(legal))


def raw_env(name: str | Game, *, render_mode: str | None = None, **parameters: Any) -> "BoardEnv":
    """Make an environment that raises an error for an illegal action."""
    return BoardEnv(game_of(name, parameters), render_mode)


class BoardEnv(AECEnv):
    """A game for agents player_0, player_1, ... who act in turn.

    An observation is {"observation": planes, "action_mask": flags}: what the agent sees, and its legal
    actions if it is to move. Nature's moves are drawn inside. A game that reaches its horizon is truncated.
    """

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        super().__init__()
        self.game = game
        self.render_mode = check_mode(render_mode, "pettingzoo")
        self.metadata = {
            "name": f"boardlab_{game.name}_v0",
            "render_modes": list(MODES),
            "render_fps": 1,
            "is_parallelizable": False,
        }
        self.possible_agents = [f"player_{player}" for player in range(game.players)]
        self.agents: list[str] = []
        shape = game.core.plane_shape
        # The same objects at every call, so that seeding them works.
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(-np.inf, np.inf, shape, np.float32),
                    "action_mask": spaces.Box(0, 1, (game.action_count,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(game.action_count) for agent in self.possible_agents}
        self.state_space = spaces.Box(-np.inf, np.inf, (game.players * shape[0], *shape[1:]), np.float32)
        self.episode = Episode(game)
        self._nature: np.random.Generator | None = None

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game; without a seed, the random stream continues."""
        if seed is not None or self._nature is None:
            self._nature = np.random.default_rng(seed)
        self.episode.start(self._nature)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.episode.state.player]

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return what an agent sees, and its legal actions."""
        player = self.possible_agents.index(agent)
        return {"observation": self.episode.observe(player), "action_mask": self.episode.mask(player)}

    def state(self) -> NDArray[np.float32]:
        """Return what all agents see together, for centralised training."""
        return np.concatenate([self.episode.observe(player) for player in range(self.game.players)])

    def step(self, action: int | None) -> None:
        """Play an action of `agent_selection`; None if its game is over."""
        if not self.agents:
            raise BoardLabError("no game is being played: call reset first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        paid = self.episode.step(action)  # type: ignore[arg-type]  # refuses None
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.possible_agents, paid.tolist(), strict=True))
        self._accumulate_rewards()
        over, cut = self.episode.is_over, self.episode.is_cut
        self.terminations = dict.fromkeys(self.agents, over)
        self.truncations = dict.fromkeys(self.agents, cut)
        if over or cut:
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[self.episode.state.player]

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the position as a spectator sees it, with all cards."""
        return rendered(self.episode.state, self.render_mode, "pettingzoo")

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
