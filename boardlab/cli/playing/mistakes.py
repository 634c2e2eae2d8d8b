"""The worst mistakes of a finished game, in the opinion of an agent."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from boardlab.arena.records import Record
from boardlab.arena.records.review import Opinion, Reviewer
from boardlab.games.game import State
from boardlab.numbers import plain
from boardlab.search.agent import AgentLike

MOST = 5
"""Mistakes shown."""


@dataclass(frozen=True)
class Mistake:
    """A decision that the agent would have made differently."""

    state: State
    opinion: Opinion

    @property
    def cost(self) -> float:
        """How much lower the agent values the action than its own choice; NaN if it has no values."""
        values = self.opinion.decision.values
        best, played = (values.get(a, math.nan) for a in (self.opinion.decision.action, self.opinion.action))
        return best - played

    def __str__(self) -> str:
        played, better = (
            self.state.action_text(a) for a in (self.opinion.action, self.opinion.decision.action)
        )
        name = self.state.game.rules.player_name(self.opinion.player)
        by = "" if math.isnan(self.cost) else f" by {plain(self.cost, 3)}"
        return f"action {self.opinion.place + 1}: {name} played {played}; {better} is better{by}"


class Review:
    """Asks the agent about the decisions of some players, one at a time."""

    def __init__(self, record: Record, agent: AgentLike, players: set[int], seed: int) -> None:
        self._reviewer = Reviewer(record, agent, seed)
        self._states = list(record.states())
        self.places = [
            place
            for place, state in enumerate(self._states[: len(record.actions)])
            if state.player in players and len(state.legal_actions()) > 1
        ]
        self.judged = 0
        self._found: list[Mistake] = []

    def __iter__(self) -> Iterator[int]:
        """Judge the decisions; yield how many were judged."""
        for place in self.places:
            yield self.judged
            opinion = self._reviewer(place)
            self.judged += 1
            if opinion is not None and not opinion.agrees:
                self._found.append(Mistake(self._states[place], opinion))

    @property
    def mistakes(self) -> list[Mistake]:
        """The worst mistakes found so far, the worst first."""
        costs = [(-m.cost if not math.isnan(m.cost) else 0.0, m.opinion.place) for m in self._found]
        ranked = sorted(zip(costs, self._found, strict=True), key=lambda pair: pair[0])
        return [mistake for _, mistake in ranked[:MOST]]

    def summary(self) -> str:
        """Write how many decisions were judged, and by whom."""
        agreed = self.judged - len(self._found)
        who = self._reviewer.agent.expression
        if not self.judged:
            return "no decision to review"
        return f"{who} agrees with {agreed} of {self.judged} decisions" + (
            "; the worst mistakes:" if self._found else ""
        )
