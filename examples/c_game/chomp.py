"""A game in C with a face: Chomp (Frederik Schuh 1952, David Gale 1974). The rules are in chomp.c.

The class compiles the C text with the system's compiler, checks the parameters and hands them over.

python examples/c_game/chomp.py
boardlab --plugin examples/c_game/chomp.py play chomp --rows 3
"""

import boardlab as bl


@bl.register_game
class Chomp(bl.LibraryGame):
    """Chomp: bite off chocolate; the piece top left is poisoned."""

    rows: int = bl.option(4, "rows of the bar", low=1, high=8)
    cols: int = bl.option(5, "columns of the bar", low=1, high=8)

    name = "chomp"
    source = "chomp.c"
    is_impartial = True

    @property
    def board(self):
        """The whole bar."""
        return bl.grid(self.rows, self.cols)

    def pieces(self, fields):
        left = ["■" if col < fields[row] else None for row in range(self.rows) for col in range(self.cols)]
        return ["☠", *left[1:]]

    def action_name(self, fields, action):
        return f"{'abcdefgh'[action % self.cols]}{action // self.cols + 1}"


def measure(episodes=200_000, games=1000):
    """Train, and ask how often the agent finds a best action, before and after."""
    game = bl.game("chomp")
    run = bl.train(game, "q-table", episodes=episodes, out="runs/chomp", seed=1, exams=[], force=True)
    for agent in ("random", "mcts(rollout, iterations=200)", run.expression):
        print(f"{agent}: {bl.evaluate(agent, game, 'optimal', games=games, seed=1)}")


if __name__ == "__main__":
    measure()
