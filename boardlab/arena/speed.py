"""How fast an agent plays: actions per second of CPU time."""

import time
from dataclasses import dataclass

from boardlab.arena.arena import Arena, GameRecord
from boardlab.arena.intervals import interval
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import Game, as_game, as_seed, is_number
from boardlab.numbers import counted, duration, plain
from boardlab.reports import Report
from boardlab.search.entrants import EntrantLike, as_entrants

PARTS = 10
"""Parts of a measurement; the interval is that between them."""
MOST_SECONDS = 86_400.0
ANY = (-float("inf"), float("inf"))


@dataclass(frozen=True, repr=False)
class Speed(Report):
    """What playing costs an agent; prints as `boardlab evaluate --speed`."""

    game: Game
    agent: str
    """Its name, or its expression."""
    games: int
    """Games of the agent against itself."""
    actions: int
    """Decisions in all seats together."""
    cpu_seconds: float
    """CPU time of this process, all threads together."""
    seconds: float
    """The same by the clock."""
    interval: float
    """Half width of the 95% interval of `actions_per_second`; NaN for a single part."""

    @property
    def actions_per_second(self) -> float:
        """Actions per second of CPU time."""
        return self.actions / self.cpu_seconds

    @property
    def seconds_per_action(self) -> float:
        """CPU time of an action."""
        return self.cpu_seconds / self.actions

    def __str__(self) -> str:
        width = "" if self.interval != self.interval else f" ± {_rounded(self.interval)}"
        return (
            f"{self.agent}: {_rounded(self.actions_per_second)}{width} actions per second of CPU time, "
            f"{duration(self.seconds_per_action)} per action ({duration(self.seconds / self.actions)} by the "
            f"clock)\n  {counted(self.games, 'games')} of {self.game.name} against itself, "
            f"{counted(self.actions, 'actions')}"
        )


def _rounded(speed: float) -> str:
    return f"{speed:,.0f}" if speed >= 100 else plain(speed, 3)


def speed(agent: EntrantLike, game: Game, seconds: float = 2.0, seed: int = 0) -> Speed:
    """Let an agent play itself for about `seconds`, and count its actions.

    At least one game is played to its end, however long it takes. Rules, dice and opponents, which are copies
    of the agent, are part of the time; loading the agent is not. Of a folder of runs the first one plays.
    Time that other programs take for the agent (engines, a GPU) shows by the clock only.
    """
    as_game(game)
    if not is_number(seconds) or not 0 < seconds <= MOST_SECONDS:
        raise BoardLabError(f"seconds must be above 0 and at most {MOST_SECONDS:,.0f}, not {shown(seconds)}")
    entrant = as_entrants([agent])[0]
    player = entrant.players[0]
    if entrant.expression == "human":
        raise BoardLabError("a person plays at the terminal; only programs have a speed")
    arena = Arena(game, [player] * game.players, as_seed(seed))
    played, size = 0, 1
    parts: list[_Part] = []
    while sum(part.longer for part in parts) < seconds:
        part = _play(arena, played, played + size)
        played += size
        # What is too short to be timed is a warm-up.
        if part.actions and part.longer >= seconds / PARTS / 2:
            parts.append(part)
        else:
            size *= 2
    return Speed(
        game,
        entrant.label,
        sum(part.games for part in parts),
        sum(part.actions for part in parts),
        sum(part.cpu for part in parts),
        sum(part.clock for part in parts),
        interval([part.actions / part.cpu for part in parts], ANY),
    )


@dataclass(frozen=True)
class _Part:
    """Some games, timed together."""

    games: int
    actions: int
    cpu: float
    clock: float

    @property
    def longer(self) -> float:
        """CPU time, or the time by the clock if other programs worked."""
        return max(self.cpu, self.clock)


def _play(arena: Arena, first: int, end: int) -> _Part:
    """Play the games first .. end - 1."""
    actions = 0

    def receive(fresh: list[GameRecord]) -> None:
        nonlocal actions
        for record in fresh:
            if record.failed:
                raise BoardLabError(f"a game ended by an error, so there is no speed: {record.error}")
            actions += sum(record.decisions)

    cpu, clock = time.process_time(), time.perf_counter()
    arena.play([list(range(arena.game.players))], end, receive, first)
    return _Part(
        end - first, actions, max(time.process_time() - cpu, 1e-9), max(time.perf_counter() - clock, 1e-9)
    )
