"""UCT and PUCT with one Python object a node, recursive as Algorithm 1 of Scheiermann and Konen (2022)."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from oracles.judges import Judge, Values, softmax_priors

import boardlab as bl
from boardlab import Game, State

MASK = 2**64 - 1


class SplitMix:
    """splitmix64 (Steele, Lea and Flood 2014), the contract's random numbers."""

    def __init__(self, seed: int) -> None:
        self.word = seed

    def next(self) -> int:
        self.word = (self.word + 0x9E3779B97F4A7C15) & MASK
        z = self.word
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def unit(self) -> float:
        return (self.next() >> 11) * 2.0**-53

    def below(self, n: int) -> int:
        return ((self.next() >> 32) * n) >> 32


def derive_seed(seed: int, index: int) -> int:
    """As engine/core/rng.h: the seed of the index-th of several independent streams."""
    mixed = SplitMix(seed ^ 0x5851F42D4C957F2D).next()
    return SplitMix((mixed + index * 0xD1342543DE82EF95) & MASK).next()


@dataclass
class Node:
    """A position and what is known about the action that led to it."""

    state: State
    action: int = -1
    owner: int = 0
    """Whose value `total` is: the last player who chose on the way here."""
    prior: float = 0.0
    visits: int = 0
    total: float = 0.0
    children: list["Node"] = field(default_factory=list)
    exact: Values | None = None
    """The proven value vector (MCTS-Solver)."""

    @property
    def mean(self) -> float:
        return self.total * (1.0 / self.visits)


