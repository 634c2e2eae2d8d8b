from oracles.rules.plain import CHANCE, TERMINAL

FOLD, CALL, RAISE = 0, 1, 2


class PlainLeduc:
    """Six cards, an ante of 1, a street before and one after the common card; who begins alternates."""

    def __init__(self, start="", rounds=1):
        self.rounds, self.round, self.won = rounds, 0, [0, 0]
        self.deal()

    def deal(self):
        self.cards, self.common, self.paid = {}, None, [1, 1]
        self.player = CHANCE
        self.begin_street()

    def begin_street(self):
        self.raises, self.acted = 0, 0

    @property
    def first(self):
        return self.round % 2

    def legal(self):
        actions = [FOLD] if self.paid[self.player] < max(self.paid) else []
        actions.append(CALL)
        if self.raises < 2:
            actions.append(RAISE)
        return actions

    def chances(self):
        left = [card for card in range(6) if card not in self.cards.values()]
        return {card: 1 / len(left) for card in left}

    def apply(self, action):
        if self.player == CHANCE:
            if self.first not in self.cards:
                self.cards[self.first] = action
            elif 1 - self.first not in self.cards:
                self.cards[1 - self.first] = action
                self.player = self.first
            else:
                self.common = action
                self.player = self.first
                self.begin_street()
            return
        me, other = self.player, 1 - self.player
        if action == FOLD:
            return self.pay(other)
        self.paid[me] = max(self.paid)
        if action == RAISE:
            self.paid[me] += 2 if self.common is None else 4
            self.raises += 1
        self.acted += 1
        self.player = other
        if action == CALL and self.acted >= 2:
            if self.common is None:
                self.player = CHANCE
            else:
                self.show()

    def show(self):
        hands = [(self.cards[p] // 2 == self.common // 2, self.cards[p] // 2) for p in (0, 1)]
        self.pay(None if hands[0] == hands[1] else hands.index(max(hands)))

    def pay(self, winner):
        if winner is not None:
            self.won[winner] += self.paid[1 - winner]
            self.won[1 - winner] -= self.paid[1 - winner]
        self.round += 1
        self.deal()
        if self.round == self.rounds:
            self.player = TERMINAL

    def scores(self):
        return self.won
