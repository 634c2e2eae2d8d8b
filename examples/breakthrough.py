"""Breakthrough (Dan Troyka, 2000), compiled: the game of docs/tutorial_own_game.md.

Pieces move one step forward, straight or diagonally, and capture diagonally. A player who reaches the last
row or captures all pieces wins. examples/python_game.py has the same game without a compiler.

pip install 'boardlab[numba]'
python examples/breakthrough.py
boardlab --plugin examples/breakthrough.py play breakthrough --size 6
"""

import boardlab as bl


@bl.register_game(compiled=True)
class Breakthrough(bl.PythonGame):
    """Breakthrough: reach the last row with one piece."""

    size: int = bl.option(5, "rows and columns", low=4, high=8)

    name = "breakthrough"

    @property
    def state(self):
        """Cells row by row (0 empty, 1 and 2 a piece of player 0 and 1), pieces left, who moves, the end."""
        return [("cells", "i1", (self.size**2,)), ("left", "i1", (2,)), ("mover", "i1"), ("won", "b1")]

    @property
    def action_count(self):
        """A move from each cell to the three cells in front of it."""
        return 3 * self.size**2

    @property
    def horizon(self):
        """Every move brings one of 4 * size pieces forward by a row."""
        return 4 * self.size**2

    def initial_state(self, s):
        s.cells[: 2 * self.size] = 2
        s.cells[-2 * self.size :] = 1
        s.left[:] = 2 * self.size

    def target(self, mover, action):
        """Return the target cell of an action, or -1 outside the board; player 0 moves up."""
        row, col = action // 3 // self.size + 2 * mover - 1, action // 3 % self.size + action % 3 - 1
        inside = 0 <= row < self.size and 0 <= col < self.size
        return row * self.size + col if inside else -1

    def player(self, s):
        return bl.TERMINAL if s.won else s.mover

    def legal(self, s):
        for cell in range(self.size**2):
            if s.cells[cell] == s.mover + 1:
                for action in range(3 * cell, 3 * cell + 3):
                    target = self.target(s.mover, action)
                    if target >= 0:
                        there = s.cells[target]
                        if there == 0 or (action % 3 != 1 and there != s.mover + 1):
                            yield action

    def apply(self, s, action):
        target = self.target(s.mover, action)
        if s.cells[target]:
            s.left[1 - s.mover] -= 1
        s.cells[target], s.cells[action // 3] = s.mover + 1, 0
        last_row = 0 if s.mover == 0 else self.size - 1
        s.won = target // self.size == last_row or s.left[1 - s.mover] == 0
        s.mover = 1 - s.mover

    def scores(self, s):
        if not s.won:
            return 0, 0
        return (1, -1) if s.mover == 1 else (-1, 1)  # the player who moved last won

    # ---- what people see ----

    @property
    def board(self):
        """Rows are counted from the bottom."""
        return bl.grid(self.size, self.size, "checkered", upwards=True)

    def pieces(self, s):
        return s.cells

    def player_name(self, player):
        return "XO"[player]

    def cell_name(self, cell):
        """Name a cell: letters count columns, numbers rows from the bottom."""
        return f"{'abcdefgh'[cell % self.size]}{self.size - cell // self.size}"

    def action_name(self, s, action):
        return self.cell_name(action // 3) + self.cell_name(self.target(s.mover, action))

    def cells_of(self, s, action):
        return action // 3, self.target(s.mover, action)

    # ---- what learners read ----

    cell_values = 3
    symmetries = 2  # the mirror

    def board_vector(self, s, player):
        return s.cells

    def adjacency(self, cell):
        n = self.size
        beside = [
            cell - n,
            cell + n,
            *([cell - 1] if cell % n else []),
            *([cell + 1] if (cell + 1) % n else []),
        ]
        return [other for other in beside if 0 <= other < n * n]

    def mirrored(self, cell):
        """Return the cell on the other side."""
        return cell - cell % self.size + self.size - 1 - cell % self.size

    def symmetry(self, g, s):
        for cell in range(self.size**2 if g else 0):
            other = self.mirrored(cell)
            if cell < other:
                s.cells[cell], s.cells[other] = s.cells[other], s.cells[cell]

    def symmetry_action(self, g, s, action):
        return 3 * self.mirrored(action // 3) + 2 - action % 3 if g else action

    def symmetry_cells(self, g):
        for cell in range(self.size**2):
            yield self.mirrored(cell) if g else cell


def measure(episodes=20_000, games=200):
    """Train, and play against MCTS with random playouts."""
    game = bl.game("breakthrough")
    bl.train(game, episodes=episodes, out="runs/breakthrough", seed=1, exams=[], force=True)
    agent = 'mcts(ntuple("runs/breakthrough"), iterations=200)'
    print(bl.match(game, [agent, "mcts(rollout, iterations=200)"], games=games, seed=1))


if __name__ == "__main__":
    measure()
