"""All games by name: the engine's, each with its Python class from this folder."""

import importlib
import pkgutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boardlab import _engine
from boardlab.errors import OF_YOUR_OWN, BoardLabError, shown, unknown
from boardlab.games.description import Description
from boardlab.games.game import Game, game_table
from boardlab.games.library import LOADED, Library, load_game, loaded_game
from boardlab.games.openspiel import PREFIX, openspiel_rules
from boardlab.games.rules import Rules
from boardlab.options import check_options, options_of
from boardlab.registries import Registry


def _faces() -> dict[str, type[Rules]]:
    """Find the class of each game in this folder, by its `name`."""
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
    """Make the class of a game without one: no parameters, fields as text."""
    return type(name, (Rules,), {"name": name, "summary": "shown by its plain fields"})


GAMES: Registry[type[Rules]] = Registry("game", _faces())


def games() -> list[str]:
    """List the names of all games."""
    GAMES.load_installed()
    return list(GAMES)


def rules_of(name: str) -> type[Rules]:
    """Return the class with a game's parameters and notation."""
    if not isinstance(name, str):
        raise BoardLabError(f"the name of a game must be text, not {shown(name)}")
    if name.startswith(PREFIX):
        return openspiel_rules(name)
    if name not in GAMES and loaded_game(name) is None:
        raise unknown("game", name, [*GAMES.names(), *(own.name for own in LOADED.values())], OF_YOUR_OWN)
    found: type[Rules] = GAMES.get(name, Library)
    return found


def game(name: str, **parameters: Any) -> Game:
    """Make a game by name, as in `game("connectfour", rows=6, cols=7)`."""
    rules = rules_of(name)
    checked = check_options(name, rules, parameters)
    own = loaded_game(name) if rules is Library else None
    return own or Game(rules(**checked))


def game_from_table(table: Mapping[str, Any], *, load: bool = False) -> Game:
    """Make the game that `game_table` described, in a run's folder or a store.

    A file never loads a library, which would run whatever code the file names. `load` is for our own worker
    processes, whose parent has loaded it.
    """
    parameters = dict(table)
    name = parameters.pop("name")
    path = parameters.get("path")
    if not isinstance(path, str):
        parameters.pop("fingerprint", None)
        return game(name, **parameters)
    if load and parameters.get("fingerprint") not in (None, game_table(load_game(path))["fingerprint"]):
        raise BoardLabError(f"the game library {path} has changed since it was loaded: restart Python")
    found = loaded_game(str(name), path)
    if found is None:
        raise BoardLabError(
            f'the game "{name}" is in the library {path}, which is not loaded, and files may not load it; '
            f'first boardlab.load_game("{path}"), or boardlab --plugin {path} on the command line'
        )
    return found


def describe(name: str) -> Description:
    """Describe a game: summary, players, notation, known facts, parameters."""
    rules = rules_of(name)
    default = game(name)
    players = rules.player_counts() if name in GAMES else [default.players]
    facts = [
        ("players", ", ".join(map(str, players))),
        ("notation", rules.notation),
        ("named rewards", ", ".join(default.outcomes[1:])),
        ("known", rules.truths),
    ]
    return Description(f"{name}: {rules.summary}", [fact for fact in facts if fact[1]], options_of(rules))
