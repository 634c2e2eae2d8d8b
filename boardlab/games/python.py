"""Games written in Python, as a class with functions over tuples of integers.

After `register_game` it is a game like any other: every search, agent, learner, match and record accepts it.
Each question of the engine calls a Python function, so the same rules in C or C++ (`load_game`) are much
faster; but a small puzzle is quickly written, and small games can be learned all the same.
"""

import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boardlab import _engine
from boardlab.checks import as_integer, is_number
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

Position: TypeAlias = tuple[int, ...]
"""A position as the rules see it: a fixed number of 32-bit integers that hold everything relevant."""

OPTIONAL = (
    "training_start",
    "round_over",
    "moves_left",
    "conceal",
    "determinize",
    "board_vector",
    "adjacency",
    "symmetry",
    "symmetry_action",
    "symmetry_cells",
    "planes",
    "features",
    "situation",
)
"""Functions that a game may omit; it has those that its class defines."""

NEEDS = {
    "conceal": "determinize",
    "determinize": "conceal",
    "symmetry": "symmetry_action",
    "symmetry_action": "symmetry",
    "symmetry_cells": "symmetry",
    "adjacency": "board_vector",
    "situation": "conceal",
}


MOST_ACTIONS = 1 << 24
MOST_NUMBERS = 1 << 16


