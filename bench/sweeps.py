"""Cost of a sweep: what it adds to its runs, and what a second process saves.

    python bench/sweeps.py [--settings 5] [--seeds 2] [--episodes 20000]

The same runs of tictactoe are trained by plain calls and by a sweep, in CPU time of this process. Then a sweep of
connectfour runs in one process and in two. Its wall clock needs two idle cores; its CPU time shows what the second
process costs.
"""

import argparse
import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from common import table

import boardlab as bl
from boardlab.experiments.sweep import sweep
from boardlab.learners import train

REPEATS = 5


def plain_runs(folder: Path, alphas: list[float], seeds: int, episodes: int) -> float:
    """CPU seconds of training all runs one after the other."""
    begin = time.process_time()
    for alpha in alphas:
        for seed in range(1, seeds + 1):
            out = folder / f"{alpha} {seed}"
            given = {"exams": ["random"], "exam_every": 0, "exam_games": 20, "picture": False}
            train(bl.game("tictactoe"), episodes=episodes, alpha=alpha, seed=seed, out=out, **given)
    return time.process_time() - begin


def swept_runs(folder: Path, alphas: list[float], seeds: int, episodes: int) -> float:
    """CPU seconds of a sweep of the same runs, with its tables and picture."""
    begin = time.process_time()
    given = {"exams": "random", "exam_games": 20, "keep": "checkpoints"}
    sweep("tictactoe", alpha=alphas, episodes=episodes, seeds=seeds, out=folder, **given)
    return time.process_time() - begin


def cost_of_sweep(jobs: int, episodes: int) -> tuple[float, float]:
    """Wall-clock seconds of a sweep of connectfour, and CPU seconds of all its processes."""
    with TemporaryDirectory() as folder:
        begin, spent = time.perf_counter(), cpu_seconds()
        given = {"alpha": [1, 2, 4], "seeds": 2, "episodes": episodes, "exams": "random"}
        sweep("connectfour", out=Path(folder) / "sweep", jobs=jobs, **given)
        return time.perf_counter() - begin, cpu_seconds() - spent


def cpu_seconds() -> float:
    """CPU seconds of this process and of those that ended."""
    uses = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in uses)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--settings", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--episodes", type=int, default=20_000)
    chosen = parser.parse_args()
    alphas = [round(0.2 + 0.2 * i, 1) for i in range(chosen.settings)]
    runs, spent = chosen.settings * chosen.seeds, {"plain": [], "sweep": []}
    with TemporaryDirectory() as path:
        for i in range(REPEATS):
            for name, work in (("plain", plain_runs), ("sweep", swept_runs)):
                spent[name].append(work(Path(path) / f"{name}{i}", alphas, chosen.seeds, chosen.episodes))
    plain, swept = (min(spent[name][1:]) for name in ("plain", "sweep"))
    rows = [
        ["plain calls of train", f"{1000 * plain / runs:.0f}", ""],
        [
            "a sweep with its tables and picture",
            f"{1000 * swept / runs:.0f}",
            f"{1000 * (swept - plain) / runs:.0f}",
        ],
    ]
    note = f"CPU time, best of {REPEATS - 1} after one to warm up"
    table(f"{runs} runs of tictactoe, {chosen.episodes:,} episodes", ["how", "ms a run", "more"], rows, note)
    (one, cpu), (two, both) = (cost_of_sweep(jobs, 60_000) for jobs in (1, 2))
    rows = [
        ["1", f"{one:.1f}", "1.00x", f"{cpu:.1f}"],
        ["2", f"{two:.1f}", f"{one / two:.2f}x", f"{both:.1f}"],
    ]
    heads = ["processes", "seconds", "speedup", "CPU seconds"]
    table("6 runs of connectfour, 60,000 episodes", heads, rows, "wall clock; CPU seconds of all processes")


if __name__ == "__main__":
    main()
