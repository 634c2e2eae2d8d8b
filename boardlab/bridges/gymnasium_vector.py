"""Gymnasium's vector interface over BatchEnv."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boardlab.bridges.episode import MOST_EMPTY_GAMES
from boardlab.bridges.gymnasium import check_reward, check_seat, opponents
from boardlab.bridges.needing import needing
from boardlab.errors import BoardLabError
from boardlab.games.batch_env import BatchEnv
from boardlab.games.game import Game
from boardlab.search.agent import AgentLike

with needing("the bridge to Gymnasium", "gymnasium"):
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space


class BoardVectorEnv(VectorEnv):
    """Games side by side for one learner, with the other seats played by an agent.

    A finished game is replaced by a new one in the same step (AutoresetMode.SAME_STEP): the last position of
    the old one is in `info["final_obs"]`. `info["action_mask"]` has the legal actions. An illegal action pays
    `illegal_reward` and leaves its game as it is. Observations and masks are the engine's memory where no
    agent plays: the next step overwrites them.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        against: AgentLike | None = None,
        seat: int | str = 0,
        illegal_reward: float = -1.0,
        threads: int = 1,
    ) -> None:
        self.batch = BatchEnv(game, num_envs, threads=threads)
        self.num_envs = len(self.batch)
        self.agents = [] if against is None else opponents(game, against)
        self.wanted_seat = check_seat(game, seat)
        self.illegal_reward = check_reward(illegal_reward)
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}
        self.single_observation_space = spaces.Box(-np.inf, np.inf, game.core.plane_shape, np.float32)
        self.single_action_space = spaces.Discrete(game.action_count)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._rows = np.arange(self.num_envs)
        self.seats = np.zeros(self.num_envs, np.int32)
        """The learner's seat in each game; whoever is to move, if no agent plays."""
        self._has_started = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start all games; without a seed, the random streams continue."""
        super().reset(seed=seed)
        self.batch.reset(int(self.np_random.integers(2**63)))
        for agent in self.agents:
            agent.reset(int(self.np_random.integers(2**63)))
        self._take_seats(np.full(self.num_envs, True))
        self._let_others_act(np.zeros(self.num_envs), None)
        self._has_started = True
        return self._observed(), self._info(np.zeros(self.num_envs, bool))

    def step(
        self, actions: ArrayLike
    ) -> tuple[
        NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Play one action in every game, then the other seats."""
        if not self._has_started:
            raise BoardLabError("no game has begun: call reset first")
        batch = self.batch
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or chosen.dtype.kind not in "iu":
            raise BoardLabError(f"actions must be {self.num_envs} whole numbers, one for every game")
        is_known = (chosen >= 0) & (chosen < self.single_action_space.n)
        is_legal = is_known & batch.mask[self._rows, np.where(is_known, chosen, 0)]
        actors = self.seats if self.agents else batch.players.copy()
        batch.step(chosen, where=is_legal)
        rewards = batch.rewards[self._rows, actors]
        ends = _Ends(batch, actors)
        self._let_others_act(rewards, ends)
        rewards[~is_legal] = self.illegal_reward
        return self._observed(), rewards, ends.done & ~ends.cut, ends.cut, self._info(~is_legal, ends)

    # ---- the other seats ----

    def _take_seats(self, started: NDArray[np.bool_]) -> None:
        if isinstance(self.wanted_seat, str):
            drawn = self.np_random.integers(self.batch.game.players, size=self.num_envs)
            self.seats[started] = drawn[started]
        else:
            self.seats[started] = self.wanted_seat

    def _let_others_act(self, rewards: NDArray[np.float64], ends: "_Ends | None") -> None:
        """Play the other seats until the learner is to move in every game.

        Adds what this pays in the games that go on. `ends` learns of games that end now; those that end
        before the learner's first action are just replaced.
        """
        if not self.agents:
            return
        batch = self.batch
        if ends is not None:
            self._take_seats(ends.done)
        for _ in range(MOST_EMPTY_GAMES * batch.game.horizon):
            waiting = np.flatnonzero(batch.players != self.seats)
            if not len(waiting):
                return
            actions = np.zeros(self.num_envs, np.int64)
            for row in waiting:
                actions[row] = self.agents[batch.players[row]].act(batch.state(int(row))).action
            batch.step(actions, where=batch.players != self.seats)
            if ends is not None:
                goes_on = ~ends.done
                rewards[goes_on] += batch.rewards[self._rows, self.seats][goes_on]
                ends.add(batch, self.seats)
            self._take_seats(batch.done)
        raise BoardLabError(f"{batch.game.name} ends before the learner can act")

    # ---- what the learner sees ----

    def _observed(self) -> NDArray[np.float32]:
        return self.batch.observe()

    def _info(self, illegal: NDArray[np.bool_], ends: "_Ends | None" = None) -> dict[str, Any]:
        info: dict[str, Any] = {
            "action_mask": self.batch.mask,
            "illegal": illegal,
            "seat": self.seats.copy() if self.agents else self.batch.players.copy(),
        }
        if ends is not None and ends.done.any():
            info |= {"final_obs": ends.final, "_final_obs": ends.done}
        return info


class _Ends:
    """Which games a learner's step ended, and their last positions as the learner sees them."""

    def __init__(self, batch: BatchEnv, seats: NDArray[np.int32]) -> None:
        self.done = np.zeros(len(batch), bool)
        self.cut = np.zeros(len(batch), bool)
        self.final = np.full(len(batch), None, dtype=object)
        self.add(batch, seats)

    def add(self, batch: BatchEnv, seats: NDArray[np.int32]) -> None:
        """Note the games that the batch's last step ended, unless an earlier one had."""
        rows = np.flatnonzero(batch.done)
        for player in np.unique(seats[rows]).tolist():
            last = batch.observe_finished(player)
            for i, row in enumerate(rows):
                if seats[row] == player and not self.done[row]:
                    self.final[row] = last[i]
        self.cut |= batch.truncated & ~self.done
        self.done |= batch.done
