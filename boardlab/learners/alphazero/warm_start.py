"""Warm start: enhancements of the search in the first generations, while the net knows nothing yet.

Wang (2021), algorithms 10 to 15, and Wang et al. (2021). An enhancement is the tree of self-play with other
options (boardlab/search/enhancements.py); RHEA is a search of its own. It stays for a fixed number of
generations (I') or until the net does without it (Algorithm 2 of Wang et al.): until then all games are
between the enhancement and MCTS with the net alone, and these games are what is learned from.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardLabError
from boardlab.search.enhancements import ENHANCEMENTS
from boardlab.search.tree_options import TreeOptions

if TYPE_CHECKING:
    from boardlab.games.game import Game
    from boardlab.learners.alphazero.settings import AlphaZero

WARM_STARTS = (*ENHANCEMENTS, "rhea")


def without_gumbel(tree: TreeOptions) -> TreeOptions:
    """The options with PUCT's root, and its noise, in place of Gumbel's."""
    return replace(tree, gumbel=None, gumbel_interior=False)


@dataclass(frozen=True)
class WarmGeneration:
    """How a generation with an enhancement is played."""

    enhancement: str
    changes: dict[str, Any]
    """Options of the enhancement's trees that differ from self-play's."""
    rollout_weight: float
    """Share of a rollout in the value of a leaf."""
    is_arena: bool
    """Whether the enhancement meets MCTS with the net alone."""

    def enhanced(self, tree: TreeOptions) -> TreeOptions:
        """The options of the enhancement's trees, from those of self-play; PUCT at the root."""
        return replace(without_gumbel(tree), **self.changes)

    @property
    def has_noise(self) -> bool:
        """Whether there are trees: without Gumbel's selection, on both sides of an arena."""
        return self.is_arena or self.enhancement != "rhea"

    def facts(self) -> dict[str, Any]:
        """What the run's log says about it."""
        said: dict[str, Any] = {"warm_start": self.enhancement}
        if self.enhancement != "rhea" and ENHANCEMENTS[self.enhancement].is_weighted:
            said["warm_weight"] = self.rollout_weight
        return said


class WarmStart:
    """When a run is warm: Algorithm 1 (line 5) or Algorithm 2 (lines 3, 16 and 25) of Wang et al. (2021)."""

    def __init__(self, settings: "AlphaZero") -> None:
        self.settings = settings
        self.is_adaptive = settings.warm_start != "off" and settings.switch == "adaptive"
        self.switched = np.zeros(1, np.int64)
        """The generation that was the last warm one by Algorithm 2; 0: the switch is yet to come."""

    @staticmethod
    def check(settings: "AlphaZero", game: "Game") -> None:
        """Refuses with a sentence what does not fit together."""
        if settings.switch == "adaptive" and game.players != 2:
            raise BoardLabError(
                f"alphazero: switch=adaptive lets two players meet, and {game.name} is for {game.players}; "
                "use switch=fixed"
            )

    def generation(self, number: int) -> WarmGeneration | None:
        """How generation `number` is played; None: by MCTS with the net alone."""
        settings = self.settings
        over = 0 < self.switched[0] < number if self.is_adaptive else number > settings.warm_iterations
        if settings.warm_start == "off" or over:
            return None
        if settings.warm_start == "rhea":
            return WarmGeneration(settings.warm_start, {}, 0.0, self.is_adaptive)
        enhancement = ENHANCEMENTS[settings.warm_start]
        changes = enhancement.tree(settings.warm_policy)
        weight = enhancement.weight(self._weight(number))
        return WarmGeneration(settings.warm_start, changes, weight, self.is_adaptive)

    def _weight(self, number: int) -> float:
        """Of the rollouts beside the net in generation `number`."""
        settings = self.settings
        if settings.warm_weight is not None:
            return settings.warm_weight
        if settings.warm_decay == "linear" and not self.is_adaptive:
            return 1 - (number - 1) / settings.warm_iterations
        return 1 / number

    def close(self, number: int, arena_reward: float) -> None:
        """The games of a warm generation are over; `arena_reward` is the sum of what they brought the net."""
        if self.is_adaptive and not self.switched[0] and arena_reward > 0:
            self.switched[0] = number

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint keeps."""
        return {"warm.switched": self.switched} if self.is_adaptive else {}
