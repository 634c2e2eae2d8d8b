"""CFR beside OpenSpiel's C++ CFR in one run: iterations per second, and NashConv over time.

python bench/cfr.py
python bench/cfr.py --seconds 2 --skip-curve
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from common import table

import boardlab as bl
from boardlab import _engine

GAMES = {"kuhnpoker": "kuhn_poker", "leducpoker": "leduc_poker"}
VARIANTS = {"vanilla": "CFRSolver", "plus": "CFRPlusSolver", "discounted": None}
"""Ours, and OpenSpiel's in C++, which has no DCFR."""
BOUNDS = {"kuhnpoker": (0.001, 5.0), "leducpoker": (0.05, 60.0)}
"""The NashConv to fall below, and the CPU seconds for it."""


def rate(work: Callable[[int], object], seconds: float) -> float:
    """Iterations per CPU second: doubled until they take that long."""
    count = 1
    while True:
        begin = time.process_time()
        work(count)
        spent = time.process_time() - begin
        if spent >= seconds:
            return count / spent
        count *= 2 if spent > seconds / 100 else 10


def learner(tree: _engine.GameTree, variant: str) -> tuple[_engine.RegretTable, _engine.CfrLearner]:
    kept = _engine.RegretTable(2**30)
    return kept, _engine.tree_cfr(tree, kept, variant, 1.5, 0.0, 2.0, 0)


def iterate(solver: object, count: int) -> None:
    for _ in range(count):
        solver.evaluate_and_update_policy()  # type: ignore[attr-defined]


def speeds(seconds: float, repeats: int) -> list[list[str]]:
    try:
        import pyspiel
    except ImportError:
        pyspiel = None
    rows = []
    for name, theirs in GAMES.items():
        tree = _engine.GameTree(bl.game(name).core, 100_000)
        for variant, solver in VARIANTS.items():
            ours, others = [], []
            for _ in range(repeats):  # in turn, so that both meet the same load
                _, own = learner(tree, variant)
                ours.append(rate(own.train, seconds))
                if pyspiel and solver:
                    other = getattr(pyspiel, solver)(pyspiel.load_game(theirs))
                    others.append(rate(lambda n, other=other: iterate(other, n), seconds))
            row = [name, variant, spread(ours)]
            row += [spread(others), f"{np.median(ours) / np.median(others):.0f}"] if others else ["", ""]
            rows.append(row)
    return rows


def spread(rates: list[float]) -> str:
    """The median, and the range."""
    return f"{np.median(rates):,.0f} ({min(rates):,.0f} to {max(rates):,.0f})"


def curves() -> list[list[str]]:
    rows = []
    for name, (wanted, seconds) in BOUNDS.items():
        tree = _engine.GameTree(bl.game(name).core, 100_000)
        for variant in VARIANTS:
            kept, own = learner(tree, variant)
            spent, met, at = 0.0, float("nan"), 0
            while spent < seconds and own.iterations_done < 2_000_000:
                begin = time.process_time()
                own.train(max(1, own.iterations_done // 4))
                spent += time.process_time() - begin
                if not at and tree.nash_conv(kept.strategy(tree)) < wanted:
                    met, at = spent, own.iterations_done
                if spent > 20 * met:
                    break
            final = tree.nash_conv(kept.strategy(tree))
            rows.append(
                [name, variant, f"{wanted:g}", f"{met:.4f}", f"{at:,}", f"{final:.2g}", f"{own.iterations_done:,}",
                 f"{spent:.2f}", f"{tree.values(kept.strategy(tree))[0]:.6f}"]
            )  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds of one measurement")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--skip-curve", action="store_true")
    given = parser.parse_args()
    headings = ["game", "variant", "iterations/s", "OpenSpiel's C++", "times"]
    how = f"one core, CPU time, median (range) of {given.repeats} in turn"
    table("CFR, iterations per second", headings, speeds(given.seconds, given.repeats), how)
    if not given.skip_curve:
        headings = [
            "game",
            "variant",
            "NashConv below",
            "CPU s",
            "iterations",
            "then",
            "after",
            "CPU s",
            "value",
        ]
        table("NashConv", headings, curves(), "one core, CPU time")


if __name__ == "__main__":
    main()
