"""Agents as evaluators.

In `maxn(mcts(rollout, iterations=100), depth=2)` the inner agent's decision evaluates a position: its scores
are the value of the position, its values those of the actions, its policy the priors.
"""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.evaluators import EvaluatorSpec
from boardlab.games.game import Game
from boardlab.search.spec import SearchSpec


@dataclass(frozen=True)
class AgentJudge(EvaluatorSpec):
    """An agent used as an evaluator; its expression is that of the agent."""

    agent: SearchSpec

    name = "agent"

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        return _engine.agent_evaluator(self.agent.build(game, 0))
