"""Othello's presets default and paper after equal training and thinking time.

    python bench/othello_presets.py [--episodes 100000 500000] [--depths 6 7] [--games 200] [--seed 1]
                                    [--runs FOLDER] [--out FILE.jsonl]

Trains both, preset paper first, and matches them under alphabeta from random openings of eight actions, each opening
in both seats. The two numbers of --episodes and of --depths are for paper and default: choose them so that the
printed times agree. --runs keeps the networks and resumes an interrupted training. CPU time of one core: training
about three minutes each by default, the match one to two minutes.
"""

import argparse
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from common import tell

import boardlab as bl
from boardlab.runs import RunFolder

PRESETS = ("paper", "default")
OPENING = 8
"""Random actions before a game."""


def cpu_ms(expression: str, game: bl.Game, seed: int, positions: int = 60) -> float:
    """CPU milliseconds of a decision, the mean over positions of random games."""
    agent, rng = bl.agent(expression, game, seed=seed), random.Random(seed)
    spent = 0.0
    for number in range(positions):
        state = game.initial_state()
        for _ in range(OPENING + number % 40):
            if not state.is_terminal:
                state.apply(rng.choice(state.legal_actions()))
        if state.is_terminal:
            continue
        begin = time.thread_time()
        agent.act(state)
        spent += time.thread_time() - begin
    return 1000 * spent / positions


def compare(
    episodes: list[int], searches: list[str], games: int, seed: int, folder: Path, out: Path | None
) -> None:
    """Train, measure the time a move, play, and write a line of JSON."""
    game = bl.game("othello")
    agents, trained = [], []
    for preset, count, search in zip(PRESETS, episodes, searches, strict=True):
        path = folder / f"othello-{preset}-{count}-{seed}"
        bl.train(game, preset=preset, episodes=count, out=path, seed=seed, go_on=True)
        trained.append(round(RunFolder(path).cpu_seconds() or 0.0, 1))
        agents.append(search.format(f'ntuple("{path.as_posix()}")'))
    result = bl.match(game, agents[::-1], games, seed, random_actions=OPENING)
    line: dict[str, Any] = {
        "presets": PRESETS,
        "episodes": episodes,
        "train_cpu_s": trained,
        "searches": searches,
        "cpu_ms_a_move": [round(cpu_ms(agent, game, seed), 3) for agent in agents],
        "seed": seed,
        "games": result.games,
        "distinct": result.distinct,
        "default_wins": result.wins[0],
        "draws": result.draws,
        "default_mean_score": round(result.mean_scores[0], 4),
        "half_width_95": round(result.intervals[0], 4),
    }
    tell(line, out)


def main() -> None:
    """Compare the presets with the given options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--episodes", type=int, nargs=2, default=[100_000, 500_000])
    parser.add_argument("--depths", type=int, nargs=2, default=[6, 7])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=Path, help="keep the trained networks in this folder")
    parser.add_argument("--out", type=Path, help="append the result as a line of JSON")
    options = parser.parse_args()
    searches = [f"alphabeta({{}}, depth={depth})" for depth in options.depths]
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.runs or Path(scratch)
        compare(options.episodes, searches, options.games, options.seed, folder, options.out)


if __name__ == "__main__":
    main()
