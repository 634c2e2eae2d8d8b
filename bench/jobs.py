"""Cost of jobs: overhead of one job, speedup of two processes, memory of the driver over many jobs.

    python bench/jobs.py [--jobs 10000] [--runs 4] [--episodes 60000]

The overhead is that of a job that does nothing. The speedup compares runs over seeds in one process and in
two, by wall clock; it needs two idle cores.
"""

import argparse
import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import job_kinds  # noqa: F401
from common import table

import boardlab as bl
from boardlab.jobs import Here, Job, JobExecutor, JobFolder, Processes, finished_jobs
from boardlab.learners import train_many

WALL = "wall clock"


def milliseconds(executor: JobExecutor, count: int) -> float:
    """Wall-clock milliseconds for each of `count` jobs, after the workers have started."""
    jobs = [Job("nothing", seed=seed) for seed in range(count + 8)]
    list(finished_jobs(jobs[:8], executor))
    begin = time.perf_counter()
    for _ in finished_jobs(jobs[8:], executor):
        pass
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


def seconds_of_runs(jobs: int, runs: int, episodes: int) -> float:
    """Wall-clock seconds of runs over seeds."""
    with TemporaryDirectory() as folder:
        begin = time.perf_counter()
        train_many(
            bl.game("connectfour"), runs, out=Path(folder) / "runs", jobs=jobs, episodes=episodes, exams=()
        )
        return time.perf_counter() - begin


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--episodes", type=int, default=60_000)
    chosen = parser.parse_args()
    with Processes(2) as two:
        rows = [
            ["this process", f"{milliseconds(Here(), 5000):.3f}"],
            ["two processes", f"{milliseconds(two, 2000):.3f}"],
        ]
    table("Overhead of a job", ["where", "ms"], rows, WALL)
    first, rest = memory_growth(chosen.jobs)
    table(
        f"Memory of the driver over {chosen.jobs:,} jobs with a folder",
        ["part", "growth, MiB"],
        [["first tenth", f"{first:.1f}"], ["rest", f"{rest:.1f}"]],
        "peak resident size",
    )
    one, two_seconds = (seconds_of_runs(jobs, chosen.runs, chosen.episodes) for jobs in (1, 2))
    table(
        f"{chosen.runs} runs of connectfour, {chosen.episodes:,} episodes",
        ["processes", "seconds", "speedup"],
        [["1", f"{one:.1f}", "1.00x"], ["2", f"{two_seconds:.1f}", f"{one / two_seconds:.2f}x"]],
        WALL,
    )


if __name__ == "__main__":
    main()
