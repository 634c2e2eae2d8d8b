"""Games that users write in Python: a class with the contract's functions over tuples of whole numbers.

From `register_game` on it is a game like any other: every search, agent, learner, match and record takes it.
Each question of the engine is a call of a Python function, so that the same rules in C or C++ (`load_game`)
are much faster; but a puzzle of one afternoon is quickly written, and small games are learned all the same.
"""

import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boardlab import _engine
from boardlab.checks import as_integer, is_number
from boardlab.errors import BoardLabError, shown
from boardlab.games.grid import mover_line
from boardlab.games.rules import Rules
from boardlab.options import first_line
from boardlab.paths import code_of

if TYPE_CHECKING:
    from boardlab.games.game import State

Position: TypeAlias = tuple[int, ...]
"""A position as the rules see it: always as many whole numbers of 32 bits, and all that matters about it."""

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
)
"""What a game may leave out: it has those that its class defines."""

NEEDS = {
    "conceal": "determinize",
    "determinize": "conceal",
    "symmetry": "symmetry_action",
    "symmetry_action": "symmetry",
    "symmetry_cells": "symmetry",
    "adjacency": "board_vector",
}

ZERO_SUM, HIDDEN = 1, 4  # as in contract.h

MOST_ACTIONS = 1 << 24
MOST_NUMBERS = 1 << 16


@dataclass(frozen=True)
class PythonGame(Rules):
    """The rules of a game, to be derived from; `boardlab.register_game` makes the class known.

    Parameters are fields made with `boardlab.option`; facts are attributes of the class, or properties where
    they depend on parameters. Functions get a `Position`, a tuple of whole numbers, and never change it.
    Player 0 begins. Who moved last is kept for you, as the last of `state.fields`.
    """

    summary: ClassVar[str] = "a game written in Python"
    """One line for `boardlab games`; the docstring's first unless it is given."""
    players: ClassVar[int] = 2
    action_count: ClassVar[int] = 0
    """Actions are 0 .. action_count-1."""
    outcome_count: ClassVar[int] = 0
    """Chance outcomes are 0 .. outcome_count-1; 0 in a game without chance."""
    horizon: ClassVar[int] = 1000
    """A game is cut after so many actions."""
    score_range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    """Of a player's final score."""
    is_zero_sum: ClassVar[bool] = True
    """Whether final scores add up to zero; of no account with one player."""
    step_reward: ClassVar[float] = 0.0
    """Paid to the mover for every action, on top of the scores."""
    cell_values: ClassVar[int | Sequence[int]] = 2
    """The values of a cell of the board vector are 0 .. this-1; or a number for each cell. At most 256."""
    symmetries: ClassVar[int] = 1
    """Their number, the identity included, which is 0."""

    # ---- must: the rules ----

    def initial_state(self, rng: Random) -> Position:
        """The first position; `rng` is for a set-up drawn at random (dice and cards are chance nodes)."""
        raise NotImplementedError

    def player(self, position: Position) -> int:
        """Who moves: 0 .. players-1, `boardlab.CHANCE` or `boardlab.TERMINAL`."""
        raise NotImplementedError

    def legal(self, position: Position) -> Sequence[int]:
        """The legal actions of the player to move, at least one."""
        raise NotImplementedError

    def apply(self, position: Position, action: int) -> Position:
        """The position after a legal action, or at a chance node after an outcome."""
        raise NotImplementedError

    def scores(self, position: Position) -> Sequence[float]:
        """One number a player: final at the end, before that what was paid so far (0 in most games)."""
        raise NotImplementedError

    def chance(self, position: Position) -> Sequence[tuple[int, float]]:
        """At a chance node the outcomes with their probabilities."""
        raise NotImplementedError

    def check(self, position: Position) -> str | None:
        """What is impossible about a position that somebody wrote, in a sentence; None where nothing is."""
        return None

    # ---- optional: how it is shown ----

    def text(self, position: Position) -> str:
        """The board for a person to read."""
        return ""

    def action_name(self, position: Position, action: int) -> str:
        """How a player would write the action; at a chance node how one would write the outcome."""
        return str(action)

    # ---- optional: for learners and searches; what each means is said in contract.h ----

    def training_start(self, rng: Random) -> Position:
        """A position from which an episode of self-play may start."""
        raise NotImplementedError

    def round_over(self, position: Position) -> bool:
        """Whether a round of several has just ended."""
        raise NotImplementedError

    def moves_left(self, position: Position) -> float:
        """An estimate of the actions still to come."""
        raise NotImplementedError

    def conceal(self, position: Position, player: int) -> Position:
        """The position without what the player may not see."""
        raise NotImplementedError

    def determinize(self, position: Position, player: int, rng: Random) -> Position:
        """What `conceal` took away, drawn with the right probabilities."""
        raise NotImplementedError

    def board_vector(self, position: Position, player: int) -> Sequence[int]:
        """The cells for n-tuple networks (and for nets, where there are no planes)."""
        raise NotImplementedError

    def adjacency(self, cell: int) -> Sequence[int]:
        """The neighbours of a cell of the board vector."""
        raise NotImplementedError

    def symmetry(self, g: int, position: Position) -> Position:
        """The position under symmetry g."""
        raise NotImplementedError

    def symmetry_action(self, g: int, position: Position, action: int) -> int:
        """What an action becomes under symmetry g."""
        raise NotImplementedError

    def symmetry_cells(self, g: int) -> Sequence[int]:
        """For each cell of the board vector the cell whose value comes there under symmetry g."""
        raise NotImplementedError

    def planes(self, position: Position, player: int) -> ArrayLike:
        """The input of neural nets as the player sees it, [planes][rows][cols]."""
        raise NotImplementedError

    def features(self, position: Position, player: int) -> Sequence[float]:
        """Numbers for feature-based TD."""
        raise NotImplementedError

    # ---- how the rest of BoardLab sees it ----

    @property
    def file(self) -> str:
        """The file with the rules, which `boardlab --plugin` runs."""
        code = getattr(type(self).player, "__code__", None)
        return code.co_filename if code else "FILE"

    def make_core(self) -> _engine.Game:
        """The engine's game over these functions, after a first look at what they return."""
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
                told = self.player_name(player)
            except Exception as error:
                raise BoardLabError(
                    f"{self.name}: player_name({player}) failed: {type(error).__name__}: {error}"
                ) from error
            self._name("player_name", told)
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
                "flags": ZERO_SUM * (bool(self.is_zero_sum) and self.players > 1)
                + HIDDEN * ("conceal" in has),
                "min_score": low,
                "max_score": high,
                "step_reward": self._step_reward(),
                "cell_values": self._cell_values(cells),
                "symmetries": symmetries,
                "planes": list(self._planes(start, 0).shape) if "planes" in has else [0, 0, 0],
                "features": self._length("features", start) if "features" in has else 0,
                "has": has,
            },
        )

    def to_text(self, state: "State") -> str:
        """What a player is shown, and the fields, from which it is read back."""
        fields = "fields: " + " ".join(map(str, state.fields))
        return "\n".join([*filter(None, (self._board(state), self._turn(state))), fields])

    def board_text(self, state: "State") -> str:
        """The board as `text` has it, and who moves; the fields only where there is no board."""
        board, turn = self._board(state), self._turn(state)
        return "\n".join(filter(None, (board, turn))) if board else self.to_text(state)

    def _board(self, state: "State") -> str:
        position = tuple(state.fields[:-1])
        board = self.text(position)
        if not isinstance(board, str):
            raise self._refused("text", "text", board, position)
        return board

    def _turn(self, state: "State") -> str:
        """Who moves, where that is a question and the board does not say it."""
        if state.player == _engine.CHANCE or (self.players == 1 and not state.is_terminal):
            return ""
        names = [self.player_name(player) for player in range(self.players)]
        line = mover_line(state.player, names)
        return "" if line in self._board(state) else line

    def fields_from_text(self, text: str) -> list[int]:
        """The fields of the last line."""
        return super().fields_from_text(text.strip().rpartition("fields:")[2])

    def action_text(self, state: "State", action: int) -> str:
        """As `action_name` writes it."""
        position = tuple(state.fields[:-1])
        return self._name("action_name", self.action_name(position, action), position)

    def chance_text(self, state: "State", outcome: int) -> str:
        """The same for what nature did."""
        return self.action_text(state, outcome)

    def _refused(
        self, function: str, wanted: str, given: object, position: Position | None = None
    ) -> BoardLabError:
        """What is said of a wrong answer, as the engine says it of those that it asks for."""
        where = "" if position is None else f" in the position {shown(position)}"
        return BoardLabError(f"{self.name}: {function} must return {wanted}, not {shown(given)}{where}")

    def _name(self, function: str, given: Any, position: Position | None = None) -> str:
        """A name, which people write and read: there must be something of it."""
        if not isinstance(given, str) or not given.strip():
            raise self._refused(function, "a name", given, position)
        return given

    def _length(self, function: str, start: Position) -> int:
        """How many numbers a function of (position, player) returns: as many always as in the first."""
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
                f"{self.name}: score_range must be the least and the most score, not {shown(given)}"
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


