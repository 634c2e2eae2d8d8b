"""Switch iterations and Elo of adaptive and fixed warm starts.

Wang et al. (2021), Table 3 and Figure 2; --untrained is Table 2.

    python bench/warm_start.py [--games connectfour othello gobang] [--variants ...] [--seeds 3] [--jobs 16] [--generations 20]
                               [--device cuda] [--out warm.jsonl] [--runs FOLDER] [--stages 5 10 20 50]
    python bench/warm_start.py --untrained [--games ...] [--jobs 2]      Table 2: enhancements against MCTS over untrained nets
    python bench/warm_start.py --speed [--games ...]                     the cost of an enhancement beside the net
    python bench/warm_start.py --table warm.jsonl [more.jsonl ...]       the tables of these files, and the claims over all of them

A variant is `baseline`, an enhancement (`rollout`, `rave`, `rora`, `wro`, `wrora`, `rhea`) with fixed I', or one with `+`
and the adaptive switch (`rollout+`). Every (seed, game, variant) is a run; runs are processes side by side, seed after
seed. As soon as all variants of a (seed, game) are trained, every pair of them plays --match-games games with the same
number of searches, two random actions first, each opening from both seats. With --stages the nets of those generations
meet too: each warm start and the baseline, each adaptive one and its fixed one. Runs and matches are written as lines of
JSON as they finish; the same --out and --runs resume an interrupted bench.

The settings are those of Wang et al. (preset wang), with fewer generations, searches and positions and a smaller net. Elo
is over all games of a game's runs, seeds of a variant as one player, ± the 95% interval of its Bayesian rating; the baseline
is 0. `seeds`: ± the standard error of the mean between seeds, each rated alone. Switch iterations: mean ± standard
deviation, as in the paper. Below the table: the paper's claims as differences, means over the enhancements.
"""

import argparse
import heapq
import itertools
import json
import math
import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
import torch
from common import console, table, tell

import boardlab as bl
from boardlab import Forest
from boardlab.arena.intervals import interval, standard_error
from boardlab.arena.ratings import BayesElo, Result, bayes_elo
from boardlab.learners.alphazero.settings import AlphaZero
from boardlab.learners.alphazero.warm_start import WarmStart
from boardlab.learners.presets import preset
from boardlab.nets.inference import net_judge
from boardlab.nets.stored import build_net, net_description
from boardlab.search.enhancements import ENHANCEMENTS, POLICIES
from boardlab.search.forest import VISITS_ALONE

GAMES: dict[str, dict[str, Any]] = {
    "connectfour": {"rows": 6, "cols": 6},
    "othello": {"size": 6},
    "gobang": {"rows": 6, "cols": 6},
}
PAPER = tuple(ENHANCEMENTS)
VARIANTS = ("baseline", *PAPER, *(f"{name}+" for name in PAPER))
ALL = (*VARIANTS, "rhea", "rhea+")
CLAIMS = {
    "fixed - baseline": [(name, "baseline") for name in (*PAPER, "rhea")],
    "adaptive - baseline": [(f"{name}+", "baseline") for name in (*PAPER, "rhea")],
    "adaptive - fixed": [(f"{name}+", name) for name in (*PAPER, "rhea")],
}
"""Wang et al. (2021): in each pair the first has more Elo."""
TABLE_2 = {"connectfour": (64, 27.5, 76, 82, 82.5), "othello": (93, 53, 98, 96, 99), "gobang": (65, 43, 70, 57, 62)}  # fmt: skip
TABLE_3 = {
    "connectfour": (6.6, 2.4, 7.8, 4.3, 4.4),
    "othello": (5.5, 3.1, 5.1, 4.4, 4.0),
    "gobang": (1.4, 1.1, 1.1, 1.1, 1.3),
}
THESIS = {
    "baseline": (77, 39, 18, -2, -7, -17, -65, -100),
    "rollout": (17, 11, 7, -6, -8, -11, -43, -109),
    "rave": (86, 53, 32, 21, 10, 5, 4, -66),
    "rora": (117, 62, 28, 15, 6, 2, -10, -17),
    "wro": (97, 44, 39, 34, 30, 20, 20, 8),
    "wrora": (102, 100, 81, 71, 54, 53, 52, 36),
}
"""Elo of eight Othello runs each, with fixed I' (Wang 2021, Table A.3)."""

