"""The searches of self-play: trees over the net, RHEA, or one against another.

All have the same interface: games side by side that start, search, decide and play, one row a game.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from boardlab.evaluators.python import Judge
from boardlab.search.forest import Forest, judge_rows
from boardlab.search.rhea import Rhea
from boardlab.search.tree_options import TreeOptions

Decided = tuple[NDArray[np.float32], NDArray[np.int64]]
"""The policy's targets [games, actions] and the actions [games]."""


class Searcher(Protocol):
    """Games side by side and a search in each."""

    forest: Forest
    """The games."""
    has_playout_cap: bool
    """Whether some moves may get fewer iterations than others."""

    def restart(self, games: NDArray[np.int64]) -> None:
        """Begin new games."""

    def start(self, iterations: NDArray[np.int64], noise: NDArray[np.bool_]) -> int:
        """Start a search in the games that have iterations.

        Return the number of leaves that wait for an evaluation.
        """

    def waiting(self, rows: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """The waiting leaves (inputs, legal)."""

    def step(self, values: NDArray[Any], logits: NDArray[Any]) -> int:
        """Take the net's answers; return the number of leaves that wait now."""

    def decide(self, drawn: NDArray[np.bool_], one_hot: bool, rng: np.random.Generator) -> Decided:
        """The targets and the actions: `drawn` from the policy, or else the best."""

    def root_values(self) -> NDArray[np.float64]:
        """[games, players]: the expected values; NaN if the search has none."""

    def play(self, actions: NDArray[np.int64]) -> None:
        """Play one action a game; -1 plays none."""

    def arena_reward(self, games: NDArray[np.int64]) -> float:
        """Wins minus losses of MCTS with the net alone in these finished games."""

    @property
    def evaluations(self) -> int:
        """Positions that the net evaluated."""


def search(searcher: Searcher, judge: Judge, iterations: NDArray[np.int64], noise: NDArray[np.bool_]) -> None:
    """Search in all games with iterations."""
    rows = searcher.start(iterations, noise)
    while rows:
        values, logits = judge_rows(judge, *searcher.waiting(rows))
        rows = searcher.step(np.asarray(values), np.asarray(logits))


class _Games:
    """What the searches without an opponent share."""

    has_playout_cap = True

    def __init__(self, forest: Forest) -> None:
        self.forest = forest

    def restart(self, games: NDArray[np.int64]) -> None:
        """Begin new games."""
        self.forest.restart(games, training_start=True)

    def play(self, actions: NDArray[np.int64]) -> None:
        """Play one action a game; -1 plays none."""
        self.forest.play(actions)

    def arena_reward(self, games: NDArray[np.int64]) -> float:
        """Always 0: there is no opponent."""
        return 0.0

    @property
    def evaluations(self) -> int:
        """Positions that the net evaluated."""
        return int(self.forest.info["evaluations"])


class TreeSearcher(_Games):
    """Trees over the net, with these options."""

    def __init__(self, forest: Forest, tree: TreeOptions) -> None:
        super().__init__(forest)
        self.gumbel = tree.gumbel is not None
        self.by_values = tree.policy in ("value", "rave")

    def start(self, iterations: NDArray[np.int64], noise: NDArray[np.bool_]) -> int:
        """Begin a search."""
        return self.forest.start(iterations, noise=noise)

    def waiting(self, rows: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """The waiting leaves (inputs, legal)."""
        return self.forest.inputs[:rows], self.forest.legal[:rows]

    def step(self, values: NDArray[Any], logits: NDArray[Any]) -> int:
        """Take the net's answers."""
        return self.forest.step(values, logits)

    def decide(self, drawn: NDArray[np.bool_], one_hot: bool, rng: np.random.Generator) -> Decided:
        """The policy as the target, and the actions."""
        if self.gumbel:
            policy, choices = self.forest.policy().astype(np.float32), self.forest.choices()
            best = _alone(policy.argmax(axis=1), policy)  # choices include the noise that explores
            return np.where((one_hot & ~drawn)[:, None], best, policy), choices
        visits = self.forest.visits().astype(np.float64)
        if self.by_values:
            return by_shares(self.forest.policy(), drawn, one_hot, rng, visits)
        return by_shares(visits, drawn, one_hot, rng)

    def root_values(self) -> NDArray[np.float64]:
        """[games, players]."""
        return self.forest.root_values()


class RheaSearcher(_Games):
    """RHEA (Wang 2021, Algorithm 15), a search without a net.

    Its policy gives everything to its action.
    """

    has_playout_cap = False  # it has one budget for all moves

    def __init__(self, forest: Forest, simulations: int, seed: int, threads: int) -> None:
        super().__init__(forest)
        spec = Rhea(iterations=simulations)
        seeds = np.random.SeedSequence([seed, 1]).generate_state(len(forest), np.uint64) >> np.uint64(1)
        self.searches = [spec.build(forest.game, seed) for seed in seeds.tolist()]
        self.workers = ThreadPoolExecutor(threads) if threads > 1 else None
        self.actions = np.full(len(forest), -1, np.int64)

    def start(self, iterations: NDArray[np.int64], noise: NDArray[np.bool_]) -> int:
        """Run the whole search, with as many sequences as trees have simulations.

        No leaf waits for an evaluation.
        """
        self.actions[:] = -1
        games = [i for i in np.flatnonzero(iterations).tolist() if self.forest.players[i] >= 0]

        def think(i: int) -> tuple[Any, ...]:
            return self.searches[i].act(self.forest.core.state(i))

        mapped: Callable[..., Any] = map if self.workers is None else self.workers.map
        for i, (action, *_) in zip(games, mapped(think, games), strict=True):
            self.actions[i] = action
        return 0

    def waiting(self, rows: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """No leaves."""
        return self.forest.inputs[:0], self.forest.legal[:0]

    def step(self, values: NDArray[Any], logits: NDArray[Any]) -> int:
        """Do nothing: no leaf waits."""
        return 0

    def decide(self, drawn: NDArray[np.bool_], one_hot: bool, rng: np.random.Generator) -> Decided:
        """One-hot on the first action of the best sequence."""
        target = np.zeros((len(self.forest), self.forest.game.action_count), np.float32)
        rows = np.flatnonzero(self.actions >= 0)
        target[rows, self.actions[rows]] = 1
        return target, self.actions.copy()

    def root_values(self) -> NDArray[np.float64]:
        """NaN: the score of the luckiest sequence against random play is no expectation."""
        return np.full((len(self.forest), self.forest.game.players), np.nan)


class ArenaSearcher:
    """An enhancement against MCTS with the net alone.

    Wang et al. (2021), Algorithm 2, lines 4-16. The enhancement begins in the first half of the episodes.
    Both sides have trees of their own; forests with the same seed draw the same moves of nature, so that the
    two copies of a game stay equal.
    """

    has_playout_cap = True

    def __init__(self, enhanced: Searcher, plain: Searcher, episodes: int, started: int = 0) -> None:
        self.sides: Sequence[Searcher] = (enhanced, plain)
        self.forest = plain.forest
        self.episodes, self.started = episodes, started
        self.seat = np.zeros(len(self.forest), np.int64)
        """The seat of the enhancement in each game."""
        self.rows = [0, 0]

    def restart(self, games: NDArray[np.int64]) -> None:
        """Begin new games, the next episodes."""
        for i in games.tolist():
            self.started += 1
            self.seat[i] = 0 if self.started <= self.episodes / 2 else 1
        for side in self.sides:
            side.restart(games)

    @property
    def is_enhanced(self) -> NDArray[np.bool_]:
        """The games in which the enhancement is to move."""
        mine: NDArray[np.bool_] = self.forest.players == self.seat
        return mine

    def start(self, iterations: NDArray[np.int64], noise: NDArray[np.bool_]) -> int:
        """Begin the search of each side in the games where it is to move."""
        mine = self.is_enhanced
        self.rows = [
            side.start(np.where(there, iterations, 0), noise)
            for side, there in zip(self.sides, (mine, ~mine), strict=True)
        ]
        return sum(self.rows)

    def waiting(self, rows: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """The leaves of both sides as one batch."""
        parts = [side.waiting(n) for side, n in zip(self.sides, self.rows, strict=True) if n]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate([inputs for inputs, _ in parts]), np.concatenate([legal for _, legal in parts])

    def step(self, values: NDArray[Any], logits: NDArray[Any]) -> int:
        """Give each side its answers."""
        at = 0
        for i, side in enumerate(self.sides):
            if rows := self.rows[i]:
                self.rows[i] = side.step(values[at : at + rows], logits[at : at + rows])
                at += rows
        return sum(self.rows)

    def decide(self, drawn: NDArray[np.bool_], one_hot: bool, rng: np.random.Generator) -> Decided:
        """Those of the side that is to move."""
        mine = self.is_enhanced
        (target, actions), (other_target, other_actions) = (
            side.decide(drawn, one_hot, rng) for side in self.sides
        )
        return np.where(mine[:, None], target, other_target), np.where(mine, actions, other_actions)

    def root_values(self) -> NDArray[np.float64]:
        """Those of the side that is to move."""
        enhanced, plain = (side.root_values() for side in self.sides)
        return np.where(self.is_enhanced[:, None], enhanced, plain)

    def play(self, actions: NDArray[np.int64]) -> None:
        """Play in both copies of each game."""
        for side in self.sides:
            side.play(actions)

    def arena_reward(self, games: NDArray[np.int64]) -> float:
        """Wins minus losses of MCTS with the net alone."""
        scores, seat = self.forest.scores[games], self.seat[games]
        rows = np.arange(len(games))
        return float(np.sign(scores[rows, 1 - seat] - scores[rows, seat]).sum())

    @property
    def evaluations(self) -> int:
        """Positions that the net evaluated for both."""
        return sum(side.evaluations for side in self.sides)


def by_shares(
    weights: NDArray[np.float64],
    drawn: NDArray[np.bool_],
    one_hot: bool,
    rng: np.random.Generator,
    visits: NDArray[np.float64] | None = None,
) -> Decided:
    """Return policy targets in proportion to the weights, and the actions to play.

    Actions are drawn from these proportions where `drawn` is set; elsewhere the best action is played. Where
    the weights are values, visits decide between equals.
    """
    best = weights >= weights.max(axis=1, keepdims=True)
    if visits is not None:
        visited = np.where(best, visits, -1)
        best = visited >= visited.max(axis=1, keepdims=True)
    best_share = best / best.sum(axis=1, keepdims=True)
    share = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
    chances = np.where(drawn[:, None], share, best_share)
    sums = chances.cumsum(axis=1)
    actions = (sums <= rng.random(len(weights))[:, None] * sums[:, -1:]).sum(axis=1)
    target = np.where((one_hot & ~drawn)[:, None], _alone(actions, weights), share)
    return target.astype(np.float32), actions


def _alone(actions: NDArray[np.int64], policy: NDArray[Any]) -> NDArray[np.float32]:
    """Policies that give everything to one action; nothing where it is -1."""
    alone: NDArray[np.bool_] = actions[:, None] == np.arange(policy.shape[1])
    return alone.astype(np.float32)
