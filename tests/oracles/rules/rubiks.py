from oracles.rules.plain import TERMINAL, NoChance

# x to the right, y up, z to the front: the direction in which each face looks.
NORMALS = {"U": (0, 1, 0), "L": (-1, 0, 0), "F": (0, 0, 1), "R": (1, 0, 0), "B": (0, 0, -1), "D": (0, -1, 0)}
# Right and down in the unfolded drawing, face by face.
RIGHT = {"U": (1, 0, 0), "L": (0, 0, 1), "F": (1, 0, 0), "R": (0, 0, -1), "B": (-1, 0, 0), "D": (1, 0, 0)}
DOWN = {"U": (0, 0, 1), "L": (0, -1, 0), "F": (0, -1, 0), "R": (0, -1, 0), "B": (0, -1, 0), "D": (0, 0, -1)}


def turned(vector, axis):
    """A quarter turn clockwise, as seen by who looks at the face from outside."""
    along = sum(v * a for v, a in zip(vector, axis, strict=True))
    (x, y, z), (a, b, c) = vector, axis
    cross = (y * c - z * b, z * a - x * c, x * b - y * a)
    return tuple(n + along * m for n, m in zip(cross, axis, strict=True))


class PlainCube(NoChance):
    """Stickers in space: (place of the cubie, where the sticker looks) -> colour."""

    def __init__(self, start, size=2, metric="htm", twists=11, step_reward=-0.04, coding="sticker2"):
        self.last = [0] if coding == "cubeplusaction" else []  # 1 + the last twist; an episode begins without
        self.size, self.step = size, 1 if size == 3 else 2
        faces = "ULFDRB" if size == 3 else "ULF"
        turns = (1, 2, 3) if metric == "htm" else (1, 3)
        self.twists = [(face, quarter) for face in faces for quarter in turns]
        letters = iter("".join(start.replace("solved", "").split()))
        self.stickers = {}
        # The text has U, then the rows of L F R B side by side, then D.
        rows = [["U"]] * size + [["L", "F", "R", "B"]] * size + [["D"]] * size
        for number, row in enumerate(rows):
            for face in row:
                for col in range(size):
                    self.stickers[self.place(face, number % size, col)] = next(letters)
        self.player = TERMINAL if self.solved() else 0

    def place(self, face, row, col):
        edge = self.size - 1  # cubies lie at -edge, -edge + 2, .., edge
        n, r, d = NORMALS[face], RIGHT[face], DOWN[face]
        cubie = tuple(edge * n[i] + (2 * col - edge) * r[i] + (2 * row - edge) * d[i] for i in range(3))
        return cubie, n

    def solved(self):
        return all(
            len({c for (_, n), c in self.stickers.items() if n == face}) == 1 for face in NORMALS.values()
        )

    def legal(self):
        return list(range(len(self.twists)))

    def apply(self, action):
        self.last = [action + 1 for _ in self.last]
        face, quarters = self.twists[action]
        axis, edge = NORMALS[face], self.size - 1
        for _ in range(quarters):
            after = {}
            for (cubie, looks), colour in self.stickers.items():
                in_layer = sum(a * b for a, b in zip(cubie, axis, strict=True)) == edge
                after[(turned(cubie, axis), turned(looks, axis)) if in_layer else (cubie, looks)] = colour
            self.stickers = after
        self.player = TERMINAL if self.solved() else 0

    def fields(self):
        """The facelets as the engine lists them, face by face in the order U L F R B D; then the last twist."""
        n = self.size
        places = [self.place(face, r, c) for face in "ULFRBD" for r in range(n) for c in range(n)]
        return ["ULFRBD".index(self.stickers[place]) for place in places] + self.last

    def scores(self):
        return [1 if self.player == TERMINAL else 0]
