"""A game with hidden cards: Goofspiel (Merrill Flood, 1930s), compiled.

Both players hold the cards 1 to N. In every round a prize from 1 to N is turned up, and both lay a card face
down; the higher card wins the prize, and equal cards discard it. Who has won more points in the end wins.
Players act in turn: `conceal` hides the first one's card, `determinize` draws a card that it may be.

pip install 'boardlab[numba]'
python examples/goofspiel.py
boardlab --plugin examples/goofspiel.py play goofspiel
"""

import boardlab as bl


@bl.register_game(compiled=True)
class Goofspiel(bl.PythonGame):
    """Goofspiel: bid cards for prizes, face down."""

    size: int = bl.option(4, "cards of each player", low=2, high=9)

    name = "goofspiel"
    board = bl.cards("prize", "player 0 lays", "player 1 lays", "player 0 holds", "player 1 holds")

    @property
    def state(self):
        """By round the prizes and the cards laid by each player; 0 is none yet."""
        return [("prizes", "i1", (self.size,)), ("laid", "i1", (2, self.size))]

    @property
    def action_count(self):
        """Action or outcome i is card i + 1."""
        return self.size

    outcome_count = action_count

    @property
    def horizon(self):
        """A card of each player in every round."""
        return 2 * self.size

    @property
    def unseen(self):
        """The number of a card laid face down."""
        return self.size + 1

    def initial_state(self, s):
        s.prizes[:] = 0

    def round(self, s):
        """Return the number of rounds in which both have laid a card."""
        for i in range(self.size):
            if s.laid[1, i] == 0:
                return i
        return self.size

    def player(self, s):
        i = self.round(s)
        if i == self.size:
            return bl.TERMINAL
        if s.prizes[i] == 0:
            return bl.CHANCE
        return 0 if s.laid[0, i] == 0 else 1

    def legal(self, s):
        laid = s.laid[self.player(s)]
        for action in range(self.size):
            if action + 1 not in laid:
                yield action

    def chance(self, s):
        left = self.size - self.round(s)
        for outcome in range(self.size):
            if outcome + 1 not in s.prizes:
                yield outcome, 1 / left

    def apply(self, s, action):
        i, player = self.round(s), self.player(s)
        if player == bl.CHANCE:
            s.prizes[i] = action + 1
        else:
            s.laid[player, i] = action + 1

    def scores(self, s):
        lead = 0
        for i in range(self.round(s)):
            difference = s.laid[0, i] - s.laid[1, i]
            lead += s.prizes[i] if difference > 0 else -s.prizes[i] if difference < 0 else 0
        if self.round(s) < self.size or lead == 0:
            return 0, 0
        return (1, -1) if lead > 0 else (-1, 1)

    # ---- what a player sees ----

    def conceal(self, s, player):
        i = self.round(s)
        if player == 1 and i < self.size and s.laid[0, i]:
            s.laid[0, i] = self.unseen

    def determinize(self, s, player, rng):
        i = self.round(s)
        if i < self.size and s.laid[0, i] == self.unseen:
            number = rng.randrange(self.size - i)  # all cards that player 0 still held
            for card in range(1, self.size + 1):
                if card not in s.laid[0]:
                    if number == 0:
                        s.laid[0, i] = card
                        return
                    number -= 1

    # ---- what people read ----

    def pieces(self, s):
        i = min(self.round(s), self.size - 1)
        faces = [str(card) if 0 < card < self.unseen else "??" if card else "" for card in s.laid[:, i]]
        hands = [
            [str(card) for card in range(1, self.size + 1) if card not in laid] for laid in s.laid.tolist()
        ]
        return [[str(s.prizes[i] or "")], *([face] for face in faces), *hands]

    def cells_of(self, s, action):
        return ()

    def action_name(self, s, action):
        return str(action + 1)


def measure(episodes=2000, games=1000):
    """Learn by regret minimisation; measure how far from an equilibrium it is, and play a match."""
    game = bl.game("goofspiel")
    run = bl.train(game, "cfr", episodes=episodes, out="runs/goofspiel", seed=1, exams=[], force=True)
    for agent in ("random", run.expression):
        print(agent, bl.evaluate(agent, game, "exploitability").value)
    print(bl.match(game, [run.expression, "ismcts(iterations=2000)"], games=games, seed=1))


if __name__ == "__main__":
    measure()
