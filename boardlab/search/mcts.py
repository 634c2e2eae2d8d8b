"""Monte Carlo tree search."""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.simple import Rollout
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.search.spec import SearchSpec

LEAF_VISITS = 256
"""Of the root for each leaf that waits: 16 to 64 cost strength at 200 iterations (docs/results/leaves.md)."""


@dataclass(frozen=True)
class Mcts(SearchSpec):
    """Monte Carlo tree search: UCB1 over rollouts, PUCT over evaluators that have priors."""

    evaluator: EvaluatorSpec = option(Rollout(), "judges the leaves")
    iterations: int | None = option(
        None, "descents a decision; 1000 if no time is given either", low=1, high=4 * 10**9
    )
    seconds: float | None = option(None, "time a decision", low=1e-3, high=1e6)
    select: str | None = option(
        None, "uct or puct; by default what fits the evaluator", choices=("uct", "puct")
    )
    c: float = option(1.4142135623730951, "exploration of UCB1, values scaled to [0, 1]", low=0, high=1e6)
    cpuct: float = option(1.0, "exploration of PUCT, values scaled to [-1, 1]", low=0, high=1e6)
    epsilon: float = option(1e-8, "under PUCT's root, so that priors decide the first visit", low=0, high=1)
    fpu: str = option(
        "absolute",
        "PUCT's value of an unvisited action: fpu_value, or the mean of the visited ones minus it",
        choices=("absolute", "parent"),
    )
    fpu_value: float = option(0.0, "see fpu; values are scaled to [-1, 1]", low=-1e6, high=1e6)
    priors: str = option(
        "softmax",
        "how action values become PUCT's priors: their softmax, or mapped from the game's range to [0, 1]",
        choices=("softmax", "minmax"),
    )
    noise: float | None = option(
        None, "alpha of the Dirichlet noise on the root's priors", low=1e-3, high=1e6
    )
    noise_fraction: float = option(0.25, "the noise's share of the root's priors", low=0, high=1)
    depth: int | None = option(None, "ask the evaluator at this depth at the latest", low=1, high=10**6)
    solver: bool = option(
        True, "proven wins, losses and draws are backed up as proven (two players, zero-sum, no chance)"
    )
    choose: str = option(
        "visits",
        "play the most visited action, the best value, the best of the policy, or draw from the policy",
        choices=("visits", "value", "policy", "sample"),
    )
    temperature: float = option(
        1.0, "for choose=sample: draws from policy to the power 1/temperature", low=1e-3, high=1e3
    )
    policy: str | None = option(
        None,
        "the policy it reports: visits (the default), values, RAVE's values, or Gumbel's improved one (with "
        "gumbel the default)",
        choices=("visits", "value", "rave", "improved"),
    )
    rave: bool = option(False, "RAVE: actions played later in a descent count as if played first")
    equivalence: float = option(
        1000.0, "RAVE's weight is sqrt(equivalence / (3 N + equivalence))", low=1e-9, high=1e12
    )
    rave_of: str = option(
        "own", "RAVE counts the player's own later actions, or all players'", choices=("own", "all")
    )
    rave_rollouts: bool = option(False, "RAVE counts the actions of the rollout too")
    gumbel: int | None = option(
        None, "Gumbel root selection with sequential halving over so many actions", low=1, high=1 << 24
    )
    c_visit: float = option(50.0, "Gumbel: values weigh (c_visit + most visits) * c_scale", low=0, high=1e6)
    c_scale: float = option(1.0, "see c_visit; values are scaled to [0, 1]", low=0, high=1e6)
    gumbel_interior: bool = option(
        False, "Gumbel: below the root, too, visits follow the improved policy, in place of PUCT"
    )
    reuse: bool = option(True, "keep the part of the tree that was played")
    batch: int = option(1, "most leaves evaluated together", low=1, high=65536)
    leaf_visits: int = option(
        LEAF_VISITS,
        "visits of the root for each leaf of a batch: few while the tree is small; 0: all from the start",
        low=0,
        high=10**6,
    )
    threads: int = option(
        1,
        "that grow the tree together; with more than one the same seed need not give the same result",
        low=1,
        high=1024,
    )
    max_nodes: int = option(
        1 << 24,
        "when the tree has so many nodes (32 bytes each) the least visited ones lose what is below them",
        low=1024,
        high=1 << 31,
    )
    paper: bool = option(
        False, "Algorithm 1 of Scheiermann and Konen to the letter: raw values, no step rewards, no solver"
    )

    name = "mcts"
    usual_budget = 1000
    counts_simulations = True

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        evaluator = self.evaluator.build(game)
        puct = self._uses_puct(evaluator)
        unlimited = 0 if self.seconds is not None else self.usual_budget
        return _engine.mcts_search(
            evaluator,
            seed,
            iterations=self.iterations if self.iterations is not None else unlimited,
            seconds=self.seconds or 0.0,
            puct=puct,
            c=self.cpuct if puct else self.c,
            epsilon=self.epsilon,
            depth=self.depth or 0,
            reuse=self.reuse,
            batch=self.batch,
            leaf_visits=self.leaf_visits,
            max_nodes=self.max_nodes,
            solver=self.solver and not self.paper,
            fpu=self.fpu_value,
            fpu_from_parent=self.fpu == "parent",
            noise=self.noise or 0.0,
            noise_fraction=self.noise_fraction,
            paper=self.paper,
            policy=self.policy or ("improved" if self.gumbel else "visits"),
            choose=self.choose,
            temperature=self.temperature,
            threads=self.threads,
            rave=self.rave,
            equivalence=self.equivalence,
            rave_of_all=self.rave_of == "all",
            rave_rollouts=self.rave_rollouts,
            gumbel=self.gumbel or 0,
            c_visit=self.c_visit,
            c_scale=self.c_scale,
            gumbel_interior=self.gumbel_interior,
            minmax_priors=self.priors == "minmax",
        )

    @property
    def is_plain_puct(self) -> bool:
        """Whether nothing is drawn at random and trees in a forest search just so: PUCT by iterations."""
        drawn = self.noise is not None or self.gumbel is not None or self.choose != "visits"
        other = self.seconds is not None or self.select == "uct" or self.rave or self.paper
        return not drawn and not other and self.priors == "softmax" and self.threads == 1

    def _uses_puct(self, evaluator: _engine.Evaluator) -> bool:
        """Whether the tree asks for priors. What only PUCT knows is refused with UCB1."""
        if self.gumbel and self.noise is not None:
            raise BoardLabError("mcts: gumbel brings its own noise; leave noise out")
        puct_only = {
            "paper": self.paper,
            "noise": self.noise is not None,
            "gumbel": self.gumbel is not None,
            "fpu": self.fpu != "absolute" or self.fpu_value != 0,
            "priors": self.priors != "softmax",
        }
        wanted = next((name for name, given in puct_only.items() if given), None)
        if self.select is None:
            return evaluator.has_priors or wanted is not None
        if self.select == "uct" and wanted:
            raise BoardLabError(f'mcts: {wanted} belongs to select="puct", not to "uct"')
        return self.select == "puct"
