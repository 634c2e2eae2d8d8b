from itertools import combinations

from oracles.rules.plain import TERMINAL, NoChance


class PlainSim(NoChance):
    """Who closes a triangle in the own colour has lost."""

    def __init__(self, start="", nodes=6, players=2, coalition=False):
        self.nodes, self.players, self.coalition = nodes, players, coalition
        self.edges = list(combinations(range(nodes), 2))
        self.colour, self.out, self.player, self.result = {}, [], 0, [0] * players

    def legal(self):
        return [i for i, edge in enumerate(self.edges) if edge not in self.colour]

    def closes(self, edge, mover):
        a, b = edge
        return any(
            self.colour.get((min(a, c), max(a, c))) == mover
            and self.colour.get((min(b, c), max(b, c))) == mover
            for c in range(self.nodes)
            if c not in edge
        )

    def apply(self, action):
        edge, mover = self.edges[action], self.player
        lost = self.closes(edge, mover)
        self.colour[edge] = mover
        if lost:
            self.out.append(mover)
            if self.coalition:
                self.result = [-1, 1, 1] if mover == 0 else [1, -1, -1]
                self.player = TERMINAL
                return
            self.result[mover] = -1
            left = [p for p in range(self.players) if p not in self.out]
            if len(left) == 1:
                self.result[left[0]] = 1
                self.player = TERMINAL
                return
        if len(self.colour) == len(self.edges):
            self.player = TERMINAL
            return
        self.player = (mover + 1) % self.players
        while self.player in self.out:
            self.player = (self.player + 1) % self.players

    def scores(self):
        """Nothing is paid before the end, not even by who dropped out."""
        return self.result if self.player == TERMINAL else [0] * self.players
