"""A board as coloured lines, with what happened, what is allowed and a cursor marked on it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from boardlab.games.game import State
from boardlab.games.history import Event
from boardlab.games.places import Place

INDENT = 2
"""Columns left of the board, which leave room for a bracket."""
HANGING = 2
"""Further columns left of the second line of a sentence."""
EMPTY, LEGAL, LAST, WON, LOST, HINTED, AIMED = (
    "dim", "bold green", "bold", "bold black on green", "bold white on red", "bold black on cyan", "reverse",
)  # fmt: skip


@dataclass(frozen=True)
class Marks:
    """What to mark on a board."""

    events: Sequence[Event] = ()
    """What happened last, in brackets: (X)."""
    legal: Sequence[int] = ()
    """Actions that the person may play."""
    hint: int | None = None
    """An action that an agent would play."""
    cursor: int | None = None
    """The cell under the cursor: [X]."""


@dataclass(frozen=True)
class View:
    """A drawn board: lines that keep their shape, and words below that may be wrapped."""

    board: list[Text]
    words: list[Text]
    places: dict[int, Place]
    focus: Place
    """What must stay visible where the window is too small."""


def draw(state: State, marks: Marks) -> View:
    """Draw the position that a person sees."""
    rules = state.game.rules
    places = {
        cell: Place(place.line, place.column + INDENT, place.width)
        for cell, place in rules.text_places(state).items()
    }
    rows = [list(" " * INDENT + line + " ") for line in rules.board_text(state).split("\n")]
    last = [places[cell] for cell in _last_cells(state, marks.events) if cell in places]
    cursor = places.get(-1 if marks.cursor is None else marks.cursor)
    if cursor is not None:
        _bracket(rows, cursor, "[]")
    for place in last:
        _bracket(rows, place, "()")
    text = Text("\n".join("".join(row).rstrip() for row in rows), no_wrap=True)
    for pattern, style in rules.colours:
        text.highlight_regex(pattern, style)
    lines = list(text.split("\n", allow_blank=True))
    _stylize(lines, state, places, marks, last)
    if cursor is not None:
        line, start, end = lines[cursor.line], cursor.column, cursor.column + cursor.width
        has_brackets = line.plain[start - 1] == "["  # then the cell keeps its colour
        for column in (start - 1, end) if has_brackets else range(start, end):
            line.stylize(AIMED, column, column + 1)
    height = max((place.line + 1 for place in places.values()), default=0)
    focus = cursor or (last[-1] if last else Place(0, 0))
    return View(lines[:height], lines[height:], places, focus)


def _last_cells(state: State, events: Iterable[Event]) -> list[int]:
    rules = state.game.rules
    return [cell for event in events for cell in rules.last_cells(state, event)[-1:]]


def _bracket(rows: list[list[str]], place: Place, pair: str) -> None:
    """Write brackets around a cell if there is room."""
    row, sides = rows[place.line], (place.column - 1, place.column + place.width)
    if all(row[column] == " " for column in sides):
        for column, bracket in zip(sides, pair, strict=True):
            row[column] = bracket


def _stylize(
    lines: list[Text], state: State, places: dict[int, Place], marks: Marks, last: Sequence[Place]
) -> None:
    rules = state.game.rules
    cells_of = {action: rules.action_cells(state, action) for action in marks.legal}
    targets = {cells[-1] for cells in cells_of.values() if cells}
    sources = {cells[0] for cells in cells_of.values() if len(cells) == 2}
    won = {cell for line in rules.winning_cells(state) for cell in line} if state.is_terminal else set()
    # In some games a line loses: a triangle in sim, three in a row in yavalath.
    decided = WON if state.last_player in rules.winning_players(state) else LOST
    hinted = set(cells_of.get(-1 if marks.hint is None else marks.hint, ())[-1:])
    for cell, place in places.items():
        line, start, end = lines[place.line], place.column, place.column + place.width
        is_empty = line.plain[start:end] == "."
        if is_empty:
            line.stylize(LEGAL if cell in targets else EMPTY, start, end)
        elif cell in targets or cell in sources:
            line.stylize("underline", start, end)
        for group, style in ((won, decided), (hinted, HINTED)):
            if cell in group:
                line.stylize(style, start, end)
    for place in last:
        lines[place.line].stylize(LAST, place.column - 1, place.column + place.width + 1)


def wrapped(lines: Iterable[Text], width: int, console: Console) -> list[Text]:
    """Break lines between words, and indent what follows; a word longer than the width is folded."""
    found: list[Text] = []
    for line in lines:
        line.no_wrap = False
        if line.cell_len <= width:
            found.append(line)
            continue
        indent = len(line.plain) - len(line.plain.lstrip())
        first, *more = line.wrap(console, max(width - indent - HANGING, 1)) if line.plain.strip() else [line]
        for part in (first, *more):
            part.rstrip()
        found += [first, *(Text(" " * (indent + HANGING)) + part for part in more)]
    return found


def window(lines: Sequence[Text], focus: Place, width: int, height: int) -> list[Text]:
    """Cut lines down to a window around the focus."""
    top = _start(focus.line, len(lines), height)
    widest = max((line.cell_len for line in lines), default=0)
    left = _start(focus.column, widest, width)
    return [line[left : left + width] if left < len(line) else Text() for line in lines[top : top + height]]


def _start(at: int, size: int, room: int) -> int:
    """Return where a window of `room` begins that has `at` in its middle."""
    return max(0, min(at - room // 2, size - room))
