"""Files that travel with jobs to machines that share no file system.

At home a `Packer` lists what a job reads: runs, plugins with the modules they imported, game libraries. Each
file is known by the digest of its content. Elsewhere an `Unpacker` writes them below a private folder, and
`paths.MOVED` makes their names at home lead there.
"""

import contextlib
import functools
import hashlib
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardLabError
from boardlab.games.library import LOADED
from boardlab.jobs.job import Job
from boardlab.paths import file_fingerprint
from boardlab.registries import REGISTRIES
from boardlab.runs.files import is_temporary, write_file
from boardlab.runs.folder import LOCK

Bytes = NDArray[np.uint8]
Tree = dict[str, Any]
"""Files below one folder, in plain values: `files` has digests by relative path, `keys` the relative paths by
their names at home, `is_code` whether modules are imported from it, `is_written` whether the job writes."""

KEPT_TREES = 256
"""Trees that a machine keeps for later jobs beside those in use."""

# ---- at home ----


class Packer:
    """Lists the files of jobs, and reads them once a machine lacks them."""

    def __init__(self) -> None:
        self.places: dict[str, Path] = {}
        """Where to read the content with a digest."""
        self._known: dict[Path, tuple[tuple[int, ...], str]] = {}
        self._code: dict[Path, str] = {}
        """The digests of the code that was sent: other code would not be what this process runs."""

    def trees(self, job: Job, module: str) -> list[Tree]:
        """The files that a job of this module needs elsewhere."""
        found = [self._run(path) for path in dict.fromkeys((*job.files, *job.reads)) if Path(path).exists()]
        found += [self._run(path, is_written=True) for path in job.writes]
        plugins = [*job.found_plugins, *job.plugins]
        libraries = [Path(path) for path in (*LOADED, *_rules_in_c())] if plugins else []
        table = job.game or {}
        if isinstance(table.get("path"), str) and table["path"] not in map(str, libraries):
            libraries.append(Path(table["path"]))
        folders: dict[Path, list[Path]] = {}
        for plugin in map(Path, plugins):
            folder = plugin.resolve().parent
            folders.setdefault(folder, []).extend([plugin, *_imported_below(folder)])
        for library in libraries:
            home = next((folder for folder in folders if folder in library.parents), library.parent)
            folders.setdefault(home, []).append(library)
        if (own := _folder_of(module)) is not None:
            folders.setdefault(own, []).extend(_imported_below(own))
        return found + [self._code_tree(folder, files) for folder, files in folders.items()]

    def content(self, digest: str) -> Bytes:
        """The content with a digest; refuses a file that has changed since."""
        file = self.places[digest]
        try:
            content = np.fromfile(file, np.uint8)
        except OSError as error:
            raise BoardLabError(f'"{file}" cannot be read: {error.strerror}') from None
        if _digest(content) != digest:
            raise BoardLabError(f'"{file}" has changed while a job needed it')
        return content

    def _run(self, path: str, is_written: bool = False) -> Tree:
        """A run's folder, or a folder of runs; games to learn from are left out where it is only read."""
        root = Path(path)
        files = {}
        for file in _files_below(root):
            relative = file.relative_to(root)
            if is_written or "replay" not in relative.parts:
                with contextlib.suppress(FileNotFoundError):  # replaced at this moment by another process
                    files[relative.as_posix()] = self._mark(file)
        return {"files": files, "keys": {root.as_posix(): ""}, "is_code": False, "is_written": is_written}

    def _code_tree(self, folder: Path, files: list[Path]) -> Tree:
        marks, keys = {}, {}
        for file in dict.fromkeys(files):
            relative = file.resolve().relative_to(folder.resolve()).as_posix()
            mark = marks[relative] = self._mark(file)
            keys[file.as_posix()] = relative
            if self._code.setdefault(file, mark) != mark:
                raise BoardLabError(f"{file} has changed since it was sent to other machines: start again")
        return {"files": marks, "keys": keys, "is_code": True, "is_written": False}

    def _mark(self, file: Path) -> str:
        """The digest of a file's content, computed again only if the file looks changed."""
        facts = file.stat()
        look = (facts.st_ino, facts.st_size, facts.st_mtime_ns)
        known = self._known.get(file)
        if known is None or known[0] != look:
            known = self._known[file] = look, f"file {file_fingerprint(file)}"
        self.places[known[1]] = file
        return known[1]


def _digest(content: Bytes) -> str:
    return f"file {hashlib.sha256(content.data).hexdigest()[:32]}"


