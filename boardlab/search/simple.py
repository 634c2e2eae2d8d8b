"""Searches that look one action ahead."""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.simple import Rollout
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.search.spec import SearchSpec


@dataclass(frozen=True)
class Random(SearchSpec):
    """Plays a uniformly random legal action."""

    name = "random"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return _engine.random_search(game.core, seed)


@dataclass(frozen=True)
class Greedy(SearchSpec):
    """Plays the action with the best value; ties are broken at random."""

    evaluator: EvaluatorSpec = option(Rollout(), "judges the position after each action")
    memory: int = option(
        1000,
        "puzzles (one player, no chance): number of recent positions not to return to",
        low=0,
        high=1_000_000,
    )

    name = "greedy"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return _engine.greedy_search(self.evaluator.build(game), seed, self.memory)


@dataclass(frozen=True)
class Policy(SearchSpec):
    """Plays the action with the evaluator's highest prior, without any search."""

    evaluator: EvaluatorSpec = option(Rollout(), "gives each action a prior")
    sample: bool = option(False, "draw the action from the priors instead of playing the highest one")

    name = "policy"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return _engine.policy_search(self.evaluator.build(game), seed, self.sample)


@dataclass(frozen=True)
class MonteCarlo(SearchSpec):
    """Flat Monte Carlo: tries actions in turn and plays the one with the best mean.

    Algorithm 8 of Wang (2021).
    """

    evaluator: EvaluatorSpec = option(Rollout(), "judges the position after each action, repeatedly")
    iterations: int | None = option(
        None, "total number of evaluations; by default 1000, or no limit with seconds", low=1, high=10**12
    )
    seconds: float | None = option(
        None, "seconds per decision, as in algorithm 8 of Wang (2021)", low=1e-3, high=1e6
    )

    threads: int = option(1, "threads that share the evaluations of a decision", low=1, high=1024)

    name = "mc"
    usual_budget = 1000
    counts_simulations = True

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        unlimited = 0 if self.seconds is not None else self.usual_budget
        return _engine.mc_search(
            self.evaluator.build(game),
            self.iterations if self.iterations is not None else unlimited,
            self.seconds or 0.0,
            seed,
            self.threads,
        )
