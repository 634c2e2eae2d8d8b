"""Dots and boxes (Édouard Lucas, 1889) for two to four players, compiled.

Draw a line between two dots. Who draws the fourth line of a box gets it and moves again; who has the most
boxes wins. Lines count row by row, the horizontal ones first.

pip install 'boardlab[numba]'
python examples/dots_and_boxes.py
boardlab --plugin examples/dots_and_boxes.py play dots --players 3
"""

import numpy as np

import boardlab as bl


@bl.register_game(compiled=True)
class DotsAndBoxes(bl.PythonGame):
    """Dots and boxes: draw lines, close boxes."""

    rows: int = bl.option(3, "rows of boxes", low=1, high=6)
    cols: int = bl.option(3, "columns of boxes", low=1, high=6)
    players: int = bl.option(2, "players", low=2, high=4)

    name = "dots"

    @property
    def state(self):
        """Which lines are drawn, how many around each box, the boxes of each player, who moves."""
        boxes = self.rows * self.cols
        return [
            ("lines", "b1", (self.action_count,)),
            ("around", "i1", (boxes,)),
            ("boxes", "i1", (self.players,)),
            ("mover", "i1"),
        ]

    @property
    def across(self):  # the number of horizontal lines
        return (self.rows + 1) * self.cols

    @property
    def action_count(self):
        """An action draws the line of that number."""
        return self.across + self.rows * (self.cols + 1)

    horizon = action_count

    @property
    def score_range(self):  # everybody pays 1, and the winners share it
        return -1, self.players - 1

    def sides(self, box):
        """Return the four lines around a box."""
        row, col = divmod(box, self.cols)
        left = self.across + row * (self.cols + 1) + col
        return box, box + self.cols, left, left + 1

    @property
    def beside(self):
        """The boxes beside each line; -1 where there is only one."""
        boxes = range(self.rows * self.cols)
        found = [[box for box in boxes if line in self.sides(box)] for line in range(self.action_count)]
        return np.array([[*both, -1][:2] for both in found])

    def initial_state(self, s):
        s.mover = 0

    def player(self, s):
        return bl.TERMINAL if all(s.lines) else s.mover

    def legal(self, s):
        for line in range(self.action_count):
            if not s.lines[line]:
                yield line

    def apply(self, s, line):
        s.lines[line] = True
        closed = 0
        for box in self.beside[line]:
            if box >= 0:
                s.around[box] += 1
                closed += s.around[box] == 4
        s.boxes[s.mover] += closed
        if not closed:
            s.mover = (s.mover + 1) % self.players

    def scores(self, s):
        most = max(s.boxes)
        winners = sum([1 for boxes in s.boxes if boxes == most])
        for boxes in s.boxes:
            is_over = self.player(s) == bl.TERMINAL
            yield (self.players / winners if boxes == most else 0.0) - 1 if is_over else 0.0

    # ---- what learners read ----

    @property
    def cell_values(self):
        return 4

    def board_vector(self, s, player):
        """Lines, each with whether the player moves again; which decides what they are worth."""
        for line in s.lines:
            yield line + 2 * (s.mover == player)

    def adjacency(self, line):
        return sorted(
            {side for box in self.beside[line] if box >= 0 for side in self.sides(int(box))} - {line}
        )

    # ---- what people read ----

    @property
    def board(self):
        """Dots, and between them the lines."""
        dots = [(col, row) for row in range(self.rows + 1) for col in range(self.cols + 1)]
        across = [((c, r), (c + 1, r)) for r in range(self.rows + 1) for c in range(self.cols)]
        down = [((c, r), (c, r + 1)) for r in range(self.rows) for c in range(self.cols + 1)]
        edges = [(dots.index(a), dots.index(b)) for a, b in across + down]
        return bl.graph(dots, edges, cells="edges", names=[f"{'abcdefg'[c]}{r + 1}" for c, r in dots])

    def pieces(self, s):
        return s.lines

    def text(self, s):
        rows = []
        for row in range(self.rows + 1):
            lines = s.lines[row * self.cols : (row + 1) * self.cols]
            rows.append("+" + "+".join("---" if drawn else "   " for drawn in lines) + "+")
            first = self.across + row * (self.cols + 1)
            rows.append("   ".join(" |"[drawn] for drawn in s.lines[first : first + self.cols + 1]))
        boxes = "  ".join(f"player {i}: {boxes}" for i, boxes in enumerate(s.boxes))
        return "\n".join([*rows[:-1], f"boxes: {boxes}"])

    def action_name(self, s, line):
        nodes, edge = self.board.names, self.board.edges[line]
        return nodes[edge[0]] + nodes[edge[1]]


def measure(episodes=50_000, games=200):
    """Train, and play against MCTS with random playouts."""
    game = bl.game("dots")
    run = bl.train(game, episodes=episodes, out="runs/dots", seed=1, exams=[], force=True)
    agent = 'mcts(ntuple("runs/dots"), iterations=200)'
    print(bl.match(game, [agent, "mcts(rollout, iterations=200)"], games=games, seed=1))
    return run


if __name__ == "__main__":
    measure()
