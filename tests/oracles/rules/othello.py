from oracles.rules.plain import TERMINAL, NoChance


class PlainOthello(NoChance):
    """Black (0) begins; the four discs in the middle are black on the rising diagonal."""

    def __init__(self, start="", size=8):
        self.size, self.player = size, 0
        low, high = size // 2 - 1, size // 2
        self.board = {(low, low): 1, (high, high): 1, (low, high): 0, (high, low): 0}

    def turned(self, cell, mover):
        """The discs that a disc on this cell encloses."""
        found = []
        for dr in (-1, 0, 1):
            for dc in (-1, 0, 1):
                (r, c), line = cell, []
                while (dr or dc) and self.board.get((r := r + dr, c := c + dc)) == 1 - mover:
                    line.append((r, c))
                if line and self.board.get((r, c)) == mover:
                    found += line
        return found

    def moves(self, mover):
        cells = [divmod(i, self.size) for i in range(self.size**2)]
        return [
            r * self.size + c for r, c in cells if (r, c) not in self.board and self.turned((r, c), mover)
        ]

    def legal(self):
        return self.moves(self.player) or [self.size**2]

    def apply(self, action):
        mover = self.player
        if action < self.size**2:
            cell = divmod(action, self.size)
            for enclosed in self.turned(cell, mover):
                self.board[enclosed] = mover
            self.board[cell] = mover
        self.player = 1 - mover
        if not self.moves(0) and not self.moves(1):
            self.player = TERMINAL

    def scores(self):
        if self.player != TERMINAL:
            return [0, 0]
        discs = list(self.board.values())
        more = (discs.count(0) > discs.count(1)) - (discs.count(0) < discs.count(1))
        return [more, -more]
