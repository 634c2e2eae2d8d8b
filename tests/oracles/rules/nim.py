from oracles.rules.plain import TERMINAL, NoChance


class PlainNim(NoChance):
    """Two players, or three with Luckhardt's rule: who follows the last taker wins."""

    def __init__(self, start="", heaps=(5, 5, 5), max_take=5, players=2, misere=False, extra_rule=False):
        self.heaps, self.max_take, self.players = list(heaps), max_take, players
        self.misere, self.extra_rule, self.player = misere, extra_rule, 0
        self.result = [0.0] * players

    def legal(self):
        return [
            heap * self.max_take + take - 1
            for heap, stones in enumerate(self.heaps)
            for take in range(1, min(stones, self.max_take) + 1)
        ]

    def apply(self, action):
        heap, less = divmod(action, self.max_take)
        self.heaps[heap] -= less + 1
        mover = self.player
        self.player = (mover + 1) % self.players
        if any(self.heaps):
            return
        if self.players == 2:
            winner = 1 - mover if self.misere else mover
            self.result = [1 if p == winner else -1 for p in (0, 1)]
        else:
            self.result[self.player] = 1
            if self.extra_rule:
                self.result[(self.player + 1) % 3] = 0.2
        self.player = TERMINAL

    def scores(self):
        return self.result
