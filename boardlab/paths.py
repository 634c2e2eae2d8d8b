"""Paths as a user gives them, and the one that BoardLab gives."""

import contextlib
import errno
import hashlib
import inspect
import io
import os
import stat
from pathlib import Path
from typing import Any

from boardlab.errors import BoardLabError, shown
from boardlab.numbers import memory


def as_path(what: str, path: Any) -> Path:
    """`path`, if a file can be called that: no NUL, no half of a character, and not nothing at all."""
    if isinstance(path, (str, os.PathLike)):
        name = os.fspath(path)
        try:
            if isinstance(name, str) and name and b"\0" not in os.fsencode(name):
                return reachable(Path(name))
        except UnicodeEncodeError:
            pass
    raise BoardLabError(f"{what} must be a path, not {shown(path)}")


def reachable(path: Path) -> Path:
    """`path`, there or not; refused where its folder may not be entered, or its name is too long.

    To ask whether it is there would end with the system's error.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # no file can be called that
        pass
    except OSError as error:
        raise BoardLabError(f'"{path}" cannot be reached: {error.strerror}') from None
    return path


def open_file(file: Path) -> io.BufferedReader:
    """Opens a plain file for reading; who opened a pipe or a device might wait for ever.

    What goes wrong is an OSError, whose `strerror` says it.
    """
    descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        what = "it is a folder" if stat.S_ISDIR(mode) else "it is a pipe or a device, not a file"
        raise OSError(errno.EINVAL, what, str(file))
    return os.fdopen(descriptor, "rb")


def read_file(file: Path, most: int) -> bytes:
    """What a plain file of at most so many bytes holds; the same errors."""
    with open_file(file) as opened:
        if os.fstat(opened.fileno()).st_size > most:
            raise OSError(errno.EFBIG, f"it is larger than {memory(most)}", str(file))
        return opened.read()


def read_text(what: str, path: Any, most: int) -> str:
    """The text (UTF-8) of a file that a user named; `what` it is, for errors in a sentence."""
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
    """The fingerprint of the file that a function stands in, or of its own lines where that is a notebook."""
    with contextlib.suppress(BoardLabError, OSError, TypeError):  # no function, or nobody knows its lines
        if (file := Path(inspect.getfile(made))).is_file():
            return file_fingerprint(file)
        return hashlib.sha256(inspect.getsource(made).encode()).hexdigest()[:32]
    return ""


def file_fingerprint(file: Path) -> str:
    """Of what a file holds: equal for the same bytes, wherever it lies."""
    try:
        with open_file(file) as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()[:32]
    except OSError as error:
        raise BoardLabError(f'"{file}" cannot be read: {error.strerror}') from None


def include() -> str:
    """The folder of the C headers: `cc -shared -fPIC -I $(boardlab --include) mygame.c -o libmygame.so`.

    A game in C includes "core/contract.h", one in C++ "core/adapt.h".
    """
    package = Path(__file__).parent
    for folder in (package / "include", package.parent / "engine"):  # installed; in the repository
        if (folder / "core" / "contract.h").is_file():
            return str(folder)
    raise BoardLabError(f"the C headers are not where BoardLab is installed, in {package / 'include'}")
