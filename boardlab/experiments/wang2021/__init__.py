"""Wang et al. (2021): warm starts of AlphaZero, ended after a fixed number of iterations or adaptively.

Five enhancements of the search replace or support an untrained net in the first iterations of self-play.
"""

from typing import Any

from boardlab.experiments.experiment import Board, Paper, Training

PAPER = Paper("wang2021", "Wang et al. (2021)")
GAMES = {
    "Connect Four": Board("connectfour", {"rows": 6, "cols": 6}),
    "Othello": Board("othello", {"size": 6}),
    "Gobang": Board("gobang", {"rows": 6, "cols": 6}),
}
ENHANCEMENTS = {"Rollout": "rollout", "Rave": "rave", "RoRa": "rora", "WRo": "wro", "WRoRa": "wrora"}
EPISODES = 50
"""E: episodes of an iteration."""
CHOICES = (
    "The policy of an enhancement is made of visits, which come nearer to the published results than the "
    "values of the listings.",
    "Gobang is four in a row; the paper does not say.",
)


def model(board: Board, iterations: int, channels: int, **more: Any) -> Training:
    """A model trained with the parameters of Table 1 for a number of iterations, on one core."""
    settings = {"preset": "wang", "episodes": EPISODES * iterations, "channels": channels, **more}
    return Training(board, "alphazero", {**settings, "device": "cpu", "threads": 1})


def default_mcts(run: str, searches: int) -> str:
    """The default MCTS over a net, as in the arena."""
    return f'mcts(net("{{{run}}}"), iterations={searches}, solver=False)'
