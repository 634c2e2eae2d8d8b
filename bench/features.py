"""Measure what a game's features add to the learner td-features.

python bench/features.py [--seeds 3] [--out FILE]
python bench/features.py --table FILE

Trains the learner's default on the board alone, on the game's features, and on both, for the same episodes. Each agent
then plays in all seats against one opponent; 2048 plays alone. --table prints the table from the file.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

from common import mean, table, tell

import boardlab as bl

MCTS = "mcts(rollout, iterations=200)"
# parameters, episodes, opponent, games, random actions at the start
GAMES = {
    "tictactoe": ({}, 100_000, "maxn(depth=9)", 200, 1),
    "nim": ({}, 20_000, "bouton", 200, 1),
    "connectfour": ({}, 20_000, MCTS, 60, 1),
    "hex": ({"size": 6}, 4_000, MCTS, 60, 1),
    "2048": ({}, 2_000, None, 60, 0),
}
INPUTS = ("board", "game", "both")


def measure(name: str, inputs: str, seed: int) -> dict[str, object]:
    """One run and its agent's mean score."""
    parameters, episodes, opponent, games, random_actions = GAMES[name]
    game = bl.game(name, **parameters)
    with tempfile.TemporaryDirectory() as folder:
        begin = time.process_time()
        run = bl.train(
            game,
            "td-features",
            episodes=episodes,
            features=inputs,
            seed=seed,
            exams=[],
            out=Path(folder) / "run",
        )
        seconds = time.process_time() - begin
        players = [run.agent()] if opponent is None else [run.agent(), opponent]
        result = bl.match(game, players, games=games, seed=1000 + seed, random_actions=random_actions)
    score = float(result.mean_scores[0])
    return {"game": name, "inputs": inputs, "seed": seed, "score": score, "seconds": round(seconds, 2)}


def show(lines: list[dict[str, object]]) -> None:
    """Mean scores with their intervals over the seeds, and the CPU seconds of a run."""
    rows = []
    for name, (_, episodes, opponent, *_) in GAMES.items():
        row = [name, f"{episodes:,}", opponent or "alone"]
        for inputs in INPUTS:
            found = [line for line in lines if line["game"] == name and line["inputs"] == inputs]
            row.append(mean([line["score"] for line in found]) if found else "")
            row.append(f"{sum(line['seconds'] for line in found) / len(found):.1f}" if found else "")
        rows.append(row)
    columns = [column for inputs in INPUTS for column in (inputs, "s")]
    table(
        "Mean score of td-features by its inputs",
        ["game", "episodes", "opponent", *columns],
        rows,
        "one shared core, CPU time",
    )


def main() -> None:
    """Measure, or print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--table", type=Path)
    given = parser.parse_args()
    if given.table:
        show([json.loads(line) for line in given.table.read_text().splitlines()])
        return
    for name in GAMES:
        for inputs in INPUTS:
            for seed in range(given.seeds):
                tell(measure(name, inputs, seed), given.out)


if __name__ == "__main__":
    main()
