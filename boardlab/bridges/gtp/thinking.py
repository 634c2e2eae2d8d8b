"""An agent's thinking in slices, so that a clock can end it and analysis can be told meanwhile.

A tree search that is asked again about a position goes on where it was. Other searches get the time of an
action as their option `seconds`; agents without one think as they are.
"""

import dataclasses
import time
from collections.abc import Iterator
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.games.game import State
from boardlab.search.agent import Agent, Decision
from boardlab.search.expression import agent as make_agent
from boardlab.search.expression import format_spec, parse
from boardlab.search.mcts import Mcts
from boardlab.search.spec import SearchSpec

SLICE = 0.05
"""Seconds of a slice without a limit of iterations."""
SLICES = 16
"""Slices of a search with one."""


class Thinker:
    """An agent with a clock."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.spec: SearchSpec | None = None
        if agent.seed is not None:  # made from an expression
            self.spec = parse(agent.expression)
        self._made: dict[str, Agent] = {}

    def _slicing(self, **budget: Any) -> Agent | None:
        """Return the agent with the budget of a slice, made when it is first needed.

        None for an agent that would not go on where it was.
        """
        if sliced_spec(self.spec) is None:
            return None
        return self._made.get(str(budget)) or self._made.setdefault(str(budget), self._with(**budget))

    @property
    def _sliced(self) -> Agent | None:
        """The agent that thinks for a slice of time."""
        return self._slicing(iterations=None, seconds=SLICE)

    @property
    def _counted(self) -> Agent | None:
        """The agent that thinks for a share of its own iterations, if they are limited."""
        most = getattr(self.spec, "iterations", None)
        return None if most is None else self._slicing(iterations=max(1, most // SLICES), seconds=None)

    def _with(self, **options: Any) -> Agent:
        """Make the agent with other options."""
        assert self.spec is not None
        spec = dataclasses.replace(self.spec, **options)
        return make_agent(format_spec(spec), self.agent.game, self.agent.seed or 0)

    def reset(self) -> None:
        """Forget the game played so far."""
        for agent in (self.agent, *self._made.values()):
            agent.reset()

    def decide(self, state: State, seconds: float | None) -> Decision:
        """Choose an action within so many seconds; None: as the agent is."""
        *_, (_, decision) = self.within(state, seconds)
        return decision

    def within(self, state: State, seconds: float | None) -> Iterator[tuple[int, Decision]]:
        """Think within the time and the agent's own limits; tell as `slices` does."""
        sliced = None if seconds is None else self._counted or self._sliced
        if seconds is None or sliced is None:
            yield from once(self.agent if seconds is None else self._limited(seconds), state)
            return
        assert isinstance(self.spec, Mcts)
        end = time.monotonic() + min(seconds, self.spec.seconds or seconds)
        most = self.spec.iterations
        for iterations, decision in again(sliced, state):
            yield iterations, decision
            if most is not None and iterations >= most:
                return
            if time.monotonic() + (SLICE if most is None else 0.0) >= end:  # the next would end too late
                return

    def _limited(self, seconds: float) -> Agent:
        """Return the agent with a limit of time, if it can have one."""
        if self.spec is None or not hasattr(self.spec, "seconds"):
            return self.agent
        try:
            return self._with(seconds=min(seconds, self.spec.seconds or seconds))
        except BoardLabError:  # its other options exclude it
            return self.agent

    def slices(self, state: State) -> Iterator[tuple[int, Decision]]:
        """Think without end, and tell the iterations so far and the decision after each slice.

        An agent that cannot go on, or has proven its decision, tells it once.
        """
        sliced = self._sliced
        return once(self.agent, state) if sliced is None else again(sliced, state)


def sliced_spec(spec: SearchSpec | None, **budget: Any) -> SearchSpec | None:
    """Return the search with the budget of a slice; None for one that would not go on where it was."""
    if not isinstance(spec, Mcts) or not spec.reuse or spec.gumbel is not None:
        return None
    return dataclasses.replace(spec, **budget)


def once(agent: Agent, state: State) -> Iterator[tuple[int, Decision]]:
    """Think as the agent is."""
    decision = agent.act(state)
    yield int(decision.info.get("iterations", 0)), decision


def again(agent: Agent, state: State) -> Iterator[tuple[int, Decision]]:
    """Think again and again, until the position is proven."""
    iterations, grown = 0, 1
    while grown > 0:  # 0: the position is proven
        decision = agent.act(state)
        grown = int(decision.info.get("iterations", 0))
        iterations += grown
        yield iterations, decision
