"""How many positions a second one CPU thread takes through a neural net: the engine's layers beside PyTorch's.

    python bench/inference.py [--nets 5x64 3x32 ...] [--rows 6] [--cols 7] [--seconds .5]

A net is blocks x channels of `res`, wangN with N channels, or a puzzle's: cube3-512x128 is the 3x3x3 with layers of 512 and 128. Both ask the same net with batch normalisation folded into the
convolutions; PyTorch gets channels last, its fastest order here. Rates are by CPU time, the best of three.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from boardlab._engine import RandomWalks, kernel_levels
from common import best, rate, table

import boardlab as bl
from boardlab.learners.puzzles.settings import RandomWalk, goal_of
from boardlab.nets.distance import distance_layers
from boardlab.nets.distance_net import DistanceNet
from boardlab.nets.gpu import folded
from boardlab.nets.layers import NetOptions, NetShape, net_layers
from boardlab.nets.program import distance_program, net_program
from boardlab.nets.torch_net import Net, to_arrays


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nets", nargs="+", default=["5x64", "3x32", "10x128", "wang512"])
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--rows", type=int, default=6)
    parser.add_argument("--cols", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
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
