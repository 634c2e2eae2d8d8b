"""Paths that a user gives, the path of the C headers, and folders of the user."""

import atexit
import contextlib
import errno
import functools
import hashlib
import inspect
import io
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any

from boardlab.errors import BoardLabError, shown
from boardlab.numbers import memory


def as_path(what: str, path: Any) -> Path:
    """Return `path` as a Path; refuse empty names, NUL and invalid Unicode."""
    if isinstance(path, (str, os.PathLike)):
        name = os.fspath(path)
        try:
            if isinstance(name, str) and name and b"\0" not in os.fsencode(name):
                return reachable(moved(Path(name)))
        except UnicodeEncodeError:
            pass
    raise BoardLabError(f"{what} must be a path, not {shown(path)}")


MOVED: dict[str, str] = {}
"""In the worker of another machine, where files lie that came with a job, by their paths at home."""


def moved(path: Path) -> Path:
    """Return where a file or folder lies here: the path itself, unless it came with a job."""
    for folder in (path, *path.parents) if MOVED else ():
        if (there := MOVED.get(folder.as_posix())) is not None:
            return Path(there) / path.relative_to(folder)
    return path


def reachable(path: Path) -> Path:
    """Return `path`, whether it exists or not; refuse one that cannot be looked up.

    Its folder may be closed to us, or its name too long: asking whether it exists would raise an OSError.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # no file can have that name
        pass
    except OSError as error:
        raise BoardLabError(f'"{path}" cannot be reached: {error.strerror}') from None
    return path


def open_file(file: Path) -> io.BufferedReader:
    """Open a plain file for reading; opening a pipe or a device might block for ever.

    Failures raise an OSError whose `strerror` explains them.
    """
    descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        what = "it is a folder" if stat.S_ISDIR(mode) else "it is a pipe or a device, not a file"
        raise OSError(errno.EINVAL, what, str(file))
    return os.fdopen(descriptor, "rb")


def read_file(file: Path, most: int) -> bytes:
    """Read a plain file of at most `most` bytes; fails like `open_file`."""
    with open_file(file) as opened:
        if os.fstat(opened.fileno()).st_size > most:
            raise OSError(errno.EFBIG, f"it is larger than {memory(most)}", str(file))
        return opened.read()


def read_text(what: str, path: Any, most: int) -> str:
    """Read the UTF-8 text of a file that a user named.

    `what` describes the file in errors.
    """
    file = as_path(what, path)
    try:
        return read_file(file, most).decode("utf-8-sig")
    except FileNotFoundError:
        raise BoardLabError(f'there is no file "{path}"') from None
    except UnicodeDecodeError:
        raise BoardLabError(f'"{path}" is not a text file (UTF-8)') from None
    except OSError as error:
        raise BoardLabError(f'"{path}" cannot be read: {error.strerror}') from None


def code_of(made: Any) -> str:
    """Fingerprint the file that defines a function, or its lines in a notebook."""
    with contextlib.suppress(BoardLabError, OSError, TypeError):  # not a function, or without source
        if (file := Path(inspect.getfile(made))).is_file():
            return file_fingerprint(file)
        return hashlib.sha256(inspect.getsource(made).encode()).hexdigest()[:32]
    return ""


def file_fingerprint(file: Path) -> str:
    """Fingerprint the content of a file: equal for equal bytes, wherever the file is."""
    try:
        with open_file(file) as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()[:32]
    except OSError as error:
        raise BoardLabError(f'"{file}" cannot be read: {error.strerror}') from None


def include() -> str:
    """Return the folder of the C headers: `cc -I $(boardlab --include) ...`.

    A game in C includes "core/contract.h", one in C++ "core/adapt.h". A library is compiled with
    `cc -shared -fPIC -I $(boardlab --include) mygame.c -o libmygame.so`.
    """
    package = Path(__file__).parent
    for folder in (package / "include", package.parent / "engine"):  # installed; in the repository
        if (folder / "core" / "contract.h").is_file():
            return str(folder)
    raise BoardLabError(
        f"the C headers are missing from this installation of BoardLab: {package / 'include'}"
    )


def private_cache(name: str) -> Path:
    """Return a folder for files that can be made again, which only this user can write.

    It is in $BOARDLAB_CACHE, or where the system keeps such files. Where it cannot be made, or where others
    could write to it, it is a folder for this process alone.
    """
    given = os.environ.get("BOARDLAB_CACHE")
    try:
        folder = (Path(given) if given else _user_cache() / "boardlab") / name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_private(folder) and os.access(folder, os.W_OK):
            return folder.resolve()
    except (OSError, RuntimeError):  # a closed or missing home
        pass
    folder = _process_folder() / name
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@functools.cache
def _process_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="boardlab-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _is_private(folder: Path) -> bool:
    """Whether only this user can write to a folder."""
    if not hasattr(os, "getuid"):  # Windows keeps users apart by their profiles
        return True
    found = folder.stat()
    return found.st_uid == os.getuid() and not found.st_mode & 0o022


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home())
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
