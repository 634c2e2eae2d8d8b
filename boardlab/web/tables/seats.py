"""Who sits at a table: people, agents, or nobody yet."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.web.people import Person
from boardlab.web.policy import Policy

PERSON, AGENT, OPEN = "person", "agent", "open"
LONGEST_NAME = 40


@dataclass(frozen=True)
class Seat:
    """One seat."""

    kind: str
    """person, agent, or open: whoever has the link may sit down."""
    person: str = ""
    """The id of the person."""
    agent: str = ""
    """The agent's expression."""
    name: str = ""
    """What pages show; by default "you", "a guest" or the expression."""

    def as_json(self) -> dict[str, str]:
        """Return the seat for the database."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, str]) -> "Seat":
        """Read a seat from the database."""
        return cls(**value)


def read_seats(game: Game, given: Any, person: Person, policy: Policy) -> list[Seat]:
    """Return the seats that a page asks for: "you", "open", or an agent's expression each.

    An agent may be given with a name, {"agent": ..., "name": ...}.
    """
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != game.players:
        raise BoardLabError(f"{game.name} has {game.players} seats; say who takes each of them")
    return [read_seat(one, person, policy) for one in given]


def read_seat(given: Any, person: Person, policy: Policy) -> Seat:
    """Return the seat that a page asks for."""
    if given == "you":
        return Seat(PERSON, person.id)
    if given == OPEN:
        return Seat(OPEN)
    name = ""
    if isinstance(given, dict):
        name, given = str(given.get("name", ""))[:LONGEST_NAME], given.get("agent")
    return Seat(AGENT, agent=policy.agent(given), name=name)
