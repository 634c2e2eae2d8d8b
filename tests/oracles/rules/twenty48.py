from oracles.rules.plain import CHANCE, TERMINAL


class Plain2048:
    """Tiles as numbers on a grid; a game begins with two tiles from nature."""

    def __init__(self, start="", size=4):
        self.size, self.won, self.to_come = size, 0, 2
        self.grid = [[0] * size for _ in range(size)]
        self.player = CHANCE

    def line(self, action, number):
        """The cells of one line, from the edge that the tiles slide to."""
        along = range(self.size)
        cells = [(i, number) if action in (0, 2) else (number, i) for i in along]
        return cells[::-1] if action in (1, 2) else cells

    def slid(self, action):
        """The grid after the slide, and what the merges pay."""
        grid, paid = [row[:] for row in self.grid], 0
        for number in range(self.size):
            cells = self.line(action, number)
            tiles = [self.grid[r][c] for r, c in cells if self.grid[r][c]]
            merged = []
            while tiles:
                tile = tiles.pop(0)
                if tiles and tiles[0] == tile:
                    tile += tiles.pop(0)
                    paid += tile
                merged.append(tile)
            merged += [0] * (self.size - len(merged))
            for (r, c), tile in zip(cells, merged, strict=True):
                grid[r][c] = tile
        return grid, paid

    def legal(self):
        return [action for action in range(4) if self.slid(action)[0] != self.grid]

    def chances(self):
        empty = [i for i in range(self.size**2) if not self.grid[i // self.size][i % self.size]]
        return {2 * i + four: (0.1 if four else 0.9) / len(empty) for i in empty for four in (0, 1)}

    def apply(self, action):
        if self.player == CHANCE:
            row, col = divmod(action // 2, self.size)
            self.grid[row][col] = 4 if action % 2 else 2
            self.to_come -= 1
            self.player = CHANCE if self.to_come else 0 if self.legal() else TERMINAL
        else:
            self.grid, paid = self.slid(action)
            self.won += paid
            self.to_come, self.player = 1, CHANCE

    def scores(self):
        return [self.won]
