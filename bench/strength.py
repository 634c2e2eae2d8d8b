"""What a search adds to a trained network.

    python bench/strength.py [CASE ...] [--seeds 3] [--jobs 2] [--games 100] [--episodes N]
                             [--out FILE.jsonl] [--runs FOLDER]

Figs. 4, 6 and 7 of Scheiermann and Konen (2022), and 2048. Trains a network for every case and seed and plays it raw
and under `mcts`: connectfour as second player and othello in both seats against mcts(rollout, iterations=10000), cubes
of 11 to 13 (3x3x3: 7 to 9) twists in 20 steps, 2048 alone. Games are played in parts, each its own process. The line of
a part is appended to the file as soon as it is done, and parts already in the file are not played again. `±` is the
standard error of the mean between seeds.

--runs keeps the networks and resumes an interrupted training. A finished run of `bench/learning.py --keep FOLDER` is
used from there unless --episodes is given.

CPU time of one core, roughly: training connectfour-paper 500 s, connectfour 130 s, othello 120 s, rubiks 80 s,
rubiks3-paper 400 s, 2048 90 s (by bench/learning.py, with 200,000 episodes, 900 s); 100 games (cubes: of each number of
twists) of one network with all its agents: connectfour 100 s, othello 400 s, rubiks 40 s, 2048 500 s.
"""

import argparse
import json
import math
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common import console, table, tell
from learning import CUBE3, kept_run, spread

import boardlab as bl
from boardlab.errors import BoardLabError
from boardlab.learners.run import open_run

MCTS = "mcts(rollout, iterations=10000)"
RAW = "greedy({})"


def wrapped(*iterations: int) -> dict[str, str]:
    """The raw network, and the same under mcts."""
    return {"raw": RAW} | {f"mcts {n:,}": f"mcts({{}}, iterations={n})" for n in iterations}


@dataclass(frozen=True)
class Case:
    """What to train and how it plays."""

    game: str
    figure: str
    """The figure of bench/learning.py that trains the same network, or trains it longer."""
    preset: str
    agents: Mapping[str, str]
    asked: Mapping[str, str]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings that differ from the preset."""
    episodes: int | None = None
    """Fewer than in the preset."""
    part: int = 10
    """Games played by one process."""
    fewer: Mapping[str, int] = field(default_factory=dict)
    """Agents that play fewer games, and the divisor."""
    cost: float = 0
    """CPU seconds of the training, so that the longest start first."""


# The paper's agent excludes only the inverse of the last twist.
_PAPERS_RAW = {"raw, memory 1": "greedy({}, memory=1)"}
_SECOND = {"raw": "wins at most .1", "mcts 1,000": "wins at least .9"}
CASES: dict[str, Case] = {
    "connectfour-paper": Case(
        "connectfour", "connectfour-paper-6M", "paper", wrapped(100, 1000), _SECOND, cost=600
    ),
    "connectfour": Case("connectfour", "connectfour", "default", wrapped(100, 1000), _SECOND, cost=90),
    "connectfour-one-start": Case(
        "connectfour",
        "connectfour-one-start",
        "default",
        wrapped(100, 1000),
        _SECOND,
        settings={"choose_start": 0.0},
        episodes=2_000_000,
        cost=90,
    ),
    "othello": Case(
        "othello",
        "othello",
        "paper",
        wrapped(1000, 10000),
        {"raw": "as strong as it (Fig. 4)", "mcts 10,000": "far stronger (Fig. 4)"},
        episodes=50_000,
        part=4,
        fewer={"mcts 10,000": 5},
        cost=160,
    ),
    "rubiks": Case(
        "rubiks",
        "rubiks",
        "default",
        wrapped(100, 1000),
        {"raw": "published .75", "mcts 1,000": "published near 1 (Fig. 7)"},
        {"twists": 13},
        part=50,
        cost=90,
    ),
    "rubiks-paper": Case(
        "rubiks",
        "rubiks-paper",
        "paper",
        _PAPERS_RAW | wrapped(100, 1000),
        {"raw, memory 1": "published .75", "mcts 1,000": "published near 1 (Fig. 7)"},
        {"twists": 13},
        part=100,
        cost=90,
    ),
    "rubiks3-paper": Case(
        "rubiks",
        "rubiks3-paper",
        "paper",
        _PAPERS_RAW | wrapped(100, 1000),
        {"raw, memory 1": "published .25 (Fig. 7)"},
        CUBE3,
        part=100,
        cost=450,
    ),
    "2048": Case(
        "2048",
        "2048",
        "paper",
        wrapped(100, 1000),
        {"raw": "published 135,500 (200,000 episodes)", "mcts 100": "asked: better than raw"},
        episodes=20_000,
        part=5,
        fewer={"mcts 1,000": 10},
        cost=91,
    ),
}


def own_run(case: str, seed: int, episodes: int | None) -> str:
    """The name of a network trained here."""
    return f"strength-{case}-{episodes or CASES[case].episodes or 'preset'}-{seed}"


def train(case: str, seed: int, episodes: int | None, folder: Path) -> Path:
    """Train a network or take an existing one; return its run."""
    chosen = CASES[case]
    learned = kept_run(folder, chosen.figure, seed)
    if episodes is None and learned.exists() and open_run(learned).is_finished:
        return learned
    game = bl.game(chosen.game, **chosen.parameters)
    out, count = folder / own_run(case, seed, episodes), episodes or chosen.episodes
    wanted = {"preset": chosen.preset, "episodes": count, **chosen.settings}
    return bl.train(game, out=out, seed=seed, go_on=True, exams=[], **wanted).path


def play(case: str, seed: int, label: str, part: int, run: Path) -> dict[str, Any]:
    """Play one part of the games of one agent; return its line."""
    chosen = CASES[case]
    game = bl.game(chosen.game, **chosen.parameters)
    agent = chosen.agents[label].format(f'ntuple("{run.as_posix()}")')
    games, start = chosen.part, seed * 1000 + part
    begin = time.process_time()
    line: dict[str, Any] = {"case": case, "seed": seed, "agent": label, "part": part}
    if game.players == 1:
        exam = "twists20" if chosen.game == "rubiks" else "score"
        line["value"] = bl.evaluate(agent, game, exam, games, start).value
    else:
        seatings = [[1, 0]] if chosen.game == "connectfour" else None
        result = bl.match(game, [agent, MCTS], games, start, seatings=seatings)
        if result.errors:
            raise BoardLabError(f"{agent} or {MCTS} failed in {result.errors} games")
        line |= {"value": result.mean_scores[0], "wins": result.wins[0], "draws": result.draws}
    done = open_run(run)
    return line | {
        "games": games,
        "episodes": done.episodes,
        "run": run.name,
        "cpu_s": round(time.process_time() - begin, 2),
    }


def show(lines: Sequence[Mapping[str, Any]]) -> None:
    """Print the table: one row for every agent and number of episodes."""
    rows = []
    kinds = sorted(
        {(line["case"], line["episodes"], line["agent"]) for line in lines},
        key=lambda kind: (list(CASES).index(kind[0]), kind[1], list(CASES[kind[0]].agents).index(kind[2])),
    )
    for kind in kinds:
        mine = [line for line in lines if (line["case"], line["episodes"], line["agent"]) == kind]
        by_seed = [[x for x in mine if x["seed"] == seed] for seed in sorted({x["seed"] for x in mine})]
        values = [sum(x["value"] for x in seed) / len(seed) for seed in by_seed]
        wins = [sum(x.get("wins", 0) for x in seed) / sum(x["games"] for x in seed) for seed in by_seed]
        rows.append(
            [
                kind[0],
                kind[2],
                spread(values),
                spread(wins) if "wins" in mine[0] else "",
                str(len(by_seed)),
                str(sum(line["games"] for line in mine)),
                f"{kind[1]:,}",
                CASES[kind[0]].asked.get(kind[2], ""),
            ]
        )
    columns = ["case", "agent", "value ± s.e.", "share of wins", "seeds", "games", "episodes", "beside"]
    table("Learned networks, raw and wrapped", columns, rows, f"against {MCTS}, cubes solved, score")


def main() -> None:
    """Measure what the file lacks and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", default=[], help=", ".join(CASES))
    parser.add_argument("--seeds", type=int, default=3, help="networks a case, seeds 1, 2 ...")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument(
        "--games", type=int, default=100, help="games an agent and network; 2048 at 1,000: a tenth"
    )
    parser.add_argument("--episodes", type=int, help="instead of the case's own number")
    parser.add_argument("--out", type=Path, metavar="FILE", help="append a line of JSON for every part")
    parser.add_argument(
        "--runs", type=Path, metavar="FOLDER", help="folder of trained networks, read and written"
    )
    options = parser.parse_args()
    for case in options.cases:
        if case not in CASES:
            parser.error(f'unknown case "{case}"; there are {", ".join(CASES)}')
    if min(options.seeds, options.jobs, options.games, options.episodes or 1) < 1:
        parser.error("--seeds, --jobs, --games and --episodes must be at least 1")
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(measure(options, (options.runs or Path(scratch)).resolve()))


