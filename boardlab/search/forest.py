"""Many tree searches side by side, whose leaves an evaluator in Python judges as one batch: for self-play."""

from collections.abc import Sequence
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boardlab import _engine
from boardlab.errors import BoardLabError, shown
from boardlab.evaluators.python import Judge, checked_answer
from boardlab.games.game import Game, State, as_game, as_integer, as_seed, check_outcome, is_number
from boardlab.search.mcts import LEAF_VISITS


class Forest:
    """`trees` games of one kind, each with a search tree (PUCT) of its own.

        forest = Forest(game, 256, seed=1, cache_mb=64)
        while (forest.players != TERMINAL).any():
            forest.search(judge, iterations=100)
            forest.play(forest.choices())        # arrays have one row a tree
        forest.scores

    A game that is over is left alone by `search` and `play` until it is restarted. The same seed gives the
    same searches, on any number of threads and with any cache. Nature's moves are drawn, in the games and in
    the trees.
    """

    def __init__(
        self,
        game: Game,
        trees: int,
        *,
        seed: int = 0,
        inputs: str = "planes",
        outcome: str = "score",
        batch: int = 1,
        leaf_visits: int = LEAF_VISITS,
        cpuct: float = 1.0,
        epsilon: float = 1e-8,
        fpu: str = "absolute",
        fpu_value: float = 0.0,
        noise: float | None = None,
        noise_fraction: float = 0.25,
        solver: bool = False,
        gumbel: int | None = None,
        c_visit: float = 50.0,
        c_scale: float = 1.0,
        rollout_weight: float = 0.0,
        rave: bool = False,
        equivalence: float = 1000.0,
        rave_of: str = "own",
        rave_rollouts: bool = False,
        policy: str = "visits",
        ranked: float | None = None,
        depth: int | None = None,
        reuse: bool = True,
        cache_mb: float = 0,
        threads: int = 1,
        max_nodes: int | None = None,
    ) -> None:
        """Starts `trees` games.

        noise      alpha of the Dirichlet noise on the roots' priors, new for every search
        solver     proven values are backed up as proven; off, because visits are what a learner learns from
        gumbel     root selection with sequential halving over so many actions: for few iterations
        rollout_weight  so much of a leaf's value is a random rollout's, as in `mix(net, rollout, weight)`
        rave, equivalence, rave_of, rave_rollouts, policy   as in the search `mcts`
        ranked     games for one player: the end of a game counts 1 above this score, -1 below it and a random
                   sign at it (always, if it is NaN), and the evaluator's values are on that scale
        batch      most leaves of one tree that wait at once, kept apart by virtual loss
        leaf_visits  visits of a root for each of its leaves that wait; 0: always `batch`
        reuse      keep the part of a tree that was played
        cache_mb   memory for evaluations by position; 0 for none. Clear it when the evaluator learns.
        threads    that work on the trees between two evaluations
        max_nodes  of one tree, 32 bytes each: when it is full, what was visited least is forgotten. By
                   default 2**26 over all trees (2 GiB), but from 2**16 to 2**24 for each
        The rest is as in the search `mcts` and in evaluators in Python.
        """
        as_game(game)
        check_outcome(game, outcome)
        if inputs not in ("planes", "cells", "features"):
            raise BoardLabError(f'inputs must be one of "planes", "cells", "features", not {shown(inputs)}')
        if not is_number(cache_mb) or not 0 <= cache_mb <= 2**20:
            raise BoardLabError(f"cache_mb must be a number from 0 to {2**20}, not {shown(cache_mb)}")
        numbers = {
            "cpuct": (cpuct, 0.0, 1e6),
            "epsilon": (epsilon, 0.0, 1.0),
            "fpu_value": (fpu_value, -1e6, 1e6),
            "noise": (0 if noise is None else noise, 0.0, 1e6),
            "noise_fraction": (noise_fraction, 0.0, 1.0),
            "c_visit": (c_visit, 0.0, 1e6),
            "c_scale": (c_scale, 0.0, 1e6),
            "rollout_weight": (rollout_weight, 0.0, 1.0),
            "equivalence": (equivalence, 1e-9, 1e12),
        }
        for name, (number, low, high) in numbers.items():
            if not is_number(number) or not low <= number <= high:
                raise BoardLabError(f"{name} must be a number from {low:g} to {high:g}, not {shown(number)}")
        names = {
            "fpu": (fpu, ("absolute", "parent")),
            "rave_of": (rave_of, ("own", "all")),
            "policy": (policy, ("visits", "value", "rave")),
        }
        for name, (word, known) in names.items():
            if word not in known:
                allowed = ", ".join(f'"{choice}"' for choice in known)
                raise BoardLabError(f"{name} must be one of {allowed}, not {shown(word)}")
        if policy == "rave" and not rave:
            raise BoardLabError('the policy "rave" needs rave=True')
        if ranked is not None:
            if isinstance(ranked, bool) or not isinstance(ranked, (int, float)):  # NaN: not known yet
                raise BoardLabError(f"ranked must be a score or None, not {shown(ranked)}")
            if game.players != 1 or game.core.step_reward:
                raise BoardLabError(
                    f"rewards are ranked in games for one player that pay by their score, not in {game.name}"
                )
        self.game = game
        self.core = _engine.Forest(
            game.core,
            trees=as_integer("trees", trees, 1, 2**20),
            inputs=inputs,
            outcome=outcome,
            batch=as_integer("batch", batch, 1, 65536),
            leaf_visits=as_integer("leaf_visits", leaf_visits, 0, 10**6),
            threads=as_integer("threads", threads, 1, 1024),
            cache_bytes=int(cache_mb * 2**20),
            reuse=bool(reuse),
            cpuct=float(cpuct),
            epsilon=float(epsilon),
            fpu=float(fpu_value),
            fpu_from_parent=fpu == "parent",
            noise=float(noise or 0),
            noise_fraction=float(noise_fraction),
            solver=bool(solver),
            gumbel=0 if gumbel is None else as_integer("gumbel", gumbel, 1, 1 << 24),
            c_visit=float(c_visit),
            c_scale=float(c_scale),
            rollout_weight=float(rollout_weight),
            rave=bool(rave),
            equivalence=float(equivalence),
            rave_of_all=rave_of == "all",
            rave_rollouts=bool(rave_rollouts),
            policy=policy,
            ranked=ranked is not None,
            threshold=float(ranked or 0),
            depth=0 if depth is None else as_integer("depth", depth, 1, 10**6),
            max_nodes=min(max(2**26 // trees, 2**16), 2**24)
            if max_nodes is None
            else as_integer("max_nodes", max_nodes, 1024, 2**31),
            seed=as_seed(seed),
        )
        self.inputs = cast("NDArray[Any]", self.core.inputs)
        """What waits for an evaluation: the first rows are filled, anew by every `start` and `step`."""
        self.legal = cast("NDArray[np.bool_]", self.core.legal)
        """Legal actions of the same rows."""

    def __len__(self) -> int:
        return self.core.trees

    def __reduce__(self) -> NoReturn:
        raise BoardLabError("a forest cannot be copied or pickled; make another one")

    # ---- the games ----

    @property
    def players(self) -> NDArray[np.int64]:
        """Who moves in each game, or `boardlab.TERMINAL`."""
        return self.core.players

    @property
    def scores(self) -> NDArray[np.float64]:
        """[trees, players]."""
        return self.outcomes()

    def outcomes(self, name: str = "score") -> NDArray[np.float64]:
        """[trees, players]: the score or a named reward of each game as it stands."""
        return self.core.outcomes(check_outcome(self.game, name))

    def round_ends(self) -> NDArray[np.float64]:
        """[trees, players]: the outcome when the round of the last action ended; NaN where it goes on.

        Nature has dealt the next one since. All NaN in games without rounds, and where rewards are ranked.
        """
        return self.core.round_ends()

    def state(self, tree: int) -> State:
        """A copy of one game's state."""
        return State(self.game, self.core.state(self._tree(tree)))

    def set_state(self, tree: int, state: State) -> None:
        """Goes on from this state in one game; nature moves on at once."""
        if not isinstance(state, State):
            raise BoardLabError(f"a game goes on from a state, not from {shown(state)}")
        self.core.set_state(self._tree(tree), state.core_for(self.game))

    def restart(self, trees: Sequence[int] | NDArray[np.int64], *, training_start: bool = False) -> None:
        """New games for these trees, from the initial state or from one of the game's training starts."""
        chosen = np.asarray(trees)
        if chosen.size == 0:
            return
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
            raise BoardLabError(f"restart needs the numbers of trees, not {shown(trees)}")
        self.core.restart(np.ascontiguousarray(chosen, np.int64), bool(training_start))

    def play(self, actions: ArrayLike) -> None:
        """One action a tree; none in games that are over, nor where it is -1. Then nature moves on."""
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
        """(inputs, legal) of the games' states, for a learner to keep; zeros where a game is over."""
        return self.core.root_inputs()

    # ---- a search ----

    def search(self, judge: Judge, iterations: ArrayLike, *, noise: ArrayLike = True) -> None:
        """`iterations` descents in every tree, or as many as its entry says; 0 leaves a tree alone.

        `noise` says where the roots' noise is wanted, if the forest has any: with fewer iterations and no
        noise in most trees this is playout-cap randomisation. A tree whose root is proven stops early.

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
        """Begins a search; the number of rows of `inputs` and `legal` that wait for their evaluation.

        With `step` this is `search` taken apart, so that two forests can take turns: one descends while the
        other's batch is on its way through a net.
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
        """The answers to the waiting rows, for the players to move; the number of rows that wait now."""
        checked = checked_answer((values, logits), True)
        assert checked[1] is not None
        return self.core.step(checked[0], checked[1])

    def visits(self) -> NDArray[np.int64]:
        """[trees, actions] of the roots; zeros where the present state was not searched."""
        return self.core.visits()

    def values(self) -> NDArray[np.float64]:
        """[trees, actions]: mean values for the player to move; NaN where an action was not visited."""
        return self.core.values()

    def policy(self) -> NDArray[np.float64]:
        """[trees, actions], to learn from: what `policy` names over its sum, or Gumbel's improved policy."""
        return self.core.policy()

    def choices(self) -> NDArray[np.int64]:
        """[trees]: the most visited action (of equals the best), or `gumbel`'s; -1 without a search."""
        return self.core.choices()

    def root_values(self) -> NDArray[np.float64]:
        """[trees, players]: the mean over the descents of the last search; NaN where there was none."""
        return self.core.root_values()

    def clear_cache(self) -> None:
        """Forgets all evaluations: the evaluator has learned."""
        self.core.clear_cache()

    def forget(self) -> None:
        """Forgets all trees, frees their memory, and ends a search that was begun."""
        self.core.forget()

    @property
    def info(self) -> dict[str, int]:
        """Positions evaluated so far, leaves that shared another's evaluation or found it cached, nodes."""
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
    """What the judge says about the rows."""
    answer = judge(inputs, legal)
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise BoardLabError(f"a forest's evaluator returns (values, logits), not {shown(answer)}")
    return answer
