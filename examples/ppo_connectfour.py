"""PPO in plain PyTorch over BatchEnv: learns Connect Four from nothing by playing itself.

    python examples/ppo_connectfour.py --minutes 10 --out ppo.pt     # train and save
    python examples/ppo_connectfour.py --play ppo.pt --games 200     # a tournament with our agents

One net sees the board from the side of the player to move and plays both sides. A player's next value is
that of the position after the opponent's answer; as the game is zero-sum, advantages are computed with the
sign turned at every action. The trained net meets our agents as `ppo`, an agent of its own.
"""

import argparse
import time

import numpy as np
import torch
from torch import nn

import boardlab as bl

GAMES, STEPS = 512, 32
"""Games side by side, and actions of each between two updates."""
EPOCHS, BATCH = 3, 2048
GAMMA, LAMBDA, CLIP, ENTROPY, RATE = 0.99, 0.9, 0.2, 0.01, 1e-3


class Net(nn.Module):
    """Logits of the columns, and the value for the player to move."""

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Flatten(), nn.Linear(2 * 6 * 7, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(width, 7), nn.Linear(width, 1)

    def forward(self, planes: torch.Tensor, legal: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the log probabilities of the legal actions, and the value."""
        seen = self.body(planes)
        logits = self.policy(seen).masked_fill(~legal, -1e9)
        return torch.log_softmax(logits, 1), torch.tanh(self.value(seen)).squeeze(1)


def collect(env: bl.BatchEnv, net: Net) -> dict[str, torch.Tensor]:
    """Play STEPS actions in every game; return what was seen, done and earned."""
    rows: dict[str, list[torch.Tensor]] = {
        name: [] for name in ("planes", "legal", "action", "chance", "value")
    }
    rewards, ends = [], []
    with torch.no_grad():
        for _ in range(STEPS):
            planes, legal = (
                torch.tensor(env.observe()),
                torch.tensor(env.mask),
            )  # copies: a step overwrites them
            chances, value = net(planes, legal)
            action = torch.distributions.Categorical(logits=chances).sample()
            movers = env.players.copy()
            env.step(action.numpy())
            chance = chances.gather(1, action[:, None]).squeeze(1)
            for name, part in zip(rows, (planes, legal, action, chance, value), strict=True):
                rows[name].append(part)
            rewards.append(torch.tensor(env.rewards[np.arange(len(env)), movers], dtype=torch.float32))
            ends.append(torch.tensor(env.done))
        last = net(torch.tensor(env.observe()), torch.tensor(env.mask))[1]
    # Backwards: what comes next is the opponent's, so its sign turns (GAE of a zero-sum game).
    advantages, ahead, following = [], torch.zeros(len(env)), last
    for t in reversed(range(STEPS)):
        goes_on = (~ends[t]).float()
        surprise = rewards[t] - GAMMA * following * goes_on - rows["value"][t]
        ahead = surprise - GAMMA * LAMBDA * ahead * goes_on
        advantages.append(ahead)
        following = rows["value"][t]
    data = {name: torch.cat(parts) for name, parts in rows.items()}
    data["advantage"] = torch.cat(advantages[::-1])
    data["target"] = data["advantage"] + data["value"]
    return data


def update(net: Net, optimiser: torch.optim.Optimizer, data: dict[str, torch.Tensor]) -> None:
    """Take EPOCHS passes over the data, on mirrored boards half of the time."""
    size = len(data["action"])
    for _ in range(EPOCHS):
        for part in torch.randperm(size).split(BATCH):
            batch = {name: values[part] for name, values in data.items()}
            if torch.rand(()) < 0.5:
                batch["planes"], batch["legal"] = batch["planes"].flip(3), batch["legal"].flip(1)
                batch["action"] = 6 - batch["action"]
            chances, value = net(batch["planes"], batch["legal"])
            ratio = (chances.gather(1, batch["action"][:, None]).squeeze(1) - batch["chance"]).exp()
            gain = (batch["advantage"] - batch["advantage"].mean()) / (batch["advantage"].std() + 1e-8)
            policy = -torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            entropy = -(chances.exp() * chances).sum(1).mean()
            loss = policy + 0.5 * (value - batch["target"]).pow(2).mean() - ENTROPY * entropy
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            optimiser.step()


def agent(game: bl.Game, net: Net) -> bl.Agent:
    """Return the net as an agent: the most probable legal action."""

    def choose(state: bl.State) -> int:
        legal = torch.zeros(1, 7, dtype=torch.bool)
        legal[0, state.legal_actions()] = True
        with torch.no_grad():
            chances, _ = net(torch.tensor(state.planes(state.player))[None], legal)
        return int(chances.argmax())

    return bl.python_agent(game, choose, "ppo")


def train(minutes: float, seed: int, threads: int) -> Net:
    """Train for so many minutes of CPU time."""
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    env = bl.BatchEnv(bl.game("connectfour"), GAMES, seed=seed)
    net = Net()
    optimiser = torch.optim.Adam(net.parameters(), RATE)
    start, actions, told = time.process_time(), 0, 0.0
    while (passed := time.process_time() - start) < 60 * minutes:
        for group in optimiser.param_groups:
            group["lr"] = RATE * max(0.05, 1 - passed / (60 * minutes))
        update(net, optimiser, collect(env, net))
        actions += GAMES * STEPS
        if passed - told >= 15:
            told = passed
            result = bl.match(
                env.game, [agent(env.game, net), "mcts(rollout, iterations=50)"], games=40, seed=1
            )
            print(f"{passed:4.0f} s, {actions:,} actions: {result.wins[0]} of 40 against mcts", flush=True)
    return net


def main() -> None:
    """Train, or play."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10, help="CPU minutes of training")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", default="ppo.pt", help="save the net here")
    parser.add_argument("--play", metavar="FILE", help="play with a saved net instead of training")
    parser.add_argument("--games", type=int, default=200, help="games of each pair of the tournament")
    given = parser.parse_args()
    if given.play:
        net = Net()
        net.load_state_dict(torch.load(given.play, weights_only=True))
    else:
        net = train(given.minutes, given.seed, given.threads)
        torch.save(net.state_dict(), given.out)
    torch.set_num_threads(1)
    game = bl.game("connectfour")
    players = [agent(game, net), "mcts(rollout, iterations=50)", "mcts(rollout, iterations=200)", "random"]
    print(bl.tournament(game, players, games=given.games, seed=1, random_actions=2))


if __name__ == "__main__":
    main()
