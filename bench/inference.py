"""How many positions a second one CPU thread takes through a neural net: the engine's layers beside PyTorch's.

    python bench/inference.py [--nets 5x64 3x32 ...] [--rows 6] [--cols 7] [--seconds .5]
    python bench/inference.py --act [--nets 3x32]      milliseconds per act of mcts(net), beside the net alone

A net is blocks x channels of `res`, wangN with N channels, or a puzzle's: cube3-512x128 is the 3x3x3 with layers of 512 and 128. Both ask the same net with batch normalisation folded into the
convolutions; PyTorch gets channels last, its fastest order here. Rates are by CPU time, the best of three.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from boardlab._engine import Evaluator, RandomWalks, kernel_levels
from common import best, rate, table

import boardlab as bl
from boardlab.evaluators import EvaluatorSpec
from boardlab.evaluators.net import net_evaluator
from boardlab.learners.puzzles.settings import RandomWalk, goal_of
from boardlab.nets.distance import distance_layers
from boardlab.nets.distance_net import DistanceNet
from boardlab.nets.gpu import folded
from boardlab.nets.layers import NetOptions, NetShape, net_layers
from boardlab.nets.program import distance_program, net_program
from boardlab.nets.torch_net import Net, to_arrays
from boardlab.search.mcts import Mcts


def options_of(name: str) -> NetOptions:
    """Net options of a name such as 5x64 or wang64."""
    if name.startswith("wang"):
        return NetOptions(net="wang", channels=int(name[4:]))
    blocks, channels = name.split("x")
    return NetOptions(blocks=int(blocks), channels=int(channels))


def board_net(name: str, batch: int, chosen: argparse.Namespace) -> dict[str, Callable[[], Any]]:
    """A net of planes: a question about a batch, by vector level and to torch."""
    shape = (2, chosen.rows, chosen.cols)
    net = Net(net_layers(NetShape(*shape, chosen.cols, 1), options_of(name)))
    plain = folded(net)
    planes = np.random.default_rng(1).random((batch, *shape), np.float32)
    last = torch.from_numpy(planes).contiguous(memory_format=torch.channels_last)
    programs = {level: net_program(net, level) for level in reversed(kernel_levels())}
    ways = {level: lambda program=program: program.run(planes) for level, program in programs.items()}
    return {**ways, "torch": lambda: plain(last)}


def cube_net(name: str, batch: int) -> dict[str, Callable[[], Any]]:
    """The same for a net of a puzzle: cube3-512x128 has layers of 512 and 128."""
    size, layers = name.removeprefix("cube").split("-")
    first, width = map(int, layers.split("x"))
    game = bl.game("rubiks", size=int(size), metric="qtm")
    settings = RandomWalk(first=first, width=width)
    net = DistanceNet(distance_layers(game, settings.describe(game, 1))).eval()
    cells = RandomWalks(goal_of(settings.name, game).core, 1).walk(-(-batch // 26), 26, 1)[0][:batch]
    programs = {
        level: distance_program(net.layers, to_arrays(net), level) for level in reversed(kernel_levels())
    }
    ways = {
        level: lambda program=program: program.run(cells.astype(np.float32)[:, :, None, None])
        for level, program in programs.items()
    }
    return {**ways, "torch": lambda: net(torch.from_numpy(cells))}


def measure(name: str, batch: int, chosen: argparse.Namespace) -> dict[str, float]:
    """Positions/s with each level of vector instructions, and with torch."""
    torch.manual_seed(1)
    ways = cube_net(name, batch) if name.startswith("cube") else board_net(name, batch, chosen)

    def ask(way: str) -> int:
        with torch.inference_mode():
            ways[way]()
        return batch

    return best({way: lambda way=way: rate(lambda: ask(way), chosen.seconds) for way in ways})


def milliseconds(work: Callable[[], Any]) -> float:
    """CPU time of one call, the best of 15."""
    times = []
    for _ in range(15):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return 1000 * min(times)


def act_times(name: str, batch: int, iterations: int = 800) -> tuple[float, float]:
    """Milliseconds of one act of mcts(net) on Connect Four, and of the net alone on as many positions."""
    torch.manual_seed(1)
    game = bl.game("connectfour")
    shape = game.initial_state().planes().shape
    net = Net(net_layers(NetShape(*shape, game.action_count, 1), options_of(name)))

    class Given(EvaluatorSpec):
        name = "given"

        def build(self, game: bl.Game) -> Evaluator:
            return net_evaluator(game, net, "cpu", -1.0, 1.0)

    search = Mcts(Given(), iterations=iterations, batch=batch, reuse=False).build(game, 1)
    state = game.initial_state().core
    program = net_program(net)
    planes = np.random.default_rng(1).random((batch, *shape), np.float32)

    def alone() -> None:
        for _ in range(iterations // batch):
            program.run(planes)

    return milliseconds(lambda: search.act(state)), milliseconds(alone)


def print_act_times(chosen: argparse.Namespace) -> None:
    """The table of --act."""
    rows = []
    for name in chosen.nets:
        for batch in (1, 8):
            act, alone = act_times(name, batch)
            rows.append([name, str(batch), f"{act:.1f}", f"{alone:.1f}", f"{act / alone:.2f}"])
    table(
        "ms per act of mcts(net, iterations=800), one CPU thread; connectfour",
        ["net", "batch", "act", "net alone", "ratio"],
        rows,
        how="CPU time, the best of 15; the net alone is called from Python",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nets", nargs="+", default=["5x64", "3x32", "10x128", "wang512"])
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--rows", type=int, default=6)
    parser.add_argument("--cols", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--act", action="store_true")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    if chosen.act:
        return print_act_times(chosen)
    found = {(name, batch): measure(name, batch, chosen) for name in chosen.nets for batch in chosen.batches}
    levels = list(next(iter(found.values())))
    table(
        f"positions/s of one CPU thread; boards of {chosen.rows}x{chosen.cols} cells",
        ["net", "batch", *levels, f"{levels[0]} / torch"],
        [
            [
                name,
                str(batch),
                *(f"{x:,.0f}" for x in rates.values()),
                f"{rates[levels[0]] / rates['torch']:.1f}",
            ]
            for (name, batch), rates in found.items()
        ],
        how=f"torch {torch.__version__}",
    )


if __name__ == "__main__":
    main()
