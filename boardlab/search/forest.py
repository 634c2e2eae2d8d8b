"""Parallel tree searches that evaluate their leaves in one batch, for self-play."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boardlab import _engine
from boardlab.errors import BoardLabError, shown
from boardlab.evaluators.python import Judge, checked_answer
from boardlab.games.game import Game, State, as_game, as_integer, as_seed, check_outcome
from boardlab.options import check_options, option
from boardlab.search.tree_options import TreeOptions

VISITS_ALONE = TreeOptions(solver=False)
"""A forest's trees by default."""


@dataclass(frozen=True)
class _OwnOptions:
    """What a forest has beside its trees' options."""

    trees: int = option(1, "games side by side", low=1, high=2**20)
    inputs: str = option("planes", "how the judge sees a position", choices=("planes", "cells", "features"))
    rollout_weight: float = option(0.0, "share of a rollout in the value of a leaf", low=0, high=1)
    cache_mb: float = option(0.0, "memory for evaluations by position", low=0, high=2**20)
    threads: int = option(1, "threads between two evaluations", low=1, high=1024)

    def checked(self) -> "_OwnOptions":
        """The same with every value brought to its type, or refused."""
        return _OwnOptions(**check_options("forest", _OwnOptions, vars(self)))


def _check_ranked(game: Game, ranked: Any) -> None:
    if isinstance(ranked, bool) or not isinstance(ranked, (int, float)):  # NaN: not known yet
        raise BoardLabError(f"ranked must be a score or None, not {shown(ranked)}")
    if game.players != 1 or game.core.step_reward:
        raise BoardLabError(
            f"rewards are ranked in games for one player that pay by their score, not in {game.name}"
        )


