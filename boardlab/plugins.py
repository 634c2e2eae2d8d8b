"""Plugins: a user's Python files and game libraries, and where they are named.

The user's configuration file, boardlab.toml of a trusted project folder, the environment (BOARDLAB_PLUGINS)
and --plugin name files, which are run in this order. Installed packages are found by entry points, when a
name is asked for (boardlab/registries.py).
"""

import os
import runpy
import shlex
import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from traceback import extract_tb

from boardlab.configuration import plugin_files, project_file, user_file, why_not_trusted
from boardlab.errors import BoardLabError, BoardLabWarning
from boardlab.games.game import Game
from boardlab.games.library import load_game
from boardlab.games.own import OwnGame
from boardlab.paths import as_path
from boardlab.registries import REGISTRIES, described, registering

PLUGINS: list[str] = []
"""The Python files that were run, in order; worker processes run them too."""

RUN: dict[str, str] = {}
"""The same, by the names under which they ran: a file that came with a job lies elsewhere."""

LIBRARIES = (".so", ".dylib", ".dll")

NAMED = "--plugin"
ENVIRONMENT = "BOARDLAB_PLUGINS"


@dataclass
class Plugin:
    """A plugin that was named, and what became of it."""

    path: str
    origin: str
    """Who named it: --plugin, BOARDLAB_PLUGINS, or the path of a configuration file."""
    error: str = ""
    """Why it failed."""
    waits: str = ""
    """Why it was not run: its folder is not trusted."""
    brought: dict[str, list[str]] = field(default_factory=dict)
    """The names that it registered, by kind."""


FOUND: list[Plugin] = []
"""All plugins that were named, in order."""


def run_plugin(path: str, origin: str = NAMED) -> None:
    """Run the file, or load the game library; report failures in one sentence."""
    plugin = Plugin(path, origin)
    FOUND.append(plugin)
    before = {kind: (dict(registry), dict(registry.sources)) for kind, registry in REGISTRIES.items()}
    try:
        _run(plugin)
    except BoardLabError as error:
        plugin.error = str(error)
        for kind, names in _brought_by(path).items():  # half a plugin would be unknown to other processes
            known, sources = before[kind]
            for name in names:
                del REGISTRIES[kind][name]
                if name in known:
                    REGISTRIES[kind][name], REGISTRIES[kind].sources[name] = known[name], sources.get(name)
        raise
    plugin.brought |= _brought_by(path)
    for kind, names in plugin.brought.items():
        for name in names:
            earlier = before[kind][1].get(name) if kind in before else None
            if earlier not in (None, str(Path(path).absolute())) and not _is_imported(str(earlier)):
                _warn(f'the {kind} "{name}" of the plugin {earlier} is replaced by that of {path}')


def _is_imported(file: str) -> bool:
    """Whether a plugin was also imported, as a neighbour of another one: then its names are still its own."""
    return any(getattr(module, "__file__", None) == file for module in list(sys.modules.values()))


def _brought_by(path: str) -> dict[str, list[str]]:
    """Return the names that a file has registered, by kind."""
    source = str(Path(path).absolute())
    found = {
        kind: [name for name, known in registry.sources.items() if known == source and name in registry]
        for kind, registry in REGISTRIES.items()
    }
    return {kind: names for kind, names in found.items() if names}


def _run(plugin: Plugin) -> None:
    path = plugin.path
    file = as_path("a plugin", path)
    if not file.is_file():
        raise BoardLabError(f'there is no file "{path}" to run as a plugin')
    if Path(path).suffix in LIBRARIES:
        plugin.brought["game"] = [load_game(path).name]
        return
    if any(file.samefile(other) for other in RUN if Path(other).exists()):
        return  # named twice
    folder = str(file.resolve().parent)
    if folder not in sys.path:
        sys.path.append(
            folder
        )  # a plugin imports its neighbours; last, so that none hides a module of Python
    PLUGINS.append(path)
    RUN[str(file)] = path
    try:
        with registering(str(Path(path).absolute())):
            runpy.run_path(str(file), run_name="boardlab_plugin")
    except (Exception, SystemExit) as error:
        message = plugin_failure(error) or f"the plugin {path} failed: {described(error)}"
        PLUGINS.remove(path)
        del RUN[str(file)]
        raise BoardLabError(message) from None


