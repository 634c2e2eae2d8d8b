"""The rules of an OpenSpiel game as functions over packed histories."""

import contextlib
import importlib
import importlib.metadata
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import ArrayLike

from boardlab.errors import BoardLabError, MissingPackageError, check_known, install, printable, shown
from boardlab.games.openspiel.hidden import WORDS, Views, is_view
from boardlab.games.openspiel.histories import Histories, actor_in
from boardlab.games.openspiel.views import Cells, Tensors, find_cells, sample_games
from boardlab.games.python import Position, PythonGame

if TYPE_CHECKING:
    from boardlab.games.game import State

PREFIX = "openspiel:"

_MADE: dict[str, type["OpenSpielGame"]] = {}
"""The class of each game, by the text that names it."""


def openspiel_rules(name: str) -> type["OpenSpielGame"]:
    """Return the rules of a game such as "openspiel:breakthrough(rows=6,columns=6)"."""
    if name not in _MADE:
        text = name.removeprefix(PREFIX)
        try:
            _check_text(text)
            spiel = _pyspiel().load_game(text)
            _check_kind(text.partition("(")[0], spiel.get_type())
            full = PREFIX + _full_text(text, spiel)
            made = _MADE.get(full) or _make(full, spiel)
        except BoardLabError:
            raise
        except Exception as error:  # SpielError, or whatever a game raises that was given nonsense
            raise BoardLabError(f"OpenSpiel cannot make {shown(text)}: {error}") from None
        _MADE[name] = _MADE[full] = made
    return _MADE[name]


def _pyspiel() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise MissingPackageError(f"games of OpenSpiel need its package: {install('openspiel')}") from None
    return pyspiel


def _check_text(text: str) -> None:
    """Refuse what names no game of OpenSpiel."""
    pyspiel = _pyspiel()
    if "python_" in text:
        importlib.import_module("open_spiel.python.games")  # registers those that are written in Python
    known = {kind.short_name: kind for kind in pyspiel.registered_games()}
    check_known("game of OpenSpiel", text.partition("(")[0], list(known))
    if text.count("(") != text.count(")"):
        raise BoardLabError(f"a bracket is missing in {shown(text)}")
    if "(" in text and not text.endswith(")"):
        raise BoardLabError(f"nothing may follow the last bracket of {shown(text)}")
    given = pyspiel.game_parameters_from_string(text)
    _check_parameters(given, known)
    _check_turns(given["name"], known[given["name"]])


