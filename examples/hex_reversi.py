"""A game for three: Reversi on hexagons, compiled.

All discs in straight lines between a new disc and another of the same player turn over. Who can turn discs
over must do so; who cannot places one beside any other (a rule of Rolit). Most discs on the full board win.

pip install 'boardlab[numba]'
python examples/hex_reversi.py
boardlab --plugin examples/hex_reversi.py play hexreversi
"""

import numpy as np

import boardlab as bl

STEPS = ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))
"""The six directions, as steps of (row, slanted column)."""


@bl.register_game(compiled=True)
class HexReversi(bl.PythonGame):
    """Reversi for three players on a board of hexagons."""

    side: int = bl.option(4, "cells along an edge", low=2, high=6)

    name = "hexreversi"
    players = 3
    score_range = (-1, 2)
    cell_values = 4
    symmetries = 12  # six turns, each also in the mirror

    @property
    def places(self):
        """The (row, slanted column) of each cell, seen from the centre."""
        reach = range(1 - self.side, self.side)
        return [(r, c) for r in reach for c in reach if abs(r + c) < self.side]

    @property
    def action_count(self):
        return len(self.places)

    horizon = action_count

    @property
    def state(self):
        """Cells row by row (0 empty, else the player + 1), how many are taken."""
        return [("cells", "i1", (self.action_count,)), ("taken", "i2")]

    @property
    def board(self):
        return bl.hexagonal(self.side)

    def table(self, image):
        """Return for each cell the cell of its image; -1 off the board."""
        number = {place: cell for cell, place in enumerate(self.places)}
        return [number.get(image(row, col), -1) for row, col in self.places]

    @property
    def beside(self):  # the neighbours of each cell in the six directions; -1 off the board
        return np.array([self.table(lambda row, col, a=a, b=b: (row + a, col + b)) for a, b in STEPS]).T

    def initial_state(self, s):
        centre = self.action_count // 2
        for direction in range(6):
            s.cells[self.beside[centre, direction]] = 1 + direction % 3
        s.taken = 6

    def player(self, s):
        return bl.TERMINAL if s.taken == self.action_count else s.taken % 3

    def turned(self, s, cell, direction):
        """Count the discs that a disc of the player to move turns over in a direction."""
        own, count = s.taken % 3 + 1, 0
        cell = self.beside[cell, direction]
        while cell >= 0 and s.cells[cell] != 0 and s.cells[cell] != own:
            cell = self.beside[cell, direction]
            count += 1
        return count if cell >= 0 and s.cells[cell] == own else 0

    def touches(self, s, cell):
        """Tell whether there is a disc beside the cell."""
        return any(other >= 0 and s.cells[other] for other in self.beside[cell])

    def legal(self, s):
        found = 0
        for cell in range(self.action_count):
            if s.cells[cell] == 0 and any(self.turned(s, cell, direction) for direction in range(6)):
                found += 1
                yield cell
        for cell in range(0 if found else self.action_count):
            if s.cells[cell] == 0 and self.touches(s, cell):
                yield cell

    def apply(self, s, action):
        own = s.taken % 3 + 1
        for direction in range(6):
            cell = action
            for _ in range(self.turned(s, action, direction)):
                cell = self.beside[cell, direction]
                s.cells[cell] = own
        s.cells[action] = own
        s.taken += 1

    def scores(self, s):
        discs = np.bincount(s.cells, minlength=4)[1:]
        winners = np.sum(discs == discs.max())
        for own in discs:
            yield 0.0 if s.taken < self.action_count else 3 / winners - 1 if own == discs.max() else -1.0

    # ---- what learners read ----

    def board_vector(self, s, player):
        return s.cells

    def adjacency(self, cell):
        return [other for other in self.beside[cell] if other >= 0]

    @property
    def images(self):
        """Where each symmetry moves each cell."""
        return np.array([self.table(lambda row, col, g=g: turn(row, col, g)) for g in range(12)])

    def symmetry(self, g, s):
        before = s.cells.copy()
        for cell in range(self.action_count):
            s.cells[self.images[g, cell]] = before[cell]

    def symmetry_action(self, g, s, action):
        return self.images[g, action]


def turn(row, col, g):
    """Turn a place by g sixths; mirror it first from 6 on."""
    if g >= 6:
        row, col = col, row
    for _ in range(g % 6):
        row, col = -col, row + col
    return row, col


def measure(episodes=50_000, games=300):
    """Train, and play against two players of MCTS with random playouts."""
    game = bl.game("hexreversi")
    bl.train(game, episodes=episodes, out="runs/hexreversi", seed=1, exams=[], force=True)
    agents = ['mcts(ntuple("runs/hexreversi"), iterations=200)', *["mcts(rollout, iterations=200)"] * 2]
    print(bl.match(game, agents, games=games, seed=1))


if __name__ == "__main__":
    measure()