@dataclass(frozen=True)
class PythonGame(Rules):
    """Base class of games written in Python, registered by `boardlab.register_game`.

    Parameters are fields made with `boardlab.option`; facts are attributes of the class, or properties if
    they depend on parameters. Functions receive a `Position`, a tuple of integers, and never change it.
    Player 0 begins. The last player is recorded for you, as the last of `state.fields`.
    """

    summary: ClassVar[str] = "a game written in Python"
    """One line for `boardlab games`; by default the first line of the docstring."""
    players: ClassVar[int] = 2
    action_count: ClassVar[int] = 0
    """Number of actions; they are 0 .. action_count-1."""
    outcome_count: ClassVar[int] = 0
    """Number of chance outcomes, 0 .. outcome_count-1; 0 in a game without chance."""
    horizon: ClassVar[int] = 1000
    """Number of actions after which a game is cut."""
    score_range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    """Lowest and highest final score of a player."""
    is_zero_sum: ClassVar[bool] = True
    """Whether final scores add up to zero; ignored with one player."""
    step_reward: ClassVar[float] = 0.0
    """Paid to the player for every action, in addition to the scores."""
    cell_values: ClassVar[int | Sequence[int]] = 2
    """Number of values of a cell of the board vector, or one number per cell; at most 256."""
    hand_features: ClassVar[int] = 0
    """Number of features, the first ones, that describe the cards which `situation` leaves out."""
    symmetries: ClassVar[int] = 1
    """Number of symmetries, including the identity, which is 0."""
    board: ClassVar[Shape | None] = None
    """The shape of the board: `boardlab.grid(rows, cols)`, `hexagonal`, `graph` or `cards`."""
    labels: ClassVar[Sequence[str]] = ()
    """Names of a position's numbers, shown by games that have neither a board nor a text."""
    needs_plugin: ClassVar[bool] = True
    """Whether another process must run the user's file before it knows the game."""

    # ---- must: the rules ----

    def initial_state(self, rng: Random) -> Position:
        """Return the first position.

        `rng` is for a random set-up (dice and cards are chance nodes).
        """
        raise NotImplementedError

    def player(self, position: Position) -> int:
        """Return who acts: 0 .. players-1, `boardlab.CHANCE` or `boardlab.TERMINAL`."""
        raise NotImplementedError

    def legal(self, position: Position) -> Sequence[int]:
        """Return the legal actions of the player to move, at least one."""
        raise NotImplementedError

    def apply(self, position: Position, action: int) -> Position:
        """Return the position after a legal action, or after an outcome at a chance node."""
        raise NotImplementedError

    def scores(self, position: Position) -> Sequence[float]:
        """Return one number per player: the score, before the end what was paid so far."""
        raise NotImplementedError

    def chance(self, position: Position) -> Sequence[tuple[int, float]]:
        """Return the outcomes of a chance node with their probabilities."""
        raise NotImplementedError

    def check(self, position: Position) -> str | None:
        """Return what is impossible about a position, in a sentence; None if nothing."""
        return None

    # ---- optional: how it is shown ----

    def text(self, position: Position) -> str:
        """Return the board as text for people."""
        return ""

    def action_name(self, position: Position, action: int) -> str:
        """Name an action, or an outcome at a chance node, as players write it."""
        return str(action)

    def pieces(self, position: Position) -> Sequence[Any]:
        """Return what stands on each cell of the `board`.

        0 or None is nothing, 1 a piece of player 0, 2 one of player 1 and so on; text is written as it is;
        `boardlab.piece(player, text)` is both. On a board of `cards`, a list of cards for each row. By
        default the board vector, or the first numbers of the position.
        """
        has_vector = type(self).board_vector is not PythonGame.board_vector
        return self.board_vector(position, 0) if has_vector else position

    def cells_of(self, position: Position, action: int) -> Sequence[int]:
        """Return the cell that an action concerns, or origin and target of a move.

        By default the cell of the action's number, as where a stone is placed on it. An action without a
        cell becomes a button.
        """
        return (action,)

    def winning_line(self, position: Position) -> Sequence[int]:
        """Return the cells of the line or path that decided the game, from end to end."""
        return ()

    # ---- optional: for learners and searches; contract.h explains each ----

    def training_start(self, rng: Random) -> Position:
        """Return a position from which an episode of self-play may start."""
        raise NotImplementedError

    def round_over(self, position: Position) -> bool:
        """Return whether a round of several has just ended."""
        raise NotImplementedError

    def moves_left(self, position: Position) -> float:
        """Return the estimated number of actions to come."""
        raise NotImplementedError

    def conceal(self, position: Position, player: int) -> Position:
        """Return the position without the parts hidden from the player."""
        raise NotImplementedError

    def determinize(self, position: Position, player: int, rng: Random) -> Position:
        """Draw the hidden parts that `conceal` removed, with the right probabilities."""
        raise NotImplementedError

    def board_vector(self, position: Position, player: int) -> Sequence[int]:
        """Return the cells for n-tuple networks (and for nets, if there are no planes)."""
        raise NotImplementedError

    def adjacency(self, cell: int) -> Sequence[int]:
        """Return the neighbours of a cell of the board vector."""
        raise NotImplementedError

    def symmetry(self, g: int, position: Position) -> Position:
        """Return the position under symmetry g."""
        raise NotImplementedError

    def symmetry_action(self, g: int, position: Position, action: int) -> int:
        """Return what an action becomes under symmetry g."""
        raise NotImplementedError

    def symmetry_cells(self, g: int) -> Sequence[int]:
        """Return for each cell the cell whose value moves there under symmetry g."""
        raise NotImplementedError

    def planes(self, position: Position, player: int) -> ArrayLike:
        """Return the input of neural nets from the player's view, [planes][rows][cols]."""
        raise NotImplementedError

    def features(self, position: Position, player: int) -> Sequence[float]:
        """Return numbers for feature-based TD."""
        raise NotImplementedError

    def situation(self, position: Position, player: int) -> Sequence[int]:
        """Return what the player to move acts by in this round, at most 256 numbers."""
        raise NotImplementedError

    # ---- how the rest of BoardLab sees the game ----

    @property
    def file(self) -> str:
        """The file with the rules, which `boardlab --plugin` runs."""
        code = getattr(type(self).player, "__code__", None)
        return code.co_filename if code else "FILE"

    def make_core(self) -> _engine.Game:
        """Make the engine's game from these functions, after checking what they return."""
        has = {name for name in OPTIONAL if getattr(type(self), name) is not getattr(PythonGame, name)}
        for name in sorted(has & NEEDS.keys()):
            if NEEDS[name] not in has:
                raise BoardLabError(f"{self.name}: {name} needs {NEEDS[name]}")
        symmetries = self._fact("symmetries", 1, 2**31 - 1)
        if symmetries > 1 and "symmetry" not in has:
            raise BoardLabError(f"{self.name}: symmetries = {symmetries} needs symmetry, which is missing")
        start = self.initial_state(Random(0))
        if not isinstance(start, (tuple, list)) or not 1 <= len(start) <= MOST_NUMBERS:
            raise BoardLabError(
                f"{self.name}: initial_state must return a tuple of 1 to {MOST_NUMBERS} whole numbers, "
                f"not {shown(start)}"
            )
        start = tuple(start)
        low, high = self._score_range()
        for player in range(self._fact("players", 1, 8)):
            try:
                given = self.player_name(player)
            except Exception as error:
                raise BoardLabError(
                    f"{self.name}: player_name({player}) failed: {type(error).__name__}: {error}"
                ) from error
            self._name("player_name", given)
        cells = self._length("board_vector", start) if "board_vector" in has else 0
        return _engine.python_game(
            self,
            {
                "name": self.name,
                "numbers": len(start),
                "players": self._fact("players", 1, 8),
                "action_count": self._fact("action_count", 1, MOST_ACTIONS),
                "outcome_count": self._fact("outcome_count", 0, MOST_ACTIONS),
                "horizon": self._fact("horizon", 1, 2**31 - 1),
                "flags": _engine.ZERO_SUM * (bool(self.is_zero_sum) and self.players > 1)
                + _engine.HIDDEN * ("conceal" in has),
                "min_score": low,
                "max_score": high,
                "step_reward": self._step_reward(),
                "cell_values": self._cell_values(cells),
                "symmetries": symmetries,
                "planes": list(self._planes(start, 0).shape) if "planes" in has else [0, 0, 0],
                "features": self._length("features", start) if "features" in has else 0,
                "hand_features": self._hand_features(has, start),
                "has": has,
            },
        )

    def _hand_features(self, has: set[str], start: Position) -> int:
        count = self._fact("hand_features", 0, self._length("features", start) if "features" in has else 0)
        if count and "situation" not in has:
            raise BoardLabError(f"{self.name}: hand_features needs situation")
        return count

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
        if shape is None or self.text(_position(state)):
            return {}
        return shape.text_places(self._board(state))

    def _board(self, state: "State") -> str:
        position = _position(state)
        text = self.text(position)
        if not isinstance(text, str):
            raise self._refused("text", "text", text, position)
        shape = self._shape()
        return text if text or shape is None else shape.text(self._pieces(shape, position), self._symbols())

    def _turn(self, state: "State") -> str:
        """Write who moves or has won, if the board does not show it."""
        if state.player == _engine.CHANCE or (self.players == 1 and not state.is_terminal):
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

    def _symbols(self) -> list[str]:
        """Return a letter for the pieces of each player."""
        names = [self.player_name(player) for player in range(self.players)]
        return names if all(len(name) == 1 for name in names) else list("XO#%@&$+")

    def _pieces(self, shape: Shape, position: Position) -> list[list[Piece]]:
        given: Any = self.pieces(position)
        try:
            return as_pieces(shape, given, self.players)
        except (TypeError, ValueError):
            raise self._refused("pieces", shape.wanted, given, position) from None

    def _numbers(self, state: "State") -> list[tuple[str, str]]:
        """Return the numbers of a position with their names."""
        position = _position(state)
        labels = [*self.labels, *(f"number {i}" for i in range(len(self.labels), len(position)))]
        return [(str(label), str(value)) for label, value in zip(labels, position, strict=False)]

    def draw_board(self, state: "State") -> drawing.Canvas:
        """Draw the declared board, or else the text, or else a table of the numbers."""
        shape = self._shape()
        if shape is not None:
            pieces = self._pieces(shape, _position(state))
            canvas = shape.draw(pieces)
            canvas.lines(self.winning_cells(state))
            return canvas
        text = self.text(_position(state))
        if text:
            return drawing.draw_text(text)
        return drawing.draw_numbers(self._numbers(state), is_named=bool(self.labels))

    def action_cells(self, state: "State", action: int) -> tuple[int, ...]:
        """Return what `cells_of` returns, as far as it is on the board."""
        shape = self._shape()
        return () if shape is None else self._cells("cells_of", shape, _position(state), action)

    def last_cells(self, state: "State", event: Event) -> tuple[int, ...]:
        """Return the cells of the action in the position where it was played."""
        return self.action_cells(state if event.before is None else event.before, event.action)

    def winning_cells(self, state: "State") -> list[list[int]]:
        """Return the line of `winning_line`, if there is one."""
        shape = self._shape()
        cells = (
            ()
            if shape is None or not state.is_terminal
            else self._cells("winning_line", shape, _position(state))
        )
        return [list(cells)] if cells else []

    def _cells(self, function: str, shape: Shape, position: Position, *arguments: int) -> tuple[int, ...]:
        given: Any = getattr(self, function)(position, *arguments)
        count = shape.count(self._pieces(shape, position))
        try:
            cells = tuple(operator.index(cell) for cell in given)
        except TypeError:
            raise self._refused(function, "a list of cells", given, position) from None
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
        position = _position(state)
        return self._name("action_name", self.action_name(position, action), position)

    def chance_text(self, state: "State", outcome: int) -> str:
        """Name a chance outcome with `action_name`."""
        return self.action_text(state, outcome)

    def _refused(
        self, function: str, wanted: str, given: object, position: Position | None = None
    ) -> BoardLabError:
        """Make the error for a wrong return value, in the words of the engine."""
        where = "" if position is None else f" in the position {shown(position)}"
        return BoardLabError(f"{self.name}: {function} must return {wanted}, not {shown(given)}{where}")

    def _name(self, function: str, given: Any, position: Position | None = None) -> str:
        """Check a name, which must not be empty."""
        if not isinstance(given, str) or not given.strip():
            raise self._refused(function, "a name", given, position)
        return given

    def _length(self, function: str, start: Position) -> int:
        """Return the fixed length of what a function of (position, player) returns."""
        given = getattr(self, function)(start, 0)
        try:
            return len(tuple(given))
        except TypeError:
            raise self._refused(function, "a list of numbers", given, start) from None

    def _fact(self, name: str, low: int, high: int) -> int:
        return as_integer(f"{self.name}: {name}", getattr(self, name), low, high)

    def _score_range(self) -> tuple[float, float]:
        given: Any = self.score_range
        if not isinstance(given, (tuple, list)) or len(given) != 2 or not all(map(is_number, given)):
            raise BoardLabError(
                f"{self.name}: score_range must be the lowest and the highest score, not {shown(given)}"
            )
        return float(given[0]), float(given[1])

    def _step_reward(self) -> float:
        if not is_number(self.step_reward):
            raise BoardLabError(f"{self.name}: step_reward must be a number, not {shown(self.step_reward)}")
        return float(self.step_reward)

    def _cell_values(self, cells: int) -> list[int]:
        given: Any = self.cell_values
        try:
            values = [operator.index(v) for v in (given if np.ndim(given) else [given] * cells)]
        except TypeError:
            values = []
        if cells and (len(values) != cells or not all(1 <= v <= 256 for v in values)):
            raise BoardLabError(
                f"{self.name}: cell_values must be a number from 1 to 256, or one for each of the {cells} "
                f"cells of the board vector, not {shown(given)}"
            )
        return values if cells else []

    def _planes(self, position: Position, player: int) -> NDArray[np.float32]:
        given = self.planes(position, player)
        try:
            planes = np.ascontiguousarray(given, np.float32)
        except (TypeError, ValueError):
            planes = np.zeros(0, np.float32)
        if np.ndim(given) != 3 or not planes.size:
            raise self._refused("planes", "an array [planes][rows][cols]", given, position)
        return planes


