"""Measure the size of a checkpoint, and the time to write and to read it.

python bench/checkpoints.py [GAME ...] [--share 0.25]

Trains each game's default preset for that share of its episodes, then writes its checkpoint whole and without what
never changed, and reads both.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from common import table

import boardlab as bl
from boardlab.learners.train import prepare
from boardlab.numbers import memory
from boardlab.runs import RunFolder

REPEATS = 5
HEADS = ["game", "episodes", "checkpoint", "size", "write s", "read s"]


def least(work: Callable[[], None]) -> str:
    """The CPU seconds of the fastest of several repeats."""
    taken = []
    for _ in range(REPEATS):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return f"{min(taken):.3f}"


def measure(name: str, share: float) -> list[list[str]]:
    """Return the rows of a game."""
    game, rows = bl.game(name), []
    run = prepare(game, seed=1, exams=[])
    with tempfile.TemporaryDirectory() as path:
        folder = RunFolder(path)
        learner = run.training(folder).learner
        learner.begin()
        learner.train(int(share * run.episodes))
        arrays, file = learner.arrays, Path(path) / "checkpoint.npz"
        for how, sparse in (("whole", False), ("without what never changed", True)):
            write = least(lambda sparse=sparse: folder.write_arrays(file.name, arrays, sparse=sparse))
            found = {key: np.empty_like(array) for key, array in arrays.items()}
            read = least(lambda found=found: folder.read_into(file.name, found))
            assert all(found[key].tobytes() == array.tobytes() for key, array in arrays.items())
            size = memory(file.stat().st_size)
            rows.append([name, f"{learner.episodes_done:,}", how, size, write, read])
    return rows


def main() -> None:
    """Measure the named games."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=["connectfour"])
    parser.add_argument("--share", type=float, default=0.25)
    options = parser.parse_args()
    rows = [row for name in options.games for row in measure(name, options.share)]
    table("checkpoints of default runs", HEADS, rows, f"one core, CPU time, best of {REPEATS}, seed 1")


if __name__ == "__main__":
    main()
