"""Games that a user brings: how they are shown, and the decorator that registers them."""

import operator
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, overload

from boardlab import _engine
from boardlab.errors import BoardLabError, shown
from boardlab.games import drawing
from boardlab.games.history import Event
from boardlab.games.places import Place
from boardlab.games.rules import Rules
from boardlab.games.shapes import Piece, Shape, as_pieces
from boardlab.games.stones import stone_token
from boardlab.options import first_line
from boardlab.paths import code_of

if TYPE_CHECKING:
    from boardlab.games.game import State


@dataclass(frozen=True)
class OwnGame(Rules):
    """A game of the user's own: text and names over its positions.

    A position is a tuple of numbers, or whatever else `position_of` makes of a state.
    """

    summary: ClassVar[str] = "a game of your own"
    """One line for `boardlab games`; by default the first line of the docstring."""

    board: ClassVar[Shape | None] = None
    """The shape of the board: `boardlab.grid(rows, cols)`, `hexagonal`, `graph` or `cards`."""
    labels: ClassVar[Sequence[str]] = ()
    """Names of a position's numbers, shown by games that have neither a board nor a text."""
    defined_in: ClassVar[str] = "FILE"
    """The file with the class; set by `register_game`."""
    needs_plugin: ClassVar[bool] = True
    """Whether another process must run the user's file before it knows the game."""

    # ---- optional: how it is shown ----

    def text(self, position: Any) -> str:
        """Return the board as text for people."""
        return ""

    def action_name(self, position: Any, action: int) -> str:
        """Name an action, or an outcome at a chance node, as players write it."""
        return str(action)

    def pieces(self, position: Any) -> Sequence[Any]:
        """Return what stands on each cell of the `board`.

        0 or None is nothing, 1 a piece of player 0, 2 one of player 1 and so on; text is written as it is;
        `boardlab.piece(player, text)` is both. On a board of `cards`, a list of cards for each row. By
        default the board vector of rules in Python, or the first numbers of the position.
        """
        return list(position)

    def cells_of(self, position: Any, action: int) -> Sequence[int]:
        """Return the cell that an action concerns, or origin and target of a move.

        By default the cell of the action's number, as where a stone is placed on it. An action without a
        cell becomes a button.
        """
        return (action,)

    def winning_line(self, position: Any) -> Sequence[int]:
        """Return the cells of the line or path that decided the game, from end to end."""
        return ()

    # ---- how the rest of BoardLab sees the game ----

    def position_of(self, state: "State") -> Any:
        """Return the position as the functions above receive it."""
        return tuple(state.fields)

    def numbers_of(self, state: "State") -> tuple[int, ...]:
        """Return the numbers of a position, shown where there is nothing better."""
        return tuple(state.fields)

    @property
    def file(self) -> str:
        """The file with the class, which `boardlab --plugin` runs."""
        return self.defined_in

    @classmethod
    def rules_fingerprint(cls) -> str:
        """Fingerprint what decides the rules, to notice changes."""
        return code_of(_some_function(cls))

    def to_text(self, state: "State") -> str:
        """Write the board, and the fields from which it is read back."""
        fields = "fields: " + " ".join(map(str, state.fields))
        return "\n".join([*filter(None, (self._board(state), self._turn(state))), fields])

    def board_text(self, state: "State") -> str:
        """Write the board and who moves; the position's numbers if there is no board."""
        board = self._board(state) or drawing.numbers_text(self._numbers(state), is_named=bool(self.labels))
        return "\n".join(filter(None, (board, self._turn(state))))

    def text_places(self, state: "State") -> dict[int, Place]:
        """Return where the cells of a declared grid stand in the text."""
        shape = self._shape()
        if shape is None or self.text(self.position_of(state)):
            return {}
        return shape.text_places(self._board(state))

    def _board(self, state: "State") -> str:
        position = self.position_of(state)
        text = self.text(position)
        if not isinstance(text, str):
            raise self.refused("text", "text", text, position)
        shape = self._shape()
        if text or shape is None:
            return text
        players = state.game.players
        return shape.text(self._pieces(shape, position, players), self._symbols(players))

    def _turn(self, state: "State") -> str:
        """Write who moves or has won, if the board does not show it."""
        if state.player == _engine.CHANCE or (state.game.players == 1 and not state.is_terminal):
            return ""
        line = self.status_text(state)
        return "" if line in self._board(state) else line

    # ---- drawing ----

    def _shape(self) -> Shape | None:
        """Return the declared board; a game may use the name for something else."""
        given: Any = getattr(self, "board", None)
        if given is None or callable(given) or any(f.name == "board" for f in fields(self)):
            return None
        if not isinstance(given, Shape):
            raise BoardLabError(
                f"{self.name}: board must be a shape such as boardlab.grid(3, 3), not {shown(given)}"
            )
        return given

    def _symbols(self, players: int) -> list[str]:
        """Return a letter for the pieces of each player."""
        names = [self.player_name(player) for player in range(players)]
        return names if all(len(name) == 1 for name in names) else list("XO#%@&$+")

    def _pieces(self, shape: Shape, position: Any, players: int) -> list[list[Piece]]:
        given: Any = self.pieces(position)
        try:
            return as_pieces(shape, given, players)
        except (TypeError, ValueError):
            raise self.refused("pieces", shape.wanted, given, position) from None

    def _numbers(self, state: "State") -> list[tuple[str, str]]:
        """Return the numbers of a position with their names."""
        numbers = self.numbers_of(state)
        labels = [*self.labels, *(f"number {i}" for i in range(len(self.labels), len(numbers)))]
        return [(str(label), str(value)) for label, value in zip(labels, numbers, strict=False)]

    def draw_board(self, state: "State") -> drawing.Canvas:
        """Draw the declared board, or else the text, or else a table of the numbers."""
        shape = self._shape()
        if shape is not None:
            pieces = self._pieces(shape, self.position_of(state), state.game.players)
            canvas = shape.draw(pieces)
            canvas.lines(self.winning_cells(state))
            return canvas
        text = self.text(self.position_of(state))
        if text:
            return drawing.draw_text(text)
        return drawing.draw_numbers(self._numbers(state), is_named=bool(self.labels))

    def action_cells(self, state: "State", action: int) -> tuple[int, ...]:
        """Return what `cells_of` returns, as far as it is on the board."""
        shape = self._shape()
        return () if shape is None else self._cells("cells_of", shape, state, action)

    def last_cells(self, state: "State", event: Event) -> tuple[int, ...]:
        """Return the cells of the action in the position where it was played."""
        return self.action_cells(state if event.before is None else event.before, event.action)

    def winning_cells(self, state: "State") -> list[list[int]]:
        """Return the line of `winning_line`, if there is one."""
        shape = self._shape()
        cells = () if shape is None or not state.is_terminal else self._cells("winning_line", shape, state)
        return [list(cells)] if cells else []

    def _cells(self, function: str, shape: Shape, state: "State", *arguments: int) -> tuple[int, ...]:
        position = self.position_of(state)
        given: Any = getattr(self, function)(position, *arguments)
        count = shape.count(self._pieces(shape, position, state.game.players))
        try:
            cells = tuple(operator.index(cell) for cell in given)
        except TypeError:
            raise self.refused(function, "a list of cells", given, position) from None
        return cells if all(0 <= cell < count for cell in cells) else ()

    def player_token(self, state: "State", player: int) -> drawing.Token | None:
        """Draw the player's stone, on boards that have some."""
        shape = self._shape()
        return stone_token(drawing.PLAYER_COLOURS[player]) if shape is not None and shape.has_stones else None

    def fields_from_text(self, text: str) -> list[int]:
        """Read the fields from the last line."""
        return super().fields_from_text(text.strip().rpartition("fields:")[2])

    def action_text(self, state: "State", action: int) -> str:
        """Name an action with `action_name`."""
        position = self.position_of(state)
        return self.check_name("action_name", self.action_name(position, action), position)

    def chance_text(self, state: "State", outcome: int) -> str:
        """Name a chance outcome with `action_name`."""
        return self.action_text(state, outcome)

    def refused(self, function: str, wanted: str, given: object, position: Any = None) -> BoardLabError:
        """Make the error for a wrong return value, in the words of the engine."""
        where = "" if position is None else f" in the position {shown(position)}"
        return BoardLabError(f"{self.name}: {function} must return {wanted}, not {shown(given)}{where}")

    def check_name(self, function: str, given: Any, position: Any = None) -> str:
        """Check a name, which must not be empty."""
        if not isinstance(given, str) or not given.strip():
            raise self.refused(function, "a name", given, position)
        return given

    @classmethod
    def check_class(cls, compiled: bool) -> None:
        """Refuse a class that cannot be registered as a game."""
        if compiled:
            raise BoardLabError(f"{cls.name}: only rules in Python can be compiled")