Own = TypeVar("Own", bound=type[PythonGame])


def register_game(rules: Own) -> Own:
    """Makes a game written in Python known by its name; decorates the class.

        @bl.register_game
        class Race(bl.PythonGame):
            name = "race"
            ...

    On the command line name the file that does it: `boardlab --plugin race.py play race`. Run
    `boardlab.testing.check_game` on it before you trust it.
    """
    from boardlab.games.registry import GAMES

    if not isinstance(rules, type) or not issubclass(rules, PythonGame):
        raise BoardLabError(
            f"register_game takes a class derived from boardlab.PythonGame, not {shown(rules)}"
        )
    name = vars(rules).get("name")
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][\w-]*", name):
        raise BoardLabError(
            f"{rules.__name__} needs a name, a letter, then letters, digits, _ and -, not {shown(name)}"
        )
    if name in GAMES and not issubclass(GAMES[name], PythonGame):
        raise BoardLabError(f'"{name}" is a game of BoardLab itself; choose another name')
    for must in ("initial_state", "player", "legal", "apply", "scores"):
        if getattr(rules, must) is getattr(PythonGame, must):
            raise BoardLabError(f"{name}: the function {must} is missing")
    rules.own_code = code_of(rules.player)
    if "summary" not in vars(rules):
        rules.summary = _summary(rules)
    # A class of the user's own is no dataclass yet; the decorator changes it in place.
    GAMES[name] = rules if "__dataclass_fields__" in vars(rules) else dataclass(frozen=True)(rules)
    return rules


def _summary(rules: type[PythonGame]) -> str:
    """What its docstring says, as the list of games has it; what `dataclass` writes there says nothing."""
    said = first_line(rules, "").rstrip(".")
    return said if said and not said.startswith(f"{rules.__name__}(") else rules.summary
