from oracles.rules.plain import TERMINAL, NoChance

NEAR = ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1))


class PlainHex(NoChance):
    """Red (0) joins top and bottom, blue left and right."""

    def __init__(self, start="", size=11, swap=False):
        self.size, self.swap = size, swap
        self.board, self.player, self.winner, self.actions = {}, 0, None, 0

    def legal(self):
        empty = [i for i in range(self.size**2) if divmod(i, self.size) not in self.board]
        return empty + [self.size**2] * (self.swap and self.actions == 1)

    def apply(self, action):
        self.actions += 1
        mover = self.player
        if action == self.size**2:
            ((row, col),) = self.board
            self.board = {(col, row): 1}
        else:
            self.board[divmod(action, self.size)] = mover
        self.player = 1 - mover
        for colour in (0, 1):
            if self.joined(colour):
                self.winner, self.player = colour, TERMINAL

    def joined(self, colour):
        own = {cell for cell, owner in self.board.items() if owner == colour}
        todo = [cell for cell in own if cell[colour] == 0]
        seen = set(todo)
        while todo:
            row, col = cell = todo.pop()
            if cell[colour] == self.size - 1:
                return True
            fresh = [n for dr, dc in NEAR if (n := (row + dr, col + dc)) in own and n not in seen]
            seen.update(fresh)
            todo += fresh
        return False

    def scores(self):
        return [0, 0] if self.winner is None else [1 if p == self.winner else -1 for p in (0, 1)]
