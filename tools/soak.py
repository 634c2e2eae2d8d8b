"""Interrupt BoardLab at random moments and compare its results: `make soak`.

Every job (each learner, several runs at once, AlphaZero's processes, a sweep, a tournament, a saved match)
first runs without interruption. Then it runs repeatedly and is interrupted: by kill -9, by SIGTERM, or by a
full disk, which here is a limit on the size of files. The job is then finished, and its files must have the
same bytes as without interruption.
"""

import argparse
import contextlib
import csv
import io
import itertools
import json
import os
import random
import secrets
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

# Checkpoints every few milliseconds instead of every minute, so that breaks fall between them.
PROGRAM = """
import os, resource, sys
if limit := os.environ.pop("SOAK_LARGEST_FILE", ""):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
import boardlab.learners.training as training
training.CHECKPOINT_SECONDS, training.CHUNK_SECONDS = 0.05, 0.02
from boardlab.__main__ import main
sys.exit(main())
"""
HARMS = ("kill -9", "SIGTERM", "full disk")
FAILURES = (AssertionError, OSError, zipfile.BadZipFile, subprocess.TimeoutExpired, sqlite3.Error)
LONGEST = 300
"""Seconds that a command may take."""

Content = dict[str, bytes]


def run_content(folder: Path) -> Content:
    """Return what a run keeps, without what depends on the clock."""
    found: Content = {}
    for file in sorted(folder.rglob("*")):
        name = str(file.relative_to(folder))
        if file.suffix == ".npz":
            with zipfile.ZipFile(file) as arrays:
                for member in arrays.namelist():
                    if "seconds" not in member:
                        found[f"{name}/{member}"] = arrays.read(member)
        elif file.name == "log.csv":
            rows = csv.DictReader(io.StringIO(file.read_text()))
            found[name] = repr(
                [{k: v for k, v in row.items() if "seconds" not in k} for row in rows]
            ).encode()
        elif file.name == "layout.txt":
            found[name] = file.read_bytes()
    return found


def sweep_content(folder: Path) -> Content:
    """Return the runs of a sweep and its tables."""
    tables = {name: (folder / "run" / name).read_bytes() for name in ("table.csv", "results.csv", "table.md")}
    return run_content(folder) | tables


def store_content(folder: Path) -> Content:
    """Return a tournament's games in order with their seats, without ids and times."""
    games = "select pairing, number, seed, start, actions, vals, error, adjudicated from games order by 1, 2"
    seats = (
        "select g.pairing, g.number, s.seat, a.expression, s.score, s.decisions from seats s "
        "join games g on s.played = g.id join agents a on s.agent = a.id order by 1, 2, 3"
    )
    with contextlib.closing(sqlite3.connect(folder / "store.db")) as store:
        answers = {"games": store.execute(games).fetchall(), "seats": store.execute(seats).fetchall()}
    return {name: "\n".join(map(repr, rows)).encode() for name, rows in answers.items()}


def exams_content(folder: Path) -> Content:
    """Return the results of finished examinations by key; they come in any order."""
    file = folder / "exams" / "results.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines() if line.endswith("}")]
    return {row["key"]: json.dumps(row, sort_keys=True).encode() for row in rows}


def match_content(folder: Path) -> Content:
    """Return the saved games, without the dates in their PGN tags."""
    file = folder / "games.pgn"
    lines = file.read_text().splitlines() if file.exists() else []
    return {"games": "\n".join(line for line in lines if not line.startswith(("[Date", "[Time"))).encode()}


