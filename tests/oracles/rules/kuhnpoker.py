from oracles.rules.plain import CHANCE, TERMINAL

PASS, BET = 0, 1


class PlainKuhn:
    """Three cards, an ante of 1, one bet of 1; who begins alternates from round to round."""

    def __init__(self, start="", rounds=1):
        self.rounds, self.round, self.won = rounds, 0, [0, 0]
        self.cards, self.betting, self.player = [], [], CHANCE

    @property
    def seats(self):
        """Who acts first and second in this round."""
        return (self.round % 2, 1 - self.round % 2)

    def legal(self):
        return [PASS, BET]

    def chances(self):
        left = [card for card in range(3) if card not in self.cards]
        return {card: 1 / len(left) for card in left}

    def apply(self, action):
        if len(self.cards) < 2:
            self.cards.append(action)
            self.player = CHANCE if len(self.cards) < 2 else self.seats[0]
            return
        self.betting.append(action)
        ends = {
            (PASS, PASS): ("cards", 1), (PASS, BET, PASS): (1, 1), (PASS, BET, BET): ("cards", 2),
            (BET, PASS): (0, 1), (BET, BET): ("cards", 2),
        }  # fmt: skip
        if tuple(self.betting) not in ends:
            self.player = self.seats[len(self.betting) % 2]
            return
        winner, chips = ends[tuple(self.betting)]
        if winner == "cards":
            winner = 0 if self.cards[0] > self.cards[1] else 1
        self.won[self.seats[winner]] += chips
        self.won[self.seats[1 - winner]] -= chips
        self.round += 1
        self.cards, self.betting = [], []
        self.player = TERMINAL if self.round == self.rounds else CHANCE

    def scores(self):
        return self.won