def measure(options: argparse.Namespace, folder: Path) -> int:
    """Train, play and print; return 1 if something failed."""
    cases = sorted(options.cases or CASES, key=lambda case: -CASES[case].cost)
    lines: list[dict[str, Any]] = []
    if options.out and options.out.exists():
        lines = [json.loads(line) for line in options.out.read_text().splitlines() if line.strip()]
        lines = [x for x in lines if x["case"] in cases and x["seed"] <= options.seeds]
    done = {(line["run"], line["agent"], line["part"]) for line in lines}

    def missing(case: str, run: str) -> list[tuple[str, int]]:
        """Agents and parts that this network has not played yet."""
        chosen = CASES[case]
        return [
            (label, part)
            for label in chosen.agents
            for part in range(math.ceil(options.games / chosen.fewer.get(label, 1) / chosen.part))
            if (run, label, part) not in done
        ]

    # A new process for each task frees gigabytes of tables at once.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(options.jobs, mp_context=context, max_tasks_per_child=1)
    failed = False
    with pool:
        # The games of a network are queued once it is trained.
        waiting: dict[Future[Any], tuple[Any, ...]] = {}
        for case in cases:
            for seed in range(1, options.seeds + 1):
                if missing(case, own_run(case, seed, options.episodes)):
                    waiting[pool.submit(train, case, seed, options.episodes, folder)] = (case, seed)
        try:
            while waiting:
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    task = waiting.pop(future)
                    try:
                        result = future.result()
                    except BoardLabError as error:
                        failed = True
                        console.print(f"{task}: {error}", markup=False)
                        continue
                    if isinstance(result, Path):
                        case, seed = task
                        for label, part in missing(case, result.name):
                            wanted = (case, seed, label, part, result)
                            waiting[pool.submit(play, *wanted)] = wanted
                        continue
                    lines.append(result)
                    tell(result, options.out)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
    if lines:
        show(lines)
    return 1 if failed else 0


if __name__ == "__main__":
    main()
