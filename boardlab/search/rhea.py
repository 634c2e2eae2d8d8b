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
    """Rolling horizon evolution: plays the first action of the best evolved sequence.

    Algorithm 15 of Wang (2021): a random sequence of the population is mutated, and the child replaces the
    worst sequence unless it is worse still. The reported policy has all its weight on the chosen action.
    """

    evaluator: EvaluatorSpec = option(Rollout(), "judges the position at the end of a sequence")
    population: int = option(10, "number of sequences in the population", low=1, high=1_000_000)
    length: int = option(10, "actions per sequence", low=1, high=100_000)
    iterations: int | None = option(
        None, "sequences evaluated per decision; by default 500, or no limit with seconds", low=1, high=10**12
    )
    seconds: float | None = option(None, "seconds per decision", low=1e-3, high=1e6)
    mutation: float = option(0.2, "probability of changing each action", low=0, high=1)
    repetitions: int = option(
        2, "number of times each sequence is played to evaluate it", low=1, high=1_000_000
    )
    length_penalty: float = option(
        0.1, "share subtracted from a win or loss that takes the whole sequence", low=0, high=1
    )
    others: str = option(
        "random",
        "the other players' actions: random, or part of the sequence, as if they cooperated",
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
