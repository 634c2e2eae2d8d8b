"""MCTSITERATION: Algorithm 1 of Scheiermann and Konen (2022) as it is printed, for one or two players."""

import math
from collections.abc import Callable

from boardlab import State

Approximator = Callable[[State], tuple[float, dict[int, float]]]
"""f(s): the value for the player to move, and the prior of every action."""


class TreeNode:
    """R: a state, whether it was expanded, and W, N, P of its actions."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.expanded = False
        self.w: dict[int, float] = {}
        self.n: dict[int, int] = {}
        self.p: dict[int, float] = {}
        self.children: dict[int, TreeNode] = {}


def expand(node: TreeNode, approximator: Approximator) -> float:
    value, node.p = approximator(node.state)
    node.w = dict.fromkeys(node.p, 0.0)
    node.n = dict.fromkeys(node.p, 0)
    node.expanded = True
    return value


def select_child(node: TreeNode, cpuct: float, epsilon: float) -> int:
    """Equations 1 and 2; W/N of an action without visits is 0."""
    root = math.sqrt(epsilon + sum(node.n.values()))

    def score(action: int) -> float:
        q = node.w[action] / node.n[action] if node.n[action] else 0.0
        return q + cpuct * node.p[action] * root / (1 + node.n[action])

    return max(node.p, key=score)


def mcts_iteration(node: TreeNode, f: Approximator, cpuct: float, epsilon: float = 1e-8) -> float:
    kappa = (-1) ** (node.state.game.players - 1)
    if node.state.is_terminal:
        player = 0 if node.state.game.players == 1 else 1 - node.state.last_player
        return float(kappa * node.state.scores[player])
    if not node.expanded:
        return kappa * expand(node, f)
    action = select_child(node, cpuct, epsilon)
    if action not in node.children:
        state = node.state.copy()
        state.apply(action)
        node.children[action] = TreeNode(state)
    value = mcts_iteration(node.children[action], f, cpuct, epsilon)
    node.w[action] += value
    node.n[action] += 1
    return kappa * value
