from collections import Counter
from itertools import combinations

from oracles.rules.plain import CHANCE, TERMINAL

FOLD, CHECK, BET, CALL, RAISE, ALL_IN = range(6)
STREETS = (0, 3, 4, 5)
"""Common cards before the flop, on the flop, the turn and the river."""


def rank_of_five(cards):
    """Category and the ranks that break ties: larger is better."""
    ranks = sorted((card // 4 for card in cards), reverse=True)
    flush = len({card % 4 for card in cards}) == 1
    by_count = sorted(Counter(ranks).items(), key=lambda item: (-item[1], -item[0]))
    counts, order = [n for _, n in by_count], [rank for rank, _ in by_count]
    if ranks == [12, 3, 2, 1, 0]:  # the ace below the two
        straight, order = True, [3]
    else:
        straight = len(set(ranks)) == 5 and ranks[0] - ranks[4] == 4
        order = [ranks[0]] if straight else order
    if straight and flush:
        return 8, order
    if counts == [4, 1]:
        return 7, order
    if counts == [3, 2]:
        return 6, order
    if flush:
        return 5, order
    if straight:
        return 4, order
    return {(3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(tuple(counts), 0), order


def strength(cards):
    return max(rank_of_five(five) for five in combinations(cards, 5))


class PlainPoker:
    """Texas hold'em, hand after hand."""

    def __init__(self, start="", players=2, chips=100, small_blind=5, raise_cap=4, rounds=10):
        self.players, self.chips, self.small, self.big = players, chips, small_blind, 2 * small_blind
        self.cap, self.rounds, self.round = raise_cap, rounds, 0
        self.stacks = [chips] * players
        self.begin(0 if players == 2 else players - 3)

    def left_of(self, seat):
        """All who are in this hand, from the left of a seat on."""
        order = [(seat + 1 + i) % self.players for i in range(self.players)]
        return [p for p in order if p in self.seats]

    def begin(self, button):
        self.button, self.before = button, list(self.stacks)
        self.seats = [p for p in range(self.players) if self.stacks[p] > 0]
        self.bets, self.paid = [0] * self.players, [0] * self.players
        order = self.left_of(button)
        small, big = (button, order[0]) if len(self.seats) == 2 else order[:2]
        self.pay(small, min(self.small, self.stacks[small]))
        self.pay(big, min(self.big, self.stacks[big]))
        self.match, self.raises = self.big, 1
        self.holes, self.board, self.folded, self.street = {p: [] for p in self.seats}, [], set(), 0
        self.to_act = self.left_of(big)  # the big blind acts last
        self.player = CHANCE

    def pay(self, player, chips):
        self.stacks[player] -= chips
        self.bets[player] += chips
        self.paid[player] += chips

    # ---- what may happen ----

    def live(self):
        return [p for p in self.seats if p not in self.folded]

    def legal(self):
        me = self.player
        stack, call = self.stacks[me], self.match - self.bets[me]
        others = any(self.stacks[p] for p in self.live() if p != me)
        may_raise = self.raises < self.cap and others
        actions = [FOLD] if call else [CHECK]
        if not self.match and may_raise and stack > self.big:
            actions.append(BET)
        if call and stack > call:
            actions.append(CALL)
        if self.match and may_raise and stack > call + self.big:
            actions.append(RAISE)
        if stack <= call or may_raise:
            actions.append(ALL_IN)
        return actions

    def chances(self):
        gone = {card for hole in self.holes.values() for card in hole} | set(self.board)
        return {card: 1 / (52 - len(gone)) for card in range(52) if card not in gone}

    # ---- what happens ----

    def apply(self, action):
        if self.player == CHANCE:
            self.card(action)
        else:
            self.act(action)

    def card(self, card):
        hidden = [p for _ in range(2) for p in self.left_of(self.button)]
        dealt = sum(map(len, self.holes.values()))
        if dealt < len(hidden):
            self.holes[hidden[dealt]].append(card)
            if dealt + 1 == len(hidden):
                self.next_player()
            return
        self.board.append(card)
        if len(self.board) == STREETS[self.street]:
            self.next_player()

    def act(self, action):
        me = self.player
        self.to_act = [p for p in self.to_act if p != me]
        if action == FOLD:
            self.folded.add(me)
        elif action == CALL:
            self.pay(me, self.match - self.bets[me])
        elif action == BET:
            self.pay(me, self.big)
        elif action == RAISE:
            self.pay(me, self.match + self.big - self.bets[me])
        elif action == ALL_IN:
            self.pay(me, self.stacks[me])
        if self.bets[me] > self.match:
            self.match = self.bets[me]
            self.raises += 1
            self.to_act = [p for p in self.left_of(me) if p != me and p not in self.folded]
        self.next_player()

    def next_player(self):
        """Who decides next, or the next street, or the end of the hand."""
        if len(self.live()) == 1:
            self.settle()
            return
        able = [p for p in self.live() if self.stacks[p]]
        for player in self.to_act:
            if player in able and not self.nothing_to_decide(player, able):
                self.player = player
                return
        if self.street == 3:
            self.settle()
            return
        self.street += 1
        self.bets, self.match, self.raises = [0] * self.players, 0, 0
        self.to_act = [p for p in self.left_of(self.button) if p not in self.folded]
        self.player = CHANCE

    def nothing_to_decide(self, player, able):
        """All others are all-in, and none of them for more than the player has bet."""
        return able == [player] and self.bets[player] >= max(self.bets[p] for p in self.live() if p != player)

    def settle(self):
        live = self.live()
        ranks = {p: strength(self.holes[p] + self.board) for p in live} if len(live) > 1 else {live[0]: 0}
        below = 0
        for level in sorted({self.paid[p] for p in live}):
            pot = sum(min(paid, level) - min(paid, below) for paid in self.paid)
            in_it = [p for p in live if self.paid[p] >= level]
            best = max(ranks[p] for p in in_it)
            winners = [p for p in self.left_of(self.button) if p in in_it and ranks[p] == best]
            for number, winner in enumerate(winners):
                self.stacks[winner] += pot // len(winners) + (number < pot % len(winners))
            below = level
        # What a player who folded had paid above all who did not goes to the last pot's winners.
        rest = sum(max(paid - below, 0) for paid in self.paid)
        assert rest == 0, "nobody folds a bet that nobody has to match"
        self.round += 1
        if self.round == self.rounds or max(self.stacks) == self.players * self.chips:
            self.before = list(self.stacks)
            self.player = TERMINAL
        else:
            nxt = next(
                p
                for p in ((self.button + 1 + i) % self.players for i in range(self.players))
                if self.stacks[p]
            )
            self.begin(nxt)

    def scores(self):
        return [before - self.chips for before in self.before]
