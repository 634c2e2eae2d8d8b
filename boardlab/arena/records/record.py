"""A complete record of one game, independent of the file it came from."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from boardlab import _engine
from boardlab.arena.arena import GameRecord
from boardlab.arena.played import was_cut
from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State

UNFINISHED = "unterminated"
"""Endings of games that did not end by the rules, in PGN's words."""
ERROR, ADJUDICATED, ABANDONED = "rules infraction", "adjudication", "abandoned"
CUT = "horizon"
"""Ending of a game that was cut at the horizon and counts as it stood; PGN has no word for it."""


@dataclass(frozen=True)
class Record:
    """One complete game, which can be replayed, saved and loaded again exactly."""

    game: Game
    players: tuple[str, ...]
    """Names in seat order; the first one begins."""
    actions: tuple[int, ...]
    """All actions, chance outcomes included."""
    scores: tuple[float, ...]
    """One number per seat."""
    seed: int = 0
    """Seed of the initial state, in games with a random set-up."""
    start: State | None = None
    """Where it began, if not at the initial state of its seed."""
    values: tuple[float | None, ...] = ()
    """What the player expected of each action, if known."""
    ending: str = ""
    """Why it ended, if not by the rules: PGN's words such as "adjudication", or "horizon"."""
    error: str = ""
    """The error of an agent that failed."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Other tags of a file: Event, Date, Round ..."""

    @property
    def first_state(self) -> State:
        """The position in which it began."""
        if self.start is not None:
            return self.start.copy()
        return State(self.game, _engine.match_start(self.game.core, self.seed))

    def value(self, number: int) -> float | None:
        """Return what the player expected of that action, if known."""
        value = self.values[number] if self.values else None
        return value if value is not None and math.isfinite(value) else None

    def states(self) -> Iterator[State]:
        """Yield all positions, including the first, each as a separate object."""
        state = self.first_state
        yield state.copy()
        for action in self.actions:
            state.apply(action)
            yield state.copy()

    @property
    def is_finished(self) -> bool:
        """Whether it has a result."""
        return self.ending != UNFINISHED


def from_match(game: Game, agents: Sequence[str], record: GameRecord) -> Record:
    """Convert a record of a match to one for files, with values to four digits."""
    values = tuple(map(rounded, record.values))
    ending = ERROR if record.error else ADJUDICATED if record.adjudicated else ""
    return Record(
        game,
        tuple(agents[agent] for agent in record.seats),
        record.actions,
        record.scores,
        record.seed,
        record.start,
        values if any(value is not None for value in values) else (),
        ending or (CUT if was_cut(game, record) else ""),
        " ".join(record.error.split()),
    )


def rounded(value: float) -> float | None:
    """Round to four digits; None for NaN."""
    return float(f"{value:.4g}") if math.isfinite(value) else None


def played(
    game: Game,
    words: Sequence[tuple[str, str]],
    *,
    start: State | None = None,
    players: Sequence[str] = (),
    values: Sequence[float | None] = (),
    tags: Mapping[str, str] | None = None,
    forced_passes: bool = False,
    read: Callable[[State, str], int] = State.parse_action,
) -> Record:
    """Make a record from (place, action text).

    An illegal action raises an error with its place.

    `forced_passes` plays passes that the text leaves out, as transcripts do. `read` translates a word of the
    file if it is not the action's name.
    """
    state = (start or game.initial_state()).copy()
    actions: list[int] = []
    for number, (place, word) in enumerate(words, 1):
        if forced_passes and word.lower() != "pass":
            actions += _passes(state)
        try:
            action = read(state, word)
        except BoardLabError as error:
            raise BoardLabError(f'{place}, move {number} "{word}": {error}') from None
        state.apply(action)
        actions.append(action)
    if forced_passes:
        actions += _passes(state)
    return Record(
        game,
        tuple(players) or ("?",) * game.players,
        tuple(actions),
        tuple(state.scores.tolist()),
        start=start,
        values=tuple(values) if any(value is not None for value in values) else (),
        ending="" if state.is_terminal else UNFINISHED,
        tags=dict(tags or {}),
    )


def _passes(state: State) -> list[int]:
    """Play passes while nothing else can be played."""
    made = []
    while not state.is_terminal and list(state.action_names().values()) == ["pass"]:
        made += state.legal_actions()
        state.apply(made[-1])
    return made
