"""Game and State, the objects that Python code plays with."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab import _engine
from boardlab.checks import as_integer as as_integer
from boardlab.checks import as_seed as as_seed
from boardlab.checks import is_number as is_number
from boardlab.errors import BoardLabError, check_known, shown
from boardlab.games.history import recent_events
from boardlab.games.pictures import picture
from boardlab.games.rules import Rules

CHANCE: int = _engine.CHANCE
TERMINAL: int = _engine.TERMINAL


RECENT = 16
"""Positions that a copy keeps where only the last action may be asked for."""


class Game:
    """A game with its parameters; made by `boardlab.game(name, **parameters)`."""

    __slots__ = ("core", "rules")

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        try:
            self.core = rules.make_core()
        except ValueError as error:
            raise BoardLabError(str(error)) from None

    @classmethod
    def of_core(cls, rules: Rules, core: _engine.Game) -> "Game":
        """Return a game whose engine's side is already made."""
        game = cls.__new__(cls)
        game.rules, game.core = rules, core
        return game

    @property
    def name(self) -> str:
        """The name in the registry."""
        return self.rules.name

    @property
    def players(self) -> int:
        """Number of players; they are 0 .. players-1."""
        return self.core.players

    @property
    def action_count(self) -> int:
        """Number of actions; they are 0 .. action_count-1."""
        return self.core.action_count

    @property
    def horizon(self) -> int:
        """Number of actions after which a playout is cut."""
        return self.core.horizon

    @property
    def score_range(self) -> tuple[float, float]:
        """Lowest and highest final score of a player (in some games an estimate)."""
        low, high, _ = self.core.outcome_range("score")
        return low, high

    @property
    def outcomes(self) -> list[str]:
        """Outcomes to train on and search for: "score" and the game's named rewards."""
        return self.core.outcomes

    @property
    def has_chance(self) -> bool:
        """Whether the game has chance events (dice, tiles, cards)."""
        return self.core.has_chance

    @property
    def is_hidden(self) -> bool:
        """Whether parts of the state are hidden from players."""
        return self.core.is_hidden

    @property
    def is_zero_sum(self) -> bool:
        """Whether final scores always add up to zero."""
        return self.core.is_zero_sum

    @property
    def symmetries(self) -> int:
        """Number of symmetries of the rules, including the identity."""
        return self.core.symmetries

    def initial_state(self, seed: int = 0) -> "State":
        """Return the position before the first action.

        A random set-up depends on the seed.
        """
        return State(self, self.core.initial_state(as_seed(seed)))

    def training_start(self, seed: int = 0) -> "State":
        """Return a position from which an episode of self-play may start."""
        return State(self, self.core.training_start(as_seed(seed)))

    def from_text(self, text: str) -> "State":
        """Read the output of `State.to_text`."""
        if not isinstance(text, str):
            raise BoardLabError(f"{self.name}: the text of a state must be a string, not {shown(text)}")
        return self.from_fields(self.rules.fields_from_text(text))

    def from_fields(self, fields: Any) -> "State":
        """Return the state with these plain integers; see `State.fields`."""
        try:
            values = np.asarray(fields)
        except (TypeError, ValueError, OverflowError):
            raise BoardLabError(f"{self.name}: the fields of a state must be whole numbers") from None
        if values.ndim != 1 or len(values) != self.core.field_count:
            raise BoardLabError(
                f"{self.name}: a state needs {self.core.field_count} fields, not {values.size}"
            )
        if values.dtype.kind not in "iu":
            raise BoardLabError(f"{self.name}: the fields of a state must be whole numbers")
        if values.min() < -(2**31) or values.max() >= 2**31:
            raise BoardLabError(f"{self.name}: a field is out of range")
        try:
            return State(self, self.core.from_fields(values.astype(np.int32)))
        except ValueError as error:
            raise BoardLabError(f"{self.name}: {error}") from None

    def has_positions_of(self, other: "Game", *, any_length: bool = False) -> bool:
        """Return whether the games differ only in how they start, if at all.

        With `any_length` they may also have different numbers of rounds.
        """
        if not isinstance(other, Game):
            raise BoardLabError(f"a game can only be compared with a game, not with {shown(other)}")
        if type(self.rules) is not type(other.rules):
            return False
        names = (*self.rules.starts, *(self.rules.lengths if any_length else ()))
        starts = {name: getattr(self.rules, name) for name in names}
        return dataclasses.replace(other.rules, **starts) == self.rules

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.rules == other.rules

    def __hash__(self) -> int:
        return hash(self.rules)

    def __copy__(self) -> "Game":
        return self  # games are immutable

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as name and parameters.

        Unpickling loads no library (see `game_from_table`).
        """
        from boardlab.games.library import Library
        from boardlab.games.openspiel import PREFIX, openspiel_rules
        from boardlab.games.registry import GAMES, game_from_table

        known = openspiel_rules(self.name) if self.name.startswith(PREFIX) else GAMES.get(self.name)
        if type(self.rules) not in (known, Library):
            raise BoardLabError(
                f"{self!r} cannot be pickled: its rules are neither built in, registered nor from a library"
            )
        return game_from_table, (game_table(self),)

    def __repr__(self) -> str:
        return self.rules.call()


def game_table(game: Game) -> dict[str, Any]:
    """Describe a game for files: name, parameters, and the fingerprint of user rules."""
    table = {"name": game.name} | {
        field.name: list(value) if isinstance(value, tuple) else value
        for field in dataclasses.fields(game.rules)
        if (value := getattr(game.rules, field.name)) is not None
    }
    return table | ({"fingerprint": game.rules.own_code} if game.rules.own_code else {})


def as_game(value: Any) -> Game:
    """Return `value` if it is a game."""
    if not isinstance(value, Game):
        raise BoardLabError(f'a game is made with boardlab.game("othello"), not {shown(value)}')
    return value


def check_outcome(game: Game, outcome: str) -> str:
    """Return `outcome` if the game has it."""
    check_known(f"outcome of {game.name}", outcome, game.outcomes)
    return outcome


class State:
    """A position: `legal_actions`, `apply`, `undo`; it prints and draws itself."""

    __slots__ = ("core", "game")

    def __init__(self, game: Game, core: _engine.State) -> None:
        self.game = game
        self.core = core

    @property
    def player(self) -> int:
        """Who acts: 0 .. N-1, `boardlab.CHANCE` or `boardlab.TERMINAL`."""
        return self.core.player

    @property
    def last_player(self) -> int:
        """Who created this position; `boardlab.CHANCE` before the first action."""
        return self.core.last_player

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.core.is_terminal

    @property
    def scores(self) -> NDArray[np.float64]:
        """One number per player; before the end, what was paid so far."""
        return self.core.outcome("score")

    def outcome(self, name: str = "score") -> NDArray[np.float64]:
        """Return the score or a named reward of the game."""
        return self.core.outcome(check_outcome(self.game, name))

    def legal_actions(self) -> list[int]:
        """List the legal actions in ascending order; at a chance node the outcomes."""
        return self.core.legal_actions()

    def apply(self, action: int) -> None:
        """Play an action, or an outcome at a chance node."""
        self.core.apply(as_integer("an action", action, -(2**31), 2**31 - 1))

    def undo(self) -> None:
        """Take back the last applied action."""
        self.core.undo()

    @property
    def last_action(self) -> int | None:
        """The last action of a player; None without a history, as after `from_text`."""
        return next((event.action for event in recent_events(self) if event.player >= 0), None)

    @property
    def actions_played(self) -> int:
        """Number of actions that can be undone."""
        return self.core.actions_played

    def copy(self) -> "State":
        """Return an independent copy, with its history."""
        return State(self.game, self.core.copy())

    def __copy__(self) -> "State":
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> "State":
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as fields, which are checked on reading."""
        self.game.from_fields(self.fields)  # refuses a view with hidden cards now, not on reading
        *before, fields = self.history_fields()
        return with_history, (self.game, fields, before)

    def history_fields(self) -> list[list[int]]:
        """The fields of all positions of its history, the first one first, and its own."""
        earlier, found = self.copy(), [self.fields]
        while earlier.actions_played:
            earlier.undo()
            found.append(earlier.fields)
        return found[::-1]

    def core_for(self, game: Game) -> _engine.State:
        """Return the engine's state for an equal game, which may be another object."""
        if as_game(game) != self.game:
            raise BoardLabError(f"this is a state of {self.game!r}, not of {game!r}")
        if self.core.game is game.core:
            return self.core
        return game.core.adopt(self.core)

    def children(self) -> Iterator[tuple[int, "State"]]:
        """Yield every legal action with the position it leads to."""
        for action in self.legal_actions():
            child = self.copy()
            child.apply(action)
            yield action, child

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of a chance node with their probabilities."""
        return self.core.chance_outcomes()

    def sample_chance(self, seed: int) -> int:
        """Draw an outcome of a chance node."""
        return self.core.sample_chance(as_seed(seed))

    # ---- hidden cards ----

    def seen_by(self, player: int) -> "State":
        """Return the state without the parts hidden from the player.

        It has no history where something may be hidden, and a short one elsewhere.
        """
        player = self._player(player)
        hides = self.game.is_hidden
        return State(self.game, self.core.seen_by(player) if hides else self.core.recent(RECENT))

    def observe(self, player: int) -> bytes:
        """Return a key, equal exactly if the player cannot tell two histories apart."""
        return self.core.observe(self._player(player))

    def determinize(self, player: int, seed: int) -> "State":
        """Draw a full state that is consistent with what the player sees."""
        return State(self.game, self.core.determinize(self._player(player), as_seed(seed)))

    def completions(self, player: int, most: int = 4096) -> list[tuple["State", float]]:
        """Return all consistent full states with probabilities; [] if there are too many."""
        most = as_integer("most", most, 1, 2**20)
        return [(State(self.game, s), p) for s, p in self.core.completions(self._player(player), most)]

    # ---- what learners read ----

    def board_vector(self, player: int = 0) -> NDArray[np.uint8]:
        """Return the cell values for n-tuples.

        They depend on the player only if cards are hidden.
        """
        return self.core.board_vector(self._player(player))

    def planes(self, player: int = 0) -> NDArray[np.float32]:
        """Return the player's view for a neural net, [planes][rows][cols]."""
        return self.core.planes(self._player(player))

    def features(self, player: int = 0) -> NDArray[np.float64]:
        """Return the game's features for feature-based TD."""
        return self.core.features(self._player(player))

    def symmetry(self, index: int) -> "State":
        """Return the position under one of the game's symmetries."""
        index = as_integer("a symmetry", index, 0, self.game.symmetries - 1)
        return State(self.game, self.core.symmetry(index))

    @property
    def stage(self) -> int:
        """The phase of the game, 0 .. game.core.stages-1."""
        return self.core.stage

    @property
    def round_over(self) -> bool:
        """Whether a round of several has just ended."""
        return self.core.round_over

    @property
    def moves_left(self) -> float:
        """Estimated number of actions to come."""
        return self.core.moves_left

    def solve(self, node_limit: int = 2**63 - 1, outcome: str = "score") -> NDArray[np.float64] | None:
        """Return the exact outcome under best play, from the game's own solver.

        None if there is no solver, or if it gave up after about `node_limit` positions.
        """
        limit = as_integer("node_limit", node_limit, 1, 2**63 - 1)
        check_outcome(self.game, outcome)
        if self.is_terminal:
            return self.outcome(outcome)
        solution = self.core.solve(limit, outcome)
        return None if solution is None else solution[0]

    # ---- text and drawing ----

    @property
    def fields(self) -> list[int]:
        """The state as plain integers; the game's file describes them."""
        fields: list[int] = self.core.to_fields().tolist()
        return fields

    def to_text(self) -> str:
        """Write the whole state as text; `game.from_text` reads it back."""
        return self.game.rules.to_text(self)

    def action_text(self, action: int) -> str:
        """Name an action (at a chance node: an outcome) as players write it."""
        return next(iter(self.action_names([action]).values()))

    def action_names(self, actions: Iterable[int] | None = None) -> dict[int, str]:
        """Name all legal actions, or the given ones, in one call."""
        name = self.game.rules.chance_text if self.player == CHANCE else self.game.rules.action_text
        legal = self.legal_actions()
        if actions is None:
            return {action: name(self, action) for action in legal}
        try:
            chosen = list(actions)
        except TypeError:
            raise BoardLabError(f"actions must be a list of actions, not {shown(actions)}") from None
        chosen = [as_integer("an action", action, -(2**31), 2**31 - 1) for action in chosen]
        for action in chosen:
            if action not in legal:
                raise BoardLabError(f"action {action} is not legal here")
        return {action: name(self, action) for action in chosen}

    def parse_action(self, text: str) -> int:
        """Return the legal action written as `text`."""
        if not isinstance(text, str):
            raise BoardLabError(f"an action must be text, not {shown(text)}")
        if self.is_terminal:
            raise BoardLabError("the game is over, so no action can be played")
        return self.game.rules.parse_action(self, text)

    def to_svg(
        self,
        decision: Any = None,
        *,
        legal: bool = False,
        last: int | bool | None = True,
        theme: str = "auto",
    ) -> str:
        """Draw the state as SVG; see docs/pictures.md.

        `decision` draws what `agent.act(state)` returned over the board: values, visits, the expected line.
        `legal` marks the legal actions. `last` marks the last action: True takes it from the history, a
        number is an action, False marks none. `theme` is auto (follows the reader's colour scheme), light,
        dark, or page (colours come from the page: `boardlab.stylesheet()`).

        Places to click carry their action as `data-action`.
        """
        rules = self.game.rules
        if type(rules).to_svg is not Rules.to_svg:  # a game that draws itself
            return rules.to_svg(self)
        return picture(self, decision, legal=legal, last=last, theme=theme)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _player(self, player: int) -> int:
        return as_integer("a player", player, 0, self.game.players - 1)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, State)
            and self.game == other.game
            and self.core.to_bytes() == other.core.to_bytes()
        )

    def __hash__(self) -> int:
        return hash(self.core)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<State of {self.game.name}>\n{self.to_text()}"


def with_history(game: Game, fields: Sequence[int], before: Sequence[Sequence[int]]) -> State:
    """Rebuild a state from its fields and those of its history."""
    core = game.from_fields(fields).core
    return State(game, core.with_history([game.from_fields(earlier).core for earlier in before]))
