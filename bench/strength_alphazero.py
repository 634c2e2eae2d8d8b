"""A run of AlphaZero against tree search without a net, in both seats.

python bench/strength_alphazero.py runs/connectfour --games 400 --simulations 200

Both sides have the same number of searches a move. The games are played side by side, so batches of the net are large
and a few hundred games take seconds. Moves are those of `mcts(net(RUN), iterations=N)`: the most visited action, but
proven wins first and proven losses last (not with --no-solver, which is `solver=False`). The net's side keeps its tree;
`uct` has neither.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from common import percent, table

import boardlab as bl
from boardlab.nets.device import choose_device, require_torch
from boardlab.nets.stored import load_net
from boardlab.runs import RunFolder
from boardlab.search.forest import Forest

OPPONENTS = ("uct(iterations={})", "mcts(rollout, iterations={})")


def meet(
    folder: RunFolder,
    opponent: str,
    games: int,
    simulations: int,
    device: str,
    threads: int,
    seed: int,
    options: dict[str, Any],
) -> tuple[int, int, int]:
    """(wins, draws, losses) of the run, which moves first in half of the games."""
    require_torch()
    from boardlab.nets.inference import net_judge

    agent = folder.read_agent("alphazero")
    game = folder.game(agent)
    net, scale = load_net(folder, agent)
    judge = net_judge(net.to(device), device, *scale, threads)
    judge.prepare(1, games, game.initial_state().planes().shape)
    forest = Forest(game, games, seed=seed, cache_mb=64, threads=threads, tree=bl.TreeOptions(**options))
    others = [bl.agent(opponent, game, seed=1000 * seed + i) for i in range(games)]
    seat = (np.arange(games) >= games // 2).astype(np.int64)
    low, high = game.score_range
    while ((players := forest.players) != bl.TERMINAL).any():
        mine = players == seat
        forest.search(judge, np.where(mine, simulations, 0))
        visits, values = forest.visits().astype(float), forest.values()
        if options["solver"]:
            visits[values >= high] += 1e9
            visits[(values <= low) & (visits > 0)] = 0.5
        actions = visits.argmax(axis=1)
        for i in np.flatnonzero(~mine & (players != bl.TERMINAL)).tolist():
            actions[i] = others[i].act(forest.state(i)).action
        forest.play(np.where(players == bl.TERMINAL, -1, actions))
    scores = forest.scores[np.arange(games), seat]
    middle = (low + high) / 2
    return int((scores > middle).sum()), int((scores == middle).sum()), int((scores < middle).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument(
        "--opponent", action="append", help="default: the baseline of Church (2019) and our own"
    )
    parser.add_argument("--cpuct", type=float, default=1.0)
    parser.add_argument("--fpu", default="absolute")
    parser.add_argument("--fpu-value", type=float, default=0.0)
    parser.add_argument(
        "--no-solver", dest="solver", action="store_false", help="no MCTS-Solver in the net's search"
    )
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="append the results as lines of JSON")
    chosen = parser.parse_args()
    options = {name: getattr(chosen, name) for name in ("cpuct", "fpu", "fpu_value", "solver")}
    opponents = chosen.opponent or [name.format(chosen.simulations) for name in OPPONENTS]
    rows = []
    for run in chosen.runs:
        folder = RunFolder(run)
        with np.load(run / "checkpoint.npz") as stored:
            episodes, seconds = int(stored["progress"][0]), float(stored["seconds"][0])
            cpu = float(stored["cpu_seconds"][0])
        for opponent in opponents:
            begin = time.process_time()
            wins, draws, losses = meet(
                folder,
                opponent,
                chosen.games,
                chosen.simulations,
                choose_device(chosen.device),
                chosen.threads,
                chosen.seed,
                options,
            )
            rows.append(
                [
                    run.name,
                    opponent,
                    percent(wins, chosen.games),
                    str(draws),
                    str(losses),
                    f"{episodes:,}",
                    f"{seconds / 60:.1f}",
                    f"{cpu / 60:.1f}",
                ]
            )
            if chosen.out:
                facts = {"run": run.name, "opponent": opponent, "games": chosen.games, **options}
                facts |= {"wins": wins, "draws": draws, "losses": losses, "episodes": episodes}
                facts |= {"simulations": chosen.simulations, "seconds": seconds, "cpu_seconds": cpu}
                facts |= {"exam_cpu_seconds": time.process_time() - begin}
                with chosen.out.open("a") as file:
                    file.write(json.dumps(facts) + "\n")
    table(
        f"wins in {chosen.games} games, {chosen.simulations} searches a move, both seats",
        ["run", "opponent", "wins %", "draws", "losses", "episodes", "minutes", "CPU minutes"],
        rows,
        how="95% intervals",
    )


if __name__ == "__main__":
    main()
