"""Speed of AlphaZero's self-play on connectfour 6x7, and where the time goes.

python bench/self_play.py --device cpu --threads 1 --parallel 256
python bench/self_play.py --device cuda --parallel 4096 --games 8192 --lanes 4
python bench/self_play.py --device cpu --threads 1 --peer alpha-zero-general        # a checkout of its repository

The peer plays with its own tree search and game and a net of the same size, one game and one leaf at a time. Ours is
measured twice beside it: as it trains, and as the peer plays, without cache. On a CPU rates are by the process's CPU
time, so other programs matter little: times the number of cores they are the rates of an idle machine. On a GPU they
are by the clock.

tree    descents and backing up, in the engine
encode  writing the positions that wait for the net
net     asking it, copies to and from a GPU included
rest    Python between the moves
"""

import argparse
import json
import math
import resource
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from common import console, table

import boardlab as bl
from boardlab.learners.alphazero.settings import AlphaZero
from boardlab.nets.device import choose_device, require_torch
from boardlab.nets.layers import NetOptions
from boardlab.nets.stored import build_net, load_net, net_description
from boardlab.runs import RunFolder
from boardlab.search.forest import Forest
from boardlab.search.tree_options import TreeOptions

require_torch()

import torch  # noqa: E402

from boardlab.learners.alphazero import self_play  # noqa: E402
from boardlab.learners.alphazero.shares import SelfPlay  # noqa: E402
from boardlab.nets import gpu, inference  # noqa: E402


@dataclass
class Clock:
    """Seconds by kind of work, summed over threads."""

    seconds: dict[str, float] = field(default_factory=lambda: {"tree": 0.0, "encode": 0.0, "net": 0.0})
    lock: threading.Lock = field(default_factory=threading.Lock)
    batches: int = 0
    rows: int = 0

    def add(self, kind: str, seconds: float) -> None:
        """Add seconds to a kind of work."""
        with self.lock:
            self.seconds[kind] += seconds

    def watch(self) -> Callable[[], None]:
        """Time the forests' steps and the judges' answers; return a function that undoes it."""
        start, step = Forest.start, Forest.step
        judges = [inference.CpuJudge, gpu.GpuJudge, InstantNet]
        asks = [judge.__call__ for judge in judges]

        def timed(method: Callable[..., int]) -> Callable[..., int]:
            def call(forest: Forest, *arguments: Any, **named: Any) -> int:
                before, begin = forest.core.encode_seconds, time.perf_counter()
                rows = method(forest, *arguments, **named)
                spent, encoded = time.perf_counter() - begin, forest.core.encode_seconds - before
                self.add("tree", spent - encoded)
                self.add("encode", encoded)
                return rows

            return call

        def timed_ask(ask: Callable[..., Any]) -> Callable[..., Any]:
            def call(judge: Any, planes: Any, legal: Any) -> Any:
                begin = time.perf_counter()
                answer = ask(judge, planes, legal)
                self.add("net", time.perf_counter() - begin)
                self.batches += 1
                self.rows += len(planes)
                return answer

            return call

        Forest.start, Forest.step = timed(start), timed(step)  # type: ignore[method-assign]
        for judge, ask in zip(judges, asks, strict=True):
            judge.__call__ = timed_ask(ask)  # type: ignore[method-assign]

        def undo() -> None:
            Forest.start, Forest.step = start, step  # type: ignore[method-assign]
            for judge, ask in zip(judges, asks, strict=True):
                judge.__call__ = ask  # type: ignore[method-assign]

        return undo


class InstantNet(inference.CpuJudge):
    """A judge that takes no time, to measure the trees alone."""

    def __call__(self, planes: Any, legal: Any) -> Any:
        """Return numbers that depend on the position."""
        flat = planes.reshape(len(planes), -1)
        if not hasattr(self, "weights"):
            self.weights = np.random.default_rng(1).normal(0, 0.5, (flat.shape[1], 8)).astype(np.float32)
        answer = flat @ self.weights
        return np.tanh(answer[:, :1]), answer[:, 1:]


