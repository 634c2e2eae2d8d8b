"""Measures of CPU time: decisions, and episodes of training."""

import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boardlab.experiments.experiment import Board
from boardlab.experiments.measuring.measure import Measure, Numbers
from boardlab.search.expression import agent as make_agent


@dataclass(frozen=True)
class MoveTime(Measure):
    """The CPU time of an agent's decisions, in milliseconds, in games against itself."""

    board: Board
    agent: str
    games: int
    limit: int = 0
    """Most decisions of a game; 0: until it ends."""

    name = "move time"
    values = ("milliseconds", "deviation", "decisions")

    def take(self, seed: int) -> Numbers:
        """Play and time every decision."""
        game = self.board.game
        agent = make_agent(self.agent, game, seed)
        spent = []
        for number in range(self.games):
            agent.reset(seed * 1_000_003 + number)
            state = game.initial_state(seed * 1_000_003 + number)
            for _ in range(self.limit or game.horizon):
                if state.is_terminal:
                    break
                begin = time.thread_time()
                action = agent.act(state).action
                spent.append(1000 * (time.thread_time() - begin))
                state.apply(action)
        return {
            "milliseconds": statistics.mean(spent),
            "deviation": statistics.pstdev(spent),
            "decisions": len(spent),
        }


@dataclass(frozen=True)
class EpisodeTime(Measure):
    """The CPU time of an episode of TD training with the paper's settings."""

    board: Board
    settings: Mapping[str, Any]
    """What differs from the preset."""
    episodes: int
    before: int = 1_000
    """Episodes without search before the clock starts."""

    name = "episode time"
    values = ("seconds", "actions")

    def take(self, seed: int) -> Numbers:
        """Train a little, then time the episodes."""
        from boardlab.learners import LEARNERS, preset

        game = self.board.game
        chosen = preset(game, "paper", "td-ntuple")
        chosen.pop("episodes")
        kind = LEARNERS["td-ntuple"]
        total = self.before + self.episodes
        plain = kind.checked(chosen)
        description = plain.describe(game, seed)
        learner = plain.build(game, description, total, seed)
        learner.train(self.before)
        if self.settings:
            timed = kind.checked({**chosen, **self.settings}).build(game, description, total, seed)
            for name, weights in learner.weights.items():
                timed.weights[name][...] = weights
            learner = timed
        begin, actions = time.process_time(), learner.actions_done
        learner.train(self.episodes)
        spent = time.process_time() - begin
        return {"seconds": spent / self.episodes, "actions": (learner.actions_done - actions) / self.episodes}
