"""Which net learns fastest for its cost? Exact targets, equal CPU time.

    python bench/nets.py [NET ...] [--seconds 20] [--seeds 3] [--blocks 3] [--channels 64] [--positions 6000]

Positions come from random games of connectfour 4x5; exhaustive search gives their values and best actions. Every net
learns for the same thread CPU time with AlphaZero's default optimiser. Measured on unseen positions: the losses, how
often the raw policy plays a best action, and positions/s on one thread.
"""

import argparse
import time

import numpy as np
import torch
from common import mean, table
from torch.nn import functional

import boardlab as bl
from boardlab.arena.exams.starts import met_at_random
from boardlab.learners.alphazero.settings import AlphaZero
from boardlab.nets.inference import net_judge
from boardlab.nets.layers import NETS
from boardlab.nets.stored import build_net, net_description


def examples(count: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(planes, policy, value): the policy is even over the best actions."""
    game = bl.game("connectfour", rows=4, cols=5)
    solved = bl.agent("solved(max_states=8000000)", game)
    states = list(dict.fromkeys(met_at_random(game, count, 1)))
    planes, policy, value = [], np.zeros((len(states), game.action_count), np.float32), []
    for row, state in enumerate(states):
        values = solved.act(state).values
        best = max(values.values())
        policy[row, [action for action, worth in values.items() if worth == best]] = 1
        planes.append(state.planes(state.player))
        value.append([best])
    policy /= policy.sum(axis=1, keepdims=True)
    return torch.from_numpy(np.array(planes)), torch.from_numpy(policy), torch.tensor(value)


def measure(kind: str, options: argparse.Namespace, seed: int, data: tuple[torch.Tensor, ...]) -> list[float]:
    """[positions seen, policy loss, value loss, best actions, positions/s] of one net."""
    torch.manual_seed(seed)
    game = bl.game("connectfour", rows=4, cols=5)
    settings = AlphaZero.flat(net=kind, blocks=options.blocks, channels=options.channels)
    learning = settings.learning
    net = build_net(net_description(game, settings.net))
    optimiser = torch.optim.AdamW(net.parameters(), lr=learning.lr, weight_decay=learning.weight_decay)
    held = len(data[0]) // 5
    planes, policy, value = (part[held:] for part in data)
    seen, begin = 0, time.thread_time()
    net.train()
    while time.thread_time() - begin < options.seconds:
        rows = torch.randint(0, len(planes), (learning.batch,))
        values, logits = net(planes[rows])
        loss = functional.cross_entropy(logits, policy[rows]) + functional.mse_loss(values, value[rows])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        seen += learning.batch
    net.eval()
    planes, policy, value = (part[:held] for part in data)
    with torch.inference_mode():
        values, logits = net(planes)
        policy_loss = functional.cross_entropy(logits, policy).item()
        value_loss = functional.mse_loss(values, value).item()
        legal = planes.sum(dim=(1, 2)) < planes.shape[2]  # a column that is not full
        chosen = logits.masked_fill(~legal, -1e9).argmax(dim=1)
        right = (policy[torch.arange(held), chosen] > 0).float().mean().item()
    judge = net_judge(net, "cpu", -1.0, 1.0)
    batch, mask = planes[:64].numpy(), np.ones((64, game.action_count), np.bool_)
    judge.prepare(1, 64, tuple(batch.shape[1:]))
    begin = time.thread_time()
    for _ in range(50):
        judge(batch, mask)
    return [seen, policy_loss, value_loss, right, 50 * 64 / (time.thread_time() - begin)]


def main() -> None:
    """Measure the nets and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("nets", nargs="*", default=[kind for kind in NETS if kind != "wang"])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument("--positions", type=int, default=6000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    data = examples(options.positions)
    rows = []
    for kind in options.nets:
        found = [measure(kind, options, seed, data) for seed in range(options.seeds)]
        rows.append([kind, *(mean([row[i] for row in found]) for i in range(5))])
    table(
        f"{options.blocks} blocks x {options.channels} channels, {options.seconds:g} s of learning, {len(data[0])} positions",
        ["net", "positions learned from", "policy loss", "value loss", "best actions", "positions/s"],
        rows,
        "one thread, CPU time",
    )


if __name__ == "__main__":
    main()
