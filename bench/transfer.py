"""Transfer from 6x7 to 8x9 beside learning 8x9 from scratch.

    python bench/transfer.py [--seeds 3] [--jobs 6] [--device cuda] [--out transfer.jsonl] [--parent RUN]

Church (2019), Sections IV-H and V-D, with equal generations. A seed trains a net on 6x7 (unless --parent names one for
all), and on 8x9 `untrained` (its body with fresh heads that do not learn), `frozen` (its body, heads learn), `tuned` (all
learns) and `scratch`, each a process (--arms: some of them). Every pair then plays with --searches a move, and each plays
the baseline of the paper, uct. Runs and matches are written as lines of JSON as they finish; the table has the mean over
seeds, ± its 95% interval. The first action of each player is random, as in the paper's tournament.
"""

import argparse
import itertools
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any

import torch
from common import mean, table, tell

import boardlab as bl

ARMS = {"untrained": "body", "frozen": "body", "tuned": "none", "scratch": None}


def train(arm: str, seed: int, runs: str, parent: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """Train one run; return its cost."""
    rows, cols = options["small"] if arm == "parent" else options["large"]
    generations = {"parent": options["parent_generations"], "untrained": 0}.get(arm, options["generations"])
    settings = dict(options["settings"])
    if ARMS.get(arm) is not None:
        settings |= {"from_": parent, "freeze": ARMS[arm], "lr": options["lr"]}
    out = Path(runs) / f"{arm}-{seed}"
    begin = time.monotonic()
    run = bl.train(
        bl.game("connectfour", rows=rows, cols=cols),
        "alphazero",
        preset=options["preset"],
        episodes=generations * settings["games"],
        out=out,
        seed=seed,
        force=True,
        exams=[],
        **settings,
    )
    columns = ("generation", "policy_loss", "value_loss", "simulations_per_second")
    last = json.loads((out / "generations.jsonl").read_text().splitlines()[-1]) if generations else {}
    return {
        "run": arm,
        "seed": seed,
        "board": f"{rows}x{cols}",
        "seconds": round(time.monotonic() - begin, 1),
        "actions": run.actions,
        **{name: last[name] for name in columns if name in last},
    }


def play(one: str, other: str, seed: int, runs: str, options: dict[str, Any]) -> dict[str, Any]:
    """Play a match on the large board; return the score of the first, a draw counting half."""
    rows, cols = options["large"]
    game = bl.game("connectfour", rows=rows, cols=cols)
    searches = options["searches"]

    def agent(name: str) -> str:
        if name == "uct":
            return f"uct(iterations={searches})"
        net = f'net("{(Path(runs) / f"{name}-{seed}").as_posix()}", device="{options["device"]}")'
        return f"mcts({net}, iterations={searches}, batch={options['leaves']}, leaf_visits=0)"

    torch.set_num_threads(1)
    begin = time.monotonic()
    result = bl.match(game, [agent(one), agent(other)], options["match_games"], seed, random_actions=2)
    return {
        "match": f"{one} - {other}",
        "seed": seed,
        "games": result.games,
        "distinct": result.distinct,
        "wins": result.wins[0],
        "draws": result.draws,
        "losses": result.wins[1],
        "score": (result.mean_scores[0] + 1) / 2,
        "interval": result.intervals[0] / 2,
        "seconds": round(time.monotonic() - begin, 1),
    }


class Jobs:
    """Processes that work through jobs; a finished job may add new ones."""

    def __init__(self, pool: ProcessPoolExecutor, tell: Callable[[dict[str, Any]], None]) -> None:
        self.pool, self.tell = pool, tell
        self.waiting: dict[Future[dict[str, Any]], Callable[[], None]] = {}

    def add(self, then: Callable[[], None], work: Callable[..., dict[str, Any]], *arguments: Any) -> None:
        """Run `work` in a process, then call `then` here."""
        self.waiting[self.pool.submit(work, *arguments)] = then

    def finish(self) -> None:
        """Work until no job is left."""
        while self.waiting:
            for done in wait(self.waiting, return_when=FIRST_COMPLETED).done:
                then = self.waiting.pop(done)
                self.tell(done.result())
                then()


def main() -> None:
    """Train, play and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) // 2))
    parser.add_argument(
        "--threads", type=int, default=0, help="threads of a job; default: all cores divided by the jobs"
    )
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--out", type=Path, help="append runs and matches as lines of JSON")
    parser.add_argument("--runs", type=Path, help="keep the runs in this folder")
    parser.add_argument("--parent", help="a run on the small board for all seeds")
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=list(ARMS))
    parser.add_argument("--preset", default="default", help="default or church")
    parser.add_argument("--small", default="6x7")
    parser.add_argument("--large", default="8x9")
    parser.add_argument("--parent-generations", type=int, default=20)
    parser.add_argument("--generations", type=int, default=8)
    parser.add_argument("--games", type=int, default=256, help="games of self-play a generation")
    parser.add_argument("--simulations", type=int, default=48, help="simulations a move of self-play")
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument(
        "--lr", type=float, default=0.001, help="learning rate of fine-tuning; scratch has the preset's"
    )
    parser.add_argument("--searches", type=int, default=200, help="searches a move in the matches")
    parser.add_argument("--match-games", type=int, default=100)
    parser.add_argument(
        "--leaves",
        type=int,
        default=1,
        help="leaves of a tree judged at once in the matches, from the first visit on",
    )
    given = parser.parse_args()
    options = {name: getattr(given, name) for name in ("preset", "parent_generations", "generations", "lr")}
    options |= {
        name: getattr(given, name) for name in ("searches", "match_games", "leaves", "device", "arms")
    }
    options |= {size: [int(n) for n in getattr(given, size).split("x")] for size in ("small", "large")}
    options["settings"] = {
        **{name: getattr(given, name) for name in ("games", "simulations", "blocks", "channels", "device")},
        "parallel": given.games,
        "threads": given.threads or max(1, (os.cpu_count() or 1) // given.jobs),
    }
    begin = time.monotonic()
    lines: list[dict[str, Any]] = []

    def keep(line: dict[str, Any]) -> None:
        lines.append(line)
        tell(line, given.out)

    with tempfile.TemporaryDirectory() as temporary:
        runs = str(given.runs or temporary)
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(given.jobs, mp_context=spawn) as pool:
            jobs = Jobs(pool, keep)
            for seed in range(1, given.seeds + 1):
                _one_seed(jobs, seed, runs, given.parent, options)
            jobs.finish()
    _report(lines, options, time.monotonic() - begin)


def _one_seed(jobs: Jobs, seed: int, runs: str, parent: str | None, options: dict[str, Any]) -> None:
    """Parent and scratch first, then the arms of the parent; a match once both can play."""
    ready, arms = {"uct"}, options["arms"]
    pairs = [*itertools.combinations(arms, 2), *((arm, "uct") for arm in arms)]

    def trained(arm: str) -> Callable[[], None]:
        def then() -> None:
            ready.add(arm)
            for one, other in pairs:
                if arm in (one, other) and ready >= {one, other}:
                    jobs.add(lambda: None, play, one, other, seed, runs, options)

        return then

    def transfer() -> None:
        source = parent or str(Path(runs) / f"parent-{seed}")
        for arm in arms:
            if ARMS[arm] is not None:
                jobs.add(trained(arm), train, arm, seed, runs, source, options)

    if parent:
        transfer()
    else:
        jobs.add(transfer, train, "parent", seed, runs, None, options)
    if "scratch" in arms:
        jobs.add(trained("scratch"), train, "scratch", seed, runs, None, options)


def _report(lines: list[dict[str, Any]], options: dict[str, Any], seconds: float) -> None:
    matches = list(dict.fromkeys(line["match"] for line in lines if "match" in line))
    rows = []
    for name in matches:
        own = [line for line in lines if line.get("match") == name]
        totals = [str(sum(line[key] for line in own)) for key in ("games", "wins", "draws", "losses")]
        rows.append([name, mean([line["score"] for line in own]), *totals])
    rows.sort(key=lambda row: ("uct" in row[0], row[0]))
    generations = f"{options['generations']} generations ({options['parent_generations']} of the parent)"
    table(
        f"connectfour, {generations} of {options['settings']['games']} games; {options['searches']} searches a move",
        ["match", "score of the first", "games", "wins", "draws", "losses"],
        rows,
        f"{seconds:.0f} s in all",
    )


if __name__ == "__main__":
    main()
