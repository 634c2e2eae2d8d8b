"""Blackjack's basic strategy, by dynamic programming over the chosen rules.

With an infinite deck the hands of a split are independent, except that there are at most four of them. So a
position is a total (soft or not) against the dealer's card, and a split is a number of hands that still wait
for their second card.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.games.blackjack import ACTIONS, INSURANCE, MAX_HANDS, Blackjack, Hand
from boardlab.games.game import Game, State
from boardlab.search.agent import Decision, python_agent
from boardlab.search.spec import SearchSpec

HIT, STAND, DOUBLE, SPLIT, SURRENDER, INSURE, DECLINE = range(len(ACTIONS))
ACE, TEN = 1, 10
CARDS = {card: (4 if card == TEN else 1) / 13 for card in range(ACE, TEN + 1)}
"""Probability of each card."""
NATURAL, BUST = "natural", "bust"


def add(total: int, soft: bool, card: int) -> tuple[int, bool]:
    """Return a hand's total after one more card, and whether an ace counts eleven."""
    total, soft_aces = total + card, int(soft)
    if card == ACE and total + 10 <= 21:
        total, soft_aces = total + 10, soft_aces + 1
    while total > 21 and soft_aces:
        total, soft_aces = total - 10, soft_aces - 1
    return total, soft_aces > 0


class BasicStrategy:
    """Expected returns, in stakes, of every decision against one dealer's card."""

    def __init__(self, rules: Blackjack, up: int) -> None:
        self.rules, self.up = rules, up
        completing = {ACE: TEN, TEN: ACE}.get(up)
        self.natural_chance = CARDS[completing] if completing else 0.0
        """Probability that the dealer has a natural, before the peek."""
        self.dealer = self._dealer(completing)
        self._stand: dict[int, float] = {}
        self._go_on: dict[tuple[int, bool], float] = {}
        self._waiting: dict[tuple[int, int, int], float] = {}

    def _dealer(self, completing: int | None) -> dict[int | str, float]:
        """Return how the dealer ends; with a natural only if the dealer did not peek."""
        ends: dict[int | str, float] = {}

        def draw(total: int, soft: bool, cards: int, chance: float) -> None:
            if cards == 2 and total == 21:
                ends[NATURAL] = ends.get(NATURAL, 0.0) + chance
                return
            if total > 17 or (total == 17 and not (soft and self.rules.hit_soft_17)):
                end: int | str = BUST if total > 21 else total
                ends[end] = ends.get(end, 0.0) + chance
                return
            for card, probability in CARDS.items():
                draw(*add(total, soft, card), cards + 1, chance * probability)

        for hole, probability in CARDS.items():
            if self.rules.peek and hole == completing:
                continue
            possible = 1 - self.natural_chance if self.rules.peek else 1.0
            draw(*add(*add(0, False, self.up), hole), 2, probability / possible)
        return ends

    def stand(self, total: int) -> float:
        """Return the expected return of a hand that stays at `total`."""
        if total > 21:
            return -1.0
        if total not in self._stand:
            self._stand[total] = sum(
                chance
                * (1 if end == BUST else -1 if end == NATURAL or total < int(end) else total > int(end))
                for end, chance in self.dealer.items()
            )
        return self._stand[total]

    def hit(self, total: int, soft: bool) -> float:
        """Return the expected return of one more card and best play after it."""
        return sum(p * self.go_on(*add(total, soft, card)) for card, p in CARDS.items())

    def go_on(self, total: int, soft: bool) -> float:
        """Return the best of hit and stand."""
        if total >= 21:
            return self.stand(total)
        if (total, soft) not in self._go_on:
            self._go_on[total, soft] = max(self.stand(total), self.hit(total, soft))
        return self._go_on[total, soft]

    def double(self, total: int, soft: bool) -> float:
        """Return the expected return of a doubled stake and exactly one more card."""
        return 2 * sum(p * self.stand(add(total, soft, card)[0]) for card, p in CARDS.items())

    def two_cards(self, total: int, soft: bool) -> float:
        """Return the best play of two cards without splitting and surrender."""
        best = self.go_on(total, soft)
        return max(best, self.double(total, soft)) if self.rules.double and total < 21 else best

    def waiting(self, card: int, count: int, hands: int) -> float:
        """Return the value of `count` hands that wait for a card, of `hands` in all."""
        if count == 0:
            return 0.0
        key = (card, count, hands)
        if key not in self._waiting:
            self._waiting[key] = self._next_hand(*key)
        return self._waiting[key]

    def _next_hand(self, card: int, count: int, hands: int) -> float:
        start = add(0, False, card)
        if card == ACE:  # one card each
            return count * sum(p * self.stand(add(*start, drawn)[0]) for drawn, p in CARDS.items())
        total = 0.0
        for drawn, probability in CARDS.items():
            best = self.two_cards(*add(*start, drawn)) + self.waiting(card, count - 1, hands)
            if drawn == card and hands < MAX_HANDS:
                best = max(best, self.waiting(card, count + 1, hands + 1))
            total += probability * best
        return total

    def decision(self, hand: Hand, hands: int, waiting: int, card: int) -> dict[int, float]:
        """Return the value of each action, including the hands that wait with one `card`."""
        total, soft = hand.total, hand.is_soft
        behind = self.waiting(card, waiting, hands)
        values = {HIT: self.hit(total, soft) + behind, STAND: self.stand(total) + behind}
        if len(hand.cards) == 2:
            if self.rules.double:
                values[DOUBLE] = self.double(total, soft) + behind
            if self.rules.split and hand.cards[0] == hand.cards[1] and hands < MAX_HANDS:
                values[SPLIT] = self.waiting(hand.cards[0], waiting + 2, hands + 1)
            if self.rules.surrender and hands == 1:
                values[SURRENDER] = -0.5
        return values

    def deal(self, first: int, second: int) -> float:
        """Return the expected return of a round that began with these two cards."""
        total, _ = add(*add(0, False, first), second)
        insurance = max(0.0, self.insurance()) if self.rules.insurance and self.up == ACE else 0.0
        if total == 21:
            return insurance + (1 - self.natural_chance) * (1.5 if self.rules.natural == "3:2" else 1.0)
        played = max(self.decision(Hand([first, second], [0, 0, 0]), 1, 0, first).values())
        if self.rules.peek:
            played = -self.natural_chance + (1 - self.natural_chance) * played
        return insurance + played

    def insurance(self) -> float:
        """Return the expected return of half a stake at 2:1 on the dealer's natural."""
        return self.natural_chance - 0.5 * (1 - self.natural_chance)


