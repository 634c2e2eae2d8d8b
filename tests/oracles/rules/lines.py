"""Games in which stones in a row win: TicTacToe, Gobang, Connect Four."""

from oracles.rules.plain import TERMINAL, NoChance


class Rows(NoChance):
    """A grid, two players in turn, rows that win."""

    def __init__(self, rows, cols, k, exactly=False):
        self.rows, self.cols, self.k, self.exactly = rows, cols, k, exactly
        self.board, self.player, self.winner = {}, 0, None

    def put(self, cell):
        mover = self.player
        self.board[cell] = mover
        lengths = []
        for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
            length = 1
            for sign in (1, -1):
                r, c = cell
                while self.board.get((r := r + sign * dr, c := c + sign * dc)) == mover:
                    length += 1
            lengths.append(length)
        if self.k in lengths if self.exactly else max(lengths) >= self.k:
            self.winner = mover
        full = len(self.board) == self.rows * self.cols
        self.player = TERMINAL if full or self.winner is not None else 1 - mover

    def scores(self):
        return [0, 0] if self.winner is None else [1 if p == self.winner else -1 for p in (0, 1)]


class PlainGobang(Rows):
    def __init__(self, start="", rows=6, cols=6, k=4, exactly=False):
        super().__init__(rows, cols, k, exactly)

    def legal(self):
        return [i for i in range(self.rows * self.cols) if divmod(i, self.cols) not in self.board]

    def apply(self, action):
        self.put(divmod(action, self.cols))


class PlainTicTacToe(PlainGobang):
    def __init__(self, start=""):
        super().__init__(start, 3, 3, 3)


class PlainConnectFour(Rows):
    def __init__(self, start="", rows=6, cols=7, connect=4):
        super().__init__(rows, cols, connect)

    def legal(self):
        return [col for col in range(self.cols) if (0, col) not in self.board]

    def apply(self, action):
        self.put((max(row for row in range(self.rows) if (row, action) not in self.board), action))
