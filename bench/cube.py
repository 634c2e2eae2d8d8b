"""Solve random cubes with a trained learner and beam search.

python bench/cube.py --size 2 --train-minutes 2 --widths 1,10,100 --cubes 200
python bench/cube.py --size 3 --metric qtm --train-minutes 2 --widths 256,4096,65536 --cubes 100 --device cuda --threads 16

Trains first, unless --run names an existing run. --train-minutes measures the speed for some seconds and then
trains as many walks as fit; --steps trains a fixed number of steps. Every width then solves the same cubes within
50 twists. They are scrambled by --twists random twists (default 100) and one more in turn, nearly uniformly random.

`±` is a 95% interval over the cubes. For the 2x2x2, `optimal` is the share of all cubes solved in as few twists as
possible, and `exact` the mean of that distance. --learner also takes davi-net, and the n-tuple learners davi and
td-ntuple, for which --steps counts thousands of episodes. --out appends a line of JSON for every width.
"""

import argparse
import json
import shutil
import time
from pathlib import Path
from typing import Any

from common import console, table

import boardlab as bl
from boardlab.arena.intervals import interval
from boardlab.references.rubiks import distance
from boardlab.runs import RunFolder

MOST = 50  # twists allowed
TRAINED = {(2, "htm"): 13, (2, "qtm"): 16, (3, "htm"): 9, (3, "qtm"): 13}
"""Most twists of the cubes that n-tuple learners start from, as in the papers; walks have their own length."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--size", type=int, default=3, choices=(2, 3))
    parser.add_argument("--metric", default="htm", choices=("htm", "qtm"))
    parser.add_argument(
        "--learner", default="random-walk", choices=("random-walk", "davi-net", "davi", "td-ntuple")
    )
    parser.add_argument("--train-minutes", type=float, default=1.0)
    parser.add_argument("--steps", type=int, help="steps of learning, instead of minutes")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the learner"
    )
    parser.add_argument("--run", type=Path, help="run to solve with; trained if it does not exist")
    parser.add_argument("--widths", default="1,16,256,4096", help="widths of the beam, separated by commas")
    parser.add_argument("--cubes", type=int, default=100)
    parser.add_argument("--twists", type=int, default=100)
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="append a line of JSON for every width")
    chosen = parser.parse_args()
    game = bl.game(
        "rubiks", size=chosen.size, metric=chosen.metric, twists=TRAINED[chosen.size, chosen.metric]
    )
    path = chosen.run or Path("runs") / f"cube-{chosen.learner}-{chosen.size}-{chosen.metric}-{chosen.seed}"
    run = bl.open_run(path) if chosen.run and (path / "agent.toml").exists() else learn(game, path, chosen)
    cpu = RunFolder(run.path).cpu_seconds() or 0.0
    trained = (
        f"{run.episodes:,} episodes, {run.actions:,} positions in {run.seconds:.0f} s ({cpu:.0f} s of CPU)"
    )
    console.print(f"{chosen.learner}: {trained}, {run.actions / max(run.seconds, 1e-9):,.0f} positions/s\n")
    rows = []
    for width in map(int, chosen.widths.split(",")):
        solved = solve(run.game, run, width, chosen)
        rows.append(solved.pop("row"))
        console.print("  ".join(rows[-1]))
        if chosen.out:
            line = {
                "learner": chosen.learner,
                "train_seconds": run.seconds,
                "positions": run.actions,
                **solved,
            }
            with chosen.out.open("a") as file:
                file.write(json.dumps(line) + "\n")
    title = f"{chosen.size}x{chosen.size}x{chosen.size} {chosen.metric}, {chosen.cubes} cubes of {chosen.twists} twists, seed {chosen.seed}; {trained}"
    columns = ["beam width", "solved", "twists", "positions a cube", "CPU s", "wall s"]
    columns += ["optimal", "exact"] if chosen.size == 2 else []
    table(title, columns, rows, f"{chosen.device}, {chosen.threads} threads; seconds a cube")


def learn(game: bl.Game, path: Path, chosen: argparse.Namespace) -> bl.Run:
    settings: dict[str, Any] = {}
    if chosen.learner in ("random-walk", "davi-net"):
        settings = {"device": chosen.device, "threads": chosen.threads}
    for word in chosen.set:
        name, _, value = word.partition("=")
        settings[name] = json.loads(value)
    # A run of some seconds measures the speed, because the schedule of the learning rate needs the total in advance.
    episodes = 1000 * (chosen.steps or 0)
    if chosen.learner in ("random-walk", "davi-net"):
        episodes = settings.get("walks", 400) * (chosen.steps or 0)
    if not episodes:
        probe = path.with_name(path.name + "-probe")
        begin: list[tuple[float, int]] = []

        def tell(now: bl.learners.Progress) -> bool:
            begin.append((now.seconds, now.episodes))
            return now.seconds > begin[0][0] + 5

        bl.train(
            game,
            chosen.learner,
            episodes=10**9,
            out=probe,
            seed=chosen.seed,
            force=True,
            exams=[],
            progress=tell,
            **settings,
        )
        shutil.rmtree(probe)
        (first, started), (last, ended) = begin[0], begin[-1]
        episodes = max(1, int((ended - started) / (last - first) * 60 * chosen.train_minutes))
    path.parent.mkdir(parents=True, exist_ok=True)
    return bl.train(
        game, chosen.learner, episodes=episodes, out=path, seed=chosen.seed, force=True, exams=[], **settings
    )


def solve(game: bl.Game, run: bl.Run, width: int, chosen: argparse.Namespace) -> dict[str, Any]:
    """Plan and play every cube from scratch; count results by the rules."""
    kind = run.settings.evaluator
    device = f', device="{chosen.device}"' if kind == "net" else ""
    expression = f'beam({kind}("{run.path}"{device}), width={width}, threads={chosen.threads})'
    agent = bl.agent(expression, game, seed=chosen.seed)
    twists, lengths, exact, optimal = [], [], [], []
    nodes = seconds = cpu = 0.0
    agent.act(game.initial_state(seed=10**6))  # warm up
    scrambles = [
        bl.game("rubiks", size=chosen.size, metric=chosen.metric, twists=chosen.twists + more)
        for more in (0, 1)
    ]
    for i in range(chosen.cubes):
        # Quarter turns are odd permutations: one more twist on every other cube gives both parities.
        scrambled = scrambles[i % 2].initial_state(seed=chosen.seed * 1_000_003 + i)
        state = game.from_fields(scrambled.fields)
        agent.reset(i)
        shortest = distance(state) if chosen.size == 2 else 0
        begin, cpu_begin = time.perf_counter(), time.process_time()
        nodes += agent.act(state).info["nodes"]
        seconds += time.perf_counter() - begin
        cpu += time.process_time() - cpu_begin
        length = 0
        while not state.is_terminal and length < MOST:
            state.apply(agent.act(state).action)
            length += 1
        twists.append(float(state.is_terminal))
        if state.is_terminal:
            lengths.append(float(length))
        exact.append(float(shortest))
        optimal.append(float(state.is_terminal and length == shortest))
    n = chosen.cubes
    share, mean = sum(twists) / n, sum(lengths) / max(len(lengths), 1)
    share_error = interval(twists, (0.0, 1.0))
    length_error = interval(lengths, (0.0, float(MOST))) if len(lengths) > 1 else float("nan")
    row = [
        f"{width:,}",
        f"{share:.3f} ± {share_error:.3f}",
        f"{mean:.2f} ± {length_error:.2f}" if lengths else "",
        f"{nodes / n:,.0f}",
        f"{cpu / n:.3f}",
        f"{seconds / n:.3f}",
    ]
    result: dict[str, Any] = {
        "size": chosen.size,
        "metric": chosen.metric,
        "seed": chosen.seed,
        "cubes": n,
        "twists": chosen.twists,
        "width": width,
        "solved": share,
        "solved_error": share_error,
        "length": mean,
        "length_error": length_error,
        "nodes": nodes / n,
        "cpu_seconds": cpu / n,
        "seconds": seconds / n,
    }
    if chosen.size == 2:
        row += [f"{sum(optimal) / n:.3f} ± {interval(optimal, (0.0, 1.0)):.3f}", f"{sum(exact) / n:.2f}"]
        result |= {"optimal": sum(optimal) / n, "exact": sum(exact) / n}
    return {**result, "row": row}


if __name__ == "__main__":
    main()
