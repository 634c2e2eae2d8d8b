from oracles.rules.plain import CHANCE, TERMINAL

HIT, STAND, DOUBLE, SPLIT, SURRENDER, INSURANCE, NO_INSURANCE = range(7)
NO_NATURAL, NATURAL = 10, 11
DECK = {card: (4 if card == 10 else 1) / 13 for card in range(1, 11)}


def total(cards):
    hard = sum(cards)
    return hard + 10 if 1 in cards and hard <= 11 else hard


def is_natural(cards):
    return sorted(cards) == [1, 10]


class PlainBlackjack:
    """One player, the house, an infinite deck. A hand is its cards, its stake and whether it is done."""

    def __init__(self, start="", rounds=10, natural="3:2", **allowed):
        self.rounds, self.pays = rounds, 1.5 if natural == "3:2" else 1.0
        self.allowed = {
            "double": True, "split": True, "surrender": True, "insurance": True, "peek": True,
            "hit_soft_17": False, **allowed,
        }  # fmt: skip
        self.round, self.won = 0, 0.0
        self.deal()

    def deal(self):
        self.hands, self.at, self.dealer = [{"cards": [], "stake": 1, "done": False}], 0, []
        self.insured = self.peeked = self.asked = self.surrendered = False
        self.player = CHANCE

    @property
    def hand(self):
        return self.hands[self.at]

    # ---- what may happen ----

    def legal(self):
        if not self.asked and self.may_insure():
            return [INSURANCE, NO_INSURANCE]
        cards, actions = self.hand["cards"], [HIT, STAND]
        if len(cards) == 2:
            if self.allowed["double"]:
                actions.append(DOUBLE)
            if self.allowed["split"] and cards[0] == cards[1] and len(self.hands) < 4:
                actions.append(SPLIT)
            if self.allowed["surrender"] and len(self.hands) == 1:
                actions.append(SURRENDER)
        return actions

    def may_insure(self):
        return self.allowed["insurance"] and self.dealer == [1]

    def chances(self):
        if self.waiting == "peek":
            hit = DECK[10] if self.dealer == [1] else DECK[1]
            return {NO_NATURAL: 1 - hit, NATURAL: hit}
        deck = dict(DECK)
        if self.waiting == "dealer" and len(self.dealer) == 1 and self.peeked:
            del deck[11 - self.dealer[0]]
        whole = sum(deck.values())
        return {card - 1: weight / whole for card, weight in deck.items()}

    @property
    def waiting(self):
        """What nature does next."""
        cards = self.hands[0]["cards"]
        if len(self.hands) == 1 and len(cards) < 2 and not self.hand["done"]:
            return "dealer's first" if len(cards) == 1 and not self.dealer else "player"
        if self.must_peek():
            return "peek"
        return "player" if self.at < len(self.hands) else "dealer"

    def must_peek(self):
        return self.allowed["peek"] and not self.peeked and self.dealer in ([1], [10])

    # ---- what happens ----

    def apply(self, action):
        if self.player == CHANCE:
            self.nature(action)
        elif action in (INSURANCE, NO_INSURANCE):
            self.asked, self.insured = True, action == INSURANCE
            self.after_the_deal()
        else:
            self.act(action)

    def nature(self, outcome):
        waiting = self.waiting
        if waiting == "peek":
            self.peeked = True
            if outcome == NATURAL:
                self.dealer.append(11 - self.dealer[0])
                self.settle()
            else:
                self.after_the_deal()
        elif waiting == "dealer's first":
            self.dealer.append(outcome + 1)
        elif waiting == "dealer":
            self.dealer.append(outcome + 1)
            self.house()
        else:
            first = len(self.hands) == 1 and len(self.hand["cards"]) < 2
            self.hand["cards"].append(outcome + 1)
            if first and len(self.hand["cards"]) == 2:
                self.after_the_deal()
            elif not first:
                self.on_with_the_hand()

    def after_the_deal(self):
        """Two cards against one: the insurance, the peek, naturals."""
        if not self.asked and self.may_insure():
            self.player = 0
        elif self.must_peek():
            self.player = CHANCE
        elif is_natural(self.hand["cards"]):
            self.hand["done"] = True
            self.at = 1
            self.house()
        else:
            self.player = 0

    def act(self, action):
        hand = self.hand
        if action == STAND:
            hand["done"] = True
        elif action == DOUBLE:
            hand["stake"], hand["done"] = 2, True
            self.player = CHANCE
            return
        elif action == SPLIT:
            card = hand["cards"].pop()
            self.hands.insert(self.at + 1, {"cards": [card], "stake": 1, "done": False})
        elif action == SURRENDER:
            self.surrendered = hand["done"] = True
            self.at = 1
            self.house()
            return
        else:
            self.player = CHANCE
            return
        self.on_with_the_hand()

    def on_with_the_hand(self):
        while self.at < len(self.hands):
            hand = self.hand
            if len(hand["cards"]) == 1:
                self.player = CHANCE
                return
            split_aces = len(self.hands) > 1 and hand["cards"][0] == 1
            if not hand["done"] and total(hand["cards"]) < 21 and not split_aces:
                self.player = 0
                return
            hand["done"] = True
            self.at += 1
        self.house()

    def house(self):
        """The dealer draws where it matters, then all is settled."""
        live = [h for h in self.hands if total(h["cards"]) <= 21] if not self.surrendered else []
        if len(self.dealer) == 1:
            could_be_natural = self.dealer[0] in (1, 10) and not self.peeked
            natural = len(self.hands) == 1 and is_natural(self.hands[0]["cards"])
            needs = (self.insured and not self.peeked) or (could_be_natural if natural else bool(live))
            if needs:
                self.player = CHANCE
                return
        elif live and not (len(self.hands) == 1 and is_natural(self.hands[0]["cards"])):
            points = total(self.dealer)
            soft = points != sum(self.dealer)
            if points < 17 or (points == 17 and soft and self.allowed["hit_soft_17"]):
                self.player = CHANCE
                return
        self.settle()

    def settle(self):
        house_natural = is_natural(self.dealer)
        if self.insured:
            self.won += 1 if house_natural else -0.5
        for hand in self.hands:
            self.won += self.gain(hand, house_natural)
        self.round += 1
        if self.round == self.rounds:
            self.player = TERMINAL
        else:
            self.deal()

    def gain(self, hand, house_natural):
        if self.surrendered:
            return -0.5
        own, house = total(hand["cards"]), total(self.dealer)
        if len(self.hands) == 1 and is_natural(hand["cards"]):
            return 0 if house_natural else self.pays
        if own > 21 or house_natural:
            return -hand["stake"]
        if house > 21 or own > house:
            return hand["stake"]
        return 0 if own == house else -hand["stake"]

    def scores(self):
        return [self.won]
