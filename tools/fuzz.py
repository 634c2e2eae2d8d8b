"""Throw hostile calls, rules, files and settings at BoardLab: `make fuzz`.

Every batch is a child process with its own seed. A crash, a hang or an unexpected exception is reported with
the command that repeats it; the exit status is then 1.
"""

import argparse
import collections
import random
import secrets
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from fuzz.harness import Running, modules


def main() -> None:
    """Run batches until the time is up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=480, help="duration")
    parser.add_argument("--seed", type=int, default=None, help="repeat the run with this seed")
    parser.add_argument("--jobs", type=int, default=2, help="child processes at a time")
    parser.add_argument(
        "--only", action="append", choices=modules(), help="only this module; may be repeated"
    )
    parser.add_argument("--batch", type=int, default=None, help="repeat one batch, with --only")
    given = parser.parse_args()
    names = given.only or modules()
    if given.batch is not None:
        result = Running(names[0], given.batch, given.seconds, sys.maxsize).wait()
        print(f"{result.module}: {result.cases:,} cases; {result.failure or 'no failure'}")
        sys.exit(bool(result.failure))

    seed = secrets.randbits(32) if given.seed is None else given.seed
    print(f"fuzz: {', '.join(names)} for {given.seconds:.0f} s; repeat with SEED={seed}", flush=True)
    rng, end = random.Random(seed), time.monotonic() + given.seconds
    each = max(2.0, min(60.0, given.seconds * given.jobs / len(names) / 2))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    running: list[Running] = []
    counts: collections.Counter[str] = collections.Counter()
    batches: collections.Counter[str] = collections.Counter()
    failures, turn = 0, 0
    try:
        while running or time.monotonic() < end:
            while len(running) < given.jobs and time.monotonic() < end:
                left = end - time.monotonic()
                running.append(
                    Running(names[turn % len(names)], rng.getrandbits(32), min(each, left), sys.maxsize)
                )
                turn += 1
            for batch in list(running):
                if (result := batch.finished()) is not None:
                    running.remove(batch)
                    counts[result.module] += result.cases
                    batches[result.module] += 1
                    if result.failure:
                        failures += 1
                        print(f"FAILED {result.command}\n{result.failure}", flush=True)
            time.sleep(0.1)
    finally:
        for batch in running:  # after Ctrl-C or SIGTERM
            batch.process.kill()
    for name in names:
        print(f"{name:<16}{counts[name]:>12,} cases in {batches[name]} processes")
    print(f"{sum(counts.values()):,} cases, {failures} failures; seed {seed}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
