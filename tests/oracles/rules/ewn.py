from oracles.rules.plain import CHANCE, TERMINAL

# Rows and columns of a step along the own row, the own column and diagonally, seen from the own corner: red top
# left, yellow bottom right, blue bottom left, green top right.
STEPS = (
    ((0, 1), (1, 0), (1, 1)),
    ((0, -1), (-1, 0), (-1, -1)),
    ((-1, 0), (0, 1), (-1, 1)),
    ((1, 0), (0, -1), (1, -1)),
)


class PlainEwn:
    """Stones on a grid: (player, stone) -> (row, col). The start is read from its text."""

    def __init__(self, start, size=5, players=2):
        self.size, self.players, self.stones = size, players, 3 if size <= 4 else 6
        self.at = {}
        for row, line in enumerate(start.splitlines()[1 : size + 1]):
            for col, word in enumerate(line.split()[1:]):
                if word != ".":
                    self.at["RYBG".index(word[0]), int(word[1]) - 1] = (row, col)
        self.player, self.turn, self.die, self.winners = CHANCE, 0, 0, None
        last = size - 1
        self.goals = ((last, last), (0, 0), (0, last), (last, 0))

    def legal(self):
        own = sorted(stone for player, stone in self.at if player == self.turn)
        if self.die in own:
            chosen = [self.die]
        else:
            chosen = [s for s in own if s < self.die][-1:] + [s for s in own if s > self.die][:1]
        actions = []
        for stone in chosen:
            for direction, (dr, dc) in enumerate(STEPS[self.turn]):
                row, col = self.at[self.turn, stone]
                if 0 <= row + dr < self.size and 0 <= col + dc < self.size:
                    actions.append(3 * stone + direction)
        return actions or [3 * self.stones]

    def chances(self):
        return dict.fromkeys(range(self.stones), 1 / self.stones)

    def apply(self, action):
        if self.player == CHANCE:
            self.die, self.player = action, self.turn
            return
        mover = self.turn
        if action < 3 * self.stones:
            stone, direction = divmod(action, 3)
            (row, col), (dr, dc) = self.at[mover, stone], STEPS[mover][direction]
            target = (row + dr, col + dc)
            self.at = {who: cell for who, cell in self.at.items() if cell != target}
            self.at[mover, stone] = target
            self.winners = self.decided(mover, target)
        self.turn = (mover + 1) % self.players
        self.player = CHANCE if self.winners is None else TERMINAL

    def decided(self, mover, target):
        """Who has won after this step, or None."""
        gone = [p for p in range(self.players) if all(player != p for player, _ in self.at)]
        home = target == self.goals[mover]
        if self.players == 2:
            return {mover} if home or gone else None
        if self.players == 3:
            if (home and mover == 2) or {0, 1} & set(gone):
                return {2}
            return {0, 1} if gone else None
        team = {mover, (mover + 2) % 4}
        if home:
            return team
        return {0, 1, 2, 3} - {gone[0], (gone[0] + 2) % 4} if gone else None

    def scores(self):
        return [0 if self.winners is None else 1 if p in self.winners else -1 for p in range(self.players)]
