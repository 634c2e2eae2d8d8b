"""Cost of jobs: overhead of one job, speed of two processes, memory of the driver over many jobs.

    python bench/jobs.py [--jobs 10000] [--runs 4] [--episodes 300000] [--games 2000] [--repeats 3]

The overhead is that of a job that does nothing. The speed compares one process with two, in repeats that take
turns: by the wall clock, the best of the repeats, which needs two idle cores; and by CPU time, which other
programs hardly change: the CPU seconds of one process, and the CPU seconds of both processes and the driver
shared by two cores.
"""

import argparse
import resource
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import job_kinds  # noqa: F401
import numpy as np
from common import table

import boardlab as bl
from boardlab.jobs import Here, Job, JobExecutor, JobFolder, Processes, finished_jobs
from boardlab.learners import train_many

WALL = "wall clock"


def milliseconds(executor: JobExecutor, count: int, folder: JobFolder | None = None) -> float:
    """Wall-clock milliseconds for each of `count` jobs, after the workers have started."""
    jobs = [Job("nothing", seed=seed) for seed in range(count + 8)]
    list(finished_jobs(jobs[:8], executor))
    begin = time.perf_counter()
    for _ in finished_jobs(jobs[8:], executor, folder):
        pass
    return (time.perf_counter() - begin) * 1000 / count


def sharing_milliseconds(executor: JobExecutor, megabytes: int, count: int = 20) -> float:
    """Wall-clock milliseconds to bring a new value to one worker."""
    values = [np.full(megabytes << 18, seed, np.float32) for seed in range(count)]
    executor.submit(Job("nothing")).result()
    begin = time.perf_counter()
    for seed, value in enumerate(values):
        key = executor.share(value)
        executor.submit(Job("nothing", seed=seed, shared={"value": key})).result()
        executor.forget(key)
    return (time.perf_counter() - begin) * 1000 / count


def memory_growth(count: int) -> tuple[float, float]:
    """MiB by which this process grows over the first tenth of the jobs, and over the rest."""
    peaks = [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]
    jobs = [Job("nothing", seed=seed) for seed in range(count)]
    with TemporaryDirectory() as folder, Processes(2) as executor:
        for done, _ in enumerate(finished_jobs(jobs, executor, JobFolder(folder, {}))):
            if done in (count // 10, count - 1):
                peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return (peaks[1] - peaks[0]) / 1024, (peaks[2] - peaks[1]) / 1024


def cpu_seconds() -> float:
    """CPU seconds of this process and of its children that have ended."""
    usage = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in usage)


def train_runs(jobs: int, runs: int, episodes: int) -> None:
    """Train runs over seeds."""
    with TemporaryDirectory() as folder:
        game = bl.game("connectfour")
        train_many(game, runs, out=Path(folder) / "runs", jobs=jobs, episodes=episodes, exams=())


def play_match(jobs: int, games: int) -> None:
    """Play a match."""
    agents = ["mcts(rollout, iterations=1000)", "mcts(rollout, iterations=500)"]
    bl.match(bl.game("connectfour"), agents, games, jobs=jobs)


def speeds(work: Callable[[int], None], repeats: int) -> list[list[str]]:
    """A row for one process and one for two: seconds by the clock and of CPU time."""
    wall: dict[int, list[float]] = {1: [], 2: []}
    cpu: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(repeats):
        for jobs in (1, 2):
            begin, used = time.perf_counter(), cpu_seconds()
            work(jobs)
            wall[jobs].append(time.perf_counter() - begin)
            cpu[jobs].append(cpu_seconds() - used)
    fastest = {jobs: min(found) for jobs, found in wall.items()}
    least = {jobs: min(found) / jobs for jobs, found in cpu.items()}
    return [
        [
            str(jobs),
            f"{fastest[jobs]:.1f}",
            f"{fastest[1] / fastest[jobs]:.2f}x",
            f"{least[jobs]:.1f}",
            f"{least[1] / least[jobs]:.2f}x",
        ]
        for jobs in (1, 2)
    ]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--episodes", type=int, default=300_000)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    with TemporaryDirectory() as folder, Processes(2) as two, Processes(1) as one:
        rows = [
            ["this process", f"{milliseconds(Here(), 5000):.3f}"],
            ["two processes", f"{milliseconds(two, 2000):.3f}"],
            ["two processes, with a folder", f"{milliseconds(two, 500, JobFolder(folder, {})):.3f}"],
            ["one process, with a new shared value of 4 MiB", f"{sharing_milliseconds(one, 4):.1f}"],
        ]
    table("Overhead of a job", ["where", "ms"], rows, WALL)
    first, rest = memory_growth(chosen.jobs)
    table(
        f"Memory of the driver over {chosen.jobs:,} jobs with a folder",
        ["part", "growth, MiB"],
        [["first tenth", f"{first:.1f}"], ["rest", f"{rest:.1f}"]],
        "peak resident size",
    )
    columns = ["processes", "seconds", "speed", "CPU seconds a core", "speed by CPU time"]
    for title, work in (
        (
            f"{chosen.runs} runs of connectfour, {chosen.episodes:,} episodes each",
            partial(train_runs, runs=chosen.runs, episodes=chosen.episodes),
        ),
        (
            f"{chosen.games:,} games of connectfour, MCTS with 1,000 against 500 iterations",
            partial(play_match, games=chosen.games),
        ),
    ):
        table(title, columns, speeds(work, chosen.repeats), f"{WALL} and CPU time, best of {chosen.repeats}")


if __name__ == "__main__":
    main()
