"""TD(lambda)-FARL on an n-tuple network, slow and obvious: the engine's algorithm in plain Python.

It follows the actions that the engine's learner recorded, checks that each greedy one was a best one, and
learns from them with dictionaries and double precision. Nothing here is shared with the engine but the rules.
"""

import math
from collections import defaultdict

from boardlab.games.game import CHANCE, TERMINAL, Game, State
from boardlab.learners.ntuple.settings import TdNTuple


def maker_of(start: State) -> int | None:
    """The player whose after-state the start of an episode is, if it is one."""
    if start.game.has_chance or start.is_terminal or start.round_over:
        return None
    if start.game.players == 1:
        return 0
    return None if start.last_player == CHANCE else start.last_player


class ReferenceTd:
    def __init__(self, game: Game, td: TdNTuple, tuples, symmetries, episodes: int) -> None:
        self.game, self.td, self.tuples, self.symmetries = game, td, tuples, symmetries
        self.total = episodes
        self.done = 0
        self.weights = defaultdict(float)
        self.sums = defaultdict(lambda: td.tc_init)
        self.absolutes = defaultdict(lambda: td.tc_init)
        self.held = {}  # learning rates of the last renewal, with tc_interval
        self.features = len(game.core.feature_table_sizes) if td.feature_tables else 0
        self.slots = len(tuples) * len(symmetries) + self.features
        # Positions of a trace: the last one, and those before it whose share has not fallen below the cut.
        self.decay = td.gamma * td.lambda_
        self.horizon = sum(self.decay**j >= td.horizon_cut for j in range(1024))

    # ---- the network ----

    def keys(self, state: State, player: int):
        """Names of the weights, one a slot: equal names are the same weight."""
        owner = player if self.td.tables == "player" else 0
        stage = state.stage if self.td.staged else 0
        names = []
        for g in self.symmetries:
            board = state.symmetry(g).board_vector(player).tolist()
            names += [
                (owner, stage, t, tuple(board[c] for c in cells)) for t, cells in enumerate(self.tuples)
            ]
        if self.features:
            indices = state.core.feature_indices(player).tolist()
            names += [(owner, stage, "feature", f, i) for f, i in enumerate(indices)]
        assert len(names) == self.slots
        return names

    def value(self, keys) -> float:
        total = sum(self.weights[key] for key in keys)
        return math.tanh(total) if self.td.sigma == "tanh" else total

    def paid(self, state: State, player: int) -> float:
        return float(state.outcome(self.td.reward)[player])

    def worth(self, before: State, action: int, player: int) -> float:
        """Reward so far + step reward + gamma V, 0 for terminal."""
        after = before.copy()
        after.apply(action)
        to_come = 0.0 if after.is_terminal else self.value(self.keys(after, player))
        return self.paid(after, player) + self.game.core.step_reward + self.td.gamma * to_come

    def to_come(self, after: State, keys, player: int) -> float:
        """What the target says about the after-state."""
        return self.value(keys)

    # ---- one episode ----

    def replay(self, start: State, steps) -> None:
        td, game = self.td, self.game
        share = min(1.0, self.done / self.total)
        final = td.alpha if td.alpha_final is None else td.alpha_final
        self.alpha = td.alpha * (final / td.alpha) ** share
        state = start.copy()
        traces = [[] for _ in range(game.players)]  # of each player: (keys, paid, gradient), latest first
        maker = maker_of(start)
        if maker is not None:
            traces[maker].append([self.keys(start, maker), self.paid(start, maker), None])
        last_player, previous = None, None
        for action, is_chance, is_random in steps:
            if is_chance:
                assert state.player == CHANCE
                state.apply(action)
                continue
            player = state.player
            if not is_random:
                values = {a: self.worth(state, a, player) for a in state.legal_actions()}
                if td.skip_reversal and previous is not None:
                    values = {a: v for a, v in values.items() if self._after(state, a) != previous}
                assert values[action] >= max(values.values()) - 1e-4 * max(1, abs(max(values.values())))
            after = self._after(state, action)
            keys = self.keys(after, player)
            trace = traces[player]
            if trace:
                reward = self.paid(after, player) - trace[0][1] + game.core.step_reward
                target = reward + td.gamma * (0.0 if after.is_terminal else self.to_come(after, keys, player))
                cut = is_random and td.traces in ("reset", "rr")
                learn = not is_random or td.learn_from_random
                latest = trace[0][0]
                self.adapt(trace, target, learn, cut)
                if learn:
                    self.learned(latest, reward, None if after.is_terminal else keys)
            trace.insert(0, [keys, self.paid(after, player), None])
            del trace[self.horizon :]
            previous, state, last_player = state, after, player
        if state.player == TERMINAL:
            for player, trace in enumerate(traces):
                wanted = td.adapt_last if player == last_player else td.adapt_others
                if trace and wanted:
                    reward = self.paid(state, player) - trace[0][1]
                    self.adapt(trace, reward, True, False)
                    self.learned(trace[0][0], reward, None)
        self.finish()

    def _after(self, state: State, action: int) -> State:
        after = state.copy()
        after.apply(action)
        return after

    def adapt(self, trace, target: float, learn: bool, cut: bool) -> None:
        value = self.value(trace[0][0])
        trace[0][2] = 1 - value * value if self.td.sigma == "tanh" else 1.0
        if cut:
            del trace[1:]
        if learn:
            delta = target - value
            later = set()
            for j, (keys, _, gradient) in enumerate(trace):
                self.update(set(keys) - later, delta, self.decay**j * gradient)
                if self.td.traces in ("rep", "rr"):  # a weight keeps its latest eligibility only
                    later |= set(keys)
        if cut:
            trace.clear()

    def learned(self, keys, reward: float, next_keys) -> None:
        """Called after every step of learning, for a replay buffer; `next_keys` is None at the end."""

    def factor(self, key) -> float:
        """What TCL makes of N and A."""
        ratio = abs(self.sums[key]) / self.absolutes[key]
        return {"off": 1.0, "id": ratio, "exp": math.exp(self.td.tc_beta * (ratio - 1))}[self.td.coherence]

    def finish(self) -> None:
        """Count an episode, and renew the learning rates at the end of an interval."""
        self.done += 1
        if self.td.tc_interval and self.done % self.td.tc_interval == 0:
            self.held = {key: self.factor(key) for key in list(self.weights)}

    def update(self, distinct, delta: float, eligibility: float) -> None:
        """Each distinct weight changes once."""
        for key in distinct:
            factor = self.held.get(key, 1.0) if self.td.tc_interval else self.factor(key)
            self.weights[key] += self.alpha / self.slots * factor * delta * eligibility
            change = delta if self.td.tc_accumulate == "delta" else delta * eligibility
            self.sums[key] += change
            self.absolutes[key] += abs(change)
