"""PPO in plain PyTorch over BatchEnv: learns Connect Four from nothing by playing itself.

    python examples/ppo_connectfour.py --out ppo.pt                  # train for 5 CPU minutes and save
    python examples/ppo_connectfour.py --play ppo.pt --games 200     # a tournament with our agents

One net sees the board from the side of the player to move and plays both sides. What comes after a move is
the opponent's, so values change their sign with every action: that is all that self-play changes in PPO
(Schulman et al. 2017) with GAE (Schulman et al. 2016). Games begin with a few random moves, so that the net
meets more than its own favourite games. The trained net then meets our agents as `ppo`, an agent of its own.

It needs PyTorch: pip install 'boardlab[az]'
"""

import argparse
import random
import time

import numpy as np
import torch
from torch import nn

import boardlab as bl

GAMES, STEPS = 1024, 32
"""Games side by side, and actions of each between two updates."""
EPOCHS, BATCH = 2, 256
"""Passes over these actions. Small batches learn more from the same actions."""
GAMMA, LAMBDA, CLIP, ENTROPY = 0.99, 0.95, 0.2, 0.01
RATE = 1e-3
"""The learning rate of Adam, which falls to a twentieth."""
OPENING = 6
"""Most random actions at the start of a game, which are not learned from."""
OPPONENT = "mcts(rollout, iterations=50)"


