"""Files written aside and renamed: a crash leaves the old or the new one, whole."""

import contextlib
import glob
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from boardlab.errors import BoardLabError
from boardlab.paths import as_path

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def replacing(file: Path, *, follow: bool = True) -> Iterator[BinaryIO]:
    """A temporary file that replaces `file` once complete, with its permissions.

    If `file` is a link, its target is replaced. Without `follow` the link itself is: in a stranger's folder
    it may lead to any file of the user's.
    """
    real = Path(os.path.realpath(file)) if follow else file
    if real.exists() and not real.is_file():
        raise BoardLabError(f'"{file}" cannot be written: it is a folder, a pipe or a device')
    aside = _aside(real)
    try:
        with _new(aside) as out:
            with contextlib.suppress(FileNotFoundError):  # it is new
                shutil.copymode(real, aside)
            yield out
            out.flush()
            os.fsync(out.fileno())
        aside.replace(real)
    except BaseException as error:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
        if not isinstance(error, OSError):  # Ctrl-C, or what was to be written
            raise
        raise BoardLabError(f'"{file}" cannot be written: {error.strerror}') from None
    remove_leftovers(real.parent, real.name)


def _new(aside: Path) -> BinaryIO:
    """Create a file; an existing link of that name may be somebody's trap."""
    with contextlib.suppress(OSError):
        aside.unlink()
    return aside.open("xb")


def write_file(file: Path, content: str | bytes) -> None:
    """Write a user's file, all or nothing; lone surrogates become question marks."""
    _check_unprotected(file)
    with replacing(file) as out:
        out.write(content.encode(errors="replace") if isinstance(content, str) else content)


def check_writable(path: str | os.PathLike[str], ending: str = "") -> None:
    """Refuse a file that cannot be written, or that has another ending."""
    file = as_path("a file to write", path)
    if ending and file.suffix.lower() != ending:
        raise BoardLabError(f'"{file}" must end in {ending}')
    if file.is_dir():
        raise BoardLabError(f'"{file}" is a folder, not a file')
    if file.exists() and not file.is_file():  # to be replaced it must be one; /dev/stdout is to stay
        raise BoardLabError(f'"{file}" is a device, not a file')
    real = Path(os.path.realpath(file))
    if not real.parent.is_dir():
        raise BoardLabError(f'"{file}" cannot be written: its folder does not exist')
    _check_unprotected(file)
    aside = _aside(real)
    try:
        _new(aside).close()
        aside.unlink()
    except OSError as error:
        raise BoardLabError(f'"{file}" cannot be written: {error.strerror}') from None


def _check_unprotected(file: Path) -> None:
    """Refuse a write-protected file: replacing it needs only the folder's permission."""
    if file.exists() and not os.access(file, os.W_OK):
        raise BoardLabError(f'"{file}" cannot be written: Permission denied')


@contextlib.contextmanager
def changing(file: Path) -> Iterator[None]:
    """Lock a file while it is read and replaced; other processes wait.

    The lock is on the file itself, which is made where there is none, and dies with its process.
    """
    file = Path(os.path.realpath(file))
    is_new = not file.exists()
    lock = None if fcntl is None else _lock(file)
    try:
        yield
    finally:
        if lock is not None:
            if is_new and is_open_as(lock, file) and not os.fstat(lock).st_size:  # it could not be written
                file.unlink()
            os.close(lock)


def _lock(file: Path) -> int | None:
    """The open file, locked; None where the system has no locks."""
    while True:
        try:
            lock = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise BoardLabError(f'"{file}" cannot be written: {error.strerror}') from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            is_ours = is_open_as(lock, file)  # or its last holder has replaced it meanwhile
        except BaseException as error:
            os.close(lock)
            if isinstance(error, OSError):  # a file system without locks
                return None
            raise
        if is_ours:
            return lock
        os.close(lock)


def is_open_as(descriptor: int, file: Path) -> bool:
    """Whether the open file is still the file of that name."""
    try:
        return os.path.samestat(os.fstat(descriptor), file.stat())
    except FileNotFoundError:
        return False


# ---- temporary files ----


def _aside(file: Path) -> Path:
    return file.with_name(f".{file.name}.{os.getpid()}.new")


_ASIDE = re.compile(r"\.(?P<name>.+)\.(?P<process>[1-9][0-9]*)\.new")


def is_temporary(file: str) -> bool:
    """Whether `file` is a temporary file of some process."""
    return _ASIDE.fullmatch(file) is not None


def is_aside(file: str, name: str) -> bool:
    """Whether `file` is the temporary file of some process for `name`."""
    found = _ASIDE.fullmatch(file)
    return found is not None and found["name"] == name


def remove_leftovers(folder: Path, name: str | None = None) -> None:
    """Remove temporary files for `name`, or all, of processes that have ended."""
    for file in folder.glob(".*.new" if name is None else f".{glob.escape(name)}.*.new"):
        found = _ASIDE.fullmatch(file.name)
        if found and name in (None, found["name"]) and not _is_another_process(int(found["process"])):
            with contextlib.suppress(OSError):
                file.unlink()


def _is_another_process(number: int) -> bool:
    """Whether a process of this number lives beside ours.

    In a container ours often has the number of the one that was killed.
    """
    if os.name == "nt":  # there the question would end it
        return number != os.getpid()
    try:
        os.kill(number, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return number != os.getpid()
