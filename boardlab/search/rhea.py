"""The rolling horizon evolutionary algorithm."""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.simple import Rollout
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.search.spec import SearchSpec


@dataclass(frozen=True)
class Rhea(SearchSpec):
    """Rolling horizon evolution: evolves sequences of actions, plays the first action of the best.

    Paper 003, algorithm 15: of a population one sequence is drawn and mutated, and if the child is no worse
    than the worst, it takes its place. The policy that it reports is the action that it plays, nothing else.
    """

    evaluator: EvaluatorSpec = option(Rollout(), "judges the position at the end of a sequence")
    population: int = option(10, "sequences that are kept", low=1, high=1_000_000)
    length: int = option(10, "actions a sequence", low=1, high=100_000)
    iterations: int | None = option(
        None, "sequences judged a decision; 500 if no time is given either", low=1, high=10**12
    )
    seconds: float | None = option(None, "time a decision", low=1e-3, high=1e6)
    mutation: float = option(0.2, "chance of each action to be changed", low=0, high=1)
    repetitions: int = option(2, "times a sequence is played before it is judged", low=1, high=1_000_000)
    length_penalty: float = option(
        0.1, "share of a win or loss that is taken off when it takes the whole sequence", low=0, high=1
    )
    others: str = option(
        "random",
        "the other players' actions: random, or part of the sequence, as if they played along",
        choices=("random", "planned"),
    )

    name = "rhea"
    usual_budget = 500

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        unlimited = 0 if self.seconds is not None else self.usual_budget
        return _engine.rhea_search(
            self.evaluator.build(game),
            population=self.population,
            length=self.length,
            iterations=self.iterations if self.iterations is not None else unlimited,
            seconds=self.seconds or 0.0,
            mutation=self.mutation,
            repetitions=self.repetitions,
            length_penalty=self.length_penalty,
            plans_for_others=self.others == "planned",
            seed=seed,
        )