GAMES_A_NET = 2
"""With --untrained: one from each seat. Nets differ more than games over one net do, and Rave's are all the same."""

Line = dict[str, Any]


# ---- jobs ----


def train(game: str, variant: str, seed: int, runs: str, options: dict[str, Any]) -> Line:
    """Train one run; return the generation of its switch and the cost."""
    torch.set_num_threads(1)
    settings = dict(options["settings"])
    if variant != "baseline":
        settings |= {
            "warm_start": variant.rstrip("+"),
            "switch": "adaptive" if variant.endswith("+") else "fixed",
        }
    for name in AlphaZero.flat(**settings).idle(settings):  # `train` refuses settings without effect
        del settings[name]
    out = Path(runs) / f"{game}-{variant}-{seed}"
    begin = time.monotonic()
    run = bl.train(
        bl.game(game, **GAMES[game]),
        "alphazero",
        preset="wang",
        episodes=options["generations"] * settings["games"],
        out=out,
        seed=seed,
        go_on=True,
        exams=[],
        snapshot_every=math.gcd(*options["stages"]) * settings["games"],
        **settings,
    )
    lines = [json.loads(line) for line in (out / "generations.jsonl").read_text().splitlines()]
    return {
        "run": variant,
        "game": game,
        "seed": seed,
        "switch": next((line["generation"] for line in lines if line.get("switched")), None),
        "arena_rewards": [line["arena_reward"] for line in lines if "arena_reward" in line],
        "accepted": sum(line.get("accepted", True) for line in lines),
        "policy_loss": lines[-1]["policy_loss"],
        "value_loss": lines[-1]["value_loss"],
        "actions": run.actions,
        "seconds": round(time.monotonic() - begin, 1),
        "self_play_seconds": round(sum(line["self_play_seconds"] for line in lines), 1),
        "learning_seconds": round(sum(line["learning_seconds"] for line in lines), 1),
    }


def snapshot(run: Path, stage: int, options: dict[str, Any]) -> Path:
    """The net of that generation; runs trained for other stages may lack it."""
    return run / "snapshots" / str(stage * options["settings"]["games"])


def play(
    game: str, one: str, other: str, seed: int, runs: str, options: dict[str, Any], stage: int | None = None
) -> Line:
    """A match of two runs: results of `one` moving first and moving second."""
    torch.set_num_threads(1)

    def agent(variant: str) -> str:
        path = Path(runs) / f"{game}-{variant}-{seed}"
        run = (path if stage is None else snapshot(path, stage, options)).as_posix()
        return f'mcts(net("{run}", device="{options["match_device"]}"), iterations={options["searches"]}, batch={options["leaves"]}, leaf_visits=0, solver=False)'

    begin = time.monotonic()
    board = bl.game(game, **GAMES[game])
    games = options["match_games"] if stage is None else options["stage_games"]
    result = bl.match(board, [agent(one), agent(other)], games, seed, random_actions=2)
    counts = {0: [0, 0, 0], 1: [0, 0, 0]}
    for record in result.records:
        seat = list(record.seats).index(0)
        score = float(record.scores[seat])
        counts[seat][0 if score > 0 else 1 if score == 0 else 2] += 1
    return {
        "match": [one, other],
        **({} if stage is None else {"stage": stage}),
        "game": game,
        "seed": seed,
        "first": counts[0],
        "second": counts[1],
        "distinct": result.distinct,
        "seconds": round(time.monotonic() - begin, 1),
    }