Own = TypeVar("Own", bound=type[OwnGame])


@overload
def register_game(rules: Own) -> Own: ...
@overload
def register_game(*, compiled: bool = False, debug: bool = False) -> Callable[[Own], Own]: ...
def register_game(rules: Any = None, *, compiled: bool = False, debug: bool = False) -> Any:
    """Register a game of your own by its name; decorates the class.

        @bl.register_game
        class Race(bl.PythonGame):
            name = "race"
            ...

    With `compiled=True`, rules over a declared `state` are checked once and compiled with numba; they are
    about as fast as those of BoardLab. With `debug=True` too they run as Python, to be followed line by line.

    On the command line, name the file that does it: `boardlab --plugin race.py play race`. Run
    `boardlab.testing.check_game` on the game before you trust it.
    """
    if rules is None:
        return lambda rules: _register(rules, compiled, debug)
    return _register(rules, compiled, debug)


def _register(rules: Any, compiled: bool, debug: bool) -> Any:
    from boardlab.games.registry import GAMES

    if not isinstance(rules, type) or not issubclass(rules, OwnGame):
        raise BoardLabError(
            "register_game needs a class derived from boardlab.PythonGame or boardlab.LibraryGame, not "
            f"{shown(rules)}"
        )
    name = vars(rules).get("name")
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][\w-]*", name):
        raise BoardLabError(
            f"{rules.__name__} needs a name (a letter, then letters, digits, _ and -), not {shown(name)}"
        )
    if name in GAMES and not issubclass(GAMES[name], OwnGame):
        raise BoardLabError(f'"{name}" is a built-in game; choose another name')
    rules.defined_in = _file_of(rules)
    rules.check_class(compiled and not debug)
    rules.own_code = rules.rules_fingerprint()
    if "summary" not in vars(rules):
        rules.summary = _summary(rules)
    # The user's classes are not dataclasses yet; the decorator changes them in place.
    for kind in reversed(rules.__mro__):
        if issubclass(kind, OwnGame) and "__dataclass_fields__" not in vars(kind):
            dataclass(frozen=True)(kind)
    for field in fields(rules):
        if field.name in ("path", "fingerprint", "name"):  # words of files that describe a game
            raise BoardLabError(f"{name}: a parameter cannot be called {field.name}; choose another name")
    GAMES.register(name, rules)
    return rules


def _some_function(rules: type[OwnGame]) -> Any:
    """Return a function of the user's class, whose file is the class's."""
    return getattr(rules, "player", rules)


def _file_of(rules: type[OwnGame]) -> str:
    """Return the file of the user's class: that of a function of it, or of whoever registers it."""
    own = (
        value
        for kind in rules.__mro__
        if kind.__module__ != OwnGame.__module__
        for value in vars(kind).values()
    )
    for value in (_some_function(rules), *own):
        code = getattr(value, "__code__", None)
        if code is not None and not code.co_filename.startswith((PACKAGE, "<")):
            return str(code.co_filename)
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((PACKAGE, "<")):
        frame = frame.f_back
    return frame.f_code.co_filename if frame is not None else "FILE"


PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"


def _summary(rules: type[OwnGame]) -> str:
    """Return the docstring's first line, unless `dataclass` generated it."""
    line = first_line(rules, "").rstrip(".")
    return line if line and not line.startswith(f"{rules.__name__}(") else rules.summary
