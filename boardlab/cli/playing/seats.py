"""Who sits where: people at the terminal and agents."""

import re
from collections.abc import Sequence

from boardlab.cli.common import agent_from
from boardlab.errors import BoardLabError
from boardlab.games.game import Game, as_integer
from boardlab.search.agent import Agent
from boardlab.search.expression import agent as make_agent

HUMAN = "human"


def read_seats(game: Game, given: Sequence[str], against: str) -> list[str]:
    """Return who plays each seat: an agent's expression, or `human`.

    A number alone is your seat, `1=AGENT` gives a seat to an agent or to a `human`. Without a person among
    these, the first seat that is not given is yours; `against` plays the others.
    """
    seats: dict[int, str] = {}
    for word in given:
        named = re.fullmatch(r"\s*([^=(]*?)\s*=\s*(.+)", word, re.DOTALL)
        number = _seat_number(game, named[1] if named else word)
        if number in seats:
            raise BoardLabError(f"seat {number} is given twice")
        seats[number] = agent_from(named[2]) if named else HUMAN
    free = [seat for seat in range(game.players) if seat not in seats]
    if HUMAN not in seats.values() and free:
        seats[free.pop(0)] = HUMAN
    other = agent_from(against) if free else ""
    return [seats.get(seat, other) for seat in range(game.players)]


def _seat_number(game: Game, word: str) -> int:
    if not re.fullmatch(r"[+-]?\d{1,9}", word.strip()):
        raise BoardLabError(
            f'--seat takes your seat or SEAT=AGENT, as in --seat 1 or --seat "1=mcts(rollout)", not "{word}"'
        )
    return as_integer("the seat", int(word), 0, game.players - 1)


def make_players(game: Game, seats: Sequence[str], seed: int) -> list[Agent | None]:
    """Make the agents, None for people."""
    made = [make_agent(seat, game, seed=(seed + number) % 2**64) for number, seat in enumerate(seats)]
    return [None if player.expression == HUMAN else player for player in made]