@functools.lru_cache(maxsize=64)
def basic_strategy(rules: Blackjack, up: int) -> BasicStrategy:
    """Return the strategy against one dealer's card."""
    return BasicStrategy(rules, up)


@functools.lru_cache(maxsize=64)
def round_return(rules: Blackjack) -> float:
    """Return the expected return of a round under best play."""
    return sum(
        p * q * r * basic_strategy(rules, up).deal(first, second)
        for first, p in CARDS.items()
        for up, q in CARDS.items()
        for second, r in CARDS.items()
    )


def action_values(state: State) -> dict[int, float]:
    """Return the expected final score after each legal action, under best play."""
    rules = state.game.rules
    assert isinstance(rules, Blackjack)
    fields = state.fields
    number, phase, insured, current = fields[0], fields[2], fields[3], fields[6]
    strategy = basic_strategy(rules, rules.dealer(state).cards[0])
    hands = rules.hands(state)
    sure = float(state.scores[0]) + (rules.rounds - 1 - number) * round_return(rules)
    if phase == INSURANCE:
        play = strategy.deal(*hands[0].cards) - max(0.0, strategy.insurance())
        return {INSURE: sure + play + strategy.insurance(), DECLINE: sure + play}
    if insured:
        sure += -0.5 if rules.peek else strategy.insurance()
    for hand in hands[:current]:
        stake = 2 if hand.flags[0] else 1
        sure += -0.5 if hand.flags[1] else stake * strategy.stand(hand.total)
    behind = hands[current + 1 :]
    own = strategy.decision(hands[current], len(hands), len(behind), hands[-1].cards[0])
    return {action: sure + value for action, value in own.items()}


def best_actions(values: Mapping[int, float]) -> list[int]:
    """Return the actions of the highest value, up to rounding."""
    best = max(values.values())
    return sorted(action for action, value in values.items() if value > best - 1e-9)


@dataclass(frozen=True)
class Basic(SearchSpec):
    """Blackjack's basic strategy, computed for the chosen rules: perfect play."""

    name = "basic"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Make the engine's search for this game."""
        if not isinstance(game.rules, Blackjack):
            raise BoardLabError(f"basic plays blackjack, not {game!r}")

        def choose(state: State) -> Decision:
            values = action_values(state)
            action = best_actions(values)[0]
            return Decision(action, {action: 1.0}, values)

        return python_agent(game, choose, self.name).core
