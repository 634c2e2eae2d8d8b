from oracles.rules.plain import TERMINAL, NoChance


class PlainYavalath(NoChance):
    """The rules word by word, on cells with the coordinates of a drawing: a step to the right is (2, 0)."""

    STEPS = ((2, 0), (1, 1), (-1, 1))

    def __init__(self, start="", side=5, players=2, swap=True):
        lengths = [*range(side, 2 * side), *range(2 * side - 2, side - 1, -1)]
        self.cells = [(2 * i - n, row) for row, n in enumerate(lengths) for i in range(n)]
        self.players, self.swap = players, swap
        self.owner, self.player, self.out, self.actions = {}, 0, set(), 0
        self.result = [0] * players
        self.blocks = 0

    def longest(self, player, cell):
        lengths = []
        for dx, dy in self.STEPS:
            length = 1
            for sign in (1, -1):
                x, y = cell
                while self.owner.get((x := x + sign * dx, y := y + sign * dy)) == player:
                    length += 1
            lengths.append(length)
        return max(lengths)

    def following(self, player):
        player = (player + 1) % self.players
        return self.following(player) if player in self.out else player

    def legal(self):
        empty = [i for i, cell in enumerate(self.cells) if cell not in self.owner]
        if self.players == 3:
            rival = self.following(self.player)
            block = [i for i in empty if self.longest(rival, self.cells[i]) >= 4]
            self.blocks += bool(block)
            return block or empty
        may_swap = self.swap and self.actions == 1
        return empty + [len(self.cells)] * may_swap

    def apply(self, action):
        self.actions += 1
        player = self.player
        if action == len(self.cells):
            (cell,) = self.owner
            self.owner[cell] = player
            self.player = 0
            return
        cell = self.cells[action]
        self.owner[cell] = player
        length = self.longest(player, cell)
        if length == 3:
            self.out.add(player)
            self.result[player] = -1
        everyone = set(range(self.players))
        winners = {player} if length >= 4 else everyone - self.out
        if len(winners) == 1:
            self.result = [1 if p in winners else -1 for p in range(self.players)]
            self.player = TERMINAL
        elif len(self.owner) == len(self.cells):
            self.player = TERMINAL
        else:
            self.player = self.following(player)

    def scores(self):
        """Nothing is paid before the end, not even by who dropped out."""
        return self.result if self.player == TERMINAL else [0] * self.players
