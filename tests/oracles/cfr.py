"""Counterfactual regret minimisation on dictionaries, after Zinkevich et al. (2007) and its successors.

States are walked with nothing but their children, their chances and what players observe.
"""

from collections import defaultdict

from oracles.tree import SplitMix, derive_seed

import boardlab as bl

Strategy = dict[tuple[int, bytes], dict[int, float]]
"""Probabilities of actions by player and observation."""


def who(state: bl.State) -> tuple[int, bytes]:
    return state.player, state.observe(state.player)


def after(state: bl.State, action: int) -> bl.State:
    child = state.copy()
    child.apply(action)
    return child


def mixed(state: bl.State, strategy: Strategy) -> dict[int, float]:
    return dict(state.chance_outcomes()) if state.player == bl.CHANCE else strategy[who(state)]


class SlowCfr:
    """CFR, CFR+ (`plus`) or DCFR (`discounts` is alpha, beta, gamma); players are updated in turn."""

    def __init__(self, game: bl.Game, plus: bool = False, discounts: tuple[float, ...] = ()) -> None:
        self.game, self.plus, self.discounts, self.t = game, plus, discounts, 0
        self.regret: dict = defaultdict(lambda: defaultdict(float))
        self.sums: dict = defaultdict(lambda: defaultdict(float))

    def policy(self, state: bl.State) -> dict[int, float]:
        """Regret matching."""
        positive = {a: max(self.regret[who(state)][a], 0.0) for a in state.legal_actions()}
        total = sum(positive.values())
        return {a: r / total if total else 1 / len(positive) for a, r in positive.items()}

    def iterate(self) -> None:
        self.t += 1
        for player in range(self.game.players):
            self.changes: dict = defaultdict(lambda: defaultdict(float))
            self.reached: dict = {}
            self.walk(self.game.initial_state(), player, 1.0, 1.0)
            for key, changes in self.changes.items():
                for a, change in changes.items():
                    self.regret[key][a] += change
                    if self.plus:
                        self.regret[key][a] = max(self.regret[key][a], 0.0)
            for key, (own, policy) in self.reached.items():
                for a, p in policy.items():
                    self.sums[key][a] += (self.t if self.plus else 1) * own * p
        if self.discounts:
            alpha, beta, gamma = self.discounts
            for key in self.regret:
                for a, r in self.regret[key].items():
                    power = self.t ** (alpha if r > 0 else beta)
                    self.regret[key][a] = r * power / (power + 1)
                    self.sums[key][a] *= (self.t / (self.t + 1)) ** gamma

    def walk(self, state: bl.State, player: int, own: float, others: float) -> float:
        if state.is_terminal:
            return float(state.scores[player])
        if state.player == bl.CHANCE:
            return sum(
                p * self.walk(after(state, o), player, own, others * p) for o, p in state.chance_outcomes()
            )
        policy = self.policy(state)
        if state.player != player:
            return sum(p * self.walk(after(state, a), player, own, others * p) for a, p in policy.items())
        values = {a: self.walk(after(state, a), player, own * p, others) for a, p in policy.items()}
        mean = sum(policy[a] * values[a] for a in policy)
        for a in policy:
            self.changes[who(state)][a] += others * (values[a] - mean)
        self.reached[who(state)] = own, policy
        return mean

    def average(self) -> Strategy:
        return {key: normed(sums) for key, sums in self.sums.items()}


class SlowSampling(SlowCfr):
    """External sampling (Lanctot et al. 2009), drawing the engine's random numbers in the engine's order."""

    def __init__(self, game: bl.Game, seed: int) -> None:
        super().__init__(game)
        self.rng = SplitMix(derive_seed(seed, 0))

    def iterate(self) -> None:
        for player in range(self.game.players):
            self.deal = self.rng.next()
            self.sample(self.game.initial_state(), player, 0)

    def sample(self, state: bl.State, player: int, chances: int) -> float:
        if state.is_terminal:
            return float(state.scores[player])
        if state.player == bl.CHANCE:
            card = drawn(dict(state.chance_outcomes()), SplitMix(derive_seed(self.deal, chances)))
            return self.sample(after(state, card), player, chances + 1)
        policy = self.policy(state)
        if state.player != player:
            for a, p in policy.items():
                self.sums[who(state)][a] += p
            return self.sample(after(state, drawn(policy, self.rng)), player, chances)
        values = {a: self.sample(after(state, a), player, chances) for a in policy}
        mean = sum(policy[a] * values[a] for a in policy)
        for a in policy:
            self.regret[who(state)][a] += values[a] - mean
        return mean


def drawn(probabilities: dict[int, float], rng: SplitMix) -> int:
    u = (rng.next() >> 11) * 2.0**-53
    *others, last = probabilities
    for a in others:
        u -= probabilities[a]
        if u < 0:
            return a
    return last


def normed(sums: dict[int, float]) -> dict[int, float]:
    total = sum(sums.values())
    return {a: s / total if total else 1 / len(sums) for a, s in sums.items()}


def best_response(game: bl.Game, player: int, strategy: Strategy) -> float:
    """The most that `player` can score against the strategies of the others."""

    def value(states: list[tuple[bl.State, float]]) -> float:
        total, pending = 0.0, list(states)
        waiting: dict[bytes, list[tuple[bl.State, float]]] = {}  # decisions, by what the player observes
        while pending:
            state, weight = pending.pop()
            if state.is_terminal:
                total += weight * float(state.scores[player])
            elif state.player == player:
                waiting.setdefault(state.observe(player), []).append((state, weight))
            else:
                pending += [(after(state, a), weight * p) for a, p in mixed(state, strategy).items()]
        return total + sum(
            max(value([(after(s, a), w) for s, w in group]) for a in group[0][0].legal_actions())
            for group in waiting.values()
        )

    return value([(game.initial_state(), 1.0)])


def expected(state: bl.State, strategy: Strategy, player: int) -> float:
    if state.is_terminal:
        return float(state.scores[player])
    return sum(p * expected(after(state, a), strategy, player) for a, p in mixed(state, strategy).items())


def nash_conv(game: bl.Game, strategy: Strategy) -> float:
    start = game.initial_state()
    return sum(best_response(game, p, strategy) - expected(start, strategy, p) for p in range(game.players))
