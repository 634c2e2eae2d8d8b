"""What a search adds to a learned network: connectfour as second player against MCTS, othello, cubes, 2048.

    python bench/strength.py [CASE ...] [--seeds 3] [--jobs 2] [--games 100] [--episodes N]

CASE is connectfour-paper, connectfour, othello, rubiks or 2048. Every (case, seed) is a process that trains a network by its preset and
plays it raw and wrapped; `±` is the standard error of the mean between seeds.
"""

import argparse
import multiprocessing
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from common import table
from learning import spread

import boardlab as bl

MCTS = "mcts(rollout, iterations=10000)"
CASES: dict[str, tuple[str, dict[str, Any], str, int | None]] = {
    # game, parameters, preset, episodes
    "connectfour-paper": ("connectfour", {}, "paper", None),
    "connectfour": ("connectfour", {}, "default", None),
    "othello": ("othello", {}, "paper", 50_000),
    "rubiks": ("rubiks", {"twists": 13}, "default", 300_000),
    "2048": ("2048", {}, "paper", 20_000),
}


def measure(case: str, seed: int, games: int, episodes: int | None) -> list[tuple[str, str, float]]:
    """(case, what, value) of one trained network."""
    name, parameters, preset, fewer = CASES[case]
    game = bl.game(name, **parameters)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        begin = time.process_time()
        bl.train(game, preset=preset, episodes=episodes or fewer, out=out, seed=seed)
        rows = [(case, "training CPU s", time.process_time() - begin)]
        network = f'ntuple("{out.as_posix()}")'
        agents = {"raw": f"greedy({network})", "mcts 100": f"mcts({network}, iterations=100)"}
        agents["mcts 1000"] = f"mcts({network}, iterations=1000)"
        for label, agent in agents.items():
            if name == "2048":
                few = games if label == "raw" else max(4, games // (4 if label == "mcts 100" else 20))
                value = bl.evaluate(agent, game, "score", few, seed).value
            elif name == "rubiks":
                value = bl.evaluate(agent, game, "twists", games, seed).value
            else:  # second player
                value = -bl.match(game, [MCTS, agent], games, seed, seatings=[[0, 1]]).mean_scores[0]
            rows.append((case, label, value))
    return rows


def main() -> None:
    """Reads the options, measures, prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", default=[], help=", ".join(CASES))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--episodes", type=int, help="fewer or more than the case has")
    options = parser.parse_args()
    for case in options.cases:
        if case not in CASES:
            parser.error(f'unknown case "{case}"; there are {", ".join(CASES)}')
    tasks = [(case, seed) for case in options.cases or CASES for seed in range(1, options.seeds + 1)]
    rows: list[tuple[str, str, float]] = []
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.jobs, mp_context=context, max_tasks_per_child=1) as pool:
        futures = [pool.submit(measure, *task, options.games, options.episodes) for task in tasks]
        for future in as_completed(futures):
            rows += future.result()
            print(future.result(), flush=True)
    seen = sorted({row[:2] for row in rows}, key=lambda pair: (list(CASES).index(pair[0]), pair[1]))
    table(
        "Learned networks, raw and wrapped",
        ["case", "agent", "mean ± s.e.", "seeds"],
        [
            [case, what, spread(values), str(len(values))]
            for case, what in seen
            for values in [[row[2] for row in rows if row[:2] == (case, what)]]
        ],
        "connectfour, othello: mean score as second player against " + MCTS,
    )


if __name__ == "__main__":
    main()
