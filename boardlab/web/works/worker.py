"""The process of a training or a tournament: python -m boardlab.web.works.worker FOLDER."""

import contextlib
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from boardlab.arena.store import Store, Tournament
from boardlab.errors import BoardLabError, described
from boardlab.games.registry import game_from_table
from boardlab.interrupts import ended_by_signals
from boardlab.search.entrants import as_entrant
from boardlab.web.works.work import FAILED, FINISHED, RUNNING, Work

try:
    import fcntl
    import resource
except ImportError:  # not on Windows
    fcntl = resource = None  # type: ignore[assignment]

NICENESS = 10
REPORT_SECONDS = 0.5
LOCK_SECONDS = 5.0
GRACE_SECONDS = 60
"""Processor time between the request to end and the end."""

Report = Callable[[Mapping[str, Any]], None]


def main(folder: str) -> int:
    """Do the work in the folder; returns the exit status."""
    work = Work.open(Path(folder))
    if work is None:
        print(f"{folder} holds no work", file=sys.stderr)
        return 2
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICENESS)
    with _locked(work) as is_mine:
        if not is_mine:
            return 0  # another process does it
        return _do(work)


def _do(work: Work) -> int:
    told = 0.0

    def report(news: Mapping[str, Any]) -> None:
        nonlocal told
        if (now := time.monotonic()) - told > REPORT_SECONDS:
            told = now
            work.note({"state": RUNNING, **news})

    work.note({"state": RUNNING, "error": "", "started": time.time()})
    try:
        with ended_by_signals():
            _limit(work.order.get("limits") or {})
            done = KINDS[work.order["kind"]](work, report)
    except KeyboardInterrupt:
        if _Limit.is_reached:
            hours = work.order["limits"]["cpu_seconds"] / 3600
            _fail(work, f"stopped after {hours:g} hours of processor time, the most that a visitor may use")
        return 0
    except BoardLabError as error:
        _fail(work, str(error))
    except MemoryError:
        _fail(work, "there is not enough memory")
    except Exception as error:
        traceback.print_exc()
        _fail(work, described(error))
    else:
        work.note({"state": FINISHED, **done})
        return 0
    return 1


def _fail(work: Work, sentence: str) -> None:
    work.note({"state": FAILED, "error": sentence})


# ---- what it does ----


def _train(work: Work, report: Report) -> dict[str, Any]:
    """Begin a run, or go on with it: its folder decides."""
    from boardlab.learners.registry import run_folder
    from boardlab.learners.resume import resume
    from boardlab.learners.train import train
    from boardlab.learners.training import Progress

    order = work.order
    path = work.folder.parent.parent / order["run"]

    def tell(progress: Progress) -> None:
        speed = progress.speed
        report(
            {
                "episodes": progress.episodes,
                "total": progress.total,
                "seconds": progress.seconds,
                "speed": None if speed is None else speed[0],
            }
        )

    if run_folder(path).has("agent.toml"):
        more = {key: order[key] for key in ("episodes", "minutes") if order.get(key) is not None}
        resume(path, progress=tell, programs=bool(order.get("programs")), **more)
    else:
        train(
            game_from_table(order["game"]),
            order["learner"],
            out=path,
            progress=tell,
            **order["arguments"],
        )
    return {}


def _hold(work: Work, report: Report) -> dict[str, Any]:
    """Play a tournament, or what is missing of it: the store decides."""
    from boardlab.arena.tournament import tournament

    order = work.order
    store = _Noting(order["store"], lambda number: work.note({"number": number}))
    agents = [as_entrant(one["agent"], one["name"]) for one in order["agents"]]
    result = tournament(
        game_from_table(order["game"]),
        agents,
        progress=lambda done, total: report({"played": done, "games": total}),
        store=store,
        **order["arguments"],
    )
    return {"played": len(result.records), "number": result.number}


class _Noting(Store):
    """A store that tells the number of the tournament once it is known."""

    def __init__(self, path: str, tell: Callable[[int], None]) -> None:
        super().__init__(path)
        self._tell = tell

    def start_tournament(self, *arguments: Any, **more: Any) -> Tournament:
        begun = super().start_tournament(*arguments, **more)
        self._tell(begun.number)
        return begun


KINDS: dict[str, Callable[[Work, Report], dict[str, Any]]] = {"training": _train, "tournament": _hold}


# ---- limits ----


class _Limit:
    is_reached = False


def _limit(limits: Mapping[str, Any]) -> None:
    """Bound the process: processor time in seconds of all threads, memory in MiB."""
    if resource is None:
        return
    if seconds := limits.get("cpu_seconds"):
        signal.signal(signal.SIGXCPU, _time_is_up)
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + GRACE_SECONDS))
    if mb := limits.get("memory_mb"):
        resource.setrlimit(resource.RLIMIT_DATA, (int(mb) << 20, int(mb) << 20))


def _time_is_up(number: int, frame: Any) -> None:
    if not _Limit.is_reached:
        _Limit.is_reached = True
        os.kill(os.getpid(), signal.SIGTERM)  # which saves and ends


@contextlib.contextmanager
def _locked(work: Work) -> Iterator[bool]:
    """Hold the lock of the work; False if another process keeps it."""
    if fcntl is None:
        yield True
        return
    lock = os.open(work.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    until = time.monotonic() + LOCK_SECONDS
    try:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:  # a server may look whether we live
                if time.monotonic() > until:
                    yield False
                    return
                time.sleep(0.05)
        os.truncate(lock, 0)
        os.write(lock, str(os.getpid()).encode())
        yield True
    finally:
        os.close(lock)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
