"""The options of a search tree, with their defaults, ranges and help.

`Mcts` has these fields, `Forest` takes them, AlphaZero has them twice: for self-play and for play. A new
option is a field here, a field of the engine's struct (engine/search/tree_options.h) and its line in
engine/bindings/tree_options.cpp.
"""

from dataclasses import dataclass, fields

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.options import check_options, option

LEAF_VISITS = 256
"""Visits of the root for each waiting leaf: 16 to 64 cost strength at 200 iterations
(docs/results/leaves.md)."""


@dataclass(frozen=True)
class TreeOptions:
    """How a tree chooses, what it reports and what it keeps."""

    select: str | None = option(
        None,
        "how a descent selects: by the formula of uct or puct, by default what fits the evaluator; epsilon: "
        "the best mean or, with probability explore, any action; roulette: in proportion to the means",
        choices=("uct", "puct", "epsilon", "roulette"),
    )
    explore: float = option(0.2, "select=epsilon: probability of a random action", low=0, high=1)
    cpuct: float = option(1.0, "exploration of PUCT, values scaled to [-1, 1]", low=0, high=1e6)
    epsilon: float = option(
        1e-8,
        "added to the visits under PUCT's square root, so that priors decide the first visit",
        low=0,
        high=1,
    )
    fpu: str = option(
        "absolute",
        "PUCT's value of an unvisited action: fpu_value, or the mean of the visited actions minus fpu_value",
        choices=("absolute", "parent"),
    )
    fpu_value: float = option(0.0, "see fpu; values are scaled to [-1, 1]", low=-1e6, high=1e6)
    noise: float | None = option(
        None, "alpha of the Dirichlet noise on the root's priors; None: no noise", low=1e-3, high=1e6
    )
    noise_fraction: float = option(0.25, "share of the noise in the root's priors", low=0, high=1)
    depth: int | None = option(None, "ask the evaluator at this depth at the latest", low=1, high=10**6)
    solver: bool = option(
        True, "back up proven wins, losses and draws as proven (two players, zero-sum, no chance)"
    )
    policy: str | None = option(
        None,
        "the reported policy: visits, values, RAVE's values, or Gumbel's improved policy; by default "
        "improved with gumbel, else visits",
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
        None,
        "Gumbel root selection with sequential halving over this many actions: for few iterations",
        low=1,
        high=1 << 24,
    )
    c_visit: float = option(50.0, "Gumbel: values weigh (c_visit + most visits) * c_scale", low=0, high=1e6)
    c_scale: float = option(1.0, "see c_visit; values are scaled to [0, 1]", low=0, high=1e6)
    gumbel_interior: bool = option(
        False, "Gumbel: visits below the root follow the improved policy too, in place of PUCT"
    )
    reuse: bool = option(True, "keep the part of the tree that was played")
    batch: int = option(
        1, "most leaves of a tree evaluated together, kept apart by virtual loss", low=1, high=65536
    )
    leaf_visits: int = option(
        LEAF_VISITS,
        "visits of the root for each leaf of a batch: few leaves while the tree is small; 0: full batches "
        "from the start",
        low=0,
        high=10**6,
    )
    max_nodes: int | None = option(
        None,
        "most nodes of a tree, 32 bytes each; then the least visited ones lose what is below them. By "
        "default 2**24; in a forest 2**26 over all trees, from 2**16 to 2**24 each",
        low=1024,
        high=1 << 31,
    )

    def engine_tree(self, owner: str) -> _engine.TreeOptions:
        """Convert the options for the engine; None keeps the engine's default."""
        named = {field.name: getattr(self, field.name) for field in fields(TreeOptions)}
        tree = _engine.TreeOptions()
        for name, value in check_options(owner, TreeOptions, named).items():
            if value is not None:
                setattr(tree, name, value)
        if self.policy is None and self.gumbel is not None:
            tree.policy = "improved"
        return tree

    def check(self, owner: str) -> None:
        """Refuse values out of range and options that exclude one another."""
        tree = self.engine_tree(owner)
        try:
            tree.check()
        except BoardLabError as error:
            raise BoardLabError(f"{owner}: {error}") from None
