"""Hidden information of OpenSpiel's games: what a player sees, and full positions that fit it.

What a player sees is a fingerprint of its information state, so that nothing hidden can be read from it. In
this process the fingerprint also finds one history with that information state, from which the player's own
legal actions and observation are read.
"""

import hashlib
from random import Random
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.games.openspiel.histories import Histories, actor_in
from boardlab.games.openspiel.views import Tensors
from boardlab.games.python import Position

WORDS = 4
"""Integers of a fingerprint."""
MOST_STEPS = 2000
MOST_EXCHANGES = 200
RESAMPLING = {"bargaining", "bridge", "euchre", "gin_rummy", "hearts", "oh_hell"}
"""Games that can draw what is hidden themselves. Others, when asked, write a line to standard error."""
MOST_RESAMPLES = 8
MOST_FAILURES = 3


class Views:
    """Positions as one player sees them: (-1 - player, fingerprint, 0, 0, ...)."""

    def __init__(self, histories: Histories, tensors: Tensors) -> None:
        self.histories, self.tensors = histories, tensors
        kind = histories.spiel.get_type()
        self._remembers = bool(kind.provides_information_state_string)
        self._resamples = kind.short_name in RESAMPLING
        self._failures = 0
        """Times that events drawn one by one did not fit what was seen later."""
        self._most = 8 * histories.most_states
        self._keys: list[dict[tuple[Position, int], bytes]] = [{}, {}]
        self._known: list[dict[Position, Position]] = [{}, {}]

    def conceal(self, position: Position, player: int) -> Position:
        """Return the position as a player sees it."""
        if is_view(position):
            return position
        key = self.key(position, player)
        words = (int.from_bytes(key[i : i + 4], "big", signed=True) for i in range(0, 4 * WORDS, 4))
        view = (-1 - player, *words, *[0] * (len(position) - 1 - WORDS))
        if view not in self._known[0]:
            _put(self._known, view, self._known[1].get(view, position), self._most)
        return view

    def history(self, view: Position) -> Position:
        """Return a full position that the player cannot tell from the true one."""
        if (found := self._known[0].get(view)) is not None:
            return found
        if (found := self._known[1].get(view)) is not None:
            _put(self._known, view, found, self._most)  # a long search must not lose where it began
            return found
        raise BoardLabError("this view of a position is too old, or from another process")

    def key(self, position: Position, player: int) -> bytes:
        """Return a fingerprint of all that the player has seen so far, and of whose turn it is."""
        for keys in self._keys:
            if (found := keys.get((position, player))) is not None:
                return found
        state = self.histories.state(position)
        seen = self._seen(state, player)
        key = _digest(player, seen) if self._remembers else self._chained(position, player, seen)
        _put(self._keys, (position, player), key, self._most)
        return key

    def _seen(self, state: Any, player: int) -> bytes:
        """Return what a state shows to a player, in text and numbers, and whose turn it is."""
        text = state.information_state_string if self._remembers else state.observation_string
        numbers = self.tensors.of(state, player).tobytes() if self.tensors.shape else b""
        return b"\0".join((str(actor_in(state)).encode(), text(player).encode(), numbers))

    def _chained(self, position: Position, player: int, seen: bytes) -> bytes:
        """Fingerprint what was seen since the beginning, and the player's own actions.

        An event that the player does not notice leaves the fingerprint as it was.
        """
        if not position[0]:
            return _digest(player, seen)
        earlier, action = self.histories.before(position)
        last = self.histories.state(earlier)
        acted = actor_in(last) == player
        if not acted and self._seen(last, player) == seen:
            return self.key(earlier, player)
        return _digest(player, self.key(earlier, player), str(action).encode() if acted else b"", seen)

    def determinize(self, position: Position, player: int, rng: Random) -> Position:
        """Draw a history that the player cannot tell from the true one.

        Others' hidden actions count as equally likely.
        """
        true = self.history(position) if is_view(position) else position
        if self.histories.state(true).is_terminal():
            return true
        found = None
        if self._resamples and self._actor(true) == player:
            found = self._resampled(true, player, rng)
        if found is None and self._failures < MOST_FAILURES:
            found = self._redrawn(true, player, rng)
            self._failures += found is None
        return found or self._shuffled(true, player, rng)

    def _resampled(self, true: Position, player: int, rng: Random) -> Position | None:
        """Let the game draw its hidden parts.

        OpenSpiel's hearts and euchre often draw histories that break their own rules.
        """
        for _ in range(MOST_RESAMPLES):
            state = self.histories.state(true).resample_from_infostate(player, rng.random)
            found = self._replayed(list(state.history()), 0)
            if found is not None and self.key(found, player) == self.key(true, player):
                return found
        return None

    def _redrawn(self, true: Position, player: int, rng: Random) -> Position | None:
        """Draw the events one by one, and take one back if it contradicts what the player saw next.

        None if that takes too long: the player sees too late what was drawn before.
        """
        actions, saw = list(self.histories.actions(true)), self._keys_on_the_way(true, player)
        drawn = [self.histories.start]
        choices: list[list[int]] = []
        for _ in range(MOST_STEPS):
            depth = len(drawn) - 1
            if depth == len(actions):
                return drawn[-1]
            if len(choices) == depth:
                is_own = self._actor(drawn[-1]) == player
                choices.append([actions[depth]] if is_own else self._choices(drawn[-1], rng))
            if not choices[-1]:
                drawn.pop()
                choices.pop()
                continue
            child = self.histories.after(drawn[-1], choices[-1].pop())
            if self.key(child, player) == saw[depth + 1]:
                drawn.append(child)
        return None

    def _shuffled(self, true: Position, player: int, rng: Random) -> Position:
        """Exchange events of the history at random, as long as the player would not notice."""
        actions = list(self.histories.actions(true))
        others: dict[int, list[int]] = {}  # the places of events by who acted
        now = self.histories.start
        for place, action in enumerate(actions):
            if (actor := self._actor(now)) != player:
                others.setdefault(actor, []).append(place)
            now = self.histories.after(now, action)
        groups = [places for places in others.values() if len(places) > 1]
        wanted = self.key(true, player)
        for _ in range(min(max(50, 2 * len(actions)), MOST_EXCHANGES) if groups else 0):
            i, j = sorted(rng.sample(rng.choices(groups, [len(places) for places in groups])[0], 2))
            if actions[i] == actions[j]:
                continue
            actions[i], actions[j] = actions[j], actions[i]
            found = self._replayed(actions, i)
            if found is None or self.key(found, player) != wanted:
                actions[i], actions[j] = actions[j], actions[i]
        return self.histories.position(actions)

    def _replayed(self, actions: list[int], first: int) -> Position | None:
        """Return the position of a history whose actions are legal up to `first`.

        None if a later one breaks the rules.
        """
        now = self.histories.position(actions[:first])
        state = self.histories.state(now).clone()
        for action in actions[first:]:
            if state.is_terminal() or action not in state.legal_actions():
                return None
            state.apply_action(action)
        found = self.histories.position(actions)
        self.histories.keep(found, state)
        return found

    def _keys_on_the_way(self, position: Position, player: int) -> list[bytes]:
        """Return the player's fingerprint after 0, 1, ... actions."""
        now = self.histories.start
        found = [self.key(now, player)]
        for action in self.histories.actions(position):
            now = self.histories.after(now, action)
            found.append(self.key(now, player))
        return found

    def _actor(self, position: Position) -> int:
        return actor_in(self.histories.state(position))

    def _choices(self, position: Position, rng: Random) -> list[int]:
        """Return the possible actions in the reverse of a random order."""
        state = self.histories.state(position)
        if state.is_chance_node():
            drawn = [(rng.random() ** (1 / p), outcome) for outcome, p in state.chance_outcomes() if p > 0]
            return [outcome for _, outcome in sorted(drawn)]
        actions = list(state.legal_actions())
        rng.shuffle(actions)
        return actions


def is_view(position: Position) -> bool:
    """Return whether a position is what one player sees."""
    return bool(position[0] < 0)


def _digest(player: int, *parts: bytes) -> bytes:
    return hashlib.blake2b(b"\0".join(parts), digest_size=4 * WORDS, salt=bytes([player])).digest()


def _put(generations: list[Any], key: Any, value: Any, most: int) -> None:
    """Keep a value in the younger of two generations."""
    if len(generations[0]) >= most:
        generations[1], generations[0] = generations[0], {}
    generations[0][key] = value