def _position(state: "State") -> Position:
    """Return the position as the rules see it: all fields but who moved last."""
    return tuple(state.fields[:-1])


Own = TypeVar("Own", bound=type[PythonGame])


def register_game(rules: Own) -> Own:
    """Register a game written in Python by its name; decorates the class.

        @bl.register_game
        class Race(bl.PythonGame):
            name = "race"
            ...

    On the command line, name the file that does it: `boardlab --plugin race.py play race`. Run
    `boardlab.testing.check_game` on the game before you trust it.
    """
    from boardlab.games.registry import GAMES

    if not isinstance(rules, type) or not issubclass(rules, PythonGame):
        raise BoardLabError(
            f"register_game needs a class derived from boardlab.PythonGame, not {shown(rules)}"
        )
    name = vars(rules).get("name")
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][\w-]*", name):
        raise BoardLabError(
            f"{rules.__name__} needs a name (a letter, then letters, digits, _ and -), not {shown(name)}"
        )
    if name in GAMES and not issubclass(GAMES[name], PythonGame):
        raise BoardLabError(f'"{name}" is a built-in game; choose another name')
    for must in ("initial_state", "player", "legal", "apply", "scores"):
        if getattr(rules, must) is getattr(PythonGame, must):
            raise BoardLabError(f"{name}: the function {must} is missing")
    rules.own_code = code_of(rules.player)
    if "summary" not in vars(rules):
        rules.summary = _summary(rules)
    # The user's class is not a dataclass yet; the decorator changes it in place.
    GAMES[name] = rules if "__dataclass_fields__" in vars(rules) else dataclass(frozen=True)(rules)
    return rules


def _summary(rules: type[PythonGame]) -> str:
    """Return the docstring's first line, unless `dataclass` generated it."""
    line = first_line(rules, "").rstrip(".")
    return line if line and not line.startswith(f"{rules.__name__}(") else rules.summary
