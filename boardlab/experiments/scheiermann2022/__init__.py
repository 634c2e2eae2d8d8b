"""Scheiermann and Konen (2022): TD n-tuple learning, wrapped by MCTS only when it plays.

TCL-base is the trained network alone, TCL-wrap the same under the MCTS wrapper (Section III-B).
"""

from typing import Any

from boardlab.experiments.experiment import Board, Paper, Training

PAPER = Paper("scheiermann2022", "Scheiermann and Konen (2022)")

OTHELLO = Board("othello")
CONNECT_FOUR = Board("connectfour")
CUBE2 = Board("rubiks", {"size": 2, "twists": 13})
CUBE3 = Board("rubiks", {"size": 3, "twists": 9, "step_reward": -0.1})
"""In half-turn metric; trained on cubes of up to p_max = 13 and 9 twists (Section IV-C)."""


def tcl(board: Board, episodes: int, **more: Any) -> Training:
    """TCL with the settings of Section III-B, trained for a number of episodes."""
    return Training(board, "td-ntuple", {"preset": "paper", "episodes": episodes, **more})


def base(run: str, **more: Any) -> str:
    """TCL-base: the action with the best value."""
    return f'greedy(ntuple("{{{run}}}"){_options(more)})'


def wrap(run: str, iterations: int, **more: Any) -> str:
    """TCL-wrap: Algorithm 1 over the network, c_puct = 1."""
    return f'mcts(ntuple("{{{run}}}"), iterations={iterations}, paper=True{_options(more)})'


def _options(more: dict[str, Any]) -> str:
    return "".join(f", {name}={value!r}" for name, value in more.items())


MCTS = "mcts(rollout, iterations=10000)"
"""MCTS: UCT with random playouts and 10,000 iterations."""
