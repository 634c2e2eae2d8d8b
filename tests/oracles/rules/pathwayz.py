from oracles.rules.plain import TERMINAL, NoChance


class PlainPathwayz(NoChance):
    """The rules word by word on a dictionary: cell -> (colour, permanent)."""

    def __init__(self, start="", rows=4, cols=6):
        self.rows, self.cols, self.board, self.player, self.result = rows, cols, {}, 0, [0, 0]

    def around(self, cell):
        r, c = cell
        near = [(r + dr, c + dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc]
        return [n for n in near if 0 <= n[0] < self.rows and 0 <= n[1] < self.cols]

    def legal(self):
        cells = self.rows * self.cols
        empty = [i for i in range(cells) if divmod(i, self.cols) not in self.board]
        return empty + [cells + i for i in empty]

    def apply(self, action):
        mover = self.player
        permanent, cell = divmod(action, self.rows * self.cols)
        cell = divmod(cell, self.cols)
        if permanent:
            self.board[cell] = (1 - mover, True)
            for near in self.around(cell):
                colour, fixed = self.board.get(near, (None, True))
                if not fixed:
                    self.board[near] = (1 - colour, False)
        else:
            self.board[cell] = (mover, False)
        winner = next((colour for colour in (mover, 1 - mover) if self.has_path(colour)), None)
        if winner is not None:
            self.result = [1, -1] if winner == 0 else [-1, 1]
        over = winner is not None or len(self.board) == self.rows * self.cols
        self.player = TERMINAL if over else 1 - mover

    def has_path(self, colour):
        own = {cell for cell, (c, _) in self.board.items() if c == colour}
        todo = [cell for cell in own if cell[1] == 0]
        seen = set(todo)
        while todo:
            cell = todo.pop()
            if cell[1] == self.cols - 1:
                return True
            fresh = [n for n in self.around(cell) if n in own and n not in seen]
            seen.update(fresh)
            todo += fresh
        return False

    def scores(self):
        return self.result

    def fields(self):
        """The board as the engine lists it: 0 empty, 1 white, 2 black, 3 and 4 permanent ones."""
        board = [self.board.get(divmod(i, self.cols)) for i in range(self.rows * self.cols)]
        return [0 if piece is None else 1 + piece[0] + 2 * piece[1] for piece in board]
