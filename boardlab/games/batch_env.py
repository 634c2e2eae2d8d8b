"""Many games side by side, for learning algorithms of your own."""

from dataclasses import dataclass
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boardlab import _engine
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import Game, State, as_game, as_integer, as_seed, check_outcome
from boardlab.options import check_options, option


@dataclass(frozen=True)
class _Options:
    """What a batch has beside its game."""

    games: int = option(1, "games side by side", low=1, high=2**20)
    inputs: str = option("planes", "how a position is observed", choices=("planes", "cells", "features"))
    max_actions: int | None = option(
        None, "actions after which a game is cut; by default the game's horizon", low=1, high=2**31 - 1
    )
    training_starts: bool = option(False, "start from positions of `Game.training_start`")
    threads: int = option(1, "threads that play", low=1, high=1024)


class BatchEnv:
    """`games` games of one kind, played one action each at a time by your own code.

        env = bl.BatchEnv(game, 1024, seed=0)
        while learning:
            actions = policy(env.observe(), env.mask)   # arrays have one row a game
            env.step(actions)
            learn(env.rewards, env.done)

    Nature's moves are drawn inside, and a finished game is replaced by a new one in the same step: `done`
    and `rewards` tell of the old game, `observe()`, `mask` and `players` of the new one. The arrays are the
    engine's own memory, which every step overwrites: copy what you keep. Row i of a seed plays the same
    games for any number of rows and threads.
    """

    def __init__(
        self,
        game: Game,
        games: int,
        *,
        seed: int = 0,
        inputs: str = "planes",
        outcome: str = "score",
        max_actions: int | None = None,
        training_starts: bool = False,
        threads: int = 1,
    ) -> None:
        """Start `games` games.

        inputs           "planes", "cells" or "features": how `observe` shows a position
        outcome          what `rewards` pay: the score, or a named reward of the game
        max_actions      actions after which a game is cut; by default the game's horizon
        training_starts  start from the positions of `Game.training_start`
        threads          threads that play
        """
        as_game(game)
        check_outcome(game, outcome)
        given = {
            "games": games,
            "inputs": inputs,
            "max_actions": max_actions,
            "training_starts": training_starts,
            "threads": threads,
        }
        own = _Options(**check_options("BatchEnv", _Options, given))
        self.game = game
        self.core = _engine.BatchEnv(
            game.core,
            own.games,
            as_seed(seed),
            inputs=own.inputs,
            outcome=outcome,
            max_actions=own.max_actions or game.horizon,
            training_starts=own.training_starts,
            threads=own.threads,
        )
        self.mask = cast("NDArray[np.bool_]", self.core.mask)
        """[games, actions]: the legal actions of the player to move."""
        self.rewards = cast("NDArray[np.float64]", self.core.rewards)
        """[games, players]: what the last step paid to each player; the sum over a game is its outcome."""
        self.done = cast("NDArray[np.bool_]", self.core.done)
        """[games]: whether the last step ended the game; the other arrays show a new one."""
        self.truncated = cast("NDArray[np.bool_]", self.core.truncated)
        """[games]: whether it was cut after `max_actions`."""
        self.players = cast("NDArray[np.int32]", self.core.players)
        """[games]: the player to move."""
        self._inputs = cast("NDArray[Any]", self.core.inputs)
        self._choices = cast("NDArray[np.int64]", self.core.choices)

    def __len__(self) -> int:
        return len(self.done)

    def __reduce__(self) -> NoReturn:
        raise BoardLabError("a BatchEnv cannot be copied or pickled; make another one")

    def reset(self, seed: int | None = None) -> NDArray[Any]:
        """Start all games anew; return `observe()`.

        Without a seed, the random streams continue.
        """
        self.core.reset(None if seed is None else as_seed(seed))
        return self._inputs

    def step(
        self, actions: ArrayLike, *, where: ArrayLike | None = None
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_]]:
        """Play one action in every game; return `observe()`, `rewards` and `done`.

        With flags in `where`, the games without one wait. An illegal action is refused with its row, and no
        game changes.
        """
        chosen = self._column("actions", actions)
        if chosen.dtype.kind not in "iu":
            raise BoardLabError(f"actions must be whole numbers, not {chosen.dtype}")
        flags = None if where is None else self._column("where", where)
        if flags is not None and flags.dtype != bool:
            raise BoardLabError(f"where must be flags, not {flags.dtype}")
        self.core.step(
            np.ascontiguousarray(chosen, np.int64), None if flags is None else np.ascontiguousarray(flags)
        )
        return self._inputs, self.rewards, self.done

    def _column(self, name: str, given: ArrayLike) -> NDArray[Any]:
        try:
            array = np.asarray(given)
        except (TypeError, ValueError):
            raise BoardLabError(f"{name} must be an array, not {shown(given)}") from None
        if array.shape != self.done.shape:
            raise BoardLabError(
                f"{name} must have one entry for every game, shape {self.done.shape}, not {array.shape}"
            )
        return array

    def random_actions(self) -> NDArray[np.int64]:
        """Draw a legal action for each game, from random streams of the seed."""
        self.core.draw()
        return self._choices

    def observe(self, player: int | None = None) -> NDArray[Any]:
        """Return all positions as the players to move see them.

        With `player`, return new memory with what that player sees.
        """
        if player is None:
            return self._inputs
        who = as_integer("a player", player, 0, self.game.players - 1)
        return cast("NDArray[Any]", self.core.observe(who))

    def observe_finished(self, player: int | None = None) -> NDArray[Any]:
        """Return the last positions of the games that the last step ended.

        The rows are those of `np.flatnonzero(env.done)`. Without `player`, a position that was cut is shown
        to the player to move, one in which the game is over to the player who acted last.
        """
        who = -1 if player is None else as_integer("a player", player, 0, self.game.players - 1)
        return cast("NDArray[Any]", self.core.observe_finished(who))

    def state(self, row: int) -> State:
        """Return a copy of the state of one game."""
        return State(self.game, self.core.state(as_integer("a row", row, 0, len(self) - 1)))

    def __repr__(self) -> str:
        return f"<BatchEnv of {len(self)} games of {shown(self.game)}>"
