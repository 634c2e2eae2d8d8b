"""Warm start: search enhancements for the first generations.

They help while the net knows nothing. Wang (2021), algorithms 10 to 15, and Wang et al. (2021). An
enhancement is the tree of self-play with other options (boardlab/search/enhancements.py); RHEA is a search of
its own. It is on for a fixed number of generations (I') or until the net plays better without it (Algorithm 2
of Wang et al.): until then all games are between the enhancement and MCTS with the net alone, and the net
learns from these games.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardLabError
from boardlab.options import option
from boardlab.search.enhancements import ENHANCEMENTS, POLICIES
from boardlab.search.tree_options import TreeOptions

if TYPE_CHECKING:
    from boardlab.games.game import Game

WARM_STARTS = (*ENHANCEMENTS, "rhea")


def without_gumbel(tree: TreeOptions) -> TreeOptions:
    """The options with PUCT's root, and its noise, in place of Gumbel's."""
    policy = None if tree.policy == "improved" else tree.policy
    return replace(tree, gumbel=None, gumbel_interior=False, policy=policy)


@dataclass(frozen=True)
class WarmGeneration:
    """How a generation with an enhancement is played."""

    enhancement: str
    changes: dict[str, Any]
    """Options of the enhancement's trees that differ from self-play's."""
    rollout_weight: float
    """Weight of a rollout in the value of a leaf."""
    is_arena: bool
    """Whether the enhancement meets MCTS with the net alone."""

    def enhanced(self, tree: TreeOptions) -> TreeOptions:
        """Return the tree options of the enhancement, derived from those of self-play.

        The root uses PUCT.
        """
        return replace(without_gumbel(tree), **{"policy": None, **self.changes})

    @property
    def has_noise(self) -> bool:
        """Whether there are trees, which then have PUCT's root and its noise."""
        return self.is_arena or self.enhancement != "rhea"

    def facts(self) -> dict[str, Any]:
        """The columns of the run's log."""
        facts: dict[str, Any] = {"warm_start": self.enhancement}
        if self.enhancement != "rhea" and ENHANCEMENTS[self.enhancement].is_weighted:
            facts["warm_weight"] = self.rollout_weight
        return facts


@dataclass(frozen=True)
class WarmStartOptions:
    """What helps the search in the first generations, and when it ends."""

    enhancement: str = option(
        "off",
        "help for the search in the first generations (Wang et al. 2021): rollouts instead of the net's "
        "values, rave, both (rora), rollouts weighed with the net's values without and with rave (wro, "
        "wrora), or rhea",
        choices=("off", *WARM_STARTS),
    )
    switch: str = option(
        "fixed",
        "when it ends: after warm_iterations generations, or (adaptive: their Algorithm 2) once MCTS "
        "with the net alone wins more than it loses against it; their games are then learned from",
        choices=("fixed", "adaptive"),
    )
    iterations: int = option(5, "generations of a warm start with switch=fixed (I')", low=1, high=10**6)
    weight: float | None = option(
        None, "weight of the rollouts in wro and wrora; by default it falls, see warm_decay", low=0, high=1
    )
    decay: str = option(
        "inverse",
        "how that weight falls: as 1/generation (Wang et al. 2021), or with switch=fixed linearly from 1 in "
        "the first generation to 1/I' in the last",
        choices=("inverse", "linear"),
    )
    policy: str = option(
        "visits",
        "warm start: what the policy to learn from is made of: visits, which come nearer to the "
        "published results, or values, as in the published listings",
        choices=POLICIES,
    )

    @property
    def is_adaptive(self) -> bool:
        """Whether the enhancement meets MCTS with the net alone until it loses."""
        return self.enhancement != "off" and self.switch == "adaptive"

    def check_game(self, game: "Game") -> None:
        """Refuse a switch that needs two players."""
        if self.switch == "adaptive" and game.players != 2:
            raise BoardLabError(
                f"alphazero: switch=adaptive lets two players meet, and {game.name} is for {game.players}; "
                "use switch=fixed"
            )


class WarmStart:
    """The state of a warm start: whether the enhancement is still on.

    Algorithm 1 (line 5) or Algorithm 2 (lines 3, 16 and 25) of Wang et al. (2021).
    """

    def __init__(self, options: WarmStartOptions) -> None:
        self.options = options
        self.is_adaptive = options.is_adaptive
        self.switched = np.zeros(1, np.int64)
        """The last warm generation by Algorithm 2; 0: not yet switched."""

    def generation(self, number: int) -> WarmGeneration | None:
        """How generation `number` is played; None: by MCTS with the net alone."""
        name = self.options.enhancement
        over = 0 < self.switched[0] < number if self.is_adaptive else number > self.options.iterations
        if name == "off" or over:
            return None
        if name == "rhea":
            return WarmGeneration(name, {}, 0.0, self.is_adaptive)
        weight = ENHANCEMENTS[name].weight(self._weight(number))
        return WarmGeneration(name, ENHANCEMENTS[name].tree(self.options.policy), weight, self.is_adaptive)

    def _weight(self, number: int) -> float:
        """The weight of the rollouts in generation `number`."""
        options = self.options
        if options.weight is not None:
            return options.weight
        if options.decay == "linear" and not self.is_adaptive:
            return 1 - (number - 1) / options.iterations
        return 1 / number

    def close(self, number: int, arena_reward: float) -> None:
        """End a warm generation; `arena_reward` is the net's wins minus its losses in it."""
        if self.is_adaptive and not self.switched[0] and arena_reward > 0:
            self.switched[0] = number

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of a checkpoint."""
        return {"warm.switched": self.switched} if self.is_adaptive else {}
