"""Learning speed of a neural net on a CPU: the engine beside PyTorch.

    python bench/learning_step.py [--nets 3x32 5x64 ...] [--batch 512] [--threads 1 2] [--rows 6] [--cols 7] [--seconds 2]

Positions a second. A net is blocks x channels of `res`, or wangN with N channels. A step is the losses of a batch,
their gradients and AdamW, as AlphaZero learns. PyTorch gets channels last, its fastest order here, and as many
threads. Rates are by the clock, the best of three, so they need an idle machine.
"""

import argparse
import time
from collections.abc import Callable

import torch
from common import best, table
from inference import options_of

from boardlab.learners.alphazero.gradients import Gradients
from boardlab.nets.cpu_training import LearningNet
from boardlab.nets.layers import NetShape, net_layers
from boardlab.nets.torch_net import Net


def measure(name: str, threads: int, chosen: argparse.Namespace) -> dict[str, float]:
    """Positions/s with the engine and with torch."""
    shape = (2, chosen.rows, chosen.cols)
    torch.manual_seed(1)
    planes = (torch.rand((chosen.batch, *shape)) < 0.3).float()
    policy = torch.softmax(torch.randn((chosen.batch, chosen.cols)), 1)
    value = 2 * torch.rand((chosen.batch, 1)) - 1

    def steps(is_engine: bool) -> Callable[[], float]:
        net = Net(net_layers(NetShape(*shape, chosen.cols, 1), options_of(name))).train()
        net = net.to(memory_format=torch.channels_last)
        answer = LearningNet(net, shape, threads) if is_engine else net
        gradients = Gradients(net, answer, 1.0, "cpu", chosen.batch)
        optimiser = torch.optim.AdamW(net.parameters(), fused=True)

        def positions_a_second() -> float:
            torch.set_num_threads(1 if is_engine else threads)
            count, begin = 0, time.perf_counter()
            while (seconds := time.perf_counter() - begin) < chosen.seconds:
                gradients(planes, policy, value)
                optimiser.step()
                count += chosen.batch
            return count / seconds

        return positions_a_second

    return best({"engine": steps(True), "torch": steps(False)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nets", nargs="+", default=["3x32", "5x64", "5x128"])
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rows", type=int, default=6)
    parser.add_argument("--cols", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=2.0)
    chosen = parser.parse_args()
    rows = []
    for name in chosen.nets:
        for threads in chosen.threads:
            found = measure(name, threads, chosen)
            rates = [f"{found[which]:,.0f}" for which in ("engine", "torch")]
            rows.append([name, str(threads), *rates, f"{found['engine'] / found['torch']:.2f}"])
    table(
        f"positions/s learned from, {chosen.rows}x{chosen.cols} cells, batches of {chosen.batch}",
        ["net", "threads", "engine", "torch", "engine / torch"],
        rows,
        how=f"torch {torch.__version__}",
    )


if __name__ == "__main__":
    main()
