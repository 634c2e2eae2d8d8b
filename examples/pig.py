"""A dice game: Pig (John Scarne, 1945), for two to four players, compiled.

Roll a die as often as you like. A 1 ends your turn and loses what it has brought; hold, and it is yours. Who
reaches the goal wins. Dice are chance nodes: `player` returns CHANCE, and `apply` gets the outcome.

pip install 'boardlab[numba]'
python examples/pig.py
boardlab --plugin examples/pig.py play pig --goal 50
"""

import numpy as np

import boardlab as bl

ROLL, HOLD = 0, 1


@bl.register_game(compiled=True)
class Pig(bl.PythonGame):
    """Pig: roll on, or hold before a 1 takes it all."""

    goal: int = bl.option(100, "points that win", low=2, high=200)
    players: int = bl.option(2, "players", low=2, high=4)

    name = "pig"
    action_count = 2
    outcome_count = 6
    horizon = 1000
    labels = ("points",)

    @property
    def state(self):
        """Points of each player, points of this turn, who moves, whether the die is rolling."""
        return [("points", "u1", (self.players,)), ("turn", "u1"), ("mover", "i1"), ("rolling", "b1")]

    def initial_state(self, s):
        s.mover = 0

    def player(self, s):
        for points in s.points:
            if points >= self.goal:
                return bl.TERMINAL
        return bl.CHANCE if s.rolling else s.mover

    def legal(self, s):
        if s.points[s.mover] + s.turn < self.goal:
            yield ROLL
        yield HOLD

    def chance(self, s):
        for outcome in range(6):
            yield outcome, 1 / 6

    def sample_chance(self, s, rng):
        return rng.randrange(6)

    def apply(self, s, action):
        if s.rolling:  # the action is an outcome: 0 for a 1
            s.rolling = False
            if action > 0:
                s.turn += action + 1
                return
            s.turn = 0
        elif action == ROLL:
            s.rolling = True
            return
        s.points[s.mover] += s.turn
        s.turn = 0
        s.mover = (s.mover + 1) % self.players

    def scores(self, s):
        for player in range(self.players):
            has_won = s.points[player] >= self.goal
            is_over = self.player(s) == bl.TERMINAL
            yield 0.0 if not is_over else 1.0 if has_won else -1 / (self.players - 1)

    # ---- what learners read: points and the turn, and whether the die is rolling ----

    @property
    def cell_values(self):
        """A turn may go beyond the goal by five."""
        return [self.goal + 6] * (self.players + 1) + [2]

    def board_vector(self, s, player):
        yield from s.points
        yield s.turn
        yield s.rolling

    # ---- what people read ----

    def text(self, s):
        points = "  ".join(f"player {i}: {points}" for i, points in enumerate(s.points))
        return f"{points}\nthis turn: {s.turn}"

    def action_name(self, s, action):
        return str(action + 1) if s.rolling else ("roll", "hold")[action]


def holding_at(game, least):
    """Return the player who holds with `least` points in a turn, or with enough to win."""

    def choose(state):
        *points, turn, mover, _, _ = state.fields[: game.players + 4]
        return HOLD if turn >= least or points[mover] + turn >= game.rules.goal else ROLL

    return bl.python_agent(game, choose, f"hold at {least}")


def best_against(goal, least):
    """Return the share of games that the best play wins against that player: value iteration."""
    mine, other, turn = np.indices((goal, goal, goal + 6))  # points of who is asked about, and of the other
    to_win, now, waiting = mine + turn >= goal, np.zeros(mine.shape), np.zeros(mine.shape)
    mine_then, other_then = np.minimum(mine + turn, goal - 1), np.minimum(other + turn, goal - 1)
    for _ in range(300):
        rolled = sum(now[mine, other, np.minimum(turn + die, goal + 5)] for die in range(2, 7))
        hold = np.where(to_win, 1, waiting[mine_then, other, 0])
        now = np.maximum(hold, (rolled + waiting[mine, other, 0]) / 6)
        rolled = sum(waiting[mine, other, np.minimum(turn + die, goal + 5)] for die in range(2, 7))
        hold = np.where(other + turn >= goal, 0, now[mine, other_then, 0])
        holds = (turn >= least) | (other + turn >= goal)
        waiting = np.where(holds, hold, (rolled + now[mine, other, 0]) / 6)
    return (now[0, 0, 0] + waiting[0, 0, 0]) / 2


def measure(episodes=200_000, games=4000):
    """Train, and play against the player who holds at 20, as books advise."""
    game = bl.game("pig", goal=50)
    run = bl.train(game, episodes=episodes, out="runs/pig", seed=1, exams=[], force=True)
    print(bl.match(game, [run.expression, holding_at(game, 20)], games=games, seed=1))
    print(f"the best play wins {best_against(50, 20):.1%}")
    return run


if __name__ == "__main__":
    measure()
