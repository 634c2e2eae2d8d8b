"""Church (2019): AlphaZero on one small computer, for Connect Four and Pathwayz.

All players are measured against UCT, tree search without a net, with the same number of searches.
"""

from typing import Any

from boardlab.experiments.experiment import Board, Paper, Training

PAPER = Paper("church2019", "Church (2019)")
CONNECT_FOUR = Board("connectfour")
PATHWAYZ = Board("pathwayz")
ITERATION = 100
"""Episodes of a training iteration."""
CHOICES = (
    "The paper does not name the channels of its nets; the table says how many ours have.",
    "MCTS is uct(iterations=N): UCB1, random rollouts, the final move by the ratio of wins.",
)


def player(board: Board, preset: str, iterations: int, channels: int, **more: Any) -> Training:
    """A player of Section V, trained for a number of iterations on one core."""
    settings = {"preset": preset, "episodes": ITERATION * iterations, "channels": channels, **more}
    return Training(board, "alphazero", {**settings, "device": "cpu", "threads": 1})


def az(run: str, searches: int, cpuct: float = 1.0) -> str:
    """A trained player with a number of searches a move."""
    return f'mcts(net("{{{run}}}"), iterations={searches}, cpuct={cpuct}, solver=False)'


def uct(searches: int) -> str:
    """The basic MCTS player."""
    return f"uct(iterations={searches})"
