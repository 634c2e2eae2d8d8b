"""The position on the table, with the actions that led to it and those taken back."""

import datetime
from dataclasses import replace

from boardlab.arena.records import Record
from boardlab.arena.records.record import UNFINISHED, rounded
from boardlab.errors import BoardLabError
from boardlab.games.game import CHANCE, State

PASS = "pass"
DIRECTIONS = {
    "w": "up", "a": "left", "s": "down", "d": "right", "u": "up", "l": "left", "r": "right",
}  # fmt: skip
"""Letters for directions: WASD, and the first letters that mean nothing else there."""
WORDS = (
    ("undo", "u", "takes an action back"),
    ("redo", "r", "plays it again"),
    ("hint", "h", "shows an agent's choice"),
    ("help", "?", "shows the actions and the rules"),
    ("quit", "q", "stops"),
)
"""Words to type instead of an action: long form, short form, effect."""
OTHER_WORDS = {"exit": "quit", "l": "help", "list": "help"}


class Table:
    """The position with its history of actions and expected values."""

    def __init__(self, state: State) -> None:
        self.state, self.first = state, state.copy()
        self.actions: list[int] = []
        """All actions, including those that were taken back and can be played again."""
        self.values: list[float | None] = []
        self.names: set[str] = set()
        """Names of all actions legal so far; these are never read as words such as undo."""
        self.meet_actions()

    @classmethod
    def from_record(cls, record: Record) -> "Table":
        """Set up a recorded game, at its end."""
        table = cls(record.first_state)
        for number, action in enumerate(record.actions):
            table.apply(action, record.value(number))
        return table

    def meet_actions(self) -> None:
        """Note the names of this position's actions."""
        if self.state.player != CHANCE and not self.state.is_terminal:
            self.names.update(self.state.action_names().values())

    @property
    def has_directions(self) -> bool:
        """Whether the game is about directions: arrow keys and WASD play."""
        return bool(self.names) and self.names <= set(DIRECTIONS.values())

    @property
    def is_forced(self) -> bool:
        """Whether the player has to pass."""
        return list(self.state.action_names().values()) == [PASS]

    def words(self) -> str:
        """List the words to type instead of an action.

        A short form that names an action is left out.
        """
        taken = self.names | (set(DIRECTIONS) if self.has_directions else set())
        return ", ".join(
            f"{word} {does}" if short in taken else f"{word} ({short}) {does}" for word, short, does in WORDS
        )

    def read(self, answer: str) -> int | str:
        """Return the action that a person typed, or one of our words."""
        answer = answer.strip()
        # Actions take precedence over our words: U and L are twists of a cube.
        if answer not in self.names:
            word = answer.lower()
            if self.has_directions and word in DIRECTIONS:
                return self.state.parse_action(DIRECTIONS[word])
            for long, short, _ in WORDS:
                if word in (long, short):
                    return long
            if word in OTHER_WORDS:
                return OTHER_WORDS[word]
            if not word:
                raise BoardLabError("type an action, or ? for help")
        return self.state.parse_action(answer)

    def apply(self, action: int, value: float | None = None) -> None:
        """Play an action and forget those taken back before."""
        self.state.apply(action)
        before = self.state.actions_played - 1
        self.actions[before:] = [action]
        self.values[before:] = [None if value is None else rounded(value)]
        self.meet_actions()

    def _is_choice(self, people: set[int], state: State) -> bool:
        """Return whether a person has something to decide."""
        return state.player in people and list(state.action_names().values()) != [PASS]

    def undo(self, people: set[int]) -> bool:
        """Go back to a person's previous decision; return False if there is none."""
        earlier = self.state.copy()
        while earlier.actions_played:
            earlier.undo()
            if self._is_choice(people, earlier):
                while self.state.actions_played > earlier.actions_played:
                    self.state.undo()
                return True
        return False

    def redo(self, people: set[int]) -> bool:
        """Play what was taken back, up to the next decision; return False if there is nothing."""
        played = self.state.actions_played
        for action in self.actions[played:]:
            self.state.apply(action)
            if self._is_choice(people, self.state):
                break
        return self.state.actions_played > played

    def record(self, names: list[str]) -> Record:
        """Return the game so far."""
        played = self.state.actions_played
        values = self.values[:played]
        record = Record(
            self.state.game,
            tuple(names),
            tuple(self.actions[:played]),
            tuple(self.state.scores.tolist()),
            values=tuple(values) if any(value is not None for value in values) else (),
            ending="" if self.state.is_terminal else UNFINISHED,
            tags={"Event": "boardlab play", "Date": f"{datetime.date.today():%Y.%m.%d}"},
        )
        return record if record.first_state == self.first else replace(record, start=self.first)