def untrained(game: str, variant: str, seed: int, options: dict[str, Any]) -> Line:
    """Games of an enhancement against MCTS over a random net: weight 1/2, T' = 0, as in Table 2."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    board = bl.game(game, **GAMES[game])
    chosen = preset(board, "wang", "alphazero") | options["settings"]
    chosen.pop("episodes")
    settings = AlphaZero.checked(chosen)
    judge = net_judge(build_net(net_description(board, settings.net)), "cpu", -1.0, 1.0)
    bl.register_evaluator("untrained")(lambda game: judge)
    more = f'policy="{settings.warm_start.policy}"'
    if ENHANCEMENTS[variant].rave:
        more += f', equivalence={settings.self_play.tree.equivalence!r}, rave_of="{settings.self_play.tree.rave_of}"'
    agents = [
        f"{variant}_mcts(untrained, iterations={settings.self_play.simulations}, {more})",
        f"mcts(untrained, iterations={settings.self_play.simulations}, solver=False)",
    ]
    result = bl.match(board, agents, GAMES_A_NET, seed)
    reward = 2 * result.points[0] - 1
    return {
        "untrained": variant,
        "game": game,
        "seed": seed,
        "policy": settings.warm_start.policy,
        "rave_of": settings.self_play.tree.rave_of,
        "games": GAMES_A_NET,
        "distinct": result.distinct,
        "reward": reward,
    }


# ---- scheduling ----


class Jobs:
    """A pool of processes that runs the most urgent job next."""

    def __init__(self, pool: ProcessPoolExecutor, jobs: int) -> None:
        self.pool, self.jobs = pool, jobs
        self.queue: list[tuple[tuple[int, ...], int, tuple[Any, ...]]] = []
        self.number = itertools.count()
        self.running: set[Future[Line]] = set()

    def add(self, urgency: tuple[int, ...], *call: Any) -> None:
        """Queue a call; the smallest urgency runs first."""
        heapq.heappush(self.queue, (urgency, next(self.number), call))

    def __iter__(self) -> Iterator[Line]:
        """Yield results as they finish."""
        while self.queue or self.running:
            while self.queue and len(self.running) < self.jobs:
                self.running.add(self.pool.submit(*heapq.heappop(self.queue)[2]))
            done, self.running = wait(self.running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()


def main() -> None:
    """Train, play and print the tables."""
    given = _options()
    for name, known in (("games", GAMES), ("variants", ALL)):
        for word in getattr(given, name):
            if word not in known:
                raise SystemExit(f'unknown in --{name}: "{word}"; there are {", ".join(known)}')
    given.stages = sorted(set(given.stages))
    if given.stages and not 1 <= given.stages[0] <= given.stages[-1] <= given.generations:
        raise SystemExit(f"--stages are generations from 1 to {given.generations}, the last")
    if given.stage_games < 1:
        raise SystemExit(f"--stage-games must be at least 1, not {given.stage_games}")
    if given.speed:
        return report_speed(given.games, given.simulations)
    if given.table:
        files = [read(path) for path in given.table]
        for lines in files:
            report(lines, "as written")
        return report_all(files)
    lines = read(given.out) if given.out and given.out.exists() else []
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    begin = time.monotonic()

    def keep(line: Line) -> None:
        lines.append(line)
        tell(line, given.out)

    with tempfile.TemporaryDirectory() as temporary:
        runs = str(given.runs or temporary)
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(given.jobs, mp_context=spawn) as pool:
            jobs = Jobs(pool, given.jobs)
            if given.untrained:
                for seed in range(given.first_seed, given.first_seed + -(-given.match_games // GAMES_A_NET)):
                    for game, variant in itertools.product(given.games, PAPER):
                        wanted = (variant, game, seed, given.warm_policy, given.rave_of)
                        if not any(
                            tuple(map(t.get, ("untrained", "game", "seed", "policy", "rave_of"))) == wanted
                            for t in lines
                        ):
                            jobs.add((seed,), untrained, game, variant, seed, _chosen(given))
                for line in jobs:
                    keep(line)
            else:
                _train_and_play(jobs, lines, keep, seeds, runs, given)
    report(lines, f"{given.jobs} processes, {time.monotonic() - begin:.0f} s in all, {_words(given)}")


def _train_and_play(
    jobs: Jobs, lines: list[Line], keep: Any, seeds: range, runs: str, given: argparse.Namespace
) -> None:
    options = _chosen(given)
    pairs = [(None, one, other) for one, other in itertools.combinations(given.variants, 2)]
    for stage, (one, other) in itertools.product(given.stages, itertools.chain(*CLAIMS.values())):
        if one in given.variants and other in given.variants:
            pairs.append((stage, one, other))
    met = {(t["game"], t["seed"], t.get("stage"), *t["match"]) for t in lines if "match" in t}
    trained = {(t["game"], t["seed"], t["run"]) for t in lines if "run" in t and given.runs}

    def trained_all(game: str, seed: int) -> bool:
        return all((game, seed, variant) in trained for variant in given.variants)

    def let_meet(game: str, seed: int) -> None:
        for stage, one, other in pairs if given.match_games else ():
            if (game, seed, stage, one, other) in met:
                continue
            runs_of = [Path(runs) / f"{game}-{variant}-{seed}" for variant in (one, other)]
            if stage is None or all(snapshot(run, stage, options).exists() for run in runs_of):
                jobs.add((seed, 0), play, game, one, other, seed, runs, options, stage)

    for seed, game in itertools.product(seeds, given.games):
        if trained_all(game, seed):
            let_meet(game, seed)
        for variant in given.variants:
            if (game, seed, variant) not in trained:
                # Adaptive runs take longest and go first, so that no core idles for long at the end.
                jobs.add((seed, 1, not variant.endswith("+")), train, game, variant, seed, runs, options)
    for line in jobs:
        keep(line)
        if "run" in line:
            trained.add((line["game"], line["seed"], line["run"]))
            if trained_all(line["game"], line["seed"]):
                let_meet(line["game"], line["seed"])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", nargs="+", default=list(GAMES), metavar="GAME", help=", ".join(GAMES))
    parser.add_argument(
        "--variants", nargs="+", default=list(VARIANTS), metavar="VARIANT", help=", ".join(ALL)
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--match-device", default="cpu", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--out", type=Path, help="JSON lines of runs and matches; resumes an existing file")
    parser.add_argument("--runs", type=Path, help="folder of the runs; resumes those in it")
    parser.add_argument(
        "--speed", action="store_true", help="simulations a second of each enhancement, one thread"
    )
    parser.add_argument("--equivalence", type=float, default=1000.0, help="of RAVE")
    parser.add_argument("--rave-of", default="own", choices=("own", "all"))
    parser.add_argument(
        "--warm-decay", default="inverse", choices=("inverse", "linear"), help="of fixed wro and wrora"
    )
    parser.add_argument("--warm-policy", default="visits", choices=POLICIES)
    parser.add_argument(
        "--one-hot",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="the policy's target after T' moves is the best action alone, as in the authors' framework",
    )
    parser.add_argument("--table", type=Path, nargs="+", help="print the tables of these files and stop")
    parser.add_argument(
        "--untrained", action="store_true", help="Table 2: --match-games games of each enhancement"
    )
    parser.add_argument("--generations", type=int, default=20, help="paper: 100")
    parser.add_argument("--episodes", type=int, default=50, help="a generation")
    parser.add_argument("--simulations", type=int, default=50, help="a move of self-play; paper: 100")
    parser.add_argument(
        "--searches", type=int, default=50, help="a move in the matches and the gate; paper: 100"
    )
    parser.add_argument(
        "--match-games", type=int, default=20, help="a pair, 0: none yet; with --untrained in all"
    )
    parser.add_argument("--stages", type=int, nargs="+", default=[], metavar="N", help="generations")
    parser.add_argument("--stage-games", type=int, default=10, help="a pair of a stage")
    parser.add_argument("--warm-iterations", type=int, default=5, help="I' of the fixed variants")
    parser.add_argument("--net", default="res", help="res, conv, wang or mlp; paper: wang")
    parser.add_argument("--blocks", type=int, default=2)
    parser.add_argument("--channels", type=int, default=32, help="paper: 512")
    parser.add_argument(
        "--samples", type=int, default=6000, help="positions of the window a generation; paper: all"
    )
    parser.add_argument("--epochs", type=float, default=2, help="over these; paper: 10")
    parser.add_argument("--batch", type=int, default=128, help="paper: 64")
    parser.add_argument("--lr", type=float, default=0.005)
    parser.add_argument("--gate-games", type=int, default=0, help="0: no gate; paper: 40")
    parser.add_argument(
        "--leaves",
        type=int,
        default=1,
        help="leaves of a tree judged at once in the matches and the gate, from the first visit on",
    )
    return parser.parse_args()


def _chosen(given: argparse.Namespace) -> dict[str, Any]:
    settings = {
        name: getattr(given, name)
        for name in ("simulations", "net", "blocks", "channels", "samples", "epochs", "batch", "lr", "device")
    }
    settings |= {
        "games": given.episodes,
        "parallel": given.episodes,
        "warm_iterations": given.warm_iterations,
        "equivalence": given.equivalence,
        "rave_of": given.rave_of,
        "warm_policy": given.warm_policy,
        "warm_decay": given.warm_decay,
        "one_hot": given.one_hot,
        "play_simulations": given.searches,
        "cache_mb": 32,
        "threads": 1,
        "gate": 0.6 if given.gate_games else None,
        "gate_games": given.gate_games or 40,
        "play_batch": given.leaves,
        "play_leaf_visits": 0,
    }
    names = ("generations", "searches", "match_games", "match_device", "stages", "stage_games", "leaves")
    return {**{name: getattr(given, name) for name in names}, "settings": settings}


def _words(given: argparse.Namespace) -> str:
    if given.untrained:
        return f"{given.simulations} searches, net {given.net} x{given.channels}, {GAMES_A_NET} games a net"
    return (
        f"{given.generations} generations of {given.episodes} episodes with {given.simulations} searches, net {given.net} "
        f"{given.blocks}x{given.channels}, {given.samples} samples x {given.epochs:g} epochs, I' = {given.warm_iterations}, "
        f"gate {given.gate_games or 'none'}, {given.match_games} games a pair with {given.searches} searches"
    )


# ---- the tables ----


def read(path: Path) -> list[Line]:
    """The lines of a file, without an incomplete one."""
    lines = []
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            lines.append(json.loads(text))
        except json.JSONDecodeError:
            console.print(f"left out: {text}", markup=False)
    return lines


def ratings_of(lines: list[Line]) -> BayesElo | None:
    """Bayesian Elo of the variants; the baseline is 0 where it played."""
    results = []
    for line in lines:
        one, other = line["match"]
        for players, (wins, draws, losses), sign in (
            ((one, other), line["first"], 1.0),
            ((other, one), line["second"], -1.0),
        ):
            for score, count in ((sign, wins), (0.0, draws), (-sign, losses)):
                results += [Result(players, (score, -score))] * count
    if not results:
        return None
    names = {name for line in lines for name in line["match"]}
    return bayes_elo(results, anchor="baseline" if "baseline" in names else None)


def report(lines: list[Line], how: str) -> None:
    """Print a table of the results so far for each game."""
    for game in GAMES:
        own = [line for line in lines if line["game"] == game]
        for policy, rave_of in itertools.product(POLICIES, ("own", "all")):
            mine = [t for t in own if (t.get("policy"), t.get("rave_of")) == (policy, rave_of)]
            report_untrained(game, f"policy of {policy}, RAVE of {rave_of} actions", mine, how)
        runs = [line for line in own if "run" in line]
        if not runs:
            continue
        matches = [line for line in own if "match" in line and "stage" not in line]
        pooled = ratings_of(matches)
        alone = ratings_by_seed(matches)
        rows = []
        for variant in (v for v in ALL if any(r["run"] == v for r in runs)):
            mine = [r for r in runs if r["run"] == variant]
            # A run that never switched counts as if it had switched in the generation after the last.
            switches = [r["switch"] or len(r["arena_rewards"]) + 1 for r in mine if r["arena_rewards"]]
            late = sum(r["switch"] is None for r in mine if r["arena_rewards"])
            cells = ["", "", ""]
            if pooled and any(r.name == variant for r in pooled.ratings):
                rating = pooled[variant]
                each = [
                    elo[variant].elo
                    for elo in alone.values()
                    if elo and any(r.name == variant for r in elo.ratings)
                ]
                spread = f"± {standard_error(each):.0f}" if len(each) > 1 else ""
                cells = [f"{rating.elo:+.0f} ± {rating.plus:.0f}", spread, f"{rating.score:.0%}"]
            name, published = variant.rstrip("+"), ""
            if variant.endswith("+") and name in PAPER:
                published = f"{TABLE_3[game][PAPER.index(name)]:.1f}"
            shown = f"{np.mean(switches):.1f} ± {np.std(switches):.1f}" if switches else ""
            if late:
                shown += f" ({late} never)"
            rows.append([variant, str(len(mine)), *cells, shown, published])
        games = sum(sum(m["first"]) + sum(m["second"]) for m in matches)
        distinct = sum(m["distinct"] for m in matches)
        table(
            f"{game} 6x6, {games} games ({distinct} distinct)",
            ["variant", "runs", "Elo", "seeds", "score", "switch", "published"],
            rows,
            how,
        )
        seconds = [
            statistics.mean(r[name] for r in runs)
            for name in ("seconds", "self_play_seconds", "learning_seconds")
        ]
        console.print(
            "{} runs of {:.0f} s each, {:.0f} of self-play and {:.0f} of learning".format(len(runs), *seconds)
        )
        report_differences(list(alone.values()), "seeds")
        report_stages(game, [line for line in own if "stage" in line], how)
        if game == "othello":
            report_published()


def report_published() -> None:
    """Fixed warm starts in the runs of Wang (2021), with the error between them."""

    def error(elo: tuple[int, ...]) -> float:
        return statistics.variance(elo) / len(elo)

    baseline = THESIS["baseline"]
    differences = [
        f"{name} {statistics.mean(THESIS[name]) - statistics.mean(baseline):+.0f} ± "
        f"{math.sqrt(error(THESIS[name]) + error(baseline)):.0f}"
        for name in PAPER
    ]
    console.print(f"Wang (2021), warm - baseline (standard error, 8 runs each): {', '.join(differences)}")


def ratings_by_seed(matches: list[Line]) -> dict[int, BayesElo]:
    """Rate each seed's runs alone."""
    rated = {s: ratings_of([m for m in matches if m["seed"] == s]) for s in {m["seed"] for m in matches}}
    return {seed: elo for seed, elo in rated.items() if elo is not None}


