"""Files that are written aside and renamed: a crash leaves the old one or the new one, never half of one."""

import contextlib
import glob
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from boardlab.errors import BoardLabError
from boardlab.paths import as_path


@contextlib.contextmanager
def replacing(file: Path) -> Iterator[BinaryIO]:
    """A file aside, which takes the name of `file` once it is whole."""
    aside = _aside(file)
    try:
        with aside.open("wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        aside.replace(file)
    except BaseException as error:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
        if not isinstance(error, OSError):  # Ctrl-C, or what was to be written
            raise
        raise BoardLabError(f'"{file}" cannot be written: {error.strerror}') from None
    remove_leftovers(file.parent, file.name)


def write_file(file: Path, content: str | bytes) -> None:
    """Writes a file, all or nothing; half of a character in a text becomes a question mark."""
    with replacing(file) as out:
        out.write(content.encode(errors="replace") if isinstance(content, str) else content)


def check_writable(path: str | os.PathLike[str], ending: str = "") -> None:
    """Refuses a file that could not be written, or has not that ending: asked before hours of games."""
    file = as_path("a file to write", path)
    if ending and file.suffix.lower() != ending:
        raise BoardLabError(f'"{file}" must end in {ending}')
    if file.is_dir():
        raise BoardLabError(f'"{file}" is a folder, not a file')
    if file.exists() and not file.is_file():  # to be replaced it must be one; /dev/stdout is to stay
        raise BoardLabError(f'"{file}" is a device, not a file')
    if not file.parent.is_dir():
        raise BoardLabError(f'"{file}" cannot be written: its folder does not exist')
    aside = _aside(file)
    try:
        aside.touch()
        aside.unlink()
    except OSError as error:
        raise BoardLabError(f'"{file}" cannot be written: {error.strerror}') from None


# ---- what is aside ----


def _aside(file: Path) -> Path:
    return file.with_name(f".{file.name}.{os.getpid()}.new")


_ASIDE = re.compile(r"\.(?P<name>.+)\.(?P<process>[1-9][0-9]*)\.new")


def is_aside(file: str, name: str) -> bool:
    """Whether a file is what some process wrote aside, to become `name`."""
    found = _ASIDE.fullmatch(file)
    return found is not None and found["name"] == name


def remove_leftovers(folder: Path, name: str | None = None) -> None:
    """Removes what was written aside to become `name`, or anything, unless its process may be writing yet."""
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