def _sized(tree: TreeOptions, trees: int) -> TreeOptions:
    """Fill in the number of nodes: by default all trees share 2**26 (2 GiB)."""
    if tree.max_nodes is not None:
        return tree
    return replace(tree, max_nodes=min(max(2**26 // trees, 2**16), 2**24))


class Forest:
    """`trees` games of one kind, each with a search tree (PUCT) of its own.

        forest = Forest(game, 256, seed=1, cache_mb=64)
        while (forest.players != TERMINAL).any():
            forest.search(judge, iterations=100)
            forest.play(forest.choices())        # arrays have one row a tree
        forest.scores

    `search` and `play` skip games that are over until `restart`. The same seed gives the same searches, on
    any number of threads and with any cache. Nature's moves are drawn, in the games and in the trees.
    """

    def __init__(
        self,
        game: Game,
        trees: int,
        *,
        tree: TreeOptions = VISITS_ALONE,
        seed: int = 0,
        inputs: str = "planes",
        outcome: str = "score",
        rollout_weight: float = 0.0,
        ranked: float | None = None,
        cache_mb: float = 0,
        threads: int = 1,
    ) -> None:
        """Start `trees` games; `tree` holds the options of each tree.

        By default the solver is off: a learner learns from visits, and proofs take them away.

        rollout_weight  share of a random rollout in the value of a leaf, as in `mix(net, rollout, weight)`
        ranked          games for one player: the end of a game counts 1 above this score, -1 below it and a
                        random sign at it (always, if it is NaN); the evaluator's values are on that scale
        cache_mb        memory for evaluations by position; 0 for none. Clear it when the evaluator learns.
        threads         threads that work on the trees between two evaluations
        `inputs` and `outcome` are as in evaluators in Python.
        """
        as_game(game)
        check_outcome(game, outcome)
        if not isinstance(tree, TreeOptions):
            raise BoardLabError(f"tree must be boardlab.TreeOptions(...), not {shown(tree)}")
        if tree.select == "uct":
            raise BoardLabError(
                "a forest's trees have priors: tree.select must be puct, epsilon or roulette, not uct"
            )
        own = _OwnOptions(trees, inputs, rollout_weight, cache_mb, threads).checked()
        if ranked is not None:
            _check_ranked(game, ranked)
        self.game = game
        self.core = _engine.Forest(
            game.core,
            own.trees,
            _sized(tree, own.trees).engine_tree("tree"),
            inputs=own.inputs,
            outcome=outcome,
            rollout_weight=own.rollout_weight,
            ranked=None if ranked is None else float(ranked),
            cache_bytes=int(own.cache_mb * 2**20),
            threads=own.threads,
            seed=as_seed(seed),
        )
        self.inputs = cast("NDArray[Any]", self.core.inputs)
        """Positions that wait for an evaluation; every `start` and `step` refills the first rows."""
        self.legal = cast("NDArray[np.bool_]", self.core.legal)
        """Legal actions of the same rows."""

    def __len__(self) -> int:
        return self.core.trees

    def __reduce__(self) -> NoReturn:
        raise BoardLabError("a forest cannot be copied or pickled; make another one")

    # ---- the games ----

    @property
    def players(self) -> NDArray[np.int64]:
        """The player to move in each game, or `boardlab.TERMINAL`."""
        return self.core.players

    @property
    def scores(self) -> NDArray[np.float64]:
        """[trees, players]."""
        return self.outcomes()

    def outcomes(self, name: str = "score") -> NDArray[np.float64]:
        """[trees, players]: the present score or named reward of each game."""
        return self.core.outcomes(check_outcome(self.game, name))

    def round_ends(self) -> NDArray[np.float64]:
        """[trees, players]: the outcome of the round that the last action ended, or NaN.

        Nature has dealt the next round since. All NaN in games without rounds and with ranked rewards.
        """
        return self.core.round_ends()

    def state(self, tree: int) -> State:
        """A copy of the state of one game."""
        return State(self.game, self.core.state(self._tree(tree)))

    def set_state(self, tree: int, state: State) -> None:
        """Set the state of one game; moves of nature are drawn at once."""
        if not isinstance(state, State):
            raise BoardLabError(f"a game goes on from a state, not from {shown(state)}")
        self.core.set_state(self._tree(tree), state.core_for(self.game))

    def restart(self, trees: Sequence[int] | NDArray[np.int64], *, training_start: bool = False) -> None:
        """Begin new games in these trees.

        They start from the initial state or, with `training_start`, from one of the game's training starts.
        """
        chosen = np.asarray(trees)
        if chosen.size == 0:
            return
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
            raise BoardLabError(f"restart needs the numbers of trees, not {shown(trees)}")
        self.core.restart(np.ascontiguousarray(chosen, np.int64), bool(training_start))

    def play(self, actions: ArrayLike) -> None:
        """Play one action per tree, then nature's moves.

        Trees whose action is -1 or whose game is over are skipped.
        """
        chosen = np.array(actions)
        if chosen.shape != (len(self),) or chosen.dtype.kind not in "iu":
            raise BoardLabError(f"play needs one action a tree ({len(self)}), not {shown(actions)}")
        chosen = chosen.astype(np.int64)
        chosen[self.players < 0] = -1
        self.core.play(chosen)

    def fields(self) -> NDArray[np.int32]:
        """[trees, fields] of the games' states, for a learner to keep."""
        return self.core.fields()

    def roots(self) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """(inputs, legal) of the games' states, for a learner to keep.

        Zeros where a game is over.
        """
        return self.core.root_inputs()

    # ---- a search ----

    def search(self, judge: Judge, iterations: ArrayLike, *, noise: ArrayLike = True) -> None:
        """Make `iterations` descents in every tree, or one number a tree; 0 skips a tree.

        `noise` switches the noise at the roots on, for all trees or each: with fewer iterations and no noise
        in most trees this is playout-cap randomisation. A tree whose root is proven stops early.

        `judge(inputs, legal)` returns (values, logits) for a batch of leaves; see `register_evaluator`.
        """
        if not callable(judge):
            raise BoardLabError(
                f"a forest's evaluator is a function judge(inputs, legal), not {shown(judge)}"
            )
        rows = self.start(iterations, noise=noise)
        while rows:
            rows = self.step(*judge_rows(judge, self.inputs[:rows], self.legal[:rows]))

    def start(self, iterations: ArrayLike, *, noise: ArrayLike = True) -> int:
        """Begin a search and return the number of rows to evaluate.

        The rows are the first ones of `inputs` and `legal`.

        With `start` and `step` in place of `search` two forests can take turns: one descends while a net
        evaluates the batch of the other.
        """
        wanted = np.asarray(iterations)
        if wanted.dtype.kind not in "iu" or wanted.shape not in ((), (len(self),)):
            raise BoardLabError(
                f"iterations must be a whole number or one a tree ({len(self)}), not {shown(iterations)}"
            )
        noisy = np.asarray(noise)
        if noisy.dtype.kind != "b" or noisy.shape not in ((), (len(self),)):
            raise BoardLabError(f"noise must be True, False or one a tree ({len(self)}), not {shown(noise)}")
        return self.core.start(
            np.ascontiguousarray(np.broadcast_to(wanted, len(self)), np.int64),
            np.ascontiguousarray(np.broadcast_to(noisy, len(self))),
        )

    def step(self, values: ArrayLike, logits: ArrayLike) -> int:
        """Take the evaluations of the waiting rows and return the number of new rows.

        Values are those for the players to move.
        """
        checked = checked_answer((values, logits), True)
        assert checked[1] is not None
        return self.core.step(checked[0], checked[1])

    def visits(self) -> NDArray[np.int64]:
        """[trees, actions]: visits at the roots; zeros if the state was not searched."""
        return self.core.visits()

    def values(self) -> NDArray[np.float64]:
        """[trees, actions]: mean values for the player to move; NaN if unvisited."""
        return self.core.values()

    def policy(self) -> NDArray[np.float64]:
        """[trees, actions]: the policy to learn from; see the tree option `policy`."""
        return self.core.policy()

    def choices(self) -> NDArray[np.int64]:
        """[trees]: the most visited action, or Gumbel's; -1 without a search.

        Of equally visited actions it is the best one.
        """
        return self.core.choices()

    def root_values(self) -> NDArray[np.float64]:
        """[trees, players]: mean values over the last search; NaN without one."""
        return self.core.root_values()

    def clear_cache(self) -> None:
        """Forget all evaluations, for an evaluator that has learned."""
        self.core.clear_cache()

    def forget(self) -> None:
        """Forget all trees, free their memory, and end a search under way."""
        self.core.forget()

    @property
    def info(self) -> dict[str, int]:
        """Counts: positions evaluated, leaves with a shared or cached evaluation, nodes."""
        return {
            "evaluations": self.core.evaluations,
            "shared": self.core.shared,
            "nodes": self.core.nodes,
        }

    def _tree(self, tree: int) -> int:
        return as_integer("a tree", tree, 0, len(self) - 1)


def judge_rows(
    judge: Judge, inputs: NDArray[np.float32], legal: NDArray[np.bool_]
) -> tuple[ArrayLike, ArrayLike]:
    """The judge's answer for the rows."""
    answer = judge(inputs, legal)
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise BoardLabError(f"a forest's evaluator returns (values, logits), not {shown(answer)}")
    return answer