def _files_below(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders.sort()
        for name in sorted(files):
            if name != LOCK and not is_temporary(name) and (Path(folder) / name).is_file():
                yield Path(folder) / name


def _rules_in_c() -> list[str]:
    """The libraries and C texts of the games of plugins."""
    files = (getattr(made, "rules_file", "") for made in REGISTRIES["game"].values())
    return [file for file in files if file]


def _folder_of(module: str) -> Path | None:
    """The folder that a user's module is imported from; None for what is installed everywhere."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or _is_installed(file):
        return None
    parts = module.count(".") + (Path(file).name == "__init__.py")
    return Path(file).resolve().parents[parts]


def _imported_below(folder: Path) -> list[Path]:
    """The files below a folder that this process imported, without what is installed."""
    return [file for file in _looked_through(folder, len(sys.modules)) if file.is_file()]


@functools.lru_cache(maxsize=64)
def _looked_through(folder: Path, count: int) -> list[Path]:
    """Look through the modules, of which there are `count`: that takes a good part of a second."""
    found = []
    main = getattr(sys.modules["__main__"], "__file__", None)  # may be there by other names too
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file == main or not isinstance(file, str) or not file.endswith(".py") or _is_installed(file):
            continue
        if folder in Path(file).resolve().parents:
            found.append(Path(file).resolve())
    return sorted(set(found))


def _is_installed(file: str) -> bool:
    """Whether a file belongs to Python, an installed package or BoardLab."""
    return file.startswith(_places_of_installed())


@functools.cache
def _places_of_installed() -> tuple[str, ...]:
    places = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    places += [*(folder for folder in sys.path if "site-packages" in folder), str(Path(__file__).parents[1])]
    return tuple(f"{place}{os.sep}" for place in places)


# ---- elsewhere ----


class Unpacker:
    """Writes the files of jobs below a private folder of this machine."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="boardlab-"))
        self._contents: dict[str, Bytes] = {}
        self._trees: dict[str, Path] = {}
        """Where the files of a tree lie, by their digest; the last used is last."""
        self._places: dict[str, Path] = {}
        """A file with the content of a digest."""
        self._made = 0

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def lacks(self, trees: list[Tree]) -> list[str]:
        """The digests whose content is not here."""
        wanted = {digest for tree in trees for digest in tree["files"].values()}
        return sorted(d for d in wanted if d not in self._contents and not self._is_here(d))

    def _is_here(self, digest: str) -> bool:
        return digest in self._places and self._places[digest].is_file()

    def supply(self, digest: str, content: Bytes) -> None:
        """Take the content of a file that is lacking."""
        self._contents[digest] = content

    def unpack(self, trees: list[Tree]) -> tuple[dict[str, str], list[str], dict[str, Path]]:
        """Write the files of a job.

        Return what becomes of paths (`MOVED`), the folders to import from, and the folders to write to by
        their names at home.
        """
        moved: dict[str, str] = {}
        code: list[str] = []
        written: dict[str, Path] = {}
        for tree in trees:
            place = self._write(tree["files"]) if tree["is_written"] else self._kept(tree["files"])
            moved |= {key: str(place / relative) for key, relative in tree["keys"].items()}
            if tree["is_code"]:
                code.append(str(place))
            if tree["is_written"]:
                written[next(iter(tree["keys"]))] = place
        self._contents.clear()
        return moved, code, written

    def _kept(self, files: Mapping[str, str]) -> Path:
        """The folder with these files, for as many jobs as need it."""
        name = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:32]
        place = self._trees.pop(name, None) or self._write(files, by_link=True)
        self._trees[name] = place
        if len(self._trees) > KEPT_TREES:  # jobs in work have read theirs, or still hold the open files
            shutil.rmtree(self._trees.pop(next(iter(self._trees))), ignore_errors=True)
        return place

    def _write(self, files: Mapping[str, str], by_link: bool = False) -> Path:
        self._made += 1
        place = self.folder / str(self._made)
        place.mkdir()
        for relative, digest in files.items():
            file = place / relative
            if not file.resolve().is_relative_to(self.folder.resolve()):
                raise BoardLabError(f"a job brought the file {relative}, which is not below its folder")
            file.parent.mkdir(parents=True, exist_ok=True)
            if digest in self._contents:
                self._contents[digest].tofile(file)
            elif by_link:
                os.link(self._places[digest], file)
            else:
                shutil.copyfile(self._places[digest], file)
            if by_link:  # a job may change the files that it writes
                self._places[digest] = file
        return place


class Watched:
    """A folder that a job writes: finds what is new, to bring it home."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._sent = self._look()

    def _look(self) -> dict[str, tuple[int, int]]:
        """What identifies the content of each file; the oldest first."""
        found = {}
        for file in _files_below(self.place):
            with contextlib.suppress(FileNotFoundError):
                facts = file.stat()
                found[file.relative_to(self.place).as_posix()] = (facts.st_mtime_ns, facts.st_ino)
        return dict(sorted(found.items(), key=lambda item: item[1]))

    def changes(self) -> dict[str, Any] | None:
        """The files that are new and the names of those that are gone; None if there is nothing, or unclear.

        What is found is what the folder held at one moment: while the job writes there is no such moment.
        """
        now = self._look()
        if now == self._sent:
            return None
        try:
            files = {
                name: np.fromfile(self.place / name, np.uint8)
                for name, look in now.items()
                if self._sent.get(name) != look
            }
        except OSError:
            return None
        if self._look() != now:
            return None
        gone = [name for name in self._sent if name not in now]
        self._sent = now
        return {"files": files, "gone": gone}


def bring_home(folder: str, changes: Mapping[str, Any]) -> None:
    """Write what a job elsewhere changed in its folder, in the order in which it was written there."""
    root = Path(folder)
    for name, content in changes["files"].items():
        file = root / name
        if not file.resolve().is_relative_to(root.resolve()):
            raise BoardLabError(f"a worker brought the file {name}, which is not below {folder}")
        file.parent.mkdir(parents=True, exist_ok=True)
        write_file(file, content.tobytes())
    for name in changes["gone"]:
        file = root / name
        if file.resolve().is_relative_to(root.resolve()):
            file.unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # it is not empty
                file.parent.rmdir()
