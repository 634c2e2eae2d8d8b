"""What happened last: read from the positions that `undo` would bring back."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boardlab.games.game import State

MOST_EVENTS = 64
"""How many chance events after a player's action are looked at."""


@dataclass(frozen=True)
class Event:
    """An action or a chance outcome that led to a position."""

    player: int
    """Who acted, or `boardlab.CHANCE`."""
    action: int
    before: "State | None" = None
    """The position in which it was played; None if that is not known."""

    @property
    def name(self) -> str:
        """The action as players write it; empty if the position before it is not known."""
        return "" if self.before is None else self.before.action_text(self.action)


def recent_events(state: "State") -> list[Event]:
    """Return the last action of a player and the chance events after it, oldest first.

    A position without a history, such as one that was read from text, has none.
    """
    events: list[Event] = []
    walk = state.copy()
    while walk.actions_played and len(events) < MOST_EVENTS:
        after = walk.core.to_bytes()
        walk.undo()
        action = _action_between(walk, after)
        if action is None:  # a playout made several steps at once
            break
        events.append(Event(walk.player, action, walk.copy()))
        if walk.player >= 0:
            break
    return events[::-1]


def _action_between(before: "State", after: bytes) -> int | None:
    """Return the action that leads from one position to another; None if there is none."""
    for action in before.legal_actions():
        before.apply(action)
        is_found = before.core.to_bytes() == after
        before.undo()
        if is_found:
            return action
    return None
