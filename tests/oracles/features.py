"""TD(lambda) with final adaptation on features, slow and obvious: numpy, and a gradient by central differences."""

import numpy as np

from boardlab.games.game import CHANCE, TERMINAL, Game, State
from boardlab.learners import TdFeatures
from tests.oracles.td import maker_of


class ReferenceFeatures:
    def __init__(self, game: Game, td: TdFeatures, weights, episodes: int) -> None:
        self.game, self.td, self.total, self.done = game, td, episodes, 0
        self.weights = weights.reshape(game.players, -1).copy()
        self.buffer, self.next_place, self.drawn = [], 0, []  # the replay buffer, and the steps to draw

    def inputs(self, state: State, player: int):
        kind = self.td.features or ("game" if self.game.core.feature_count else "board")
        parts = []
        if kind in ("board", "both"):
            values = self.game.core.cell_values()
            parts += [np.eye(values[c])[v] for c, v in enumerate(state.board_vector(player).tolist())]
        if kind in ("game", "both"):
            parts.append(state.core.features(player))
        return np.concatenate(parts)

    def value(self, x, w) -> float:
        n, h = len(x), self.td.hidden
        if h:
            units = np.tanh(w[: h * n].reshape(h, n) @ x + w[h * n : h * n + h])
            total = w[h * n + h : h * n + 2 * h] @ units + w[-1]
        else:
            total = w[:-1] @ x + w[-1]
        return float(np.tanh(total) if self.td.sigma == "tanh" else total)

    def gradient(self, x, w):
        found = np.zeros_like(w)
        for i in range(len(w)):
            step = np.zeros_like(w)
            step[i] = 1e-5
            found[i] = (self.value(x, w + step) - self.value(x, w - step)) / 2e-5
        return found

    def paid(self, state: State, player: int) -> float:
        return float(state.outcome(self.td.reward)[player])

    @staticmethod
    def is_final(state: State) -> bool:
        return state.player == TERMINAL or state.round_over

    def after(self, state: State, action: int, player: int):
        """(after-state, inputs, paid, to come)"""
        after = state.copy()
        after.apply(action)
        x = self.inputs(after, player)
        to_come = 0.0 if self.is_final(after) else self.value(x, self.weights[player])
        return after, x, self.paid(after, player), to_come

    def replay(self, start: State, steps) -> None:
        td, game = self.td, self.game
        final = td.alpha if td.alpha_final is None else td.alpha_final
        self.alpha = td.alpha * (final / td.alpha) ** min(1.0, self.done / self.total)
        self.gradients = [[] for _ in range(game.players)]  # of the trace of each player, latest first
        latest = [None] * game.players
        maker = maker_of(start)
        if maker is not None:
            latest[maker] = (self.inputs(start, maker), self.paid(start, maker))
        state, last_player = start.copy(), None
        for action, is_chance, is_random in steps:
            if is_chance:
                assert state.player == CHANCE
                state.apply(action)
                continue
            player = state.player
            if not is_random:
                views = {a: self.after(state, a, player) for a in state.legal_actions()}
                worth = {a: view[2] + td.gamma * view[3] for a, view in views.items()}
                assert worth[action] >= max(worth.values()) - 1e-6
            after, x, paid, to_come = self.after(state, action, player)
            if latest[player]:
                target = paid - latest[player][1] + game.core.step_reward + td.gamma * to_come
                cut = is_random and td.traces in ("reset", "rr")
                learns = not is_random or td.learn_from_random
                self.adapt(player, latest[player][0], target, learns, cut)
                if learns:
                    reward = paid - latest[player][1] + game.core.step_reward
                    self.again(player, latest[player][0], reward, None if self.is_final(after) else x)
            latest[player] = (x, paid)
            state, last_player = after, player
        if self.is_final(state):
            for player, last in enumerate(latest):
                if last and (td.adapt_last if player == last_player else td.adapt_others):
                    reward = self.paid(state, player) - last[1]
                    self.adapt(player, last[0], reward, True, False)
                    self.again(player, last[0], reward, None)
        self.done += 1

    def again(self, player: int, x, reward: float, following) -> None:
        """Put the step into the buffer and learn drawn ones again, without traces."""
        td = self.td
        if not td.replay:
            return
        if len(self.buffer) < td.replay:
            self.buffer.append(None)
        self.buffer[self.next_place] = (player, x, reward, following)
        self.next_place = (self.next_place + 1) % td.replay
        for _ in range(td.replay_batch):
            who, drawn, paid, after = self.buffer[self.drawn.pop(0)]
            w = self.weights[who]
            target = paid + (0 if after is None else td.gamma * self.value(after, w))
            self.weights[who] = w + self.alpha * (target - self.value(drawn, w)) * self.gradient(drawn, w)

    def adapt(self, player: int, x, target: float, learn: bool, cut: bool) -> None:
        w, td = self.weights[player], self.td
        gradients = self.gradients[player]
        value = self.value(x, w)
        if cut:
            gradients.clear()
        gradients.insert(0, self.gradient(x, w))
        decay = td.gamma * td.lambda_
        if td.horizon_cut is not None:
            del gradients[sum(decay**j >= td.horizon_cut for j in range(1024)) :]
        if learn:
            trace = np.zeros_like(w)
            for j, gradient in enumerate(gradients):
                replaced = (trace != 0) & (td.traces in ("rep", "rr"))
                trace = np.where(replaced, trace, trace + decay**j * gradient)
            self.weights[player] = w + self.alpha * (target - value) * trace
        if cut:
            gradients.clear()
