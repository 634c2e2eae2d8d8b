"""The picture of a position: the game's board with marks, opinions and places to click.

A game's face draws the board and its pieces (`Rules.draw_board`) and tells where actions show
(`Rules.action_spot`). All else is the same for every game and drawn here, so that a page can show and play a
game it knows nothing of: every place and button carries its action as `data-action`.
"""

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

from boardlab.errors import BoardLabError, shown
from boardlab.games.drawing import BoardCanvas, Button, Canvas, Spot, printed, quoted
from boardlab.games.history import Event, recent_events
from boardlab.games.opinions import LONGEST_LINE, OpinionMarks, as_opinion
from boardlab.games.palette import as_theme

if TYPE_CHECKING:
    from boardlab.games.game import State

MOST_BUTTONS = 240
"""Actions without a place on the board that are drawn as buttons."""


def picture(
    state: "State",
    decision: Any = None,
    *,
    legal: bool = False,
    last: int | bool | None = True,
    theme: str = "auto",
) -> str:
    """Draw a position; `State.to_svg` explains the arguments."""
    theme = as_theme(theme)
    rules = state.game.rules
    events = _events(state, last)
    marks = None if decision is None else OpinionMarks(state, as_opinion(decision))
    canvas = rules.draw_board(state)
    names = choices(state)
    spots = _spots(canvas, state, names)
    with canvas.group("last"):
        untold = [event for event in events if not rules.draw_last(canvas, state, event)]
    if legal:
        with canvas.group("legal"):
            for action, spot in spots.items():
                if marks is None or not marks.words(action):
                    rules.draw_legal(canvas, state, action, spot)
    told = _draw_opinion(canvas, state, marks, spots) if marks is not None else ""
    _draw_places(canvas, names, spots, marks)
    status = rules.status_text(state)
    player = _shown_player(state)
    canvas.caption(status, token=None if player is None else rules.player_token(state, player))
    played = ", ".join(f"{_mover(state, event)} {event.name}" for event in untold if event.name)
    if played:
        canvas.caption(f"last: {played}", size=12, fill="faint")
    if told:
        canvas.caption(f"expected: {told}", size=12, fill="faint")
    canvas.buttons(_buttons(names, spots, marks))
    canvas.description = f"{state.game.name}: {status}" + "".join(
        f", {_mover(state, e)} {e.name}" for e in events if e.name
    )
    return canvas.svg(theme)


def choices(state: "State") -> dict[int, str]:
    """Return the actions that whoever looks at the state may choose from, with names.

    None at a chance node, at the end, and while another player moves than the one whose view this is.
    """
    if state.player < 0 or state.core.viewer not in (-1, state.player):
        return {}
    return state.action_names()


def default_spot(canvas: Canvas, cells: tuple[int, ...]) -> Spot | None:
    """Return the spot of an action: its cell, or the arrow from its first to its last."""
    if not cells or not isinstance(canvas, BoardCanvas):
        return None
    return canvas.spot(cells[0]) if len(cells) == 1 else canvas.move_spot(cells[0], cells[-1])


def default_legal(canvas: Canvas, cells: tuple[int, ...], spot: Spot) -> None:
    """Mark a legal action: a dot, or the arrow of a move."""
    if len(cells) > 1 and isinstance(canvas, BoardCanvas):
        canvas.draw_move(cells[0], cells[-1])
    else:
        canvas.dot(spot)


def _spots(canvas: Canvas, state: "State", actions: Iterable[int]) -> dict[int, Spot]:
    """Return where actions show; of several that would hide each other the first."""
    spots: dict[int, Spot] = {}
    taken: set[str] = set()
    for action in actions:
        spot = state.game.rules.action_spot(canvas, state, action)
        if spot is not None and spot.outline not in taken:
            spots[action] = spot
            taken.add(spot.outline)
    return spots


def default_last(canvas: Canvas, cells: tuple[int, ...]) -> bool:
    """Mark the last action's cells; with several, faintly where it came from."""
    if not cells or not isinstance(canvas, BoardCanvas):
        return False
    *origins, target = cells
    for cell in origins:
        spot = canvas.spot(cell)
        canvas.circle(spot.x, spot.y, 0.5 * spot.reach, "none", stroke="faint", width=2)
    canvas.ring(canvas.spot(target))
    return True


def _events(state: "State", last: Any) -> list[Event]:
    if last is None or last is False:
        return []
    if last is True:
        return recent_events(state)
    if not isinstance(last, int) or not 0 <= last < state.game.action_count:
        raise BoardLabError(
            f"last must be an action from 0 to {state.game.action_count - 1}, True or False, "
            f"not {shown(last)}"
        )
    known = [event for event in recent_events(state) if event.player >= 0 and event.action == last]
    return known or [Event(state.last_player, last)]


def _mover(state: "State", event: Event) -> str:
    """Name who acted, unless there is only one player; nature is named in the players' stead."""
    if event.player < 0:
        return "nature:"
    return "" if state.game.players == 1 else state.game.rules.player_name(event.player)


def _shown_player(state: "State") -> int | None:
    """Return whose stone stands beside the caption: the mover, or the only winner."""
    if state.player >= 0:
        return state.player
    winners = state.game.rules.winning_players(state) if state.is_terminal else []
    return winners[0] if len(winners) == 1 else None


def _draw_places(
    canvas: Canvas, names: dict[int, str], spots: dict[int, Spot], marks: OpinionMarks | None
) -> None:
    """Lay invisible places to click over the board."""
    with canvas.group("places", fill_opacity="0"):
        for action, spot in spots.items():
            hint = marks.hint(action) if marks else ""
            title = f"<title>{escape(printed(f'{names[action]}: {hint}'))}</title>" if hint else ""
            tag = spot.outline.partition(" ")[0]
            end = f">{title}</{tag}>" if title else "/>"
            canvas.elements.append(
                f'<{spot.outline} data-action="{action}" aria-label={quoted(names[action])}{end}'
            )


def _draw_opinion(canvas: Canvas, state: "State", marks: OpinionMarks, spots: dict[int, Spot]) -> str:
    """Draw the discs and the expected line; return the line as text if it has no places."""
    rules, walk = state.game.rules, state.copy()
    steps: list[tuple[int, Spot]] = []
    words: list[str] = []
    for action in marks.opinion.line[:LONGEST_LINE]:
        if walk.core.viewer >= 0 or action not in walk.legal_actions():  # a user's agent may report anything
            break
        words.append(walk.action_text(action))
        spot = rules.action_spot(canvas, walk, action) if walk.player >= 0 else None
        if spot is not None:
            steps.append((len(steps) + 1, spot))
        walk.apply(action)
    with canvas.group("opinion"):
        marks.draw(canvas, spots)
        marks.draw_line(canvas, steps if rules.numbers_line else [])
    return " ".join(words) if len(words) > 1 and len(steps) < len(words) else ""


def _buttons(names: dict[int, str], spots: dict[int, Spot], marks: OpinionMarks | None) -> list[Button]:
    bare = [action for action in names if action not in spots][:MOST_BUTTONS]
    if marks is None:
        return [Button(action, names[action], "button", "ink", False) for action in bare]
    return [marks.button(action, names[action]) for action in bare]
