"""How many positions a second one CPU thread takes through a neural net: the engine's layers beside PyTorch's.

    python bench/inference.py [--nets 5x64 3x32 ...] [--rows 6] [--cols 7] [--seconds .5]

A net is blocks x channels of `res`, or wangN with N channels. Both ask the same net with batch normalisation folded into the
convolutions; PyTorch gets channels last, its fastest order here. Rates are by CPU time, the best of three.
"""

import argparse

import numpy as np
import torch
from common import best, rate, table

from boardlab._engine import kernel_levels
from boardlab.evaluators.gpu import folded
from boardlab.evaluators.layers import NetOptions, NetShape, net_layers
from boardlab.evaluators.nets import Net
from boardlab.evaluators.program import net_program


def options_of(name: str) -> NetOptions:
    """Of 5x64 or wang64."""
    if name.startswith("wang"):
        return NetOptions(net="wang", channels=int(name[4:]))
    blocks, channels = name.split("x")
    return NetOptions(blocks=int(blocks), channels=int(channels))


def measure(name: str, batch: int, chosen: argparse.Namespace) -> dict[str, float]:
    """Positions/s with each level of vector instructions, and with torch."""
    torch.manual_seed(1)
    shape = (2, chosen.rows, chosen.cols)
    net = Net(net_layers(NetShape(*shape, chosen.cols, 1), options_of(name)))
    plain = folded(net)
    planes = np.random.default_rng(1).random((batch, *shape), np.float32)
    last = torch.from_numpy(planes).contiguous(memory_format=torch.channels_last)
    programs = {level: net_program(net, level) for level in reversed(kernel_levels())}

    def ask(level: str) -> int:
        if level == "torch":
            with torch.inference_mode():
                plain(last)
        else:
            programs[level].run(planes)
        return batch

    return best(
        {
            level: lambda level=level: rate(lambda: ask(level), chosen.seconds)
            for level in (*programs, "torch")
        }
    )


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
        f"positions/s of one CPU thread, {chosen.rows}x{chosen.cols} cells",
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
