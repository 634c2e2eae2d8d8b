"""Rules over a declared state, for tests: one game that uses every function, and small ones."""

from typing import ClassVar

import numpy as np

import boardlab as bl

CELLS, STONE, UNSEEN = 5, 3, 4
DEAL = (0.5, 0.25, 0.25)
LAY = np.array([0.3, 0.15, 0.1, 0.15, 0.3])


def count(cells, value):
    found = 0
    for cell in cells:
        found += cell == value
    return found


class Everything(bl.PythonGame):
    """The game of everything.c: hidden cards, a stone laid by nature, marks in a row of five cells."""

    name = "everything"
    state = (("card", "i1", (2,)), ("cell", "u1", CELLS), ("played", "f4"), ("seed", "u8"), ("odd", "b1"))
    action_count = outcome_count = CELLS
    horizon = 4
    score_range = (-2, 2)
    cell_values = STONE + 1
    symmetries = 2
    rewards: ClassVar = {"ends": (-2, 2)}
    stages = 2
    feature_table_sizes = (5,)
    observation_size = 1 + CELLS

    def initial_state(self, s, rng):
        s.seed = np.uint64(rng.randrange(1, 10))

    def training_start(self, s, rng):
        s.seed = np.uint64(1)
        s.card[0], s.card[1] = 1 + rng.randint(0, 2), 3
        if rng.random() < 0.5:
            rng.shuffle(s.card)

    def marks(self, s):
        return count(s.cell, 1) + count(s.cell, 2)

    def player(self, s):
        if s.card[0] == 0 or s.card[1] == 0 or not count(s.cell, STONE):
            return bl.CHANCE
        return self.marks(s) % 2 if count(s.cell, 0) else bl.TERMINAL

    def legal(self, s):
        for i in range(CELLS):
            if s.cell[i] == 0:
                yield i

    def chance(self, s):
        if s.card[0] and s.card[1]:
            for i in range(CELLS):
                yield i, LAY[i]
            return
        for i, p in enumerate(DEAL):
            yield i, p

    def sample_chance(self, s, rng):
        u, last = rng.random(), -1
        for outcome, p in self.chance(s):
            u -= p
            last = outcome
            if u < 0:
                break
        return last

    def apply(self, s, action):
        if self.player(s) != bl.CHANCE:
            s.cell[action] = 1 + self.marks(s) % 2
            s.played += 0.5
            s.odd = not s.odd
        elif s.card[0] and s.card[1]:
            s.cell[action] = STONE
        else:
            s.card[1 if s.card[0] else 0] = action + 1

    def apply_changes(self, s, action, player):
        yield from self.changed(s, action, player)
        self.apply(s, action)

    def changed(self, s, action, player):
        mover = self.player(s)
        if mover >= 0:
            yield action, 0, 1 if mover == player else 2
        elif s.card[0] and s.card[1]:
            yield action, 0, STONE
        elif (1 if s.card[0] else 0) == player:
            yield CELLS, 0, action + 1

    def scores(self, s):
        if self.player(s) != bl.TERMINAL:
            return 0, 0
        difference = s.card[0] - s.card[1]
        return difference, -difference

    def solve(self, s):
        if s.card[0] == UNSEEN or s.card[1] == UNSEEN:
            return None
        difference = float(s.card[0] - s.card[1])
        return difference, -difference

    def reward(self, reward, s):
        ends = [s.cell[0], s.cell[4]]
        mine = count(ends, 1) - count(ends, 2)
        return mine, -mine

    def round_over(self, s):
        return count(s.cell, STONE) == 1 and count(s.cell, 0) == 4 and s.seed == np.uint64(77)

    def moves_left(self, s):
        return count(s.cell, 0)

    def check(self, s):
        more = count(s.cell, 1) - count(s.cell, 2)
        good = all(0 <= card <= 3 for card in s.card) and all(cell <= 3 for cell in s.cell)
        return None if good and count(s.cell, STONE) <= 1 and more in (0, 1) else "no game leads there"

    # ---- hidden cards ----

    def conceal(self, s, player):
        if s.card[1 - player] and self.player(s) != bl.TERMINAL:  # in the end both are shown
            s.card[1 - player] = UNSEEN

    def observe(self, s, player):
        other = s.card[1 - player]
        yield s.card[player] * 5 + (other if self.player(s) == bl.TERMINAL else min(other, 1))
        yield from s.cell

    def determinize(self, s, player, rng):
        drawn = rng.randrange(4)
        if s.card[1 - player] == UNSEEN:
            s.card[1 - player] = max(drawn, 1)

    def completions(self, s, player):
        if s.card[1 - player] != UNSEEN:
            yield 1.0
            return
        for card in range(1, 4):
            s.card[1 - player] = card
            yield DEAL[card - 1]

    # ---- what learners read ----

    def board_vector(self, s, player):
        for value in s.cell:
            if value == 0 or value == STONE:
                yield value
            else:
                yield 1 if value == 1 + player else 2
        yield s.card[player]

    def adjacency(self, cell):
        return [other for other in (cell - 1, cell + 1) if 0 <= other <= CELLS]

    def stage(self, s):
        return count(s.cell, STONE)

    def feature_indices(self, s, player):
        yield s.card[player]

    def planes(self, s, player):
        planes = np.zeros((1, 1, 2), np.float32)
        planes[0, 0, 0] = s.card[player]
        planes[0, 0, 1] = s.played
        return planes

    def features(self, s, player):
        return [s.card[player] / 2, 1.0 if s.odd else 0.0]

    def symmetry(self, g, s):
        if g:
            for i in range(CELLS // 2):
                j = CELLS - 1 - i
                s.cell[i], s.cell[j] = s.cell[j], s.cell[i]

    def symmetry_action(self, g, s, action):
        return CELLS - 1 - action if g else action

    def symmetry_cells(self, g):
        for cell in range(CELLS):
            yield self.symmetry_action(g, 0, cell)
        yield CELLS

    # ---- what people read ----

    def text(self, s):
        return "".join(".XO#"[value] for value in s.cell) + f" cards {s.card[0]} {s.card[1]}"

    def action_name(self, s, action):
        return "abcde"[action]


def turned(value, by=1):
    """A function that rules call."""
    return value + by


class Line(bl.PythonGame):
    """Marks in a row, written with all that compiled rules may use; `trap` springs what acceptance never sees."""

    length: int = bl.option(4, "cells", low=2, high=9)

    name = "line"
    cell_values = 3
    symmetries = 2
    weights = (1, 2.5)

    @property
    def state(self):
        return [("cells", "i1", (self.length, 1)), ("trap", "i4"), ("moves", "i4")]

    @property
    def action_count(self):
        return self.length

    @property
    def steps(self):
        return np.arange(2 * self.length)

    @staticmethod
    def free(s, cell):
        return s.cells[cell, 0] == 0

    def initial_state(self, s): s.moves = 0  # fmt: skip

    def player(self, s):
        if s.trap == 1:
            return 5
        return bl.TERMINAL if s.moves == self.length else s.moves % 2

    def legal(self, s):
        """Yield in any order."""
        while s.trap == 10:
            pass
        if s.trap == 2:
            yield self.length
            return
        for cell in range(self.length - 1, -1, -1):
            if self.free(s, cell): yield cell  # fmt: skip # noqa: E701
        if s.trap == 3:
            for _ in range(self.length + 1):
                yield 0

    def apply(self, s, action):
        place = action + 100 if s.trap == 4 else action
        share = 1 // (s.trap - 5)
        if s.trap == 6:
            raise ValueError("a trap")
        s.cells[place, 0] = turned(s.moves % 2) + 0 * share
        s.moves = self.steps[turned(s.moves)]

    def scores(self, s):
        first = sum([1 for cell in range(self.length) if s.cells[cell, 0] == 1])
        if s.trap == 7:
            return np.nan, np.nan
        if s.moves < self.length or first * 2 == self.length:
            return 0, 0
        return (self.weights[0], -1) if s.cells[0, 0] == 1 else (-1, 1)

    def board_vector(self, s, player):
        for value in s.cells.ravel():
            yield value if s.trap != 8 else value + 7

    def symmetry(self, g, s):
        if g:
            s.cells[:, 0] = s.cells[::-1, 0].copy()

    def symmetry_action(self, g, s, action):
        if s.trap == 9:
            return -1
        return self.length - 1 - action if g else action


class Wide(Line):
    """Another line, which asks the first."""

    name = "wide"

    def player(self, s):
        return super().player(s)
