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
    """Plays the action with the best value, at random among equals."""

    evaluator: EvaluatorSpec = option(Rollout(), "judges the position after each action")
    memory: int = option(
        1000,
        "in a puzzle (one player, no chance): so many of its last positions are not returned to",
        low=0,
        high=1_000_000,
    )

    name = "greedy"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        return _engine.greedy_search(self.evaluator.build(game), seed, self.memory)


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
    iterations: int | None = option(
        None, "evaluations in all; 1000 if no time is given either", low=1, high=10**12
    )
    seconds: float | None = option(None, "time a decision (paper 003, algorithm 8)", low=1e-3, high=1e6)

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
        )
