"""The folder of a set of jobs: its description and the results so far.

Results are appended one line at a time, so that a crash loses at most the line being written.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from boardlab.errors import BoardLabError, shown
from boardlab.jobs.job import Job
from boardlab.paths import as_path
from boardlab.runs import RunFolder
from boardlab.runs.files import write_file

FORMAT = 1


class JobFolder:
    """Remembers which jobs of a set are finished, and their results."""

    def __init__(self, path: str | os.PathLike[str], about: Mapping[str, Any]) -> None:
        """`about` describes the set in plain values; a folder of another set is refused."""
        self.path = as_path("a folder of jobs", path)
        self.about: dict[str, Any] = json.loads(json.dumps(about, default=os.fspath))

    @contextlib.contextmanager
    def claimed(self) -> Iterator[None]:
        """Make the folder and keep other processes from working in it."""
        with RunFolder(self.path).claimed():
            self._check_about()
            yield

    def _check_about(self) -> None:
        file = self.path / "jobs.json"
        if not file.exists():
            if any(child.suffix == ".jsonl" for child in self.path.iterdir()):
                raise BoardLabError(f"{self.path} holds results, but no jobs.json that describes them")
            write_file(file, json.dumps({"format": FORMAT, **self.about}, indent=1) + "\n")
            return
        known = self._read_about(file)
        names = [name for name in {**known, **self.about} if known.get(name) != self.about.get(name)]
        if names:
            differences = ", ".join(
                f"{name} was {shown(known.get(name))}, now {shown(self.about.get(name))}" for name in names
            )
            raise BoardLabError(
                f"{self.path} holds the jobs of another command: {differences}; choose another folder"
            )

    def _read_about(self, file: Path) -> dict[str, Any]:
        try:
            known = json.loads(file.read_text(encoding="utf-8"))
            if known.pop("format") == FORMAT:
                return dict(known)
        except (OSError, ValueError, KeyError, AttributeError, TypeError):
            pass
        raise BoardLabError(f"{file} does not describe a set of jobs that this version knows")

    def results(self) -> dict[str, Any]:
        """The results of finished jobs by key; lines truncated by a crash are skipped."""
        try:
            text = (self.path / "results.jsonl").read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise BoardLabError(f"{self.path}/results.jsonl cannot be read: {error.strerror}") from None
        found = {}
        for line in text.split(b"\n"):
            with contextlib.suppress(ValueError, KeyError, TypeError):
                row = json.loads(line)
                found[row["key"]] = row["result"]
        return found

    @contextlib.contextmanager
    def appending(self) -> Iterator["Results"]:
        """The open file of results."""
        file = self.path / "results.jsonl"
        try:
            with file.open("ab") as out:
                yield Results(out, ends_whole=_ends_whole(file))
        except OSError as error:
            raise BoardLabError(f"{file} cannot be written: {error.strerror}") from None


class Results:
    """Appends results, each on disk before the next job counts as finished."""

    def __init__(self, out: BinaryIO, ends_whole: bool) -> None:
        self._out = out
        if not ends_whole:
            out.write(b"\n")

    def add(self, job: Job, result: Any) -> None:
        """Append the result of a job, which must be plain."""
        row = {"key": job.key, "name": job.name, "result": result}
        self._out.write(json.dumps(row, default=os.fspath).encode() + b"\n")
        self._out.flush()
        os.fsync(self._out.fileno())


def _ends_whole(file: Path) -> bool:
    """Whether the last line of a file is complete."""
    if file.stat().st_size == 0:
        return True
    with file.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) == b"\n"
