"""How many positions a second one CPU thread takes through a neural net: the engine's layers beside PyTorch's.

    python bench/inference.py [--nets 5x64 3x32 ...] [--rows 6] [--cols 7] [--seconds .5]
    python bench/inference.py --act [--nets 3x32]      milliseconds per act of mcts(net), beside its kernels

A net is blocks x channels of `res`, wangN with N channels, or a puzzle's: cube3-512x128 is the 3x3x3 with layers of 512 and 128. Both ask the same net with batch normalisation folded into the
convolutions; PyTorch gets channels last, its fastest order here. Rates are by CPU time, the best of three.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from common import best, rate, table

import boardlab as bl
from boardlab._engine import Evaluator, NetProgram, RandomWalks, kernel_levels
from boardlab.evaluators import EvaluatorSpec, python_evaluator
from boardlab.evaluators.net import net_evaluator
from boardlab.learners.puzzles.settings import RandomWalk, goal_of
from boardlab.nets.distance import distance_layers
from boardlab.nets.distance_net import DistanceNet
from boardlab.nets.gpu import folded
from boardlab.nets.inference import net_judge
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
    """Calls of a net of planes on a batch, one for each vector level and one for torch."""
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


def milliseconds(ways: dict[str, Callable[[], Any]], repeats: int = 15) -> dict[str, float]:
    """CPU time of one call of each, the best of several interleaved ones."""
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(repeats):
        for way, work in ways.items():
            begin = time.process_time()
            work()
            times[way].append(1000 * (time.process_time() - begin))
    return {way: min(found) for way, found in times.items()}


def given(core: Evaluator) -> EvaluatorSpec:
    """The specification of an existing evaluator, for a search."""

    class Given(EvaluatorSpec):
        name = "given"

        def build(self, game: bl.Game) -> Evaluator:
            return core

    return Given()


def empty_program(shape: tuple[int, ...]) -> NetProgram:
    """A net with almost no arithmetic, to measure the cost of calling one from Python."""
    program = NetProgram(*shape)
    weights, bias = np.zeros((1, int(np.prod(shape))), np.float32), np.zeros(1, np.float32)
    program.finish([program.linear(0, weights, bias) for _ in range(2)])
    return program


def act_times(name: str, batch: int, iterations: int = 800) -> dict[str, float]:
    """Milliseconds of an act of mcts(net) on Connect Four, natively and over the judge in Python.

    `kernels` is the same net on as many positions, without the cost of calling it from Python.
    """
    torch.manual_seed(1)
    game = bl.game("connectfour")
    shape = game.initial_state().planes().shape
    net = Net(net_layers(NetShape(*shape, game.action_count, 1), options_of(name)))
    state = game.initial_state().core
    planes = np.random.default_rng(1).random((batch, *shape), np.float32)

    def act(core: Evaluator) -> Callable[[], Any]:
        search = Mcts(given(core), iterations=iterations, batch=batch, reuse=False).build(game, 1)
        return lambda: search.act(state)

    def alone(program: NetProgram) -> Callable[[], Any]:
        return lambda: [program.run(planes) for _ in range(iterations // batch)]

    found = milliseconds(
        {
            "act": act(net_evaluator(game, net, "cpu", -1.0, 1.0)),
            "judge in Python": act(python_evaluator(game, net_judge(net, "cpu", -1.0, 1.0))),
            "kernels": alone(net_program(net)),
            "calls": alone(empty_program(shape)),
        }
    )
    found["kernels"] -= found.pop("calls")
    return found


def print_act_times(chosen: argparse.Namespace) -> None:
    """The table of --act."""
    found = {(name, batch): act_times(name, batch) for name in chosen.nets for batch in (1, 8)}
    table(
        "ms per act of mcts(net, iterations=800), one CPU thread; connectfour",
        ["net", "batch", *next(iter(found.values())), "act / kernels"],
        [
            [
                name,
                str(batch),
                *(f"{x:.1f}" for x in times.values()),
                f"{times['act'] / times['kernels']:.2f}",
            ]
            for (name, batch), times in found.items()
        ],
        how="CPU time, the best of 15",
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
