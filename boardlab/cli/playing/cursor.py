"""A cursor that moves over the cells of a board and the buttons below it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.text import Text

from boardlab.cli.playing import keys
from boardlab.cli.playing.view import AIMED, INDENT
from boardlab.games.game import State
from boardlab.games.places import Place


@dataclass
class Cursor:
    """Where the cursor stands; rebuilt for every position, but it keeps its cell."""

    cell: int | None = None
    button: int | None = None
    """An action without a place on the board."""
    places: dict[int, Place] = field(default_factory=dict)
    actions: dict[int, list[int]] = field(default_factory=dict)
    """The legal actions of each cell."""
    buttons: dict[int, str] = field(default_factory=dict)
    by_columns: bool = False
    """Whether an action is a column, so that only legal cells can be aimed at."""

    def meet(self, state: State, legal: Sequence[int], choice: Sequence[int]) -> None:
        """Take over the cells and actions of a position.

        `choice` are actions of one cell between which the person has to choose: they become the buttons.
        """
        rules, names = state.game.rules, state.action_names(choice or legal)
        self.places = rules.text_places(state)
        self.actions, self.buttons = {}, {}
        sources: dict[int, list[int]] = {}
        for action in legal if not choice else ():
            cells = rules.action_cells(state, action)
            if not cells or cells[-1] not in self.places:
                self.buttons[action] = names[action]
                continue
            self.actions.setdefault(cells[-1], []).append(action)
            if len(cells) == 2:  # a move: its stone will do too
                sources.setdefault(cells[0], []).append(action)
        self.actions = sources | self.actions
        self.by_columns = state.game.action_count == len({place.column for place in self.places.values()})
        if choice:
            self.buttons = dict(names)
            self.button = self.button if self.button in names else choice[0]
        else:
            self._settle()

    def _settle(self) -> None:
        """Stand somewhere: where it stood, or else near the middle of the board."""
        if self.button in self.buttons:
            return
        self.button = None
        if self._can_aim(self.cell):
            return
        self.cell = None
        if self.actions:
            lines = [place.line for place in self.places.values()]
            columns = [place.column for place in self.places.values()]
            middle = Place((min(lines) + max(lines)) // 2, (min(columns) + max(columns)) // 2)
            self.cell = min(self.actions, key=lambda cell: _distance(self.places[cell], middle))
        elif self.buttons:
            self.button = next(iter(self.buttons))

    def _can_aim(self, cell: int | None) -> bool:
        return bool(self.actions) and (cell in self.actions if self.by_columns else cell in self.places)

    def move(self, key: str) -> None:
        """Move by an arrow key."""
        if self.button is not None:
            self._move_from_button(key)
            return
        if self.cell is None:
            return
        at = self.places[self.cell]
        aims = {cell: place for cell, place in self.places.items() if self._can_aim(cell)}
        if key in (keys.LEFT, keys.RIGHT):
            sign = 1 if key == keys.RIGHT else -1
            ahead = {c: p for c, p in aims.items() if sign * (p.column - at.column) > 0}
            if not self.by_columns:
                ahead = {c: p for c, p in ahead.items() if p.line == at.line}
            if ahead:
                self.cell = min(ahead, key=lambda c: (abs(ahead[c].column - at.column), ahead[c].line))
            return
        sign = 1 if key == keys.DOWN else -1
        ahead = {c: p for c, p in aims.items() if sign * (p.line - at.line) > 0}
        if ahead and not self.by_columns:
            self.cell = min(
                ahead, key=lambda c: (abs(ahead[c].line - at.line), abs(ahead[c].column - at.column))
            )
        elif key == keys.DOWN and self.buttons:
            self.button = next(iter(self.buttons))

    def _move_from_button(self, key: str) -> None:
        order = list(self.buttons)
        number = order.index(self.button) if self.button in order else 0
        if key in (keys.UP, keys.LEFT) and number == 0:
            if self.actions and key == keys.UP:
                self.button = None
                self._settle()
            return
        if key == keys.UP and self.actions:
            self.button = None
            self._settle()
            return
        step = 1 if key in (keys.RIGHT, keys.DOWN) else -1
        self.button = order[max(0, min(number + step, len(order) - 1))]

    def next_legal(self, step: int = 1) -> None:
        """Go to the next place where an action is legal."""
        stops: list[tuple[int | None, int | None]] = [(cell, None) for cell in sorted(self.actions)]
        stops += [(None, action) for action in self.buttons]
        if not stops:
            return
        here = (None, self.button) if self.button is not None else (self.cell, None)
        number = stops.index(here) + step if here in stops else 0
        cell, self.button = stops[number % len(stops)]
        self.cell = self.cell if cell is None else cell

    def chosen(self) -> list[int]:
        """Return the actions where it stands."""
        if self.button is not None:
            return [self.button]
        return [] if self.cell is None else self.actions.get(self.cell, [])

    def button_lines(self, width: int) -> list[Text]:
        """Draw the buttons in as many lines as they need."""
        lines = [Text(" " * (INDENT - 1))]
        for action, name in self.buttons.items():
            aimed = action == self.button
            label = f"[{name}]" if aimed else f" {name} "
            if lines[-1].cell_len + len(label) > width and lines[-1].plain.strip():
                lines.append(Text(" " * (INDENT - 1)))
            lines[-1].append(label, style=AIMED if aimed else "green")
        return lines if self.buttons else []


def _distance(one: Place, other: Place) -> int:
    return 2 * abs(one.line - other.line) + abs(one.column - other.column)
