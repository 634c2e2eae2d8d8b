"""The agents behind a list of entrants, and who of a folder of runs plays when.

A folder of runs is one entrant with several agents. Its games are dealt to them round by round, so that every
run plays equally often, on openings of its own.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from boardlab.arena.arena import GameRecord
from boardlab.errors import BoardLabError
from boardlab.search.agent import Agent
from boardlab.search.entrants import Entrant

MOST_GAMES = 1_000_000
"""Most games of a pairing with a folder of runs: every game has an entry in a list."""


class Field:
    """Entrants, and all their agents one after the other."""

    def __init__(self, entrants: Sequence[Entrant]) -> None:
        self.entrants = list(entrants)
        self.agents: list[str | Agent] = [agent for entrant in entrants for agent in entrant.players]
        self.labels = [label for entrant in entrants for label in _labels(entrant)]
        self.names = tuple(entrant.label for entrant in entrants)
        self.expressions = tuple(entrant.expression for entrant in entrants)
        self.described = tuple(replace(entrant, agent=entrant.expression) for entrant in entrants)
        """The entrants without agent objects, for results."""
        self._sizes = [len(entrant.players) for entrant in entrants]
        self._places = [(i, run) for i, size in enumerate(self._sizes) for run in range(size)]
        self._firsts = [sum(self._sizes[:i]) for i in range(len(self._sizes))]
        self.cycle = math.lcm(*self._sizes)
        """Rounds after which every run has played equally often."""

    @property
    def has_folders(self) -> bool:
        """Whether an entrant is a folder of runs."""
        return any(entrant.members for entrant in self.entrants)

    def whole_rounds(self, rounds: int, turn: int) -> int:
        """Round a number of rounds of `turn` games up, so that all runs play equally often."""
        whole = -(-rounds // self.cycle) * self.cycle
        if self.has_folders and whole * turn > MOST_GAMES:
            raise BoardLabError(
                f"games with a folder of runs must be at most {MOST_GAMES:,}, not {whole * turn:,}"
            )
        return whole

    def seated(self, seating: Sequence[int], round: int, starts: int = 0) -> list[int]:
        """Return the agents of a seating of entrants in a round.

        Two folders meet with other pairs of runs every cycle. Where runs and `starts`, the number of
        openings, have a common factor, each pass over the openings deals them to other runs.
        """
        passed = round // starts if starts and math.gcd(starts, self.cycle) > 1 else 0
        seats = []
        for entrant in seating:
            shift = round // self.cycle * sum(size > 1 for size in self._sizes[:entrant])
            seats.append(self._firsts[entrant] + (round + passed + shift) % self._sizes[entrant])
        return seats

    def placed(self, record: GameRecord) -> GameRecord:
        """Return a record of agents as one of entrants."""
        if not self.has_folders:
            return record
        seats, runs = zip(*(self._places[agent] for agent in record.seats), strict=True)
        return replace(record, seats=seats, runs=runs)


def _labels(entrant: Entrant) -> list[str]:
    """Return the names of an entrant's agents in errors."""
    return [f"{entrant.label} ({run})" for run in entrant.runs] or [entrant.label]
