"""Settings of the learners of puzzles."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State
from boardlab.games.rubiks import Rubiks
from boardlab.learners.learner import Learner, LearnerSettings
from boardlab.learners.ntuple.fitting import fitted
from boardlab.learners.ntuple.settings import NTupleSettings
from boardlab.learners.puzzles.presets import DAVI, net_preset
from boardlab.nets.device import require_torch, uses_gpu
from boardlab.options import option

FARTHEST = {(2, "htm"): 11, (2, "qtm"): 14, (3, "htm"): 20, (3, "qtm"): 26}
"""God's numbers of the cubes, by size and metric."""


def check_puzzle(learner: str, game: Game) -> None:
    """Refuse games that are not puzzles."""
    why = None
    if game.players != 1:
        why = f"it has {game.players} players"
    elif game.is_hidden or game.core.has_chance:
        why = "it has chance"
    elif game.core.step_reward >= 0:
        why = "its actions cost nothing (step_reward)"
    if why is not None:
        raise BoardLabError(
            f"{learner} learns puzzles (one player, no chance, and every action costs something), as rubiks; "
            f"not {game.name}: {why}"
        )


def goal_of(learner: str, game: Game) -> State:
    """The solved position, from which random walks start."""
    check_puzzle(learner, game)
    if not isinstance(game.rules, Rubiks):
        raise BoardLabError(
            f"{learner} walks away from a goal that it knows, with actions that are always legal: it learns "
            f"rubiks, not {game.name}"
        )
    return game.from_fields(Game(replace(game.rules, twists=0)).initial_state().fields)


@dataclass(frozen=True)
class Davi(NTupleSettings):
    """Approximate value iteration on an n-tuple network.

    GBG's DAVI with n-tuples: an episode starts from a scrambled puzzle and follows the best actions; every
    position on the way moves towards the best of reward + step reward + V(next).
    """

    epsilon: float = option(0.0, "probability of following a random action", low=0, high=1)
    sigma: str = option(
        "identity", "function applied to the sum of the weights", choices=("tanh", "identity")
    )

    # Value iteration has neither traces nor other players, and every start is a training start.
    lambda_: float = field(default=0.0, init=False)
    traces: str = field(default="et", init=False)
    horizon_cut: float = field(default=0.1, init=False)
    adapt_others: bool = field(default=True, init=False)
    choose_start: float = field(default=0.0, init=False)
    start_actions: int = field(default=1, init=False)
    start_actions_min: int | None = field(default=None, init=False)

    name = "davi"

    @classmethod
    def presets(cls, game: Game) -> Mapping[str, Mapping[str, Any]]:
        """The default is one for all puzzles."""
        return {"default": DAVI}

    @classmethod
    def fit_preset(
        cls, game: Game, name: str, chosen: dict[str, Any], given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The preset `chosen`, fitted to the game's parameters."""
        return fitted(game, chosen)

    def describe(self, game: Game, seed: int) -> dict[str, Any]:
        """The network without its weights, as agent.toml keeps it."""
        check_puzzle(self.name, game)
        return super().describe(game, seed)

    def engine_learner(self, network: _engine.NTupleNetwork, episodes: int, seed: int) -> _engine.Learner:
        """The engine's learner on the network."""
        return _engine.DaviLearner(network, self.engine_settings(episodes), self.reward, seed)


@dataclass(frozen=True)
class RandomWalk(LearnerSettings):
    """A net that estimates the length of the random walk from the goal to a position.

    With beam search the present best way to solve large puzzles (CayleyPy, Chervov et al. 2025). An episode
    is a walk; all its positions are learned from once and never kept.
    """

    length: int | None = option(
        None, "actions a walk; by default as many as the farthest position needs", low=1, high=100_000
    )
    walks: int = option(400, "walks a step of learning: all their positions are its batch", low=2, high=10**6)
    first: int = option(1024, "width of the net's first layer", low=1, high=16384)
    width: int = option(256, "width of its other layers", low=1, high=16384)
    blocks: int = option(1, "residual blocks, of two layers each", low=0, high=100)
    lr: float = option(1e-3, "learning rate (Adam)", low=1e-8, high=10)
    lr_final: float = option(1e-5, "learning rate at the end, reached along a cosine", low=1e-8, high=10)
    weight_decay: float = option(0.0, "pull of the weights towards 0", low=0, high=1)
    exam_width: int = option(100, "width of the beam in the exams during training", low=1, high=1 << 20)
    device: str = option(
        "auto", "cpu, cuda, or auto: the GPU if there is one", choices=("auto", "cpu", "cuda")
    )
    threads: int = option(0, "threads of walks and net; 0: all cores", low=0, high=1024)

    name = "random-walk"
    evaluator = "net"
    iterates: ClassVar[bool] = False
    """Whether targets come from the net's own values of the next positions."""

    @classmethod
    def fit_preset(
        cls, game: Game, name: str, chosen: dict[str, Any], given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The default of the net for this puzzle and this device."""
        return net_preset(game, cls.name, given)

    def expression(self, path: str) -> str:
        """The trained agent: beam search over its net."""
        return f'beam(net("{path}"), width=1000)'

    def whole_episodes(self, episodes: int) -> int:
        """Only whole steps are learned."""
        return -(-episodes // self.walks) * self.walks

    def exam_cost(self, cost: float) -> float:
        """A beam over a net takes far longer than a walk, above all on a GPU."""
        return 35 * cost * self.exam_width / 100 * (10 if uses_gpu(self.device) else 1)

    def describe(self, game: Game, seed: int) -> dict[str, Any]:
        """The net without its weights, as agent.toml keeps it."""
        goal_of(self.name, game)
        require_torch()
        rules = game.rules
        assert isinstance(rules, Rubiks)
        # A cubie and its turn are one input: what a sticker shows depends on both.
        cells = game.core.cells
        parts = [(0, cells // 2)] if rules.size == 2 else [(0, 8), (16, 12)]
        return {
            "length": self.length or FARTHEST[rules.size, rules.metric],
            "groups": [[start + i, start + i + count] for start, count in parts for i in range(count)],
            "first": self.first,
            "width": self.width,
            "blocks": self.blocks,
        }

    def build(self, game: Game, description: Mapping[str, Any], episodes: int, seed: int) -> Learner:
        """A learner whose net has fresh weights."""
        require_torch()
        from boardlab.learners.puzzles.learner import DistanceLearner

        return DistanceLearner(game, self, description, episodes, seed)


@dataclass(frozen=True)
class DaviNet(RandomWalk):
    """Deep approximate value iteration on the positions of random walks.

    DeepCubeA's training (Agostinelli et al. 2019): targets come from the net's values of the next positions.
    """

    target_every: int = option(
        100, "steps between updates of the net that judges the next positions", low=1, high=10**9
    )
    bounded: bool = option(True, "limit targets to the length of the walk, which bounds the distance")

    name = "davi-net"
    iterates = True
