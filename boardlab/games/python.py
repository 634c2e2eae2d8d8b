"""Games written in Python, as a class with functions over positions.

After `register_game` it is a game like any other: every search, agent, learner, match and record accepts it.
In the simple form a position is a tuple of numbers, and each question of the engine calls a Python function.
With a declared `state` the same functions change a position in place, and numba can compile them
(boardlab/games/flat).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boardlab import _engine
from boardlab.errors import BoardLabError, shown
from boardlab.games.facts import cell_values, common_facts, whole_fact
from boardlab.games.own import OwnGame

if TYPE_CHECKING:
    from boardlab.games.game import State

Position: TypeAlias = Any
"""A position as the rules see it: a tuple of 32-bit numbers that hold everything relevant, or the declared
state."""

MUST = ("initial_state", "player", "legal", "apply", "scores")

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
    "retrace",
)
"""Functions that a game may omit; it has those that its class defines."""

MOST_NUMBERS = 1 << 16


@dataclass(frozen=True)
class PythonGame(OwnGame):
    """Base class of games written in Python, registered by `boardlab.register_game`.

    Parameters are fields made with `boardlab.option`; facts are attributes of the class, or properties if
    they depend on parameters. Player 0 begins. The last player is recorded for you, as the last of
    `state.fields`.

    Functions receive a position, a tuple of numbers, and return a new one. With a declared `state` they
    receive an object with its fields, change it in place, and yield what they would list.
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

    # ---- facts of rules over a declared state ----

    state: ClassVar[Sequence[Any] | None] = None
    """The fields of a position, as in [("cells", "i1", (42,)), ("count", "i4")]."""
    compiled: ClassVar[bool] = False
    """Whether numba compiles the rules; set by `register_game`."""
    rewards: ClassVar[Mapping[str, tuple[float, float]]] = {}
    """Outcomes other than the score, each with its range; `reward(i, s)` pays the i-th."""
    stages: ClassVar[int] = 1
    """Number of phases with n-tuple tables of their own; `stage(s)` tells the phase."""
    feature_table_sizes: ClassVar[Sequence[int]] = ()
    """Sizes of tables beside the n-tuples; `feature_indices(s, player)` yields an index for each."""
    observation_size: ClassVar[int] = 0
    """Most bytes of `observe(s, player)`; 0 if what `conceal` leaves is the key."""
    joint_values: ClassVar[Sequence[tuple[Sequence[int], Sequence[Sequence[int]]]]] = ()
    """Groups of cells that depend on one another, each with the joint values that can occur."""

    # ---- must: the rules ----

    def initial_state(self, rng: Any) -> Position:
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

    # ---- optional: for learners and searches; contract.h explains each ----

    def training_start(self, rng: Any) -> Position:
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

    def determinize(self, position: Position, player: int, rng: Any) -> Position:
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

    def retrace(self, position: Position) -> tuple[Position, Sequence[int]]:
        """Return where the round began, and the actions and chance outcomes since."""
        raise NotImplementedError

    # ---- how the rest of BoardLab sees the game ----

    def make_core(self) -> _engine.Game:
        """Make the engine's game from these functions, after checking what they return."""
        if self.state is not None:
            from boardlab.games.flat import flat_core

            return flat_core(self)
        has = {name for name in OPTIONAL if getattr(type(self), name) is not getattr(PythonGame, name)}
        facts = common_facts(self, has)
        start = self.initial_state(Random(0))
        if not isinstance(start, (tuple, list)) or not 1 <= len(start) <= MOST_NUMBERS:
            raise BoardLabError(
                f"{self.name}: initial_state must return a tuple of 1 to {MOST_NUMBERS} whole numbers, "
                f"not {shown(start)}"
            )
        start = tuple(start)
        cells = self._length("board_vector", start) if "board_vector" in has else 0
        facts |= {
            "numbers": len(start),
            "cell_values": cell_values(self, cells),
            "planes": list(self._planes(start, 0).shape) if "planes" in has else [0, 0, 0],
            "features": self._length("features", start) if "features" in has else 0,
            "hand_features": self._hand_features(has, start),
            "has": has,
        }
        return _engine.python_game(self, facts)

    def _hand_features(self, has: set[str], start: Position) -> int:
        most = self._length("features", start) if "features" in has else 0
        count = whole_fact(self, "hand_features", 0, most)
        if count and "situation" not in has:
            raise BoardLabError(f"{self.name}: hand_features needs situation")
        return count

    def pieces(self, position: Position) -> Sequence[Any]:
        """Return the board vector, or the first numbers of the position."""
        if type(self).board_vector is not PythonGame.board_vector:
            return list(self.board_vector(position, 0))
        return list(position)

    def numbers_of(self, state: "State") -> tuple[int, ...]:
        """Return the numbers of a position: all fields but who moved last."""
        return tuple(state.fields[:-1])

    def position_of(self, state: "State") -> Any:
        """Return the numbers of a position, or a copy of its declared state."""
        if self.state is None:
            return self.numbers_of(state)
        from boardlab.games.flat import record_of

        return record_of(self, state)

    @classmethod
    def check_class(cls, compiled: bool) -> None:
        """Refuse a class without the functions that every game needs."""
        for must in MUST:
            if getattr(cls, must) is getattr(PythonGame, must):
                raise BoardLabError(f"{cls.name}: the function {must} is missing")
        cls.compiled = compiled
        if compiled and cls.state is None:
            raise BoardLabError(
                f"{cls.name}: compiled rules need a declared state, as in "
                'state = [("cells", "i1", (42,)), ("count", "i4")]'
            )
        if cls.state is not None:
            _compute_once(cls)

    def _length(self, function: str, start: Position) -> int:
        """Return the fixed length of what a function of (position, player) returns."""
        given = getattr(self, function)(start, 0)
        try:
            return len(tuple(given))
        except TypeError:
            raise self.refused(function, "a list of numbers", given, start) from None

    def _planes(self, position: Position, player: int) -> NDArray[np.float32]:
        given = self.planes(position, player)
        try:
            planes = np.ascontiguousarray(given, np.float32)
        except (TypeError, ValueError):
            planes = np.zeros(0, np.float32)
        if np.ndim(given) != 3 or not planes.size:
            raise self.refused("planes", "an array [planes][rows][cols]", given, position)
        return planes


def _compute_once(rules: type[PythonGame]) -> None:
    """Make the properties of a user's class keep their values, as constants of compiled rules do."""
    for kind in rules.__mro__:
        if issubclass(kind, PythonGame) and kind is not PythonGame:
            for name, found in list(vars(kind).items()):
                if isinstance(found, property) and found.fget is not None:
                    kept = cached_property(found.fget)
                    kept.__set_name__(kind, name)
                    setattr(kind, name, kept)
