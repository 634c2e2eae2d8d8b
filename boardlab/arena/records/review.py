"""An agent's review of a recorded game: its choice and opinion at each action."""

from collections.abc import Iterator
from dataclasses import dataclass

from boardlab.arena.records.record import Record
from boardlab.games.game import as_seed
from boardlab.search.agent import AgentLike, Decision
from boardlab.search.expression import agent as make_agent


@dataclass(frozen=True)
class Opinion:
    """An agent's opinion of one decision in a game."""

    place: int
    """Index in the record's actions."""
    player: int
    action: int
    """The action played."""
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
    """Asks an agent about positions of a record, in any order."""

    def __init__(self, record: Record, agent: AgentLike, seed: int = 0) -> None:
        self.record, self.seed = record, as_seed(seed)
        self.agent = make_agent(agent, record.game, seed=seed)
        self._states = list(record.states())
        self._known: dict[int, Opinion] = {}

    def __call__(self, place: int) -> Opinion | None:
        """Return the opinion of the action at `place`; None for chance and at the end."""
        if not 0 <= place < len(self.record.actions) or self._states[place].player < 0:
            return None
        if place not in self._known:
            state = self._states[place]
            self.agent.reset((self.seed + place) % 2**64)
            decision = self.agent.act(state)
            self._known[place] = Opinion(place, state.player, self.record.actions[place], decision)
        return self._known[place]


def review(record: Record, agent: AgentLike, seed: int = 0) -> Iterator[Opinion]:
    """Yield the agent's opinion of every decision in the game."""
    reviewer = Reviewer(record, agent, seed)
    for place in range(len(record.actions)):
        opinion = reviewer(place)
        if opinion is not None:
            yield opinion
