"""The five enhancements as algorithms 10 to 14 of Wang (2021) say them: a tree over a net, rollouts, RAVE."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from oracles.judges import Values
from oracles.rave import Move, RaveNode, RaveTree, rollout

from boardlab import State

Net = Callable[[NDArray[np.float32], NDArray[np.bool_]], tuple[NDArray[np.float64], NDArray[np.float64]]]

ALGORITHMS = {
    # name: rollouts in the value, RAVE in selection, the rollout's path in RAVE, the policy's values
    "rollout": (True, False, False, "q"),
    "rave": (False, True, False, "rave"),
    "rora": (True, True, False, "rave"),
    "wro": (True, False, False, "q"),
    "wrora": (True, True, True, "q"),
}


class WarmTree(RaveTree):
    """SEARCH of one enhancement; `weight` is the rollout's in wro and wrora."""

    def __init__(
        self,
        name: str,
        state: State,
        net: Net,
        *,
        weight: float,
        c: float,
        equivalence: float,
        of_all: bool,
        seed: int,
    ) -> None:
        has_rollout, self.has_rave, path, self.of = ALGORITHMS[name]
        self.net = net
        super().__init__(
            state,
            lambda state: self.ask(state)[0],
            puct=True,
            c=c,
            equivalence=equivalence,
            weight=(weight if name.startswith("w") else 1.0) if has_rollout else 0.0,
            of_all=of_all,
            rollouts=path,
            seed=seed,
        )

    def ask(self, state: State) -> tuple[Values, dict[int, float]]:
        """v and P of the net; a two-player zero-sum game."""
        legal = np.zeros((1, state.game.action_count), bool)
        actions = state.legal_actions()
        legal[0, actions] = True
        value, logits = self.net(state.planes(state.player)[None], legal)
        v = float(np.float32(np.ravel(value)[0]))
        odds = np.exp(logits[0, actions].astype(np.float32).astype(float) - logits[0, actions].max())
        return (v, -v) if state.player == 0 else (-v, v), dict(
            zip(actions, (odds / odds.sum()).astype(np.float32).astype(float).tolist(), strict=True)
        )

    def evaluate(self, state: State) -> tuple[Values, list[Move]]:
        values, played = self.ask(state)[0], []
        if self.weight:
            rolled, played = rollout(state, self.rng)
            values = tuple(
                (1 - self.weight) * v + self.weight * r for v, r in zip(values, rolled, strict=True)
            )
        return values, played

    def expand(self, node: RaveNode) -> None:
        super().expand(node)
        node.p = self.ask(node.state)[1]

    def puct_score(self, node: RaveNode, total: int, beta: float) -> Callable[[int], float]:
        return super().puct_score(node, total, beta if self.has_rave else 0.0)

    @property
    def policy(self) -> dict[int, float]:
        """normalize(Q) or normalize(Q_rave): on the scale [0, 1], over their sum; nothing where not visited."""
        n, w = (self.root.n, self.root.w) if self.of == "q" else (self.root.n_rave, self.root.w_rave)
        units = {a: (w[a] / n[a] + 1) / 2 if n[a] else 0.0 for a in n}
        return {a: unit / sum(units.values()) for a, unit in units.items()}
