"""RAVE as algorithms 11, 12 and 14 of Wang (2021) say it, statistics in dictionaries, for two-player games."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from oracles.judges import Judge, Values, softmax_priors
from oracles.tree import SplitMix

from boardlab import State


@dataclass
class RaveNode:
    """s with N, Q (as sums), N_rave, Q_rave (as sums) and P of its actions."""

    state: State
    expanded: bool = False
    visits: int = 0
    n: dict[int, int] = field(default_factory=dict)
    w: dict[int, float] = field(default_factory=dict)
    n_rave: dict[int, int] = field(default_factory=dict)
    w_rave: dict[int, float] = field(default_factory=dict)
    p: dict[int, float] = field(default_factory=dict)
    children: dict[int, "RaveNode"] = field(default_factory=dict)


Move = tuple[int, int]
"""Who played which action."""


def rollout(state: State, rng: SplitMix) -> tuple[Values, list[Move]]:
    """Uniformly random actions to the end: the scores and what was played."""
    state, played = state.copy(), []
    while not state.is_terminal:
        legal = state.legal_actions()
        action = legal[rng.below(len(legal))]
        played.append((state.player, action))
        state.apply(action)
    return tuple(state.scores), played


class RaveTree:
    """`judge` gives priors (their softmax) and the network's value, `weight` of the value is a rollout's."""

    def __init__(
        self,
        state: State,
        judge: Judge,
        *,
        puct: bool,
        c: float,
        equivalence: float,
        weight: float,
        of_all: bool,
        rollouts: bool,
        seed: int,
    ) -> None:
        self.judge, self.puct, self.c, self.k = judge, puct, c, equivalence
        self.weight, self.of_all, self.rollouts = weight, of_all, rollouts
        self.rng = SplitMix(seed)
        self.root = RaveNode(state.copy())
        if puct:
            self.evaluate(self.root.state)  # the root is evaluated like any leaf; its value goes nowhere
            self.expand(self.root)
            self.root.visits = 1

    def evaluate(self, state: State) -> tuple[Values, list[Move]]:
        values, played = self.judge(state), []
        if self.weight:
            rolled, played = rollout(state, self.rng)
            values = tuple(
                (1 - self.weight) * v + self.weight * r for v, r in zip(values, rolled, strict=True)
            )
        return values, played

    def expand(self, node: RaveNode) -> None:
        actions = node.state.legal_actions()
        if not self.puct:
            for i in range(len(actions) - 1, 0, -1):
                j = self.rng.below(i + 1)
                actions[i], actions[j] = actions[j], actions[i]
        node.n, node.n_rave = dict.fromkeys(actions, 0), dict.fromkeys(actions, 0)
        node.w, node.w_rave = dict.fromkeys(actions, 0.0), dict.fromkeys(actions, 0.0)
        node.p = softmax_priors(node.state, self.judge) if self.puct else dict.fromkeys(actions, 0.0)
        node.expanded = True

    def iterate(self) -> None:
        path, moves = [self.root], []
        while True:
            node = path[-1]
            if node.state.is_terminal:
                values, played = tuple(node.state.scores), []
                break
            if not node.expanded:
                if self.puct or (node.visits == 0 and node is not self.root):
                    values, played = self.evaluate(node.state)
                    if self.puct:
                        self.expand(node)
                    break
                self.expand(node)
            action = self.select(node)
            if action not in node.children:
                child = node.state.copy()
                child.apply(action)
                node.children[action] = RaveNode(child)
            moves.append((node.state.player, action))
            path.append(node.children[action])
        for node in path:
            node.visits += 1
        for node, (player, action) in zip(path, moves, strict=False):
            node.n[action] += 1
            node.w[action] += values[player]
        self.update_rave(path, moves + (played if self.rollouts else []), values)

    def update_rave(self, path: list[RaveNode], moves: list[Move], values: Values) -> None:
        """For s_t1 on the path and a_t2 in A(s_t1) such that no a_t with t1 <= t < t2 is the same."""
        for t1, node in enumerate(path):
            if node.state.is_terminal:
                continue
            player = node.state.player
            later = [m for m in moves[t1:] if self.of_all or m[0] == player]
            for t2, (_, action) in enumerate(later):
                if action in node.n_rave and all(a != action for _, a in later[:t2]):
                    node.n_rave[action] += 1
                    node.w_rave[action] += values[player]

    def select(self, node: RaveNode) -> int:
        total = node.visits - 1 if self.puct else node.visits
        beta = math.sqrt(self.k / (3 * total + self.k))
        score = self.puct_score(node, total, beta) if self.puct else self.ucb_score(node, total, beta)
        return max(node.n, key=score)

    def puct_score(self, node: RaveNode, total: int, beta: float) -> Callable[[int], float]:
        own_root = self.c * math.sqrt(total + 1e-8)
        rave_root = self.c * math.sqrt(sum(node.n_rave.values()) + 1e-8)

        def score(a: int) -> float:
            q = node.w[a] / node.n[a] if node.n[a] else 0.0
            q_rave = node.w_rave[a] / node.n_rave[a] if node.n_rave[a] else 0.0
            u = q + own_root * node.p[a] / (1 + node.n[a])
            u_rave = q_rave + rave_root * node.p[a] / (1 + node.n_rave[a])
            return (1 - beta) * u + beta * u_rave

        return score

    def ucb_score(self, node: RaveNode, total: int, beta: float) -> Callable[[int], float]:
        def score(a: int) -> float:
            if node.n[a] == 0 and node.n_rave[a] == 0:
                return math.inf
            q_rave = (node.w_rave[a] / node.n_rave[a] + 1) / 2 if node.n_rave[a] else 0.0
            q = (node.w[a] / node.n[a] + 1) / 2 if node.n[a] else q_rave
            if not node.n_rave[a]:
                q_rave = q
            explore = self.c * math.sqrt(math.log(max(total, 2)) / max(node.n[a], 1))
            return (1 - beta) * (q + explore) + beta * (q_rave + explore)

        return score