# ---- where plugins are named ----


def find_plugins() -> None:
    """Run the plugins of configuration files and of the environment; warn of those that fail."""
    for path, origin in _named():
        try:
            run_plugin(path, origin)
        except BoardLabError as error:  # a command that does not need it still works
            _warn(f"{error} (named in {origin})")


def _named() -> Iterator[tuple[str, str]]:
    """Yield the files that nobody had to type, each with who names it."""
    for file in (user_file, project_file):
        try:
            found = file()
            if found is not None:
                yield from _of_configuration(found, is_project=file is project_file)
        except BoardLabError as error:
            _warn(str(error))
    yield from ((path, ENVIRONMENT) for path in os.environ.get(ENVIRONMENT, "").split(os.pathsep) if path)


def _of_configuration(file: Path, is_project: bool) -> Iterator[tuple[str, str]]:
    plugins = plugin_files(file)
    reason = why_not_trusted(file, plugins) if is_project and plugins else ""
    if not reason:
        yield from ((str(path), str(file)) for path in plugins)
        return
    FOUND.extend(Plugin(str(path), str(file), waits=reason) for path in plugins)
    names = ", ".join(path.name for path in plugins)
    _warn(
        f"the plugins of {file} ({names}) are not run, because {reason}: if you trust their code, type "
        f"{shlex.join(['boardlab', 'trust', str(file.parent)])}"
    )


def _warn(message: str) -> None:
    warnings.warn(message, BoardLabWarning, stacklevel=3)


def load_plugins(*files: str | os.PathLike[str]) -> list[Plugin]:
    """Run these plugins or, without files, all that the command line would find.

    Those are named in your configuration file, in boardlab.toml of this folder if you trust it, and in
    BOARDLAB_PLUGINS. A file that was run before is not run again. Returns all plugins of this process.
    """
    if files:
        for file in files:
            run_plugin(str(as_path("a plugin", file)))
    else:
        find_plugins()
    return list(FOUND)


# ---- what others need of them ----


def plugins_for(game: Game) -> list[str]:
    """Return the files of --plugin, which another process must run to know the game.

    Refuses a game that was registered in this process only.
    """
    if isinstance(game.rules, OwnGame) and game.rules.needs_plugin and not _is_elsewhere(game):
        raise BoardLabError(
            f'the game "{game.name}" was registered in this process, and other processes do not know it; '
            "use one process, or register it in a file: boardlab --plugin FILE train ..."
        )
    return [str(Path(path).absolute()) for path in plugin_paths()]


def found_plugins() -> list[str]:
    """Return the files that configuration files and the environment name, for other processes."""
    typed = plugin_paths()
    return [str(Path(path).absolute()) for path in PLUGINS if path not in typed]


def plugin_paths() -> list[str]:
    """Return the files of --plugin as they were typed."""
    found = {plugin.path for plugin in FOUND if plugin.origin != NAMED}
    return [path for path in PLUGINS if path not in found]


def _is_elsewhere(game: Game) -> bool:
    """Whether a plugin brings the game."""
    games = REGISTRIES["game"]
    return games.sources.get(game.name) is not None or (bool(PLUGINS) and game.name not in games.sources)


def plugins_of(words: Iterable[str]) -> list[str]:
    """Name the plugins that registered some of these names: files, or packages."""
    wanted = set(words)
    sources = (
        source
        for registry in REGISTRIES.values()
        for name, source in registry.sources.items()
        if source is not None and name in wanted
    )
    return list(dict.fromkeys(sources))


def plugin_failure(error: BaseException) -> str | None:
    """Describe an error raised by plugin code; None if it came from elsewhere."""
    folders = {str(Path(file).resolve().parent): path for file, path in reversed(RUN.items())}
    for place in reversed(extract_tb(error.__traceback__)):
        if (path := RUN.get(place.filename)) is not None:
            return f"the plugin {path} failed in line {place.lineno}: {described(error)}"
        if (path := folders.get(str(Path(place.filename).parent))) is not None:
            return f"the plugin {path} failed in {place.filename}, line {place.lineno}: {described(error)}"
    return None
