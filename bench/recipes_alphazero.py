"""Which settings of AlphaZero are strongest after some minutes on two cores?

python bench/recipes_alphazero.py --minutes 20 --jobs 8 --out recipes

Every recipe is a process with two threads; on a machine with twice as many cores as jobs they do not disturb each
other. A run ends with its last generation or when the minutes are over. It then plays tree searches without a net
(bench/strength_alphazero.py). The folder gets the runs and results.jsonl, a line for every recipe and opponent.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from common import percent, table

import boardlab as bl

BASE = {
    "simulations_first": 16,
    "simulations": 32,
    "gumbel": 16,
    "lr_final": 2e-4,
    "random_actions": 12,
    "epochs": 3.0,
    "blocks": 3,
    "channels": 32,
}
RECIPES: dict[str, dict[str, Any]] = {
    name: {"episodes": 12_800, **BASE, **changed}
    for name, changed in {
        "3x32": {},
        "fewer episodes": {"episodes": 5_120},
        "more episodes": {"episodes": 25_600},
        "6 random actions": {"random_actions": 6},
        "own openings": {"random_actions": 0},
        "1 epoch": {"epochs": 1.0},
        "64 simulations": {"simulations": 64},
        "PUCT": {"gumbel": None, "simulations": 64},
        "5x32": {"blocks": 5},
        "3x64": {"channels": 64},
        "5x64": {"blocks": 5, "channels": 64},
    }.items()
}


def train(name: str, out: Path, minutes: float, threads: int, seed: int) -> None:
    """Train one recipe in this process."""
    begin = time.monotonic()
    bl.train(
        bl.game("connectfour"),
        "alphazero",
        out=out,
        seed=seed,
        force=True,
        exams=[],
        threads=threads,
        device="cpu",
        progress=lambda _: time.monotonic() - begin > 60 * minutes,
        **RECIPES[name],
    )


def run(name: str, chosen: argparse.Namespace) -> list[dict[str, Any]]:
    """Train and measure one recipe in its own processes."""
    out = chosen.out / name.replace(" ", "-").replace(",", "")
    here = Path(__file__)
    limits = os.environ | dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    alone = [sys.executable, str(here), "--one", name, "--out", str(out), "--minutes", str(chosen.minutes)]
    subprocess.run(
        [*alone, "--threads", str(chosen.threads), "--seed", str(chosen.seed)], check=True, env=limits
    )
    results = out / "strength.jsonl"
    results.unlink(missing_ok=True)
    measure = [
        sys.executable,
        str(here.parent / "strength_alphazero.py"),
        str(out),
        "--games",
        str(chosen.games),
    ]
    subprocess.run(
        [*measure, "--device", "cpu", "--out", str(results)],
        check=True,
        env=limits,
        stdout=subprocess.DEVNULL,
    )
    found = [{"recipe": name, **json.loads(line)} for line in results.read_text().splitlines()]
    with (chosen.out / "results.jsonl").open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in found)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--recipes", nargs="+", choices=RECIPES, default=list(RECIPES))
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--one", choices=RECIPES, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        train(chosen.one, chosen.out, chosen.minutes, chosen.threads, chosen.seed)
        return
    chosen.out.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(chosen.jobs) as pool:
        found = [line for lines in pool.map(lambda name: run(name, chosen), chosen.recipes) for line in lines]
    table(
        f"connectfour: wins in {chosen.games} games after at most {chosen.minutes:g} minutes on {chosen.threads} threads",
        ["recipe", "opponent", "wins %", "episodes", "minutes", "CPU minutes"],
        [
            [
                line["recipe"],
                line["opponent"],
                percent(line["wins"], line["games"]),
                f"{line['episodes']:,}",
                f"{line['seconds'] / 60:.1f}",
                f"{line['cpu_seconds'] / 60:.1f}",
            ]
            for line in found
        ],
        how=f"{chosen.jobs} at a time, 95% intervals",
    )


if __name__ == "__main__":
    main()
