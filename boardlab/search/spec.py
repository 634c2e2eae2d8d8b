"""The searches with their parameters, as they stand in an agent expression."""

from dataclasses import dataclass
from typing import ClassVar

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.simple import Rollout, Score
from boardlab.games.game import Game
from boardlab.options import option


@dataclass(frozen=True)
class SearchSpec:
    """Parameters of a search. One that asks an evaluator has it as its first field, `evaluator`."""

    name: ClassVar[str]

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        raise NotImplementedError


@dataclass(frozen=True)
class Random(SearchSpec):
    """Plays a uniformly random legal action."""

    name = "random"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return _engine.random_search(game.core, seed)


@dataclass(frozen=True)
class Greedy(SearchSpec):
    """Plays the action with the best value, at random among equals."""

    evaluator: EvaluatorSpec = option(Rollout(), "judges the position after each action")

    name = "greedy"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return _engine.greedy_search(self.evaluator.build(game), seed)


@dataclass(frozen=True)
class Policy(SearchSpec):
    """Plays the action with the highest prior: the evaluator's opinion without any search."""

    evaluator: EvaluatorSpec = option(Rollout(), "gives each action a prior")

    name = "policy"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return _engine.policy_search(self.evaluator.build(game), seed)


@dataclass(frozen=True)
class MonteCarlo(SearchSpec):
    """Flat Monte Carlo: tries the actions in turn and plays the one with the best mean."""

    evaluator: EvaluatorSpec = option(Rollout(), "judges the position after each action, time and again")
    iterations: int = option(1000, "evaluations in all", low=1, high=10**12)

    name = "mc"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return _engine.mc_search(self.evaluator.build(game), self.iterations, seed)


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
    depth: int | None = option(None, "ask the evaluator at this depth at the latest", low=1, high=10**6)
    choose: str = option(
        "visits", "play the most visited action or the best value", choices=("visits", "value")
    )
    reuse: bool = option(True, "keep the part of the tree that was played")
    batch: int = option(1, "leaves evaluated together", low=1, high=65536)
    max_nodes: int = option(
        1 << 24,
        "when the tree has so many nodes (32 bytes each) it stops growing",
        low=1024,
        high=1 << 31,
    )

    name = "mcts"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        evaluator = self.evaluator.build(game)
        puct = evaluator.has_priors if self.select is None else self.select == "puct"
        unlimited = 0 if self.seconds is not None else 1000
        return _engine.mcts_search(
            evaluator,
            iterations=self.iterations if self.iterations is not None else unlimited,
            seconds=self.seconds or 0.0,
            puct=puct,
            c=self.cpuct if puct else self.c,
            epsilon=self.epsilon,
            depth=self.depth or 0,
            reuse=self.reuse,
            batch=self.batch,
            choose_by_value=self.choose == "value",
            max_nodes=self.max_nodes,
            seed=seed,
        )


@dataclass(frozen=True)
class MaxN(SearchSpec):
    """Full-width search for any number of players, each maximising its own score."""

    evaluator: EvaluatorSpec = option(Score(), "judges the positions at the end of the search")
    depth: int = option(3, "actions ahead", low=1, high=200)
    table_mb: int = option(64, "memory of the transposition table in MiB", low=1, high=65536)

    name = "maxn"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        if game.has_chance and not game.is_hidden:
            raise BoardLabError(f"maxn plays games without chance; for {game.name} use expectimax")
        return _engine.maxn_search(self.evaluator.build(game), self.depth, self.table_mb, seed)


@dataclass(frozen=True)
class Expectimax(SearchSpec):
    """Full-width search with chance: players maximise, nature averages."""

    evaluator: EvaluatorSpec = option(Score(), "judges the positions at the end of the search")
    depth: int = option(2, "actions ahead; chance does not count", low=1, high=200)
    table_mb: int = option(64, "memory of the transposition table in MiB", low=1, high=65536)

    name = "expectimax"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return _engine.maxn_search(self.evaluator.build(game), self.depth, self.table_mb, seed)


@dataclass(frozen=True)
class AlphaBeta(SearchSpec):
    """Alpha-beta with iterative deepening, for two-player zero-sum games without chance."""

    evaluator: EvaluatorSpec = option(Score(), "judges the positions at the end of the search")
    depth: int = option(4, "actions ahead", low=1, high=200)
    seconds: float | None = option(None, "stop deepening after this time", low=1e-3, high=1e6)
    exact: bool = option(False, "find the value of every action, not only of the best")
    table_mb: int = option(64, "memory of the transposition table in MiB", low=1, high=65536)

    name = "alphabeta"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return _engine.alphabeta_search(
            self.evaluator.build(game),
            self.depth,
            self.seconds or 0.0,
            self.exact,
            self.table_mb,
            seed,
        )


SEARCHES: dict[str, type[SearchSpec]] = {
    spec.name: spec for spec in (Random, Greedy, Policy, MonteCarlo, Mcts, MaxN, Expectimax, AlphaBeta)
}