class Tree:
    """`iterate` is one iteration; `visits` and `values` are those of the root's actions."""

    def __init__(
        self,
        state: State,
        judge: Judge,
        *,
        puct: bool,
        c: float,
        seed: int = 0,
        outcome: str = "score",
        depth: int | None = None,
        epsilon: float = 1e-8,
        draw: Callable[[State, SplitMix], int] | None = None,
        solver: bool = False,
        fpu: float = 0.0,
        fpu_from_parent: bool = False,
        priors: Callable[[State, Judge, str], dict[int, float]] = softmax_priors,
        rule: str = "",
        explore: float = 0.2,
    ) -> None:
        self.game: Game = state.game
        self.judge, self.puct, self.c, self.outcome = judge, puct, c, outcome
        self.depth, self.epsilon, self.draw = depth, epsilon, draw
        self.solver, self.fpu, self.fpu_from_parent = solver, fpu, fpu_from_parent
        self.priors = priors
        self.rule, self.explore = rule, explore
        self.rng = SplitMix(seed)
        low, high, self.loose = self.game.core.outcome_range(outcome)
        players = self.game.players
        self.low = [math.inf if self.loose else low] * players
        self.high = [-math.inf if self.loose else high] * players
        self.totals = [0.0] * players
        self.iterations = 0
        self.root = Node(state.copy())
        if puct:  # the root's own expansion is not an iteration
            self.expand(self.root)
            self.root.visits = 1

    def iterate(self) -> None:
        touched: list[Node] = []
        values = self.visit(self.root, 0, touched)
        self.totals = [t + v for t, v in zip(self.totals, values, strict=True)]
        self.iterations += 1
        if self.loose:
            for node in touched:
                if node is not self.root:
                    mean = node.total / node.visits
                    self.low[node.owner] = min(self.low[node.owner], mean)
                    self.high[node.owner] = max(self.high[node.owner], mean)

    def visit(self, node: Node, depth: int, touched: list[Node], mover: int = -1) -> Values:
        """MCTSITERATION: the value vector of the leaf below `node`, step rewards on the way included."""
        values = self.descend(node, depth, touched)
        if self.solver:
            self.prove(node)
            values = node.exact or values
        if mover >= 0:
            step = self.game.core.step_reward
            values = tuple(v + step if p == mover else v for p, v in enumerate(values))
        node.visits += 1
        node.total += values[node.owner]
        if node.exact:
            node.total = node.exact[node.owner] * node.visits
        touched.append(node)
        return values

    def descend(self, node: Node, depth: int, touched: list[Node]) -> Values:
        state = node.state
        player = state.player
        if node.exact is not None and node is not self.root:
            return node.exact
        if player == bl.TERMINAL:
            return tuple(state.outcome(self.outcome))
        if self.depth is not None and depth >= self.depth:
            return self.judge(state)
        if player == bl.CHANCE:
            if node.visits == 0:
                return self.judge(state)
            return self.visit(self.chance_child(node), depth, touched)
        if not node.children:
            if self.puct:
                self.expand(node)
                return self.judge(state)
            if node.visits == 0 and node is not self.root:
                return self.judge(state)
            self.expand(node)
        return self.visit(self.select(node), depth + 1, touched, player)

    def prove(self, node: Node) -> None:
        """A finished game is proven, one winning reply proves, and so do proven values of all replies."""
        player = node.state.player
        if node.state.is_terminal:
            node.exact = tuple(node.state.outcome(self.outcome))
            return
        known = [child.exact for child in node.children if child.exact is not None]
        best = max(known, key=lambda exact: exact[player], default=None)
        won = best is not None and not self.loose and best[player] >= self.high[player]
        if won or (node.children and len(known) == len(node.children)):
            node.exact = best

    def expand(self, node: Node) -> None:
        state = node.state
        actions = state.legal_actions()
        priors = dict.fromkeys(actions, 0.0)
        if self.puct:
            priors = self.priors(state, self.judge, self.outcome)
        else:  # tried in random order
            for i in range(len(actions) - 1, 0, -1):
                j = self.rng.below(i + 1)
                actions[i], actions[j] = actions[j], actions[i]
        for action in actions:
            child = state.copy()
            child.apply(action)
            node.children.append(Node(child, action, state.player, priors[action]))

    def chance_child(self, node: Node) -> Node:
        assert self.draw is not None
        outcome = self.draw(node.state, self.rng)
        for child in node.children:
            if child.action == outcome:
                return child
        state = node.state.copy()
        state.apply(outcome)
        node.children.append(Node(state, outcome, node.owner))
        return node.children[-1]

    def select(self, node: Node) -> Node:
        """SELECTCHILD: UCB1 over values in [0, 1], or equations (1) and (2) over values in [-1, 1]."""
        player = node.state.player
        worst, _, _ = self.game.core.outcome_range(self.outcome)
        open_ones = [c for c in node.children if c.exact is None or c.exact[player] > worst]
        children = open_ones or node.children[-1:]
        low = self.low[player]
        width = self.high[player] - low
        scale = 1 / width if 0 < width < math.inf else 0.0

        if self.rule == "epsilon":
            return self.select_epsilon(open_ones, children[-1])
        if self.rule == "roulette":
            units = [(c.total / c.visits - low) * scale if scale > 0 else 0.5 for c in open_ones if c.visits]
            return self.select_roulette(open_ones, units, children[-1])
        if self.puct:
            visits = sum(child.visits for child in node.children)
            spread = self.c * math.sqrt(visits + self.epsilon)

            def scaled(mean: float) -> float:
                return mean * (2 * scale) + (-2 * low * scale - 1) if scale > 0 else 0.0

            unvisited = self.fpu
            if self.fpu_from_parent:
                total = sum(child.total for child in node.children)
                unvisited = (scaled(total / visits) if visits else 0.0) - self.fpu

            def score(child: Node) -> float:
                q = scaled(child.mean) if child.visits else unvisited
                return q + spread * child.prior * (1 / (1 + child.visits))

            return max(children, key=score)
        for child in children:
            if child.visits == 0:
                return child
        log_visits = math.log(max(node.visits, 2))

        def ucb(child: Node) -> float:
            q = child.mean * scale + (-low * scale) if scale > 0 else 0.5
            return q + self.c * math.sqrt(log_visits * (1.0 / child.visits))

        return max(children, key=ucb)

    def select_epsilon(self, choices: list[Node], otherwise: Node) -> Node:
        """The best mean or, with probability `explore`, any child: the last one that is drawn, by 1/1, 1/2, ..."""
        explores = self.rng.unit() < self.explore
        selected, best = otherwise, -math.inf
        for number, child in enumerate(choices, 1):
            if child.visits == 0:
                return child
            if explores:
                selected = child if self.rng.below(number) == 0 else selected
            elif child.total / child.visits > best:
                selected, best = child, child.total / child.visits
        return selected

    def select_roulette(self, choices: list[Node], units: list[float], otherwise: Node) -> Node:
        """In proportion to the means on the scale [0, 1], evenly where all are 0."""
        selected, total = otherwise, 0.0
        for number, child in enumerate(choices, 1):
            if child.visits == 0:
                return child
            share = min(max(units[number - 1], 0.0), 1.0)
            total += share
            drawn = self.rng.unit() * total < share if total > 0 else self.rng.below(number) == 0
            selected = child if drawn else selected
        return selected

    def move_root(self, node: Node) -> None:
        """Keeps the tree below `node`. Root sums start anew; a loose range is that of the kept nodes."""
        self.root = node
        self.totals, self.iterations = [0.0] * self.game.players, 0
        if not self.loose:
            return
        self.low = [math.inf] * self.game.players
        self.high = [-math.inf] * self.game.players
        below = list(node.children)
        while below:
            child = below.pop()
            below += child.children
            if child.visits:
                mean = child.total / child.visits
                self.low[child.owner] = min(self.low[child.owner], mean)
                self.high[child.owner] = max(self.high[child.owner], mean)

    @property
    def visits(self) -> dict[int, int]:
        return {child.action: child.visits for child in sorted(self.root.children, key=by_action)}

    @property
    def values(self) -> dict[int, float]:
        children = sorted(self.root.children, key=by_action)
        return {child.action: child.total / child.visits for child in children if child.visits}

    @property
    def scores(self) -> list[float]:
        return list(self.root.exact or [total / self.iterations for total in self.totals])


def by_action(node: Node) -> int:
    return node.action