@dataclass
class Job:
    """A command, how it continues after a break, and what it leaves."""

    name: str
    words: list[str]
    """The command, run in its own folder."""
    again: Callable[[Path], list[str]] | None = None
    """The command that continues; None: the same one."""
    content: Callable[[Path], Content] = run_content
    seconds: float = field(default=0.0)
    """Seconds that it took without a break."""
    largest: int = 0
    whole: Content = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held while it runs without a break."""


def resumed(words: list[str]) -> Callable[[Path], list[str]]:
    """Resume the run, or start again if nothing was written yet."""
    return lambda folder: ["resume", "run"] if (folder / "run" / "agent.toml").exists() else words


def training(name: str, words: str) -> Job:
    """A training job that `resume` continues."""
    command = ["train", *shlex.split(words), "--out", "run", "--seed", "3"]
    return Job(name, command, resumed(command))


EXAM = "--exam random --exam-games 4"
CUBE = "rubiks --twists 4 --exam none --episodes"
CUBE_NET = "--first 16 --width 16 --threads 1"
TUPLES = "--exam none --layout walk --tuples 6 --length 4"
SMALL_NET = (
    "--learner alphazero --exam none --games 8 --simulations 8 --channels 8 --blocks 1 --hidden 8 --threads 1"
)
JOBS = [
    training("td-ntuple", f"connectfour --episodes 20000 {TUPLES} --snapshot-every 4000"),
    training("td-ntuple exams", f"tictactoe --episodes 20000 {EXAM} --exam-every 2000"),
    training("td-ntuple replay", f"tictactoe --episodes 20000 {TUPLES} --replay 500 --coherence id"),
    training("sarsa-ntuple", "nim --episodes 50000 --exam none --learner sarsa-ntuple"),
    training("q-ntuple", f"tictactoe --episodes 50000 {TUPLES} --learner q-ntuple"),
    training("td-features", "connectfour --episodes 10000 --exam none --learner td-features"),
    training("q-table", "tictactoe --episodes 60000 --exam none --learner q-table"),
    training("qm", "tictactoe --episodes 2000 --exam none --learner qm --search-iterations 10"),
    training("davi", f"{CUBE} 40000 --layout walk --tuples 6 --length 4 --learner davi"),
    training("davi-net", f"{CUBE} 12000 --learner davi-net {CUBE_NET}"),
    training("random-walk", f"{CUBE} 12000 --learner random-walk {CUBE_NET}"),
    training("alphazero", f"tictactoe --episodes 48 {SMALL_NET}"),
    training("--processes", f"tictactoe --episodes 32 --processes 2 {SMALL_NET}"),
    Job(
        "--jobs", shlex.split(f"train tictactoe --runs 3 --jobs 2 --episodes 20000 {EXAM} --out run --seed 3")
    ),
    Job(
        "sweep",
        shlex.split(
            f"sweep tictactoe --alpha 0.5,1 --seeds 2 --jobs 2 --episodes 10000 {EXAM} --out run "
            "--agent 'mcts(ntuple(RUN), iterations={2,20})'"
        ),
        content=sweep_content,
    ),
    Job(
        "tournament",
        shlex.split(
            "tournament connectfour 'mcts(iterations=20)' 'mcts(iterations=40)' random 'mc(iterations=20)' "
            "-n 20 --store store.db --seed 3"
        ),
        content=store_content,
    ),
    Job(
        "tournament --jobs",
        shlex.split(
            "tournament connectfour 'mcts(iterations=200)' 'mcts(iterations=300)' random -n 60 --jobs 2 "
            "--format swiss --store store.db --seed 3"
        ),
        content=store_content,
    ),
    Job(
        "evaluate --jobs",
        shlex.split(
            "evaluate 'mcts(iterations=200)' 'mcts(iterations=300)' 'mc(iterations=50)' --game tictactoe "
            "-n 100 --jobs 2 --out exams --seed 3"
        ),
        content=exams_content,
    ),
    Job(
        "match --jobs --save",
        shlex.split(
            "match connectfour 'mcts(iterations=300)' random -n 200 --jobs 2 --save games.pgn --seed 3"
        ),
        content=match_content,
    ),
    Job(
        "match --save",
        shlex.split("match connectfour 'mcts(iterations=60)' random -n 100 --save games.pgn --seed 3"),
        content=match_content,
    ),
]


def start(words: list[str], folder: Path, limit: int | None = None) -> "subprocess.Popen[bytes]":
    """Start the command in its folder; with a `limit` no file can grow beyond it."""
    more = {"OMP_NUM_THREADS": "1"} | ({} if limit is None else {"SOAK_LARGEST_FILE": str(limit)})
    log = folder.parent / f"{folder.name}.log"
    with log.open("ab") as out:
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
            env={**os.environ, **more},
        )


def end(process: "subprocess.Popen[bytes]", number: int) -> None:
    """Signal the command: kill -9 only to itself, as the system does, then clean up."""
    process.send_signal(number)
    try:
        process.wait(LONGEST)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def finish(job: Job, folder: Path) -> None:
    """Continue the job until it is done."""
    process = start(job.again(folder) if job.again else job.words, folder)
    if process.wait(LONGEST):
        raise AssertionError(f"it does not continue: status {process.returncode}")


def unbroken(job: Job, folder: Path) -> None:
    """Run the job once, and note how long it took and what it left."""
    folder.mkdir()
    began = time.monotonic()
    process = start(job.words, folder)
    if process.wait(LONGEST):
        raise SystemExit(
            f"{job.name} fails without a break:\n{(folder.parent / f'{folder.name}.log').read_text()[-3000:]}"
        )
    job.seconds = time.monotonic() - began
    job.whole = job.content(folder)
    job.largest = max(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    assert job.whole and all(job.whole.values()), f"{job.name} leaves nothing"


def broken(job: Job, folder: Path, harm: str, rng: random.Random) -> bool:
    """Interrupt the job once or twice, finish it and compare.

    False if it ended before.
    """
    folder.mkdir()
    hit = False
    for _ in range(rng.choice([1, 1, 2])):
        words = job.again(folder) if job.again and hit else job.words
        limit = int(job.largest * rng.random()) if harm == "full disk" else None
        process = start(words, folder, limit)
        if harm == "full disk":
            hit |= process.wait(LONGEST) != 0
            end(process, signal.SIGKILL)
            continue
        # Half the time is Python's start-up: aim for the moments in which the job works.
        try:
            process.wait(job.seconds * rng.uniform(0.1, 1.0))
            break
        except subprocess.TimeoutExpired:
            end(process, signal.SIGKILL if harm == "kill -9" else signal.SIGTERM)
            hit = True
            if process.returncode == 0:
                break
    if job.content is match_content:
        return hit and check_match(job, folder)
    finish(job, folder)
    now = job.content(folder)
    different = sorted(name for name in job.whole.keys() | now.keys() if job.whole.get(name) != now.get(name))
    if different:
        print(
            f"{different[0]} without a break and now:",
            job.whole.get(different[0], b"")[:2000],
            now.get(different[0], b"")[:2000],
        )
    assert not different, f"these differ from the uninterrupted run's: {', '.join(different)}"
    left = [file.name for file in folder.rglob("*") if file.name == ".lock" or file.name.endswith(".tmp")]
    assert not left, f"left behind: {', '.join(left)}"
    return hit


def check_match(job: Job, folder: Path) -> bool:
    """Check that a match, which cannot continue, saved whole games, the first ones."""
    saved, whole = (content["games"].decode() for content in (match_content(folder), job.whole))
    assert whole.startswith(saved.rstrip()), "the saved games are not the first of the uninterrupted match"
    assert not saved.strip() or saved.rstrip().endswith(("1-0", "0-1", "1/2-1/2", "*")), (
        "half a game was saved"
    )
    return True


def main() -> None:
    """Run every job without a break, then interrupt them until the time is up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="duration")
    parser.add_argument(
        "--seed", type=int, default=None, help="repeat the jobs, interruptions and moments of this seed"
    )
    parser.add_argument("--jobs", type=int, default=2, help="jobs at a time")
    parser.add_argument(
        "--only", action="append", choices=[job.name for job in JOBS], help="only this job; may be repeated"
    )
    given = parser.parse_args()
    jobs = [job for job in JOBS if not given.only or job.name in given.only]
    seed = secrets.randbits(32) if given.seed is None else given.seed
    print(
        f"soak: {len(jobs)} jobs, {', '.join(HARMS)}, for {given.seconds:.0f} s; repeat with SEED={seed}",
        flush=True,
    )
    until = time.monotonic() + given.seconds
    survived: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    turns = itertools.count()

    def work(base: str) -> None:
        while time.monotonic() < until:
            turn = next(turns)
            rng, job = random.Random(f"{seed} {turn}"), jobs[turn % len(jobs)]
            harm, folder = rng.choice(HARMS), Path(base, f"{turn:04}")
            try:
                with job.lock:
                    if not job.whole:
                        unbroken(job, Path(base, f"{turn:04}-whole"))
                if broken(job, folder, harm, rng):
                    survived[f"{job.name}, {harm}"] += 1
                else:
                    counts["came too late"] += 1
            except FAILURES as error:
                counts["failures"] += 1
                log = Path(base, f"{folder.name}.log")
                tail = log.read_text(errors="replace")[-2000:] if log.exists() else ""
                print(f"FAILED {job.name} after {harm} (turn {turn}): {error}\n{tail}", flush=True)
            shutil.rmtree(folder, ignore_errors=True)

    with tempfile.TemporaryDirectory(prefix="boardlab-soak-") as base:
        workers = [threading.Thread(target=work, args=(base,)) for _ in range(given.jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    for what, count in sorted(survived.items()):
        print(f"{what:<32}{count:>5}")
    by_harm = Counter({harm: sum(n for what, n in survived.items() if what.endswith(harm)) for harm in HARMS})
    parts = ", ".join(f"{by_harm[harm]} of {harm}" for harm in HARMS)
    late, failed = counts["came too late"], counts["failures"]
    print(f"{sum(survived.values())} breaks survived ({parts}), {late} came too late, {failed} failures")
    print(f"seed {seed}")
    sys.exit(bool(counts["failures"]))


if __name__ == "__main__":
    main()
