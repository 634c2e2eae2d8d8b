"""A game in Python: Breakthrough (Dan Troyka, 2000) on a small board.

Pieces move one step forward, straight or diagonally, and capture diagonally. A player who reaches the last
row or captures all pieces wins.

python examples/python_game.py
boardlab --plugin examples/python_game.py play breakthrough --size 5
boardlab --plugin examples/python_game.py train breakthrough --episodes 2000
"""

import numpy as np

import boardlab as bl


@bl.register_game
class Breakthrough(bl.PythonGame):
    """A position: the cells row by row (0 empty, 1 and 2 a piece of player 0 and 1), then who moves."""

    size: int = bl.option(5, "rows and columns", low=4, high=8)

    name = "breakthrough"
    summary = "reach the last row with one piece"
    cell_values = 3
    symmetries = 2  # the mirror

    @property
    def action_count(self) -> int:
        """A move from each cell to the three cells in front of it."""
        return 3 * self.size**2

    @property
    def horizon(self) -> int:
        """Every move brings one of 4 * size pieces forward by a row."""
        return 4 * self.size**2

    def initial_state(self, rng):
        n = self.size
        return (2,) * 2 * n + (0,) * n * (n - 4) + (1,) * 2 * n + (0,)

    def target(self, mover, action):
        """Return the target cell of an action, or None outside the board; player 0 moves up."""
        n = self.size
        cell, side = divmod(action, 3)
        row, col = cell // n + (1 if mover else -1), cell % n + side - 1
        return row * n + col if 0 <= row < n and 0 <= col < n else None

    def player(self, position):
        *cells, mover = position
        n = self.size
        over = 1 in cells[:n] or 2 in cells[-n:] or 1 not in cells or 2 not in cells
        return bl.TERMINAL if over else mover

    def legal(self, position):
        *cells, mover = position
        actions = []
        for cell, piece in enumerate(cells):
            if piece == mover + 1:
                for action in range(3 * cell, 3 * cell + 3):
                    target = self.target(mover, action)
                    if target is not None and (
                        cells[target] == 0 or (action % 3 != 1 and cells[target] != piece)
                    ):
                        actions.append(action)
        return actions

    def apply(self, position, action):
        *cells, mover = position
        cells[self.target(mover, action)], cells[action // 3] = mover + 1, 0
        return (*cells, 1 - mover)

    def scores(self, position):
        if self.player(position) != bl.TERMINAL:
            return 0, 0
        return (1, -1) if position[-1] == 1 else (-1, 1)  # the player who moved last won

    def check(self, position):
        *cells, mover = position
        if not set(cells) <= {0, 1, 2} or mover not in (0, 1):
            return "cells are 0, 1 or 2, and the player to move is 0 or 1"
        return None

    # ---- what learners read ----

    def board_vector(self, position, player):
        return position[:-1]

    def planes(self, position, player):
        """Own pieces and the other player's, as player 0 would see them."""
        board = np.reshape(position[:-1], (self.size, self.size))[:: -1 if player else 1]
        return np.stack([board == player + 1, board == 2 - player])

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
        return cell - cell % self.size + self.size - 1 - cell % self.size

    def symmetry(self, g, position):
        return (*(position[c] for c in self.symmetry_cells(g)), position[-1])

    def symmetry_action(self, g, position, action):
        return 3 * self.mirrored(action // 3) + 2 - action % 3 if g else action

    def symmetry_cells(self, g):
        return [self.mirrored(cell) if g else cell for cell in range(self.size**2)]

    # ---- what people see ----

    @property
    def board(self):
        """Rows count from the bottom; `board_vector` tells what stands on it."""
        return bl.grid(self.size, self.size, "checkered", upwards=True)

    def cells_of(self, position, action):
        return action // 3, self.target(position[-1], action)

    def player_name(self, player):
        return "XO"[player]

    def cell_name(self, cell):
        return f"{'abcdefgh'[cell % self.size]}{self.size - cell // self.size}"

    def action_name(self, position, action):
        return self.cell_name(action // 3) + self.cell_name(self.target(position[-1], action))


if __name__ == "__main__":
    from boardlab.testing import check_game

    game = bl.game("breakthrough", size=5)
    check_game(game)
    print(game.initial_state())
    print(bl.match(game, ["mcts(iterations=200)", "random"], games=10, seed=1))
