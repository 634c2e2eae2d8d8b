"""A position of an OpenSpiel game: its history of actions, packed into a few integers.

The history is all that a position needs: it can be stored in files, sent to other processes and replayed.
OpenSpiel's own states are kept beside it, for the positions asked about last.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.games.game import CHANCE, TERMINAL
from boardlab.games.python import Position

MOST_WORDS = 1 << 10
"""Longer histories would make every position slow; chess has 2,048 actions then, of 17,695."""
MOST_STATES = 1 << 14
"""States of one generation, fewer where positions are long; at most two generations are kept."""

LARGE_STATES = {"gin_rummy", "morpion_solitaire"}
"""Games whose states take tens of kilobytes in OpenSpiel 2.0.2; gigabytes would be kept."""
MOST_LARGE_STATES = 1 << 10


def actor_in(state: Any) -> int:
    """Return who acts in a state of OpenSpiel: a player, CHANCE or TERMINAL."""
    if state.is_terminal():
        return TERMINAL
    return CHANCE if state.is_chance_node() else int(state.current_player())


class Histories:
    """Packs the actions of a game, and finds OpenSpiel's state of a position.

    A position is (number of actions, words...); a word holds several actions, the first in its lowest bits.
    """

    def __init__(self, spiel: Any, most_actions: int, least_words: int) -> None:
        self.spiel = spiel
        self.bits = max(1, (most_actions - 1).bit_length())
        self.per_word = max(1, 31 // self.bits)
        declared = spiel.max_history_length()
        self.longest = min(declared, MOST_WORDS * self.per_word)
        self.horizon = max(1, spiel.max_game_length() * self.longest // max(declared, 1))
        """Actions of the players after which a game is cut."""
        self.words = max(-(-self.longest // self.per_word), least_words)
        self.start: Position = (0,) * (1 + self.words)
        most = MOST_LARGE_STATES if spiel.get_type().short_name in LARGE_STATES else MOST_STATES
        self.most_states = max(min(most, (1 << 20) // self.words), 256)
        self._young: dict[Position, Any] = {}
        self._old: dict[Position, Any] = {}

    def after(self, position: Position, action: int) -> Position:
        """Return the position after an action."""
        count = position[0]
        if count >= self.longest:
            raise BoardLabError(f"a game of {self.spiel} may have {self.longest} actions at most")
        place = 1 + count // self.per_word
        word = position[place] | action << self.bits * (count % self.per_word)
        return (count + 1, *position[1:place], word, *position[place + 1 :])

    def before(self, position: Position) -> tuple[Position, int]:
        """Return the position before the last action, and that action."""
        count = position[0] - 1
        place, shift = 1 + count // self.per_word, self.bits * (count % self.per_word)
        word = position[place]
        return (count, *position[1:place], word & (1 << shift) - 1, *position[place + 1 :]), word >> shift

    def actions(self, position: Position) -> Iterator[int]:
        """Yield the actions of a position's history."""
        mask = (1 << self.bits) - 1
        for i in range(position[0]):
            yield position[1 + i // self.per_word] >> self.bits * (i % self.per_word) & mask

    def position(self, actions: Sequence[int]) -> Position:
        """Return the position of a history."""
        words = list(self.start)
        words[0] = len(actions)
        for i, action in enumerate(actions):
            words[1 + i // self.per_word] |= action << self.bits * (i % self.per_word)
        return tuple(words)

    def state(self, position: Position) -> Any:
        """Return OpenSpiel's state, which the caller must not change."""
        found = self._young.get(position)
        if found is None:
            found = self._old.get(position)
            if found is None:
                found = self._made(position)
            self.keep(position, found)
        return found

    def _made(self, position: Position) -> Any:
        if position[0]:
            earlier, action = self.before(position)
            parent = self._young.get(earlier) or self._old.get(earlier)
            if parent is not None:
                state = parent.clone()
                state.apply_action(action)
                return state
        state = self.spiel.new_initial_state()
        for action in self.actions(position):
            state.apply_action(action)
        return state

    def keep(self, position: Position, state: Any) -> None:
        """Remember OpenSpiel's state of a position."""
        if len(self._young) >= self.most_states:
            self._old, self._young = self._young, {}
        self._young[position] = state

    def check(self, position: Position) -> str | None:
        """Return what is wrong with integers that should be a position."""
        if position in self._young or position in self._old:
            return None
        if not 0 <= position[0] <= self.longest:
            return f"the number of actions must be from 0 to {self.longest}, not {position[0]}"
        if min(position[1:]) < 0 or self.position(list(self.actions(position))) != position:
            return "the words of the history have bits that belong to no action"
        state = self.spiel.new_initial_state()
        for number, action in enumerate(self.actions(position), 1):
            if state.is_terminal():
                return f"the game was over before action {number}"
            if action not in state.legal_actions():
                return f"action {number} of the history, {action}, was not legal"
            state.apply_action(action)
        self.keep(position, state)
        return None
