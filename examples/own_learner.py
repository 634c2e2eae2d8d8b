"""A learner in numpy: TD(lambda) with a hidden layer from self-play, as in TD-Gammon (Tesauro 1992).

The net tells what the player to move can expect. Learning moves each position's value towards what the next
positions and the end of the game were worth.

python examples/own_learner.py
boardlab --plugin examples/own_learner.py train tictactoe --learner td-net --hidden 32
"""

import numpy as np

import boardlab as bl


@bl.register_learner("td-net", inputs="planes", episodes=20_000)
class TdNet:
    """TD(lambda) with one hidden layer."""

    def __init__(
        self,
        game,
        seed,
        hidden=bl.option(64, "units of the hidden layer", low=1, high=4096),
        rate=bl.option(0.03, "learning rate, falling to 0", low=0, high=10),
        trace=bl.option(0.7, "lambda: 1 learns from the outcome alone", low=0, high=1),
        epsilon=bl.option(0.2, "share of random actions", low=0, high=1),
    ):
        if game.players != 2 or game.is_hidden or game.has_chance or not any(game.core.plane_shape):
            raise bl.BoardLabError(f"td-net learns games of two players without chance, not {game!r}")
        self.game, self.rate, self.trace, self.epsilon = game, rate, trace, epsilon
        rng, size = np.random.default_rng(seed), int(np.prod(game.core.plane_shape))
        self.inner = rng.normal(0, (size + 1) ** -0.5, (size + 1, hidden))
        self.outer = rng.normal(0, 0.1 * hidden**-0.5, hidden)

    def arrays(self):
        return {"inner": self.inner, "outer": self.outer}

    def net(self, planes):
        """Return the inputs with a constant, the hidden layer and the values of positions [n, ...]."""
        x = planes.reshape(len(planes), -1)
        x = np.concatenate([x, np.ones((len(x), 1))], axis=1)
        h = np.tanh(x @ self.inner)
        return x, h, np.tanh(h @ self.outer)

    def judge(self, planes, legal):
        return self.net(planes)[2]

    def episode(self, rng, progress):
        state, seen, opening = self.game.initial_state(), [], rng.integers(4)
        while not state.is_terminal:
            children = [child for _, child in state.children()]
            is_random = len(seen) < opening or rng.random() < self.epsilon
            seen.append((state.planes(state.player), state.player, is_random))
            if is_random:
                state = children[rng.integers(len(children))]
            else:
                state = children[int(np.argmax(self.values_of(children, state.player)))]
        self.learn(seen, state.scores, self.rate * (1 - progress))
        return len(seen)

    def values_of(self, states, player):
        """Return what the player can expect of each state."""
        values = self.net(np.array([state.planes(state.player % 2) for state in states]))[2]
        return [
            state.scores[player] if state.is_terminal else value if state.player == player else -value
            for state, value in zip(states, values, strict=True)
        ]

    def learn(self, seen, scores, rate):
        """Take one gradient step over all positions of an episode."""
        x, h, values = self.net(np.array([planes for planes, _, _ in seen]))
        signs = np.array([1 if player == 0 else -1 for _, player, _ in seen])
        values, targets, target = values * signs, np.zeros(len(seen)), scores[0]  # all of player 0
        for i in reversed(range(len(seen))):
            targets[i] = target = values[i] if seen[i][2] else target  # a random action teaches nothing
            target = (1 - self.trace) * values[i] + self.trace * target
        slope = signs * (targets - values) * (1 - values**2)
        back = np.outer(slope, self.outer) * (1 - h**2)
        self.outer += rate * h.T @ slope
        self.inner += rate * x.T @ back


def measure(episodes=20_000, games=200):
    """Train, and measure the agent against perfect play, beside MCTS with random playouts."""
    game = bl.game("tictactoe")
    run = bl.train(game, "td-net", episodes=episodes, out="runs/td-net", seed=1, exams=[], force=True)
    for agent in ("random", "mcts(rollout, iterations=50)", run.expression):
        print(f"{agent}: {bl.evaluate(agent, game, 'perfect', games=games, seed=1)}")


if __name__ == "__main__":
    measure()
