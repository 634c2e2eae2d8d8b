"""Wang's five enhancements of AlphaZero's tree search: rollouts, RAVE, and both, over any evaluator.

Algorithms 10 to 14 of Wang (2021). Each is the tree of `mcts` with other options. They are declared here
once, for the agents by these names and for the warm start of AlphaZero's self-play.
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from boardlab import _engine
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.simple import Rollout
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.search.mcts import Mcts
from boardlab.search.spec import SearchSpec

POLICIES = ("visits", "values")
"""What an enhanced search's policy is made of. The listings say values; visits come nearer to the results."""
RAVE_OF = ("own", "all")
"""Whose later actions count. The formula says everybody's; a player's own come nearer to the results."""


@dataclass(frozen=True)
class Enhancement:
    """What differs from a tree search over the net alone."""

    rollout_weight: float | None = 0.0
    """The rollout's share in the value of a leaf; None: chosen by the user, or by the generation."""
    rave: bool = False
    rave_rollouts: bool = False
    """Whether RAVE counts the rollout's actions too."""
    values: str = "value"
    """The values that the listing's policy is made of: means, or RAVE's means."""

    @property
    def is_weighted(self) -> bool:
        """Whether the rollout's share is a parameter."""
        return self.rollout_weight is None

    def options(self, policy: str, *, weight: float, equivalence: float, rave_of: str) -> dict[str, Any]:
        """Options of a forest; those of `mcts` are the same but for rollout_weight."""
        chosen: dict[str, Any] = {}
        if self.rollout_weight != 0:
            chosen["rollout_weight"] = weight if self.rollout_weight is None else self.rollout_weight
        if self.rave:
            chosen |= {"rave": True, "equivalence": equivalence, "rave_of": rave_of}
        if self.rave_rollouts:
            chosen["rave_rollouts"] = True
        if policy == "values":
            chosen["policy"] = self.values
        return chosen


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
    """`mix(evaluator, rollout, weight)`, with rollouts that estimate the evaluator's outcome."""

    evaluator: EvaluatorSpec
    weight: float

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        judge = self.evaluator.build(game)
        return _engine.mix_evaluator(judge, Rollout(outcome=judge.outcome).build(game), self.weight)


@dataclass(frozen=True)
class _EnhancedMcts(SearchSpec):
    """What the five searches share. The defaults are those of Wang et al. (2021)."""

    evaluator: EvaluatorSpec = option(Rollout(), "judges the leaves and gives the priors")
    iterations: int | None = option(
        None, "descents a decision; 100 if no time is given either", low=1, high=4 * 10**9
    )
    seconds: float | None = option(None, "time a decision", low=1e-3, high=1e6)
    cpuct: float = option(1.0, "exploration of PUCT, values scaled to [-1, 1]", low=0, high=1e6)
    policy: str = option(
        "visits",
        "what the policy is made of: visits, which come nearer to the published results, or values, as "
        "the published listings say",
        choices=POLICIES,
    )
    choose: str = option(
        "policy", "play the best action of the policy, or draw from it", choices=("policy", "sample")
    )
    solver: bool = option(False, "back up proven wins, losses and draws as proven; see mcts")
    reuse: bool = option(True, "keep the part of the tree that was played")
    batch: int = option(1, "most leaves evaluated together", low=1, high=65536)

    enhancement: ClassVar[str]

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return self.as_mcts().build(game, seed)

    def as_mcts(self) -> Mcts:
        """The same search with its options spelled out."""
        # An enhancement takes no notice of what it has no field for.
        parameters: dict[str, Any] = {
            name: getattr(WRoRaMcts, name) for name in ("weight", "equivalence", "rave_of")
        }
        parameters |= {f.name: getattr(self, f.name) for f in fields(self) if f.name in parameters}
        chosen = ENHANCEMENTS[self.enhancement].options(self.policy, **parameters)
        weight = chosen.pop("rollout_weight", 0.0)
        return Mcts(
            _WithRollouts(self.evaluator, weight) if weight else self.evaluator,
            iterations=100 if self.iterations is None and self.seconds is None else self.iterations,
            seconds=self.seconds,
            cpuct=self.cpuct,
            choose=self.choose,
            solver=self.solver,
            reuse=self.reuse,
            batch=self.batch,
            **chosen,
        )


@dataclass(frozen=True)
class _Raved(_EnhancedMcts):
    equivalence: float = option(
        1000.0, "RAVE's weight is sqrt(equivalence / (3 N + equivalence))", low=1e-9, high=1e12
    )
    rave_of: str = option(
        "own", "RAVE counts the player's own later actions, or all players'", choices=RAVE_OF
    )


@dataclass(frozen=True)
class _Weighted(_EnhancedMcts):
    weight: float = option(0.5, "the rollout's share in the value of a leaf", low=0, high=1)


@dataclass(frozen=True)
class RolloutMcts(_EnhancedMcts):
    """MCTS with the evaluator's priors and random rollouts as values (Wang's Rollout)."""

    name = "rollout_mcts"
    enhancement = "rollout"


@dataclass(frozen=True)
class RaveMcts(_Raved):
    """MCTS over the evaluator with RAVE in its selection (Wang's Rave)."""

    name = "rave_mcts"
    enhancement = "rave"


@dataclass(frozen=True)
class RoRaMcts(_Raved):
    """MCTS with the evaluator's priors, random rollouts as values, and RAVE (Wang's RoRa)."""

    name = "rora_mcts"
    enhancement = "rora"


@dataclass(frozen=True)
class WRoMcts(_Weighted):
    """MCTS over a weighted mean of the evaluator and random rollouts (Wang's WRo)."""

    name = "wro_mcts"
    enhancement = "wro"


@dataclass(frozen=True)
class WRoRaMcts(_Weighted, _Raved):
    """MCTS over a weighted mean of the evaluator and random rollouts, with RAVE over both (Wang's WRoRa)."""

    name = "wrora_mcts"
    enhancement = "wrora"
