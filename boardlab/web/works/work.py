"""A piece of work in a process of its own, and the folder by which it is found again.

RUNS/.web/ID holds order.json (what to do), wanted (run, pause or stop), status.json (written by the process),
lock (held while the process lives) and log.txt (what it printed). Neither the server nor the process needs
the other: a server that was killed finds the work by its folder, and a run folder or the store has the rest.
"""

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.runs.files import write_file

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

FOLDER = ".web"
"""Within the folder of runs."""
RUN, PAUSE, STOP = "run", "pause", "stop"

RUNNING, FINISHED, FAILED, BROKEN = "running", "finished", "failed", "interrupted"
SAVING, PAUSED, STOPPED = "saving", "paused", "stopped"


@dataclass
class Work:
    """One piece of work."""

    folder: Path
    order: Mapping[str, Any]
    """kind, owner, created, limits, and what that kind needs."""
    process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)
    """The process, if this server started it."""

    @classmethod
    def make(cls, runs: Path, order: Mapping[str, Any]) -> "Work":
        """Make the folder of new work; `start` starts it."""
        folder = runs / FOLDER / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}"
        try:
            folder.mkdir(parents=True)
        except OSError as error:
            raise BoardLabError(f"{folder} cannot be made: {error.strerror}") from None
        work = cls(folder, {**order, "created": time.time()})
        write_file(folder / "order.json", json.dumps(work.order, indent=1))
        return work

    @classmethod
    def open(cls, folder: Path) -> "Work | None":
        """Open work that an earlier server began; None if the folder holds none."""
        order = _read(folder / "order.json")
        return cls(folder, order) if order and isinstance(order.get("kind"), str) else None

    @property
    def id(self) -> str:
        """The name of its folder."""
        return self.folder.name

    @property
    def owner(self) -> str:
        """The visitor who ordered it."""
        return str(self.order.get("owner", ""))

    # ---- the process ----

    @property
    def is_alive(self) -> bool:
        """Whether its process lives, whoever started it."""
        if self.process is not None and self.process.poll() is None:
            return True
        if fcntl is None:
            return False
        try:
            lock = os.open(self.folder / "lock", os.O_RDWR)
        except OSError:
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return False
        except OSError:
            return True
        finally:
            os.close(lock)

    def start(self) -> None:
        """Start its process, unless it lives."""
        self.want(RUN)
        if self.is_alive:
            return
        self.note({"state": RUNNING, "error": ""})
        with (self.folder / "log.txt").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "boardlab.web.works.worker", str(self.folder)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C of the server is not for it
            )

    def end(self, wanted: str) -> None:
        """Let it save and end: `wanted` is PAUSE or STOP."""
        self.want(wanted)
        with contextlib.suppress(OSError, ValueError):
            if self.process is not None and self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
            elif self.is_alive:  # its number is its own while it holds the lock
                os.kill(int((self.folder / "lock").read_text()), signal.SIGTERM)

    # ---- what is known of it ----

    @property
    def wanted(self) -> str:
        """What its owner wants: run, pause or stop."""
        try:
            return (self.folder / "wanted").read_text().strip()
        except OSError:
            return RUN

    def want(self, wanted: str) -> None:
        """Keep what its owner wants."""
        write_file(self.folder / "wanted", wanted)

    @property
    def status(self) -> dict[str, Any]:
        """What its process has reported last."""
        return _read(self.folder / "status.json") or {}

    def note(self, news: Mapping[str, Any]) -> None:
        """Keep a report; a reader sees the old one or the new one, never half of it."""
        text = json.dumps({**self.status, **news, "at": time.time()})
        aside = self.folder / f"status.{os.getpid()}"
        aside.write_text(text)
        aside.replace(self.folder / "status.json")

    @property
    def state(self) -> str:
        """running, saving, paused, stopped, finished, failed, or interrupted: its process was killed."""
        found = str(self.status.get("state", RUNNING))
        if found in (FINISHED, FAILED):
            return found
        if self.is_alive:
            return RUNNING if self.wanted == RUN else SAVING
        found = str(self.status.get("state", RUNNING))  # it may have ended just now
        if found in (FINISHED, FAILED):
            return found
        return {PAUSE: PAUSED, STOP: STOPPED}.get(self.wanted, BROKEN)

    @property
    def error(self) -> str:
        """Why it failed; empty otherwise."""
        return str(self.status.get("error", ""))


def _read(file: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(file.read_text())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
