"""Wang's five enhancements of AlphaZero's tree search, over any evaluator.

Rollouts, RAVE and combinations of both: algorithms 10 to 14 of Wang (2021). Each is the tree of
`mcts` with other options. Both the agents of these names and the warm start of AlphaZero's self-play are made
from this table.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from boardlab import _engine
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.simple import Rollout
from boardlab.games.game import Game
from boardlab.options import like, option
from boardlab.search.mcts import Mcts
from boardlab.search.spec import SearchSpec

POLICIES = ("visits", "values")
"""What the policy is made of. The published listings say values; visits come nearer to the results."""


@dataclass(frozen=True)
class Enhancement:
    """What differs from a tree search over the net alone."""

    rollout_weight: float | None = 0.0
    """Share of the rollout in the value of a leaf; None: chosen by the user, or by the generation."""
    rave: bool = False
    rave_rollouts: bool = False
    """Whether RAVE counts the rollout's actions too."""
    values: str = "value"
    """The policy of the published listing: mean values, or RAVE's mean values."""

    @property
    def is_weighted(self) -> bool:
        """Whether the share of the rollout is a parameter."""
        return self.rollout_weight is None

    def weight(self, chosen: float) -> float:
        """The share of the rollout: `chosen` where that is a parameter."""
        return chosen if self.rollout_weight is None else self.rollout_weight

    def tree(self, policy: str) -> dict[str, Any]:
        """The options of the tree that differ, for a policy of POLICIES."""
        made_of_values = {"policy": self.values} if policy == "values" else {}
        return {"rave": self.rave, "rave_rollouts": self.rave_rollouts, **made_of_values}


ENHANCEMENTS = {
    "rollout": Enhancement(rollout_weight=1.0),
    "rave": Enhancement(rave=True, values="rave"),
    "rora": Enhancement(rollout_weight=1.0, rave=True, values="rave"),
    "wro": Enhancement(rollout_weight=None),
    "wrora": Enhancement(rollout_weight=None, rave=True, rave_rollouts=True),
}
"""Algorithms 10 to 14, in this order."""


@dataclass(frozen=True)
class _WithRollouts(EvaluatorSpec):
    """`mix(evaluator, rollout, weight)` with rollouts of the evaluator's outcome."""

    evaluator: EvaluatorSpec
    weight: float

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        judge = self.evaluator.build(game)
        return _engine.mix_evaluator(judge, Rollout(outcome=judge.outcome).build(game), self.weight)


@dataclass(frozen=True)
class _EnhancedMcts(SearchSpec):
    """What the five searches share. The defaults are those of Wang et al. (2021)."""

    evaluator: EvaluatorSpec = like(Mcts, "evaluator", doc="judges the leaves and gives the priors")
    iterations: int | None = like(
        Mcts, "iterations", doc="descents per decision; by default 100, or no limit with seconds"
    )
    seconds: float | None = like(Mcts, "seconds")
    cpuct: float = like(Mcts, "cpuct")
    policy: str = option(
        "visits",
        "what the policy is made of: visits, which come nearer to the published results, or values, as in "
        "the published listings",
        choices=POLICIES,
    )
    choose: str = option(
        "policy", "play the best action of the policy, or draw from it", choices=("policy", "sample")
    )
    solver: bool = like(Mcts, "solver", False)
    reuse: bool = like(Mcts, "reuse")
    batch: int = like(Mcts, "batch")

    enhancement: ClassVar[str]

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return self.as_mcts().build(game, seed)

    def as_mcts(self) -> Mcts:
        """The same search with its options spelled out."""
        enhancement = ENHANCEMENTS[self.enhancement]
        weight = enhancement.weight(getattr(self, "weight", 0.0))
        rave = {name: getattr(self, name) for name in ("equivalence", "rave_of") if hasattr(self, name)}
        return Mcts(
            _WithRollouts(self.evaluator, weight) if weight else self.evaluator,
            iterations=100 if self.iterations is None and self.seconds is None else self.iterations,
            seconds=self.seconds,
            cpuct=self.cpuct,
            choose=self.choose,
            solver=self.solver,
            reuse=self.reuse,
            batch=self.batch,
            **enhancement.tree(self.policy),
            **rave,
        )


@dataclass(frozen=True)
class _Raved(_EnhancedMcts):
    equivalence: float = like(Mcts, "equivalence")
    rave_of: str = like(Mcts, "rave_of")
    # Wang's formula counts all players' actions; counting the player's own comes nearer to the results.


@dataclass(frozen=True)
class _Weighted(_EnhancedMcts):
    weight: float = option(0.5, "share of the rollout in the value of a leaf", low=0, high=1)


@dataclass(frozen=True)
class RolloutMcts(_EnhancedMcts):
    """MCTS with the evaluator's priors and values from rollouts (Wang's Rollout)."""

    name = "rollout_mcts"
    enhancement = "rollout"


@dataclass(frozen=True)
class RaveMcts(_Raved):
    """MCTS over the evaluator with RAVE in its selection (Wang's Rave)."""

    name = "rave_mcts"
    enhancement = "rave"


@dataclass(frozen=True)
class RoRaMcts(_Raved):
    """MCTS with the evaluator's priors, values from rollouts, and RAVE (Wang's RoRa)."""

    name = "rora_mcts"
    enhancement = "rora"


@dataclass(frozen=True)
class WRoMcts(_Weighted):
    """MCTS over a weighted mean of the evaluator and random rollouts (Wang's WRo)."""

    name = "wro_mcts"
    enhancement = "wro"


@dataclass(frozen=True)
class WRoRaMcts(_Weighted, _Raved):
    """MCTS over a weighted mean of evaluator and rollouts, with RAVE (Wang's WRoRa).

    RAVE counts the actions of the rollouts too.
    """

    name = "wrora_mcts"
    enhancement = "wrora"