def _check_parameters(given: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Refuse unknown parameters, and unknown games as parameters of others."""
    short = given["name"]
    check_known("game of OpenSpiel", short, list(known))
    for parameter, value in given.items():
        if parameter != "name":
            check_known(
                f"parameter of OpenSpiel's {short}", parameter, list(known[short].parameter_specification)
            )
        if isinstance(value, dict):
            _check_parameters(value, known)


def _full_text(text: str, spiel: Any) -> str:
    """Return the game with all its parameters, or the text as given where that would be another game."""
    full = str(spiel)
    with contextlib.suppress(Exception):
        if str(_pyspiel().load_game(full)) == full:
            return full.removesuffix("()")
    return text


def _check_turns(short: str, kind: Any) -> None:
    """Refuse a game in which players do not take turns."""
    if str(kind.dynamics).rsplit(".", 1)[-1] != "SEQUENTIAL":
        raise BoardLabError(
            f"OpenSpiel's {short} cannot be played: its players act at the same time or as a crowd, and here "
            'they take turns (OpenSpiel\'s "turn_based_simultaneous_game(game=...)" makes turns of it)'
        )


def _check_kind(short: str, kind: Any) -> None:
    """Refuse a game that BoardLab cannot carry, and say why.

    A game made of another one has its kind only when it is loaded: what is registered says the worst.
    """
    _check_turns(short, kind)
    if str(kind.chance_mode).rsplit(".", 1)[-1] == "SAMPLED_STOCHASTIC":
        raise BoardLabError(
            f"OpenSpiel's {short} cannot be played: it draws its chance events itself, so that no position "
            "can be replayed from its actions"
        )


def _make(name: str, spiel: Any) -> type["OpenSpielGame"]:
    """Make the class of a game, with what it can show."""
    kind = spiel.get_type()
    if not 1 <= spiel.num_players() <= 8 or spiel.num_distinct_actions() < 1:
        raise BoardLabError(
            f"{name} cannot be played: it has {spiel.num_players()} players and "
            f"{spiel.num_distinct_actions()} actions, and needs 1 to 8 players and an action"
        )
    is_random = str(kind.chance_mode).rsplit(".", 1)[-1] != "DETERMINISTIC"
    is_hidden = str(kind.information).rsplit(".", 1)[-1] != "PERFECT_INFORMATION"
    tensors = Tensors(spiel)
    sample = sample_games(spiel, tensors, per_player=is_hidden)
    actions = max(spiel.num_distinct_actions(), sample.actions)
    outcomes = max(spiel.max_chance_outcomes(), sample.outcomes) if is_random else 0
    histories = Histories(spiel, max(actions, outcomes), WORDS)
    cells = find_cells(tensors, sample)
    low, high = float(spiel.min_utility()), float(spiel.max_utility())
    members: dict[str, Any] = {
        "__doc__": f"{kind.long_name}, from OpenSpiel.",
        "name": name,
        "summary": f"{kind.long_name}, from OpenSpiel",
        "own_code": f"open_spiel {importlib.metadata.version('open_spiel')}",
        "players": spiel.num_players(),
        "action_count": actions,
        "outcome_count": outcomes,
        "horizon": histories.horizon,
        "score_range": (low, high if high > low else low + 1),
        "is_zero_sum": str(kind.utility).rsplit(".", 1)[-1] == "ZERO_SUM",
        "spiel": spiel,
        "histories": histories,
        "tensors": tensors,
    }
    if is_hidden:
        members |= {"views": Views(histories, tensors), "conceal": _conceal, "determinize": _determinize}
    if tensors.shape is not None:
        members["planes"] = _planes
    if cells is not None:
        members |= {"cells": cells, "cell_values": cells.values, "board_vector": _board_vector}
        if cells.has_neighbours:
            members["adjacency"] = _adjacency
    return dataclass(frozen=True)(type("OpenSpielGame", (OpenSpielGame,), members))


class OpenSpielGame(PythonGame):
    """Base class: a position is the history of actions, or what one player sees of it."""

    needs_plugin = False
    spiel: ClassVar[Any]
    histories: ClassVar[Histories]
    tensors: ClassVar[Tensors]
    cells: ClassVar[Cells | None] = None
    views: ClassVar[Views | None] = None
    names: ClassVar[tuple[Position, dict[int, str]]] = ((), {})
    """The names of the actions in the position that was asked about last."""

    @classmethod
    def state_of(cls, position: Position) -> Any:
        """Return OpenSpiel's state of a position, which the caller must not change."""
        if cls.views is not None and is_view(position):
            position = cls.views.history(position)
        return cls.histories.state(position)

    def initial_state(self, rng: Random) -> Position:
        """Return the empty history."""
        return self.histories.start

    def player(self, position: Position) -> int:
        """Return who acts."""
        return actor_in(self.state_of(position))

    def legal(self, position: Position) -> Sequence[int]:
        """Return the legal actions."""
        return sorted(self.state_of(position).legal_actions())

    def apply(self, position: Position, action: int) -> Position:
        """Return the longer history."""
        return self.histories.after(position, action)

    def scores(self, position: Position) -> Sequence[float]:
        """Return the sums of OpenSpiel's rewards."""
        return list(self.state_of(position).returns())

    def chance(self, position: Position) -> Sequence[tuple[int, float]]:
        """Return the outcomes that can happen, each once."""
        chances: dict[int, float] = {}
        for outcome, probability in self.state_of(position).chance_outcomes():
            if probability > 0:
                chances[outcome] = chances.get(outcome, 0.0) + probability
        total = sum(chances.values())
        return [(outcome, p / total) for outcome, p in chances.items()]

    def check(self, position: Position) -> str | None:
        """Return what is impossible about a position."""
        if is_view(position):
            return "what one player sees cannot be read back; determinize it first"
        return self.histories.check(position)

    def text(self, position: Position) -> str:
        """Return OpenSpiel's text of the position, or of what a player sees of it."""
        state, player = self.state_of(position), -1 - position[0]
        if not is_view(position):
            text = str(state)
        elif self.spiel.get_type().provides_observation_string:
            text = state.observation_string(player)
        else:
            text = state.information_state_string(player)
        return printable(re.sub(r"\x1b\[[0-9;]*m", "", text))  # some games colour their boards

    def action_name(self, position: Position, action: int) -> str:
        """Return OpenSpiel's name of an action, with its number if another has the same."""
        if self.names[0] != position:
            type(self).names = position, _names(self.state_of(position))
        return self.names[1].get(action, f"#{action}")

    def chance_text(self, state: "State", outcome: int) -> str:
        """Return OpenSpiel's name of an outcome."""
        return self.action_text(state, outcome)


def _names(state: Any) -> dict[int, str]:
    """Name all legal actions; those with the same name also by their numbers."""
    actor = state.current_player()
    names = {a: " ".join(state.action_to_string(actor, a).split()) for a in state.legal_actions()}
    times = Counter(name.lower() for name in names.values())
    return {
        action: name if name and times[name.lower()] == 1 else f"{name}#{action}"
        for action, name in names.items()
    }


# Functions that a game has or lacks: PythonGame asks its class which of them are there.


def _conceal(self: OpenSpielGame, position: Position, player: int) -> Position:
    assert self.views is not None
    return self.views.conceal(position, player)


def _determinize(self: OpenSpielGame, position: Position, player: int, rng: Random) -> Position:
    assert self.views is not None
    return self.views.determinize(position, player, rng)


def _planes(self: OpenSpielGame, position: Position, player: int) -> ArrayLike:
    return self.tensors.planes(self.state_of(position), player)


def _board_vector(self: OpenSpielGame, position: Position, player: int) -> Sequence[int]:
    assert self.cells is not None
    state = self.state_of(position)
    return self.cells.of(self.tensors.of(state, player if self.views else 0), actor_in(state))


def _adjacency(self: OpenSpielGame, cell: int) -> Sequence[int]:
    assert self.cells is not None
    return self.cells.adjacency(cell)
