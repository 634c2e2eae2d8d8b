"""Plugins: a user's Python files and game libraries, loaded by the command line."""

import os
import runpy
import sys
from pathlib import Path
from traceback import extract_tb

from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.games.library import load_game
from boardlab.games.own import OwnGame
from boardlab.paths import as_path

PLUGINS: list[str] = []
"""The Python files run so far, in order; worker processes run them too."""


LIBRARIES = (".so", ".dylib", ".dll")


def run_plugin(path: str) -> None:
    """Run the file, or load the game library; report failures in one sentence."""
    if not as_path("a plugin", path).is_file():
        raise BoardLabError(f'there is no file "{path}" to run as a plugin')
    if Path(path).suffix in LIBRARIES:
        load_game(path)
        return
    PLUGINS.append(path)
    folder = str(Path(path).resolve().parent)
    if folder not in sys.path:
        sys.path.append(
            folder
        )  # a plugin imports its neighbours; last, so that none hides a module of Python
    try:
        runpy.run_path(path, run_name="boardlab_plugin")
    except Exception as error:
        message = plugin_failure(error) or f"the plugin {path} failed: {_described(error)}"
        raise BoardLabError(message) from None


def named_plugins() -> list[str]:
    """Return the plugins that the environment names in BOARDLAB_PLUGINS.

    Files are separated like folders in PATH.
    """
    return [path for path in os.environ.get("BOARDLAB_PLUGINS", "").split(os.pathsep) if path]


def plugins_for(game: Game) -> list[str]:
    """Return the files that another process must run to know the game.

    Refuses a game that was registered in this process only.
    """
    if isinstance(game.rules, OwnGame) and game.rules.needs_plugin and not PLUGINS:
        raise BoardLabError(
            f'the game "{game.name}" was registered in this process, and other processes do not know it; '
            "use one process, or register it in a file: boardlab --plugin FILE train ..."
        )
    return [str(Path(path).absolute()) for path in PLUGINS]


def plugin_failure(error: Exception) -> str | None:
    """Describe an error raised by plugin code; None if it came from elsewhere."""
    place = next((f for f in reversed(extract_tb(error.__traceback__)) if f.filename in PLUGINS), None)
    if place is None:
        return None
    return f"the plugin {place.filename} failed in line {place.lineno}: {_described(error)}"


def _described(error: Exception) -> str:
    """Describe an error in one line, without the place in an expression."""
    if isinstance(error, BoardLabError):
        return str(error).partition("\n")[0]
    return f"{type(error).__name__}: {error}"
