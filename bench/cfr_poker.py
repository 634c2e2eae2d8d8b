"""A run of cfr at poker against other players: chips per hand, every deal played from both seats.

boardlab train poker --rounds 1 --out runs/poker --exam none
python bench/cfr_poker.py runs/poker --games 40000 tight equity
python bench/cfr_poker.py runs/poker --games 4000 "mc(iterations=200)" "mcts(iterations=200)"
"""

import argparse
import time

from common import table

import boardlab as bl


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", help="the folder of the run")
    parser.add_argument("opponents", nargs="+")
    parser.add_argument("--games", type=int, default=40_000, help="hands, two for each deal")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    run, game = bl.open_run(given.run), bl.game("poker", rounds=1)
    rows = []
    for opponent in given.opponents:
        begin = time.process_time()
        result = bl.match(game, [run.expression, opponent], games=given.games, seed=given.seed)
        score = f"{result.mean_scores[0]:+.3f} ± {result.intervals[0]:.3f}"
        rows.append([opponent, f"{result.games:,}", score, f"{time.process_time() - begin:.0f}"])
        print(*rows[-1], flush=True)
    trained = f"{run.episodes:,} iterations, buckets {run.settings.buckets}"
    table(f"Chips per hand, {trained}", ["against", "hands", "chips", "CPU s"], rows, f"seed {given.seed}")


if __name__ == "__main__":
    main()
