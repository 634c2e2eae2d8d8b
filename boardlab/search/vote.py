"""Majority votes of several copies of an agent."""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.search.judging import AgentJudge
from boardlab.search.simple import MonteCarlo
from boardlab.search.spec import SearchSpec


@dataclass(frozen=True)
class Vote(SearchSpec):
    """Several copies of an agent decide, each with its own seed; the majority has its way.

    GBG's majority vote (Konen 2022). `info["certainty"]` is the share of the votes for the action played.
    """

    evaluator: EvaluatorSpec = option(AgentJudge(MonteCarlo()), "the agent whose copies vote")
    agents: int = option(5, "number of copies, each with the agent's whole budget", low=1, high=1024)
    threads: int = option(
        1, "threads that share the copies; the result does not depend on them", low=1, high=1024
    )

    name = "vote"

    @property
    def budget(self) -> str:
        """The budget of all copies for a decision."""
        each = self.evaluator.agent.budget if isinstance(self.evaluator, AgentJudge) else ""
        return f"{self.agents} x {each}" if each else ""

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        if not isinstance(self.evaluator, AgentJudge):
            raise BoardLabError(
                "vote takes an agent, as in vote(mc(iterations=1000)), not the evaluator "
                f"{self.evaluator.name}"
            )
        agent = self.evaluator.agent.build(game, seed)
        return _engine.vote_search(agent, self.agents, self.threads, seed)