def report_all(files: list[list[Line]]) -> None:
    """The claims over both rated games and all files; each seed counts once."""
    seeds: list[BayesElo] = []
    for lines, game in itertools.product(files, ("connectfour", "othello")):
        matches = [t for t in lines if t["game"] == game and "match" in t and "stage" not in t]
        seeds += ratings_by_seed(matches).values()
    if len(files) > 1:
        console.print("\nall files, connectfour and othello:")
        report_differences(seeds, "seeds of a game")


def report_differences(seeds: list[BayesElo], what: str) -> None:
    """The paper's claims, one number each: a mean over enhancements, error between seeds."""
    for title, wanted in CLAIMS.items():
        means = []
        for elo in seeds:
            rated = {r.name: r.elo for r in elo.ratings}
            found = [rated[one] - rated[other] for one, other in wanted if one in rated and other in rated]
            means += [statistics.mean(found)] if found else []
        if len(means) > 1:
            mean, half = statistics.mean(means), interval(means, (-math.inf, math.inf))
            console.print(
                f"{title}: {mean:+z.0f} ± {standard_error(means):.0f} Elo (standard error, {len(means)} {what}; "
                f"95%: {mean - half:+z.0f} to {mean + half:+z.0f})"
            )


def report_stages(game: str, matches: list[Line], how: str) -> None:
    """Points during training: warm starts against the baseline, adaptive against fixed."""
    rows = []
    for stage in sorted({m["stage"] for m in matches}):
        row = [str(stage)]
        for wanted in CLAIMS.values():
            each: dict[int, list[float]] = {}  # by seed
            for m in (m for m in matches if m["stage"] == stage and tuple(m["match"]) in wanted):
                (wins, draws, losses) = (a + b for a, b in zip(m["first"], m["second"], strict=True))
                each.setdefault(m["seed"], []).append((wins + draws / 2) / (wins + draws + losses))
            means = [statistics.mean(points) for points in each.values()]
            error = f" ± {standard_error(means):.1%}" if len(means) > 1 else ""
            row.append(f"{statistics.mean(means):.1%}{error} ({len(means)})" if means else "")
        rows.append(row)
    if rows:
        games = sum(sum(m["first"]) + sum(m["second"]) for m in matches)
        table(
            f"{game} 6x6, points of the first in {games} games on the way, ± the standard error between (n) seeds",
            ["generation", *CLAIMS],
            rows,
            how,
        )


