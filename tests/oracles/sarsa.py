"""SARSA and Q-learning on n-tuples, slow and obvious: replays an episode with dictionaries and double precision."""

from boardlab.games.game import CHANCE, TERMINAL, State
from tests.oracles.td import ReferenceTd


class ReferenceSarsa(ReferenceTd):
    """Learns from pairs (state, action); what an update of the weights is comes from TD."""

    def __init__(self, game, settings, tuples, symmetries, episodes: int) -> None:
        super().__init__(game, settings, tuples, symmetries, episodes)
        self.is_q_learning = settings.name == "q-ntuple"

    def pair_keys(self, state: State, action: int):
        """Names of the weights, one a slot: equal names are the same weight."""
        player = state.player
        owner = player if self.td.tables == "player" else 0
        stage = state.stage if self.td.staged else 0
        names = []
        for g in self.symmetries:
            board = state.symmetry(g).board_vector(player).tolist()
            there = state.core.symmetry_action(g, action)
            names += [
                (there, owner, stage, t, tuple(board[c] for c in cells))
                for t, cells in enumerate(self.tuples)
            ]
        if self.features:
            indices = state.core.feature_indices(player).tolist()
            names += [(action, owner, stage, "feature", f, i) for f, i in enumerate(indices)]
        return names

    searched = False  # greedy actions are those of a search inside self-play

    def replay(self, start: State, steps) -> None:
        td, step_reward = self.td, self.game.core.step_reward
        share = min(1.0, self.done / self.total)
        final = td.alpha if td.alpha_final is None else td.alpha_final
        self.alpha = td.alpha * (final / td.alpha) ** share
        state = start.copy()
        traces = [
            [] for _ in range(self.game.players)
        ]  # of each player: [keys, paid, gradient], latest first
        last_player = None
        for action, is_chance, is_random in steps:
            if is_chance:
                assert state.player == CHANCE
                state.apply(action)
                continue
            player = state.player
            values = {a: self.value(self.pair_keys(state, a)) for a in state.legal_actions()}
            best = max(values.values())
            assert is_random or self.searched or values[action] >= best - 1e-4 * max(1, abs(best))
            trace = traces[player]
            if trace:
                reward = self.paid(state, player) - trace[0][1] + step_reward
                resets = td.traces in ("reset", "rr")
                latest = trace[0][0]
                if self.is_q_learning:
                    self.adapt(trace, reward + td.gamma * best, True, False)
                    everything = [self.pair_keys(state, a) for a in state.legal_actions()]
                    self.learned(latest, reward, everything)
                    if resets and (is_random or (self.searched and values[action] < best)):
                        trace.clear()
                else:
                    learn = not is_random or td.learn_from_random
                    self.adapt(trace, reward + td.gamma * values[action], learn, is_random and resets)
                    if learn:
                        self.learned(latest, reward, [self.pair_keys(state, action)])
            trace.insert(0, [self.pair_keys(state, action), self.paid(state, player), None])
            del trace[self.horizon :]
            state.apply(action)
            last_player = player
        if state.player == TERMINAL or state.core.round_over:
            for player, trace in enumerate(traces):
                if trace and (player == last_player or td.adapt_others):
                    reward = self.paid(state, player) - trace[0][1] + step_reward
                    self.adapt(trace, reward, True, False)
                    self.learned(trace[0][0], reward, None)
        self.finish()
