"""A game for good: who played what, from where, and what came of it, whatever file it came from."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from boardlab import _engine
from boardlab.arena.match import GameRecord, was_cut
from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State

UNFINISHED = "unterminated"
"""How a game ended that did not end (the words are PGN's)."""
ERROR, ADJUDICATED, ABANDONED = "rules infraction", "adjudication", "abandoned"
CUT = "horizon"
"""How a game ended that was cut at the game's horizon and counts as it stood: PGN has no word for it."""


@dataclass(frozen=True)
class Record:
    """One game, complete: it can be replayed, saved and loaded again, bit by bit."""

    game: Game
    players: tuple[str, ...]
    """Names in the order of the seats; the first one begins."""
    actions: tuple[int, ...]
    """All actions, chance outcomes included."""
    scores: tuple[float, ...]
    """One number a seat."""
    seed: int = 0
    """Of the initial state, in games whose set-up is random."""
    start: State | None = None
    """Where it began, if not at the initial state of its seed."""
    values: tuple[float | None, ...] = ()
    """What the mover expected of each action, where that is known."""
    ending: str = ""
    """Why it ended if not by the rules: PGN's words, as "adjudication" or "unterminated"; or "horizon"."""
    error: str = ""
    """What an agent did wrong."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """What else a file says: Event, Date, Round ..."""

    @property
    def first_state(self) -> State:
        """The position in which it began."""
        if self.start is not None:
            return self.start.copy()
        return State(self.game, _engine.match_start(self.game.core, self.seed))

    def value(self, number: int) -> float | None:
        """What the mover expected of that action, where that is known."""
        value = self.values[number] if self.values else None
        return value if value is not None and math.isfinite(value) else None

    def states(self) -> Iterator[State]:
        """All positions, the first included, each an object of its own."""
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
    """A record of a match as one for files. Values are kept to four digits: files are for people, too."""
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
    """To four digits; nothing where it is not a number."""
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
    """The record that (place, action as text) tell; the first illegal one is an error that names its place.

    `forced_passes` plays a pass that is the only action where the text leaves it out, as transcripts do.
    `read` knows what a word of the file means, where that is not the action's name.
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
    """Plays passes while there is nothing else to play."""
    made = []
    while not state.is_terminal and list(state.action_names().values()) == ["pass"]:
        made += state.legal_actions()
        state.apply(made[-1])
    return made
