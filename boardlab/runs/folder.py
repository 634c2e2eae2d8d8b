"""A run's folder: agent.toml, weights.npz, checkpoint.npz, log.csv ...

A folder may be a stranger's: sizes are limited before anything is read, and nothing in it is run.
"""

import contextlib
import csv
import hashlib
import io
import math
import os
import re
import shlex
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardLabError, MissingPackageError, OutOfMemoryError, UnknownNameError
from boardlab.games.game import Game
from boardlab.games.registry import game_from_table
from boardlab.numbers import memory
from boardlab.paths import as_path, open_file, reachable, read_file
from boardlab.runs.arrays import READ_BYTES, StoredArrays
from boardlab.runs.files import is_aside, is_open_as, remove_leftovers, replacing
from boardlab.runs.sparse import is_sparse, read_sparse, write_array, write_sparse
from boardlab.runs.toml import from_toml, to_toml

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

FORMAT = 1
"""Increased when earlier versions cannot read the files any more."""

RUN_FILES = ("log.csv", "curve.png", "weights.npz", "checkpoint.npz")
"""The files of every run beside agent.toml. The checkpoint is removed last, when nothing else is left."""

SNAPSHOT_FILES = ("weights.npz", "checkpoint.npz")
"""The files of every snapshot beside agent.toml, which is written last and removed first."""

LOCK = ".lock"
"""The file that a process holds locked while it writes into the folder."""

LARGEST_AGENT = 4 << 20
LARGEST_LOG = 1 << 28
"""Bytes; BoardLab writes no larger files."""

LONGEST_NUMBER = 100
"""Characters of a number in a log."""

MOST_PLUGINS = 4
LONGEST_PLUGIN = 200
"""Plugins of a run that an error names, and characters of each."""

Arrays = dict[str, NDArray[Any]]


class OtherGameError(BoardLabError):
    """A run was asked to play a game that it was not trained on."""

    def __init__(self, run: str | os.PathLike[str], trained_on: Game, game: Game) -> None:
        super().__init__(f"{run} was trained on {trained_on!r}, not on {game!r}")
        self.trained_on = trained_on