def _forest(leaves: int, *arguments: Any, tree: TreeOptions, **options: Any) -> Forest:
    """A forest of self-play whose trees have several leaves at once."""
    return Forest(*arguments, tree=replace(tree, batch=leaves, leaf_visits=0), **options)


def ours(
    chosen: argparse.Namespace, game: bl.Game, net: Any, description: dict[str, Any]
) -> dict[str, float]:
    """Play a generation after a short one that warms everything up."""
    settings = AlphaZero.checked(
        {
            name: getattr(chosen, name)
            for name in (
                "parallel",
                "games",
                "simulations",
                "cache_mb",
                "threads",
                "lanes",
                "processes",
                "gumbel",
            )
            if getattr(chosen, name) is not None
        }
        | {"device": "cpu" if chosen.device == "none" else chosen.device}
    )
    if chosen.leaves > 1:  # training always has one
        self_play.Forest = partial(_forest, chosen.leaves)  # type: ignore[misc,assignment]
    player = SelfPlay(game, settings.self_play, description, settings.device, settings.threads)
    if chosen.device == "none":
        player._judge = InstantNet(net, -1, 1)
    clock = Clock()
    player.play(net, (-1.0, 1.0), 2, 1)
    undo = clock.watch()
    begin, cpu = time.perf_counter(), time.process_time()
    examples, counts = player.play(net, (-1.0, 1.0), chosen.simulations, chosen.seed)
    wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
    undo()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    player.close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)  # with the start of the processes
    cpu += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    by_clock = chosen.device == "cuda" or settings.self_play.processes > 1
    seconds = wall if by_clock else cpu
    found = {
        "simulations/s": counts.simulations / seconds,
        "evaluations/s": counts.evaluations / seconds,
        "positions/s": len(examples) / seconds,
        "seconds": seconds,
        "wall_seconds": wall,
        "CPU s": cpu,
        "simulations an evaluation": counts.simulations / max(counts.evaluations, 1),
        "rows a batch": clock.rows / max(clock.batches, 1),
    }
    # Percentages of the lanes' time: each lane is a thread that does one of these things or waits for its turn.
    total = wall * min(settings.self_play.lanes, settings.self_play.games)
    shares = {f"{kind} %": 100 * spent / total for kind, spent in clock.seconds.items()}
    return found | shares | {"rest %": 100 - sum(shares.values())}


# ---- the peer ----


class PeerNet:
    """Our net behind the peer's interface, called as in the peer's examples."""

    def __init__(self, net: Any) -> None:
        self.net = net.eval()

    def predict(self, board: Any) -> tuple[Any, Any]:
        """(policy, value) of a canonical board."""
        planes = np.stack([board == 1, board == -1]).astype(np.float32)
        with torch.no_grad():
            value, logits = self.net(torch.from_numpy(planes[None]))
        return torch.softmax(logits, 1).numpy()[0], value.numpy()[0]


