"""The games by name: those of the engine, each with the face that a file of this folder gives it."""

import importlib
import pkgutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boardlab import _engine
from boardlab.errors import OF_YOUR_OWN, BoardLabError, shown, unknown
from boardlab.games.game import Game, game_table
from boardlab.games.library import LOADED, Library, load_game, loaded_game
from boardlab.games.rules import Rules
from boardlab.options import check_options, options_of


def _faces() -> dict[str, type[Rules]]:
    """A game's face is the class with its `name` in any file here; without one it shows its plain fields."""
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        importlib.import_module(f"boardlab.games.{module.name}")
    classes, found = [Rules], {}
    while classes:
        face = classes.pop()
        classes += face.__subclasses__()
        if isinstance(name := vars(face).get("name"), str):
            found[name] = face
    return {name: found.get(name) or _plain_face(name) for name in _engine.game_names()}


def _plain_face(name: str) -> type[Rules]:
    """The face of a game that has none in Python: no parameters, fields as text."""
    return type(name, (Rules,), {"name": name, "summary": "shown by its plain fields"})


GAMES: dict[str, type[Rules]] = _faces()


def games() -> list[str]:
    """The names of all games."""
    return list(GAMES)


def rules_of(name: str) -> type[Rules]:
    """The class of a game's parameters and notation."""
    if not isinstance(name, str):
        raise BoardLabError(f"the name of a game must be text, not {shown(name)}")
    if name not in GAMES and loaded_game(name) is None:
        raise unknown("game", name, [*GAMES, *(own.name for own in LOADED.values())], OF_YOUR_OWN)
    return GAMES.get(name, Library)


def game(name: str, **parameters: Any) -> Game:
    """The game with its parameters: `game("connectfour", rows=6, cols=7)`; or a loaded library by name."""
    rules = rules_of(name)
    checked = check_options(name, rules, parameters)
    own = loaded_game(name) if rules is Library else None
    return own or Game(rules(**checked))


def game_from_table(table: Mapping[str, Any], *, load: bool = False) -> Game:
    """The game that `game_table` told, in a run's folder or a store.

    A file never loads a library, which would run whatever the file names. `load` is for processes of our own,
    whose parent has loaded it.
    """
    parameters = dict(table)
    name = parameters.pop("name")
    path = parameters.get("path")
    if not isinstance(path, str):
        parameters.pop("fingerprint", None)
        return game(name, **parameters)
    if load and parameters.get("fingerprint") not in (None, game_table(load_game(path))["fingerprint"]):
        raise BoardLabError(f"the game library {path} has changed since it was loaded: start Python again")
    found = loaded_game(str(name), path)
    if found is None:
        raise BoardLabError(
            f'the game "{name}" is the library {path}, which is not loaded, and no file may do that; first '
            f'boardlab.load_game("{path}"), or boardlab --plugin {path} on the command line'
        )
    return found


def describe(name: str) -> str:
    """Rules in a line, players, how actions are written, parameters, what is known for certain."""
    rules = rules_of(name)
    default = game(name)
    players = rules.player_counts() if name in GAMES else [default.players]
    lines = [f"{name}: {rules.summary}", f"players: {', '.join(map(str, players))}"]
    if rules.notation:
        lines.append(f"notation: {rules.notation}")
    if len(default.outcomes) > 1:
        lines.append(f"named rewards: {', '.join(default.outcomes[1:])}")
    parameters = options_of(rules)
    if parameters:
        lines.append("parameters:")
        width = max(len(p.name) for p in parameters)
        lines += [f"  {p.name:<{width}}  {p.doc} ({p.allowed}; default {p.default!r})" for p in parameters]
    if rules.truths:
        lines.append(f"known: {rules.truths}")
    return "\n".join(lines)
