"""Configuration files: the user's own, and boardlab.toml of a project folder.

[plugins]
files = ["breakthrough.py", "games/libcountdown.so"]

Paths start at the folder of the file. A project's file names code of whoever wrote the project, so it counts
only once the user has trusted the folder (`boardlab trust`).
"""

import hashlib
import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardlab.errors import BoardLabError, shown, unknown
from boardlab.paths import as_path, reachable, read_file, read_text
from boardlab.runs.toml import from_toml

PROJECT_FILE = "boardlab.toml"
LARGEST = 1 << 20
TABLES = {"plugins": ("files",)}
"""The tables of a configuration file, each with its keys."""
LARGEST_PLUGIN = 1 << 28


def user_folder() -> Path:
    """Return the folder of the user's configuration, whether it is there or not."""
    try:
        if sys.platform == "win32":
            return Path(os.environ.get("APPDATA") or Path.home()) / "boardlab"
        return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "boardlab"
    except RuntimeError:
        raise BoardLabError("there is no folder for your configuration: set XDG_CONFIG_HOME") from None


def user_file() -> Path:
    """Return the user's configuration file, whether it is there or not."""
    return user_folder() / "config.toml"


def project_file(folder: Path | None = None) -> Path | None:
    """Find boardlab.toml in a folder (by default this one) or the nearest above it."""
    try:
        start = (folder or Path.cwd()).resolve()
    except OSError:  # the current folder is gone
        return None
    for place in (start, *start.parents):
        try:
            if (place / PROJECT_FILE).is_file():
                return place / PROJECT_FILE
        except OSError:  # a folder that is closed to us
            continue
    return None


def plugin_files(file: Path) -> list[Path]:
    """List the plugins that a configuration file names; [] if it is not there."""
    if not reachable(file).exists():
        return []
    text = read_text("a configuration file", file, LARGEST)
    try:
        table = from_toml(text)
    except ValueError as error:
        raise BoardLabError(f"{file} cannot be read: {error}") from None
    for name, part in table.items():
        if name not in TABLES:
            raise BoardLabError(f"{file}: {unknown('table', name, TABLES)}")
        if not isinstance(part, dict):
            raise BoardLabError(f"{file}: {name} must be a table, [{name}]")
        for key in part:
            if key not in TABLES[name]:
                raise BoardLabError(f"{file}: {unknown(f'key of [{name}]', key, TABLES[name])}")
    given = table.get("plugins", {}).get("files", [])
    if not isinstance(given, list) or not all(isinstance(path, str) for path in given):
        raise BoardLabError(f'{file}: files must be a list of paths, as in ["brk.py"], not {shown(given)}')
    try:
        paths = [file.parent / as_path("a plugin", path).expanduser() for path in given]
        return [Path(os.path.normpath(path)) for path in paths]
    except RuntimeError:
        raise BoardLabError(f"{file}: there is no home folder for ~") from None
    except BoardLabError as error:
        raise BoardLabError(f"{file}: {error}") from None


# ---- trust ----


@dataclass(frozen=True)
class Trust:
    """A folder whose boardlab.toml may run its plugins."""

    folder: str
    digest: str
    """Of boardlab.toml and the plugins that it names; "" if their contents do not matter."""


def trust_file() -> Path:
    """Return the file that keeps the trusted folders."""
    return user_folder() / "trusted.json"


def trusted() -> dict[str, Trust]:
    """Return the trusted folders by their paths."""
    try:
        table = json.loads(read_file(trust_file(), LARGEST))
        return {folder: Trust(folder, str(digest)) for folder, digest in table.items()}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BoardLabError(f"{trust_file()} cannot be read: {error.strerror}") from None
    except (AttributeError, RecursionError, ValueError):
        raise BoardLabError(f"{trust_file()} is damaged; remove it, and trust your folders again") from None


def trust(folder: str | os.PathLike[str], always: bool = False) -> list[Path]:
    """Trust a folder's boardlab.toml and the plugins that it names; returns the plugins.

    The trust ends when one of these files changes, unless `always` is given.
    """
    place = as_path("a folder", folder)
    file = place / PROJECT_FILE
    if not file.is_file():
        what = f"{place} has no {PROJECT_FILE}" if place.is_dir() else f'there is no folder "{place}"'
        raise BoardLabError(f"{what}; a project's {PROJECT_FILE} names its plugins")
    plugins = plugin_files(file.resolve())
    for plugin in plugins:
        if not plugin.is_file():
            raise BoardLabError(f'{file}: there is no file "{plugin}" to run as a plugin')
    key = str(place.resolve())
    _keep(trusted() | {key: Trust(key, "" if always else digest_of(file.resolve(), plugins))})
    return plugins


def distrust(folder: str | os.PathLike[str]) -> str:
    """Trust a folder no more; returns its path."""
    key = str(as_path("a folder", folder).resolve())
    there = trusted()
    if key not in there:
        raise BoardLabError(f"{key} is not trusted; boardlab trust --list lists the folders that are")
    _keep({name: kept for name, kept in there.items() if name != key})
    return key


def _keep(folders: dict[str, Trust]) -> None:
    """Write the trusted folders, all or nothing, for this user only."""
    text = json.dumps({name: kept.digest for name, kept in folders.items()}, indent=1)
    try:
        user_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=user_folder(), prefix="trusted.", suffix=".tmp", delete=False, encoding="utf-8"
        ) as file:
            file.write(text)
        Path(file.name).replace(trust_file())
    except OSError as error:
        raise BoardLabError(f"{trust_file()} cannot be written: {error.strerror}") from None


def digest_of(file: Path, plugins: list[Path]) -> str:
    """Fingerprint a configuration file and its plugins, by contents.

    Files that a plugin imports are not among them.
    """
    digest = hashlib.sha256()
    for path in (file, *plugins):
        try:
            content = read_file(path, LARGEST_PLUGIN)
        except OSError as error:
            content = f"no file: {error.strerror}".encode()
        digest.update(hashlib.sha256(str(path).encode(errors="surrogateescape")).digest())
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()


def why_not_trusted(file: Path, plugins: list[Path]) -> str:
    """Say why a project's plugins may not run; "" if they may."""
    folder = str(file.parent)
    kept: Any = trusted().get(folder)
    if kept is None:
        return "you have not trusted this folder"
    if kept.digest and kept.digest != digest_of(file, plugins):
        return "it or one of them has changed since you trusted this folder"
    return ""
