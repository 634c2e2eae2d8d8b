"""Runs the cases of a fuzz module in a child process, so that a crash is a report and not the end.

The child writes the number of each case before it runs it. A child that dies, or that stays at one case for too long,
has failed there; the seed of its batch brings it back.
"""

import faulthandler
import importlib
import itertools
import os
import pkgutil
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
HANGS_AFTER = 240
"""Seconds that one case may take; every case interrupts itself long before, even on a busy machine."""
STARTS_WITHIN = 600
"""Seconds until the first case."""


@dataclass(frozen=True)
class Batch:
    """What became of one child process."""

    module: str
    seed: int
    cases: int
    failure: str = ""
    """Why it failed, with the number of the case; empty where all went well."""

    @property
    def command(self) -> str:
        return f"python tools/fuzz.py --only {self.module} --batch {self.seed}"


def is_sanitized() -> bool:
    """Whether AddressSanitizer watches: it takes terabytes of address space, and reports a segfault itself."""
    return "asan" in os.environ.get("LD_PRELOAD", "")


def modules() -> list[str]:
    """The names of the modules that have cases."""
    names = sorted(module.name for module in pkgutil.iter_modules([str(FOLDER)]))
    sources = {name: (FOLDER / f"{name}.py").read_text(encoding="utf-8") for name in names}
    return [name for name in names if "\ndef cases(" in sources[name] and not name.startswith("test_")]


class Running:
    """A batch in a child process: that long, or that many cases, whichever comes first."""

    def __init__(self, module: str, seed: int, seconds: float, cases: int) -> None:
        self.module, self.seed = module, seed
        self.folder = tempfile.TemporaryDirectory(prefix="boardlab-fuzz-")
        self.progress = Path(self.folder.name, "progress")
        self.log = Path(self.folder.name, "log")
        work = Path(self.folder.name, "work")
        work.mkdir()
        command = [sys.executable, "-m", "fuzz.harness", module, str(seed), str(seconds), str(cases)]
        path = os.pathsep.join([str(FOLDER.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*command, str(self.progress)],
                cwd=work,
                env={**os.environ, "PYTHONPATH": path, "TMPDIR": str(work), "PYTHONHASHSEED": "0"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.moved = time.monotonic()
        self.reached = -1

    def case(self) -> int:
        """The number of the case that the child is at; -1 before the first."""
        text = self.progress.read_text() if self.progress.exists() else ""
        return int(text) if text.strip() else -1

    def finished(self) -> Batch | None:
        """The result, or None while the child runs. A child that stands still is killed."""
        code = self.process.poll()
        now = self.case()
        if now != self.reached:
            self.reached, self.moved = now, time.monotonic()
        if code is None:
            if time.monotonic() - self.moved < (HANGS_AFTER if now >= 0 else STARTS_WITHIN):
                return None
            self.process.send_signal(signal.SIGABRT)  # faulthandler says where every thread stands
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        failure = ""
        if code is None:
            failure = f"case {now} does not end"
        elif code:
            how = f"died of signal {-code}" if code < 0 else "failed"
            failure = f"case {now} {how}"
        if failure:
            failure += "\n" + self.log.read_text(encoding="utf-8", errors="replace")[-6000:]
        self.folder.cleanup()
        return Batch(self.module, self.seed, max(now, 0), failure)

    def wait(self) -> Batch:
        """The result."""
        while (done := self.finished()) is None:
            time.sleep(0.02)
        return done


def child(name: str, seed: int, seconds: float, cases: int, progress: Path) -> None:
    """Run the cases of one batch; the number in the file is that of the case that runs, at the end all of them."""
    faulthandler.enable()
    module = importlib.import_module(f"fuzz.{name}")
    limit = getattr(module, "LIMIT_MB", 0) << 20
    if limit and not is_sanitized():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    end = None  # the time begins with the first case: making it may take a while
    file = os.open(progress, os.O_WRONLY | os.O_CREAT, 0o600)
    number = 0
    for number, case in enumerate(itertools.islice(module.cases(random.Random(seed)), cases)):
        os.pwrite(file, b"%12d" % number, 0)
        end = end or time.monotonic() + seconds
        if time.monotonic() > end:
            break
        try:
            module.run(case)
        except BaseException:
            print(f"case {number}: {case!r}"[:2000], flush=True)
            raise
    else:
        number += 1
    os.pwrite(file, b"%12d" % number, 0)


if __name__ == "__main__":
    _, given, seed_, seconds_, cases_, file_ = sys.argv
    child(given, int(seed_), float(seconds_), int(cases_), Path(file_))