def peer(path: Path, net: Any, simulations: int, games: int, seed: int) -> dict[str, float]:
    """Play whole games with the peer's search, as its Coach does: temperature 1, tree kept."""
    sys.path.insert(0, str(path))
    if not hasattr(np, "int"):
        np.int = int  # type: ignore[attr-defined]  # its code is older than numpy 1.24
    from connect4.Connect4Game import Connect4Game  # type: ignore[import-not-found]
    from MCTS import MCTS  # type: ignore[import-not-found]

    class Game(Connect4Game):  # type: ignore[misc,no-any-unimported]
        def stringRepresentation(self, board: Any) -> bytes:  # noqa: N802
            return board.tobytes()  # type: ignore[no-any-return]  # tostring() is gone from numpy

    torch.set_num_threads(1)
    np.random.seed(seed)
    game, wrapped = Game(6, 7), PeerNet(net)
    arguments = argparse.Namespace(numMCTSSims=simulations, cpuct=1.5)
    moves = evaluations = 0
    cpu = time.process_time()
    for _ in range(games):
        tree = MCTS(game, wrapped, arguments)
        board, player = game.getInitBoard(), 1
        while game.getGameEnded(board, player) == 0:
            policy = tree.getActionProb(game.getCanonicalForm(board, player), temp=1)
            board, player = game.getNextState(board, player, np.random.choice(len(policy), p=policy))
            moves += 1
        evaluations += len(tree.Ps)
    cpu = time.process_time() - cpu
    return {
        "simulations/s": moves * simulations / cpu,
        "evaluations/s": evaluations / cpu,
        "positions/s": moves / cpu,
        "seconds": cpu,
        "simulations an evaluation": moves * simulations / evaluations,
        "rows a batch": 1,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--device", choices=("auto", "cpu", "cuda", "none"), default="auto", help="none: an instant net"
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--lanes", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--parallel", type=int, default=256)
    parser.add_argument("--games", type=int, help="default: as many as run in parallel")
    parser.add_argument("--simulations", type=int, default=64)
    parser.add_argument("--gumbel", type=int)
    parser.add_argument("--leaves", type=int, default=1, help="leaves of each tree at once")
    parser.add_argument("--cache-mb", type=int, default=64)
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument("--run", type=Path, help="the net of this run instead of one with random weights")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--peer", type=Path, help="a checkout of alpha-zero-general")
    parser.add_argument("--peer-games", type=int, default=2)
    parser.add_argument("--out", type=Path, help="append the figures as a line of JSON")
    chosen = parser.parse_args()
    chosen.games = chosen.games or chosen.parallel
    if chosen.device != "none":
        chosen.device = choose_device(chosen.device)
    game = bl.game("connectfour")
    torch.manual_seed(chosen.seed)
    if chosen.run:
        agent = RunFolder(chosen.run).read_agent("alphazero")
        description, net = agent["network"], load_net(RunFolder(chosen.run), agent)[0]
    else:
        description = net_description(
            game, NetOptions(blocks=chosen.blocks, channels=chosen.channels, head_filters=32)
        )
        net = build_net(description)
    results = {
        "boardlab": ours(
            chosen, game, net.to("cuda" if chosen.device == "cuda" else "cpu").eval(), description
        )
    }
    if chosen.peer:
        alike = argparse.Namespace(
            **vars(chosen) | {"parallel": 1, "games": chosen.peer_games, "cache_mb": 0, "leaves": 1}
        )
        results["boardlab, as the peer plays"] = ours(alike, game, net.cpu().eval(), description)
        results["alpha-zero-general"] = peer(
            chosen.peer, net.cpu(), chosen.simulations, chosen.peer_games, chosen.seed
        )
    size = f"{description['blocks']} blocks x {description['channels']} channels"
    columns = ["simulations/s", "evaluations/s", "simulations an evaluation", "rows a batch"]
    columns += ["tree %", "encode %", "net %", "rest %", "seconds", "CPU s"]
    table(
        f"self-play, connectfour 6x7, {size}, {chosen.simulations} simulations a move, {chosen.games:,} games, "
        f"{chosen.parallel:,} at a time",
        ["", *columns],
        [
            [name, *(_shown(facts.get(column, math.nan)) for column in columns)]
            for name, facts in results.items()
        ],
        how=f"{chosen.device}, {chosen.threads} threads, {chosen.lanes} lanes, {chosen.processes} processes",
    )
    if chosen.peer:
        theirs = results["alpha-zero-general"]["simulations/s"]
        for name in ("boardlab", "boardlab, as the peer plays"):
            console.print(f"{name} / alpha-zero-general: {results[name]['simulations/s'] / theirs:.1f}")
    if chosen.out:
        with chosen.out.open("a") as file:
            facts = {key: value for key, value in vars(chosen).items() if not isinstance(value, Path)}
            file.write(json.dumps(facts | {"torch": torch.__version__, **results}) + "\n")


def _shown(number: float) -> str:
    if math.isnan(number):
        return ""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


if __name__ == "__main__":
    main()
