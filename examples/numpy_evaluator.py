"""An evaluator in numpy: a batch of positions in, values and logits out.

python examples/numpy_evaluator.py
boardlab --plugin examples/numpy_evaluator.py match connectfour "mcts(lines, iterations=100, batch=8)" random
"""

import numpy as np
from numpy.typing import NDArray

import boardlab as bl


@bl.register_evaluator("lines")
def lines(game: bl.Game):
    """Count the lines through each stone, in connectfour and tictactoe."""
    if game.name not in ("connectfour", "tictactoe"):
        raise bl.BoardLabError(f"lines judges connectfour and tictactoe, not {game.name}")
    _, rows, cols = game.core.plane_shape
    length = getattr(game.rules, "connect", 3)
    weights = np.zeros((rows, cols), np.float32)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row in range(rows):
            for col in range(cols):
                line = [(row + i * down, col + i * right) for i in range(length)]
                if all(0 <= r < rows and 0 <= c < cols for r, c in line):
                    for cell in line:
                        weights[cell] += 1
    weights /= weights.sum()

    def judge(planes: NDArray[np.float32], legal: NDArray[np.bool_]):
        """Map planes [n, 2, rows, cols], own stones first, and legal [n, actions] to values and logits."""
        values = np.tensordot(planes[:, 0] - planes[:, 1], weights, axes=2)
        if game.name == "tictactoe":
            logits = np.broadcast_to(10 * weights.ravel(), legal.shape)
        else:  # a column is worth the cell on which the stone lands
            free = rows - planes.sum(axis=(1, 2)).astype(int)  # [n, cols]
            logits = 10 * weights[np.maximum(free - 1, 0), np.arange(cols)]
        return values, logits

    return judge


if __name__ == "__main__":
    game = bl.game("connectfour")
    for agent in ("greedy(lines)", "policy(lines)", "mcts(lines, iterations=100, batch=8)"):
        print(bl.match(game, [agent, "random"], games=20, seed=1))
