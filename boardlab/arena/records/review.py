"""Another agent's opinion of a recorded game: what it would have played, and what it thinks of what was."""

from collections.abc import Iterator
from dataclasses import dataclass

from boardlab.arena.records.record import Record
from boardlab.games.game import as_seed
from boardlab.search.agent import AgentLike, Decision
from boardlab.search.expression import agent as make_agent


@dataclass(frozen=True)
class Opinion:
    """What an agent thinks of one decision of a game."""

    place: int
    """The action's place in the record's actions."""
    player: int
    action: int
    """What was played."""
    decision: Decision

    @property
    def agrees(self) -> bool:
        """Whether the agent would have played it, or values it as high as its own choice."""
        values = self.decision.values
        own = self.decision.action
        if own in values and self.action in values:
            return values[self.action] >= values[own]
        return own == self.action


class Reviewer:
    """Asks an agent about positions of a record, in any order: its answer does not depend on those before."""

    def __init__(self, record: Record, agent: AgentLike, seed: int = 0) -> None:
        self.record, self.seed = record, as_seed(seed)
        self.agent = make_agent(agent, record.game, seed=seed)
        self._states = list(record.states())
        self._known: dict[int, Opinion] = {}

    def __call__(self, place: int) -> Opinion | None:
        """The opinion of the action at that place; none where nature moved or the game ended."""
        if not 0 <= place < len(self.record.actions) or self._states[place].player < 0:
            return None
        if place not in self._known:
            state = self._states[place]
            self.agent.reset((self.seed + place) % 2**64)
            decision = self.agent.act(state)
            self._known[place] = Opinion(place, state.player, self.record.actions[place], decision)
        return self._known[place]


def review(record: Record, agent: AgentLike, seed: int = 0) -> Iterator[Opinion]:
    """The agent's opinion of every decision in the game, one after the other."""
    reviewer = Reviewer(record, agent, seed)
    for place in range(len(record.actions)):
        opinion = reviewer(place)
        if opinion is not None:
            yield opinion
