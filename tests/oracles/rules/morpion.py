from itertools import product

from oracles.rules.plain import TERMINAL, NoChance

CROSSES = {
    5: [
        "...oooo...",
        "...o..o...",
        "...o..o...",
        "oooo..oooo",
        "o........o",
        "o........o",
        "oooo..oooo",
        "...o..o...",
        "...o..o...",
        "...oooo...",
    ],
    4: ["..ooo..", "..o.o..", "ooo.ooo", "o.....o", "ooo.ooo", "..o.o..", "..ooo.."],
}
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (-1, 1))
SHEET = 64


class PlainMorpion(NoChance):
    """The rules word by word on a sheet without borders. A line is its set of points and its direction."""

    def __init__(self, start="", variant="5T"):
        self.length, self.shared = int(variant[0]), 1 if variant[1] == "T" else 0
        rows = CROSSES[self.length]
        self.points = {(x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "o"}
        self.corner = (SHEET - len(rows)) // 2  # where the cross begins on the sheet of actions
        self.lines, self.player = [], 0
        self.possible = self.find()

    def free(self, line, direction):
        return all(other != direction or len(points & line) <= self.shared for points, other in self.lines)

    def find(self):
        """Every legal line by its action, with its points, its direction and the point that it adds."""
        xs, ys = [x for x, _ in self.points], [y for _, y in self.points]
        found = {}
        # One point is missing, so a line begins at most one step outside.
        for x, y in product(range(min(xs) - 1, max(xs) + 2), range(min(ys) - 1, max(ys) + 2)):
            for direction, (dx, dy) in enumerate(DIRECTIONS):
                missing = []
                for i in range(self.length):
                    point = (x + i * dx, y + i * dy)
                    if point not in self.points:
                        missing.append(point)
                        if len(missing) == 2:
                            break
                if len(missing) == 1:
                    line = frozenset((x + i * dx, y + i * dy) for i in range(self.length))
                    if self.free(line, direction):
                        found[self.action(x, y, direction)] = (line, direction, missing[0])
        return found

    def action(self, x, y, direction):
        return 4 * ((y + self.corner) * SHEET + x + self.corner) + direction

    def legal(self):
        return sorted(self.possible)

    def apply(self, action):
        line, direction, added = self.possible[action]
        self.lines.append((line, direction))
        self.points.add(added)
        self.possible = self.find()
        if not self.possible:
            self.player = TERMINAL

    def scores(self):
        return [len(self.lines)]