class Net(nn.Module):
    """Log probabilities of the columns, and the value for the player to move.

    The first layer looks at each square of 4 x 4 cells: every line of four lies in one.
    """

    def __init__(self, channels: int = 48, width: int = 128) -> None:
        super().__init__()
        self.squares, self.lines = (
            nn.Unfold(4),
            nn.Linear(2 * 4 * 4, channels),
        )  # a convolution, but faster here
        self.body = nn.Sequential(
            nn.Linear(12 * channels, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(width, 7), nn.Linear(width, 1)

    def forward(self, planes: torch.Tensor, legal: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the log probabilities of the actions (illegal ones have none), and the value."""
        lines = torch.relu(self.lines(self.squares(planes).transpose(1, 2)))
        seen = self.body(lines.flatten(1))
        logits = self.policy(seen).masked_fill(~legal, -1e9)
        return torch.log_softmax(logits, 1), torch.tanh(self.value(seen)).squeeze(1)


@torch.no_grad()
def collect(env: bl.BatchEnv, net: Net, opening: np.ndarray) -> dict[str, torch.Tensor]:
    """Play STEPS actions in every game; return the net's own ones with advantages and targets.

    `opening` has the random actions that each game still has to play.
    """
    steps: list[dict[str, torch.Tensor]] = []
    for _ in range(STEPS):
        planes, legal = torch.tensor(env.observe()), torch.tensor(env.mask)  # copies: a step overwrites them
        chances, value = net(planes, legal)
        own, movers = torch.tensor(opening == 0), env.players.copy()
        action = torch.multinomial(chances.exp(), 1).squeeze(1)
        action = torch.where(own, action, torch.from_numpy(env.random_actions()))
        chance = chances.gather(1, action[:, None]).squeeze(1)
        env.step(action.numpy())
        reward = torch.tensor(env.rewards[np.arange(GAMES), movers], dtype=torch.float32)
        goes_on = torch.tensor(~env.done, dtype=torch.float32)
        step = {"planes": planes, "legal": legal, "action": action, "chance": chance, "value": value}
        steps.append(step | {"own": own, "reward": reward, "goes_on": goes_on})
        opening[:] = np.where(
            env.done, np.random.randint(OPENING + 1, size=GAMES), np.maximum(opening - 1, 0)
        )
    ahead = torch.zeros(GAMES)
    following = net(torch.tensor(env.observe()), torch.tensor(env.mask))[1]
    for step in reversed(steps):  # what follows is the opponent's: its sign turns
        surprise = step["reward"] - GAMMA * step["goes_on"] * following - step["value"]
        ahead = surprise - GAMMA * LAMBDA * step["goes_on"] * ahead
        step["advantage"], step["target"] = ahead, ahead + step["value"]
        following = step["value"]
    own = torch.cat([step["own"] for step in steps])
    return {name: torch.cat([step[name] for step in steps])[own] for name in steps[0]}


def update(net: Net, optimiser: torch.optim.Optimizer, data: dict[str, torch.Tensor]) -> None:
    """Take EPOCHS passes over the data, on mirrored boards half of the time."""
    gain = data["advantage"]
    data["advantage"] = (gain - gain.mean()) / (gain.std() + 1e-8)
    for _ in range(EPOCHS):
        for part in torch.randperm(len(gain)).split(BATCH):
            batch = {name: values[part] for name, values in data.items()}
            if random.random() < 0.5:
                batch["planes"], batch["legal"] = batch["planes"].flip(3), batch["legal"].flip(1)
                batch["action"] = 6 - batch["action"]
            chances, value = net(batch["planes"], batch["legal"])
            ratio = (chances.gather(1, batch["action"][:, None]).squeeze(1) - batch["chance"]).exp()
            gains = torch.min(
                ratio * batch["advantage"], ratio.clamp(1 - CLIP, 1 + CLIP) * batch["advantage"]
            )
            entropy = -(chances.exp() * chances).sum(1)
            error = (value - batch["target"]).pow(2)
            loss = (0.5 * error - gains - ENTROPY * entropy).mean()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            optimiser.step()


def agent(game: bl.Game, net: Net) -> bl.Agent:
    """Return the net as an agent: the most probable legal action."""

    @torch.no_grad()
    def choose(state: bl.State) -> int:
        legal = torch.zeros(1, 7, dtype=torch.bool)
        legal[0, state.legal_actions()] = True
        return int(net(torch.tensor(state.planes(state.player))[None], legal)[0].argmax())

    return bl.python_agent(game, choose, "ppo")


def train(minutes: float, seed: int) -> Net:
    """Train for that many minutes of CPU time, on one thread."""
    torch.manual_seed(seed)
    np.random.seed(seed)
    random.seed(seed)
    torch.set_num_threads(1)
    env = bl.BatchEnv(bl.game("connectfour"), GAMES, seed=seed)
    net = Net()
    opening = np.random.randint(OPENING + 1, size=GAMES)
    optimiser = torch.optim.Adam(net.parameters(), RATE)
    start, updates, told, spent = time.process_time(), 0, 1, 0.0
    while (share := (time.process_time() - start - spent) / (60 * minutes)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = RATE * max(0.05, 1 - share)
        update(net, optimiser, collect(env, net, opening))
        updates += 1
        if share * 20 >= told:
            told += 1
            before = time.process_time()
            result = bl.match(env.game, [agent(env.game, net), OPPONENT], games=100, seed=1, random_actions=2)
            spent += time.process_time() - before  # examining is no training
            actions = updates * GAMES * STEPS
            print(
                f"{60 * minutes * share:4.0f} s, {actions:11,} actions: {result.wins[0]} wins and "
                f"{result.draws} draws in 100 games against {OPPONENT}",
                flush=True,
            )
    return net


def main() -> None:
    """Train, or play."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=5, help="CPU minutes of training")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="ppo.pt", help="save the net here")
    parser.add_argument("--play", metavar="FILE", help="play with a saved net instead of training")
    parser.add_argument("--games", type=int, default=200, help="games of each pair of the tournament")
    given = parser.parse_args()
    if given.play:
        net = Net()
        net.load_state_dict(torch.load(given.play, weights_only=True))
    else:
        net = train(given.minutes, given.seed)
        torch.save(net.state_dict(), given.out)
    game = bl.game("connectfour")
    players = [agent(game, net), OPPONENT, "mcts(rollout, iterations=200)", "random"]
    # again: the store knows agents by their names, and another net may have been `ppo` there
    print(bl.tournament(game, players, games=given.games, seed=1, random_actions=2, again=True))


if __name__ == "__main__":
    main()
