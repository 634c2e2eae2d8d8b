"""Runs jobs of another machine in processes of this one.

A cluster has a foreman on each machine. It takes jobs as plain values with the files and shared values that
they need, gives them to `Processes`, and brings back results and the folders that the jobs write.
"""

import dataclasses
import hashlib
import os
import shutil
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.jobs.job import Job
from boardlab.jobs.processes import Baggage, Processes, StoppedError, WorkerDiedError
from boardlab.jobs.travel import Unpacker, Watched
from boardlab.jobs.worker import sentence

SYNC_SECONDS = 10.0
"""Seconds after which the new files of a running job are brought home."""

Hear = Callable[[dict[str, Any]], None]
"""Receives what a job tells: progress, files, and in the end a result, an error or "stopped"."""


def identity() -> dict[str, str]:
    """The version of BoardLab here: workers with another one are refused."""
    import boardlab

    package = Path(boardlab.__file__).parent
    sources = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        sources.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes())
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return {"boardlab": boardlab.__version__, "sources": sources.hexdigest()[:12], "python": python}


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Why a worker is refused; empty where it has the same version."""
    for name, title in (("boardlab", "BoardLab"), ("python", "Python")):
        if here[name] != there.get(name):
            return f"has {title} {there.get(name)}, here it is {here[name]}"
    if here["sources"] != there.get("sources"):
        return (
            f"has other sources of BoardLab {here['boardlab']} ({there.get('sources')}) than this machine "
            f"({here['sources']})"
        )
    return ""


class Foreman:
    """Runs jobs in `slots` processes."""

    def __init__(self, slots: int, environment: Mapping[str, str | None] | None = None) -> None:
        """`environment` has variables of the processes; None removes one."""
        variables = {**os.environ, **(environment or {})}
        self.processes = Processes(
            slots, {name: value for name, value in variables.items() if value is not None}
        )
        self.unpacker = Unpacker()
        self._running: dict[int, Future[Any]] = {}
        self._cancelled: deque[int] = deque(maxlen=1024)
        """Jobs to end that were not running: the order may come before the job."""
        self._lock = threading.Lock()

    def lacks(self, task: Mapping[str, Any]) -> list[str]:
        """The keys of the files and shared values of a task that are not here."""
        values = [key for key in task["job"]["shared"].values() if key not in self.processes.values]
        return values + self.unpacker.lacks(task["trees"])

    def supply(self, supplies: Mapping[str, Any]) -> None:
        """Take files and shared values."""
        for key, value in supplies.items():
            if key.startswith("file "):
                self.unpacker.supply(key, value)
            else:
                self.processes.values[key] = value

    def start(self, number: int, task: Mapping[str, Any], hear: Hear) -> None:
        """Start a job, or put it in the queue; `hear` gets what it tells, last how it ended.

        If something is lacking, `hear` gets only the list of it.
        """
        with self._lock:
            if number in self._cancelled:
                hear({"stopped": True})
                return
            for key in task["forget"]:
                self.processes.forget(key)
            if lacking := self.lacks(task):
                hear({"lacks": lacking})
                return
            try:
                moved, code, written = self.unpacker.unpack(task["trees"])
            except (OSError, BoardLabError) as error:
                hear({"error": f"the files of a job cannot be written: {error}", "type": "BoardLabError"})
                return
            baggage = Baggage(task["module"], task["saves"], moved, code)
            output = _Output(written, hear)

            def tell(progress: Mapping[str, Any]) -> None:
                hear({"progress": dict(progress)})

            future = self.processes.submit_with(baggage, Job(**task["job"]), tell)
            self._running[number] = future
        output.watch()
        future.add_done_callback(lambda done: self._end(number, done, moved, output, hear))

    def _end(
        self, number: int, future: "Future[Any]", moved: Mapping[str, str], output: "_Output", hear: Hear
    ) -> None:
        with self._lock:
            self._running.pop(number, None)
        output.close()
        hear(_answer(future, moved))

    def cancel(self, number: int, kill: bool) -> None:
        """End a job, which may save first unless it is killed."""
        with self._lock:
            future = self._running.get(number)
            if future is None:
                self._cancelled.append(number)
        if future is not None:
            self.processes.cancel(future, kill=kill)

    def close(self) -> None:
        """End all processes and remove all files."""
        self.processes.stop()
        self.unpacker.close()


class _Output:
    """The folders that a job writes: their new files go home."""

    def __init__(self, written: Mapping[str, Path], hear: Hear) -> None:
        self._watched = {home: Watched(place) for home, place in written.items()}
        self._hear, self._over, self._lock = hear, threading.Event(), threading.Lock()

    def watch(self) -> None:
        """Bring new files home now and then."""
        if self._watched:
            threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while not self._over.wait(SYNC_SECONDS):
            with self._lock:
                if not self._over.is_set():
                    self._bring()

    def _bring(self) -> None:
        for home, each in self._watched.items():
            if (changes := each.changes()) is not None:
                self._hear({"home": home, **changes})

    def close(self) -> None:
        """Bring the last files home and remove the folders."""
        with self._lock:
            self._over.set()
            self._bring()
        for each in self._watched.values():
            shutil.rmtree(each.place, ignore_errors=True)


def _answer(future: "Future[Any]", moved: Mapping[str, str]) -> dict[str, Any]:
    """How a job ended; files have their names at home."""
    if future.cancelled():
        return {"stopped": True}
    error = future.exception()
    if error is None:
        return {"result": future.result()}
    if isinstance(error, StoppedError):
        return {"stopped": True}
    text = sentence(error) if isinstance(error, Exception) else str(error)
    for key, place in sorted(moved.items(), key=lambda item: len(item[1]), reverse=True):
        text = text.replace(place, key)
    kind = "died" if isinstance(error, WorkerDiedError) else type(error).__name__
    return {"error": text, "type": kind}


def task_of(
    job: Job, module: str, saves: bool, trees: Sequence[Any], forget: Sequence[str]
) -> dict[str, Any]:
    """A job as a message to a foreman."""
    plain = {field.name: getattr(job, field.name) for field in dataclasses.fields(Job)}
    return {"job": plain, "module": module, "saves": saves, "trees": list(trees), "forget": list(forget)}