class RunFolder:
    """The files of one run.

    `files` are patterns of further files that learners keep in it. Only they and those of every run are
    removed with a run: all others are the user's.
    """

    def __init__(self, path: str | os.PathLike[str], files: Sequence[str] = ()) -> None:
        self.path, self.files = as_path("the folder of a run", path), files
        self._plugins: list[str] = []
        reachable(self.path / "agent.toml")  # raises here, not in every later question

    # ---- one process at a time ----

    @contextlib.contextmanager
    def claimed(self) -> Iterator[None]:
        """Make the folder, and keep other processes from training in it; reading is free.

        The lock dies with its process: a killed one blocks nobody.
        """
        if self.path.exists() and not self.path.is_dir():
            raise BoardLabError(f"{self.path} is a file; a run needs a folder")
        new = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BoardLabError(f"{self.path} cannot be made: {error.strerror}") from None
        lock = self._lock()
        try:
            yield
        finally:
            if lock is not None:
                (self.path / LOCK).unlink(missing_ok=True)  # before it is free, or it might be another's
                os.close(lock)
            with contextlib.suppress(OSError):  # it is not empty: the run has begun
                for folder in new:
                    folder.rmdir()

    def _lock(self) -> int | None:
        """The open lock file; None where the system has no locks."""
        if fcntl is None:
            return None
        file = self.path / LOCK
        while True:
            try:
                lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
            except OSError as error:
                raise BoardLabError(f"{self.path} cannot be written: {error.strerror}") from None
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.read(lock, 20).decode(errors="replace")
                os.close(lock)
                who = f"process {holder}" if holder else "another process"
                raise BoardLabError(f"{self.path} is in use by {who}, which trains there") from None
            except OSError:  # a file system without locks
                os.close(lock)
                file.unlink(missing_ok=True)
                return None
            if is_open_as(lock, file):
                with contextlib.suppress(OSError):  # a full disk: others do not learn who holds it
                    os.truncate(lock, 0)
                    os.write(lock, str(os.getpid()).encode())
                return lock
            os.close(lock)  # its last holder has just removed it

    # ---- agent.toml ----

    @property
    def is_empty(self) -> bool:
        """Whether it holds nothing, or only the remains of a run that hardly began."""
        # agent.toml is written first: a run that was killed before it was there left it aside, and no more.
        files = self.path.iterdir() if self.path.is_dir() else ()
        return all(file.name == LOCK or is_aside(file.name, "agent.toml") for file in files)

    def create(self, agent: Mapping[str, Any], *, force: bool = False) -> None:
        """Start a run in the claimed folder; only `force` replaces one that is there."""
        if (self.path / "agent.toml").exists() and not force:
            if self.run_of_snapshot is not None:
                raise BoardLabError(f"{self.path} holds a snapshot of another run; choose another folder")
            raise BoardLabError(
                f"{self.path} already holds a run; go on with it (boardlab resume {self.path}, or resume() "
                "in Python), choose another folder, or replace it (--force, or force=True)"
            )
        if not self.has("agent.toml") and not self.is_empty:
            what = "holds several runs (--runs)" if self._several else "is not empty and holds no run"
            raise BoardLabError(f"{self.path} {what}; choose another folder")
        self.tidy()
        self._clear()
        self.write_agent(agent)

    @property
    def _several(self) -> list[Path]:
        """The runs in it, where it holds several."""
        return runs_in(self.path)

    def _clear(self) -> None:
        """Remove the files of a run except agent.toml; all others are the user's."""
        self.remove_snapshots()
        try:
            for pattern in (*self.files, *RUN_FILES):
                for old in self.path.glob(pattern):
                    old.unlink()
        except OSError as error:
            raise BoardLabError(f"{error.filename} cannot be removed: {error.strerror}") from None
        for name in (*self._subfolders, "snapshots"):
            with contextlib.suppress(OSError):  # it is not there, or holds something else
                (self.path / name).rmdir()

    @property
    def _subfolders(self) -> list[str]:
        """The folders in it that learners write to."""
        parents = (PurePath(pattern).parent.as_posix() for pattern in self.files)
        return [name for name in dict.fromkeys(parents) if name != "."]

    def discard(self) -> None:
        """Remove the run in it."""
        self.tidy()
        self._clear()
        try:
            (self.path / "agent.toml").unlink(missing_ok=True)
        except OSError as error:
            raise BoardLabError(f"{self.path}/agent.toml cannot be removed: {error.strerror}") from None

    def write_agent(self, agent: Mapping[str, Any]) -> None:
        """Write agent.toml, with the version of its format first."""
        self._replace("agent.toml", to_toml({"format": FORMAT, **agent}).encode())

    def read_agent(self, *kinds: str) -> dict[str, Any]:
        """Read agent.toml; refuse one that is missing, newer, damaged or of another kind."""
        file = self.path / "agent.toml"
        try:
            agent = from_toml(read_file(file, LARGEST_AGENT).decode())
        except (FileNotFoundError, NotADirectoryError):
            if several := self._several:
                raise BoardLabError(
                    f"{self.path} holds several runs: name one of them, as {several[0]} (match, evaluate, "
                    "tournament, compare and resume take all of them)"
                ) from None
            raise BoardLabError(f"{self.path} is not a run: it has no agent.toml") from None
        except OSError as error:
            raise BoardLabError(f"{file} cannot be read: {error.strerror}") from None
        except ValueError as error:
            raise BoardLabError(f"{file} cannot be read: {error}") from None
        version = agent.get("format")
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise BoardLabError(f"{file} does not say its format")
        if version > FORMAT:
            raise BoardLabError(
                f"{self.path} was written by a newer BoardLab: its format is {version}, ours is {FORMAT}"
            )
        self._plugins = _plugins_in(agent)
        if kinds and agent.get("kind") not in kinds:
            raise BoardLabError(
                f"{self.path} is a run of {agent.get('kind')!r}, not of {' or '.join(kinds)}"
                f"{self._how_to_know_more()}"
            )
        if not isinstance(agent.get("game"), dict) or not isinstance(agent["game"].get("name"), str):
            raise BoardLabError(f"{file} does not say its game")
        return agent

    @contextlib.contextmanager
    def understanding(self) -> Iterator[None]:
        """Prefix errors with the path of agent.toml."""
        file = self.path / "agent.toml"
        try:
            yield
        except MissingPackageError:
            raise
        except BoardLabError as error:
            sentence = str(error).splitlines()[0]  # without the place in an expression
            more = self._how_to_know_more() if isinstance(error, UnknownNameError) else ""
            raise BoardLabError(f"{file}: {sentence}{more}") from None
        except KeyError as error:
            raise BoardLabError(f"{file} lacks {error}") from None
        except (ArithmeticError, AttributeError, IndexError, RecursionError, TypeError, ValueError) as error:
            raise BoardLabError(f"{file} is damaged: {error}") from None
        except MemoryError:
            raise OutOfMemoryError(f"there is not enough memory for what {file} describes") from None

    def _how_to_know_more(self) -> str:
        """How to run the plugins that the run was trained with; they are named, never run."""
        if not self._plugins:
            return ""
        files = [word for plugin in self._plugins if os.sep in plugin for word in ("--plugin", plugin)]
        packages = [plugin for plugin in self._plugins if os.sep not in plugin]
        how = [f"type {shlex.join(['boardlab', *files, 'COMMAND'])} ..."] if files else []
        how += [f"install {' and '.join(packages)}"] if packages else []
        return f"; the run was trained with plugins: {', and '.join(how)}"

    def game(self, agent: Mapping[str, Any]) -> Game:
        """The game that the run was trained on."""
        return game_from_table(agent["game"])

    def read_trained(
        self, *kinds: str, game: Game | None = None, any_length: bool = False
    ) -> tuple[dict[str, Any], Game]:
        """agent.toml of a run, and the game that its weights play.

        That is the run's own, or `game`, which may only differ from it in how a game starts, and with
        `any_length` in the number of rounds.
        """
        agent = self.read_agent(*kinds)
        with self.understanding():
            trained_on = self.game(agent)
        if game is not None and not game.has_positions_of(trained_on, any_length=any_length):
            raise OtherGameError(self.path, trained_on, game)
        if not isinstance(agent.get("network"), dict):
            raise BoardLabError(f"{self.path}/agent.toml does not describe its network")
        return agent, game or trained_on

    # ---- snapshots ----

    def snapshots(self) -> dict[int, "RunFolder"]:
        """The folders of snapshots, whole or not, by number of episodes."""
        found = (path for path in self.path.glob("snapshots/*") if re.fullmatch(r"[1-9][0-9]*", path.name))
        return {int(path.name): RunFolder(path) for path in sorted(found, key=lambda path: int(path.name))}

    def make_snapshot(self, episodes: int) -> "RunFolder":
        """Make the folder of a snapshot, if it is not there."""
        folder = RunFolder(self.path / "snapshots" / str(episodes))
        try:
            folder.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BoardLabError(f"{folder.path} cannot be made: {error.strerror}") from None
        return folder

    def remove_snapshots(self, after: int = 0) -> None:
        """Remove snapshots of later episodes, except the user's own files in them."""
        for episodes, folder in self.snapshots().items():
            if episodes <= after:
                continue
            try:
                for pattern in ("agent.toml", *self.files, *SNAPSHOT_FILES):
                    for old in folder.path.glob(pattern):
                        old.unlink()
            except OSError as error:
                raise BoardLabError(f"{error.filename} cannot be removed: {error.strerror}") from None
            with contextlib.suppress(OSError):  # it holds something else
                folder.path.rmdir()

    @property
    def run_of_snapshot(self) -> Path | None:
        """The run that made this snapshot; None for a run, or a copied snapshot."""
        folder = self.path.absolute().parent
        if folder.name != "snapshots" or not (folder.parent / "agent.toml").exists():
            return None
        return folder.parent if self.path.is_absolute() else Path(os.path.relpath(folder.parent))

    # ---- arrays ----

    def write_arrays(self, name: str, arrays: Mapping[str, Any], *, sparse: bool = False) -> None:
        """Write arrays as one file, all or nothing; `sparse` leaves out what never changed."""
        with (
            replacing(self.path / name, follow=False) as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as members,
        ):
            for key, array in arrays.items():
                if not (sparse and write_sparse(members, key, array)):
                    write_array(members, key, array)

    @contextlib.contextmanager
    def stored_arrays(self, name: str) -> Iterator[StoredArrays]:
        """Open a file of arrays; errors while reading name the file."""
        with self._opened(name) as file, _understanding(self.path / name):
            yield StoredArrays(file)

    def read_arrays(self, name: str, wanted: Mapping[str, tuple[str, int]]) -> Arrays:
        """Read arrays of the given types and lengths; refuse others."""
        self.check_holds(name, sum(np.dtype(kind).itemsize * length for kind, length in wanted.values()))
        arrays: Arrays = {key: np.empty(length, kind) for key, (kind, length) in wanted.items()}
        self.read_into(name, arrays)
        return arrays

    def check_holds(self, name: str, size: float) -> None:
        """Refuse a file that is too short, before memory is taken for its arrays."""
        with self.stored_arrays(name) as stored:
            if stored.size < size:
                has = f"it has {memory(stored.size)}, not {memory(size)}"
                raise BoardLabError(f"{self.path / name} does not fit its run: {has}")

    def read_into(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Fill arrays from a file; after an error their values are undefined.

        Read in parts: a table may take half of the memory, which leaves no room for a copy.
        """
        file = self.path / name
        with self.stored_arrays(name) as stored:
            for key, array in arrays.items():
                if is_sparse(stored, key):
                    read_sparse(stored, key, array)
                else:
                    _read_whole(stored, key, array, file)
                if array.dtype.kind == "f" and not all(
                    np.isfinite(array[i : i + READ_BYTES]).all() for i in range(0, len(array), READ_BYTES)
                ):
                    raise BoardLabError(f"{file} is damaged: {key} holds a value that is not a number")

    def _opened(self, name: str) -> BinaryIO:
        """Open a file for reading; one without permission is not called damaged."""
        file = self.path / name
        try:
            return open_file(file)
        except FileNotFoundError:
            raise BoardLabError(f"{self.path} has no {name}") from None
        except OSError as error:
            raise BoardLabError(f"{file} cannot be read: {error.strerror}") from None

    def fingerprint(self) -> str:
        """A hash of the weights, equal for equal weights."""
        digest = hashlib.sha256()
        files = sorted(self.path.glob("weights.*"))
        if not files:
            raise BoardLabError(f"{self.path} has no weights.npz")
        for file in files:
            digest.update(file.name.encode(errors="replace"))
            with self._opened(file.name) as opened, _understanding(file):
                if file.suffix == ".npz":
                    StoredArrays(opened).digest(digest)
                else:
                    while block := opened.read(READ_BYTES):
                        digest.update(block)
        return digest.hexdigest()[:32]

    def cpu_seconds(self) -> float | None:
        """Processor time of learning, of all threads; None in runs of earlier versions."""
        try:
            return float(self.read_arrays("checkpoint.npz", {"cpu_seconds": ("<f8", 1)})["cpu_seconds"][0])
        except BoardLabError:
            return None

    def has(self, name: str) -> bool:
        """Whether the file is there."""
        return (self.path / name).exists()

    # ---- text and pictures ----

    def write_text(self, name: str, text: str) -> None:
        """Write a file of text, all or nothing."""
        self._replace(name, text.encode())

    def append_text(self, name: str, text: str) -> None:
        """Append to a file; a kill can only cut its last line."""
        file = self.path / name
        try:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            with os.fdopen(os.open(file, flags | getattr(os, "O_NONBLOCK", 0), 0o666), "wb") as out:
                out.write(text.encode())
        except OSError as error:
            raise BoardLabError(f"{file} cannot be written: {error.strerror}") from None

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write any other file, all or nothing."""
        self._replace(name, content)

    # ---- log.csv ----

    def write_log(self, rows: Sequence[Mapping[str, Any]], name: str = "log.csv") -> None:
        """Write all rows; columns in the order of their first appearance."""
        columns = list(dict.fromkeys(key for row in rows for key in row))
        lines = [columns, *([row.get(column, "") for column in columns] for row in rows)]
        text = "".join(",".join(_csv(word) for word in line) + "\n" for line in lines)
        self._replace(name, text.encode())

    def read_log(self) -> list[dict[str, str]]:
        """The rows of log.csv; none where there is no log.

        Rows that a full disk or an interrupted copy has cut are left out.
        """
        try:
            text = read_file(self.path / "log.csv", LARGEST_LOG).decode()
            return [row for row in csv.DictReader(io.StringIO(text, newline="")) if _is_whole(row)]
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise BoardLabError(f"{self.path / 'log.csv'} cannot be read: {why}") from None

    # ---- files aside ----

    def tidy(self) -> None:
        """Remove the temporary files of killed processes: at worst a checkpoint each."""
        snapshots = (snapshot.path for snapshot in self.snapshots().values())
        for folder in (self.path, *(self.path / name for name in self._subfolders), *snapshots):
            remove_leftovers(folder)

    def _replace(self, name: str, content: bytes) -> None:
        with replacing(self.path / name, follow=False) as file:
            file.write(content)


def _plugins_in(agent: Mapping[str, Any]) -> list[str]:
    """The plugins that agent.toml names; a stranger's file may hold anything."""
    given = agent.get("plugins")
    named = [name for name in given if isinstance(name, str)] if isinstance(given, list) else []
    return [name for name in named if len(name) <= LONGEST_PLUGIN][:MOST_PLUGINS]


def _read_whole(stored: StoredArrays, key: str, array: NDArray[Any], file: Path) -> None:
    with stored.opened(key) as (part, dtype, shape, _):
        if dtype != array.dtype or shape != array.shape:
            raise BoardLabError(
                f"{file} does not fit its run: {key} has {math.prod(shape)} values of type "
                f"{dtype}, not {array.size} of type {array.dtype}"
            )
        stored.fill(part, key, array)


def runs_in(path: str | os.PathLike[str]) -> list[Path]:
    """List the runs in a folder of runs, seed-2 before seed-10; empty if it is a run itself."""
    folder = as_path("a folder of runs", path)
    if reachable(folder / "agent.toml").exists():
        return []

    def order(run: Path) -> list[tuple[int, str]]:
        words = re.findall(r"\d+|\D+", run.name)
        return [(int(word), "") if word.isdecimal() and len(word) < 20 else (-1, word) for word in words]

    return sorted((file.parent for file in folder.glob("*/agent.toml")), key=order)


@contextlib.contextmanager
def _understanding(file: Path) -> Iterator[None]:
    """Turn the many errors of a damaged file into one sentence."""
    try:
        yield
    except BoardLabError:
        raise
    except MemoryError:
        raise OutOfMemoryError(f"there is not enough memory to read {file}") from None
    except Exception as error:
        raise BoardLabError(f"{file} is damaged: {error}") from None


def _is_whole(row: Mapping[str | None, Any]) -> bool:
    """Whether a row of a log has a number or nothing in each of its columns."""
    try:
        for word in row.values():
            if word != "":
                float(word if len(word) <= LONGEST_NUMBER else "no number")
        int(row["episodes"])
    except (KeyError, TypeError, ValueError):  # too few words are None, too many are a list
        return False
    return True


def _csv(value: Any) -> str:
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\n') else text