def report_speed(games: list[str], simulations: int) -> None:
    """256 trees, four actions, a free net: the cost of trees, rollouts and rows."""

    def nothing(planes: Any, legal: Any) -> Any:
        return np.zeros((len(planes), 1), np.float32), np.zeros(legal.shape, np.float32)

    for game in games:
        rows = []
        for variant in ("baseline", *PAPER):
            settings = AlphaZero.flat(warm_start="off" if variant == "baseline" else variant)
            warm = WarmStart(settings.warm_start).generation(2)
            seconds = []
            for _ in range(3):
                tree, weight = VISITS_ALONE, 0.0
                if warm:
                    tree, weight = warm.enhanced(tree), warm.rollout_weight
                forest = Forest(bl.game(game, **GAMES[game]), 256, seed=1, tree=tree, rollout_weight=weight)
                begin = time.thread_time()
                for _ in range(4):
                    forest.search(nothing, simulations)
                    forest.play(forest.choices())
                seconds.append(time.thread_time() - begin)
            rows.append([variant, f"{256 * 4 * simulations / min(seconds):,.0f}"])
        table(f"{game} 6x6, self-play over a net that costs nothing", ["", "simulations/s"], rows)


def report_untrained(game: str, what: str, lines: list[Line], how: str) -> None:
    """Win rates against MCTS with a net that knows nothing, draws as halves, ± a 95% interval over nets.

    The difference from the published score has both errors, that of 100 published games included.
    """
    rows = []
    for name, published in zip(PAPER, TABLE_2[game], strict=True):
        mine = [line for line in lines if line.get("untrained") == name]
        if not mine:
            continue
        shares = [(line["reward"] + 1) / 2 for line in mine]
        half = interval(shares, (0.0, 1.0))
        games, distinct = (str(sum(line[key] for line in mine)) for key in ("games", "distinct"))
        mean, wanted = statistics.mean(shares), published / 100
        error = math.hypot(half, 1.96 * math.sqrt(wanted * (1 - wanted) / 100))
        difference = f"{100 * (mean - wanted):+.1f} ± {100 * error:.1f}"
        rows.append([name, games, distinct, f"{mean:.1%} ± {half:.1%}", f"{published:g}%", difference])
    if rows:
        table(
            f"{game} 6x6, against MCTS over untrained nets: {what}",
            ["enhancement", "games", "distinct", "score", "published", "difference"],
            rows,
            how,
        )


if __name__ == "__main__":
    main()
