"""Plugins: a user's own Python files that register games, evaluators, agents and the like; game libraries."""

import runpy
from pathlib import Path
from traceback import extract_tb

from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.games.library import load_game
from boardlab.games.python import PythonGame
from boardlab.paths import as_path

PLUGINS: list[str] = []
"""The Python files that were run, in order; processes that are started run them, too."""


LIBRARIES = (".so", ".dylib", ".dll")


def run_plugin(path: str) -> None:
    """Runs the file, or loads the game in it; what goes wrong is said in a sentence."""
    if not as_path("a plugin", path).is_file():
        raise BoardLabError(f'there is no file "{path}" to run as a plugin')
    if Path(path).suffix in LIBRARIES:
        load_game(path)
        return
    PLUGINS.append(path)
    try:
        runpy.run_path(path, run_name="boardlab_plugin")
    except Exception as error:
        said = plugin_failure(error) or f"the plugin {path} failed: {_said(error)}"
        raise BoardLabError(said) from None


def plugins_for(game: Game) -> list[str]:
    """What another process has to run before it knows the game; refuses one that this process alone knows."""
    if isinstance(game.rules, PythonGame) and not PLUGINS:
        raise BoardLabError(
            f'the game "{game.name}" was registered in this process, and other processes do not know it; '
            "use one process, or register it in a file: boardlab --plugin FILE train ..."
        )
    return [str(Path(path).absolute()) for path in PLUGINS]


def plugin_failure(error: Exception) -> str | None:
    """What is to be said about an error in the code of a plugin; None where it came from elsewhere."""
    place = next((f for f in reversed(extract_tb(error.__traceback__)) if f.filename in PLUGINS), None)
    if place is None:
        return None
    return f"the plugin {place.filename} failed in line {place.lineno}: {_said(error)}"


def _said(error: Exception) -> str:
    """In one line: without the place in an expression."""
    if isinstance(error, BoardLabError):
        return str(error).partition("\n")[0]
    return f"{type(error).__name__}: {error}"
