"""Blackjack: text, names and drawing.

Fields: the round (from 0), half stakes won, the phase (see `PHASES`), insured, peeked (the dealer looked and
had no natural), the number of hands, the hand in play, whether the player has acted in this game; then the
dealer and four hands: number of cards, doubled, surrendered, done, 20 cards (1 ace .. 10, 0 none).
"""

import re
from dataclasses import dataclass

from boardlab.errors import BoardLabError
from boardlab.games.cards import (
    CARD_WIDTH,
    FELT_INK,
    FELT_MARK,
    SUITS,
    draw_back,
    draw_card,
    draw_chips,
    draw_felt,
    draw_place,
)
from boardlab.games.drawing import Canvas
from boardlab.games.game import State
from boardlab.games.history import Event
from boardlab.games.rules import Rules
from boardlab.options import option

ACTIONS = ("hit", "stand", "double", "split", "surrender", "insurance", "no insurance")
PHASES = (
    "the player's first card comes",
    "the dealer's card comes",
    "the player's second card comes",
    "insurance or not?",
    "the dealer peeks",
    "player to move",
    "a card for the hand in play comes",
    "the dealer draws",
    "round over",
)
INSURANCE, PLAY, DRAW, DEALER, OVER = 3, 5, 6, 7, 8
NO_NATURAL, NATURAL = 10, 11
HEAD, MAX_CARDS, MAX_HANDS = 8, 20, 4
FLAGS = ("doubled", "surrendered", "done")


@dataclass(frozen=True)
class Hand:
    """The cards of the dealer or of one of the player's hands."""

    cards: list[int]
    flags: list[int]
    """Flags: doubled, surrendered, done."""

    @property
    def total(self) -> int:
        """Points; an ace counts eleven unless that busts."""
        return sum(self.cards) + (10 if self.is_soft else 0)

    @property
    def is_soft(self) -> bool:
        """Whether an ace counts eleven."""
        return 1 in self.cards and sum(self.cards) <= 11

    @property
    def points(self) -> str:
        """The total in words: "soft 17", "20" or "bust 24"."""
        return ("soft " if self.is_soft else "bust " if self.total > 21 else "") + str(self.total)


@dataclass(frozen=True)
class Blackjack(Rules):
    """One player against the house, infinite deck."""

    rounds: int = option(10, "rounds of a game, one stake each", low=1, high=10000)
    natural: str = option("3:2", "payout of a natural", choices=("3:2", "1:1"))
    double: bool = option(True, "the player may double the stake on two cards, also after a split")
    split: bool = option(
        True, "the player may split equal cards into up to four hands; aces get one card each"
    )
    surrender: bool = option(True, "the player may give up the first two cards for half the stake")
    insurance: bool = option(True, "the player may bet half a stake at 2:1 that a dealer's ace is a natural")
    peek: bool = option(True, "the dealer looks for a natural under an ace or a ten before play")
    hit_soft_17: bool = option(False, "the dealer draws on a soft 17 instead of standing")

    name = "blackjack"
    summary = "beat the house to 21: hit, stand, double, split, surrender, insurance"
    colours = (
        (r"(?<=: ).*(?= \()", "bold cyan"),  # the cards
        (r"\(bust \d+\)", "bold red"),
        (r"\((?:21|blackjack).*?\)", "bold green"),
        (r"\bin play\b", "bold"),
    )
    variants = (
        {},
        {"rounds": 1, "double": False, "split": False, "surrender": False, "insurance": False},
        {"rounds": 2, "peek": False},
        {"rounds": 3, "natural": "1:1", "hit_soft_17": True},
        {"rounds": 2, "peek": False, "insurance": False, "surrender": False},
    )
    truths = (
        "expected return of a round under best play: hit and stand only, natural 3:2: -0.02421; "
        "natural 1:1: -0.04676; with double, no split, no peek, natural 3:2: -0.01168"
    )

    def variant_summary(self) -> str:
        """Name the allowed actions."""
        asked = [name for name in ("double", "split", "surrender", "insurance") if getattr(self, name)]
        return "beat the house to 21: " + ", ".join(["hit", "stand", *asked])

    def dealer(self, state: State) -> Hand:
        """Return the dealer's cards, the face-up one first."""
        return _hand(state.fields, 0)

    def hands(self, state: State) -> list[Hand]:
        """Return the player's hands."""
        fields = state.fields
        return [_hand(fields, 1 + i) for i in range(fields[5])]

    def to_text(self, state: State) -> str:
        """Write the dealer, the hands, and who acts."""
        number, won, phase, insured, peeked, _, current, acted = state.fields[:HEAD]
        lines = [
            f"round {number + 1} of {self.rounds}, won {won / 2:+g}" + ("" if acted else ", no action yet")
        ]
        dealer = self.dealer(state)
        lines.append(_hand_line("dealer", dealer) + (", no natural" if peeked else ""))
        for i, hand in enumerate(self.hands(state)):
            words = [word for word, flag in zip(FLAGS, hand.flags, strict=True) if flag]
            if i == current and phase < DEALER:
                words.append("in play")
            lines.append(", ".join([_hand_line(f"hand {i + 1}", hand), *words]))
        if insured:
            lines.append("insured")
        return "\n".join([*lines, "game over" if state.is_terminal else PHASES[phase]])

    def fields_from_text(self, text: str) -> list[int]:
        """Read what `to_text` wrote."""
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        head = re.search(r"round (\d{1,5}) of \d+, won ([+-]\d{1,6}(?:\.\d)?)", text)
        dealer = re.search(r"^dealer: (.*)$", text, re.M)
        hands = re.findall(r"^hand \d: (.*)$", text, re.M)
        last = {"game over": OVER} | {words: i for i, words in enumerate(PHASES)}
        if not head or not dealer or not 1 <= len(hands) <= MAX_HANDS or lines[-1] not in last:
            raise BoardLabError(
                f'{self.name}: expected "round 1 of 1, won +0", "dealer: 6", "hand 1: 10 5, in play" and '
                f'a last line such as "{PHASES[PLAY]}"'
            )
        current = next((i for i, words in enumerate(hands) if "in play" in words), len(hands) - 1)
        fields = [
            int(head[1]) - 1,
            round(2 * float(head[2])),
            last[lines[-1]],
            int("insured" in lines),
        ]
        fields += [
            int("no natural" in dealer[1]),
            len(hands),
            current,
            int("no action yet" not in text),
        ]
        for words in [dealer[1], *hands]:
            fields += self._hand_fields(words)
        return fields + [0] * (4 + MAX_CARDS) * (MAX_HANDS - len(hands))

    def _hand_fields(self, line: str) -> list[int]:
        names, *words = line.split(",")
        cards = []
        for name in re.sub(r"\(.*\)", "", names).split():
            if name == "-":
                continue
            value = 1 if name == "A" else int(name) if name.isdigit() and len(name) < 3 else 0
            if not 1 <= value <= 10:
                raise BoardLabError(f'{self.name}: "{name}" is not a card; cards are A, 2 .. 9, 10')
            cards.append(value)
        if len(cards) > MAX_CARDS:
            raise BoardLabError(f"{self.name}: a hand can have at most {MAX_CARDS} cards")
        known = [word.strip() for word in words]
        flags = [int(flag in known) for flag in FLAGS]
        return [len(cards), *flags, *cards, *[0] * (MAX_CARDS - len(cards))]

    def action_text(self, state: State, action: int) -> str:
        """Name the action: hit, stand, double, split, surrender, insurance, no insurance."""
        return ACTIONS[action]

    def chance_text(self, state: State, outcome: int) -> str:
        """Name the card, or the result of the peek."""
        if outcome in (NO_NATURAL, NATURAL):
            return "the dealer has " + ("a natural" if outcome == NATURAL else "no natural")
        return value_name(outcome + 1)

    def player_name(self, player: int) -> str:
        """Name the only player."""
        return "player"

    def status_text(self, state: State) -> str:
        """Write round, winnings and who acts."""
        number, won, phase = state.fields[:3]
        if state.is_terminal:
            return f"game over, won {won / 2:+g}"
        return f"round {number + 1} of {self.rounds}, won {won / 2:+g}: {PHASES[phase]}"

    def draw_last(self, canvas: Canvas, state: State, event: Event) -> bool:
        """Cards show themselves; the player's action is told in words."""
        return event.player < 0

    def draw_board(self, state: State) -> Canvas:
        """Draw the dealer above the hands. Suits are decoration: the game has none."""
        _, _, phase, insured, peeked, _, current, _ = state.fields[:HEAD]
        dealer, hands = self.dealer(state), self.hands(state)
        widths = [max(_fan_width(hand), 96.0) for hand in hands]
        canvas = Canvas(max(380, 60 + sum(widths) + 24 * (len(hands) - 1), 120 + _fan_width(dealer)), 280)
        draw_felt(canvas)
        middle = canvas.width / 2
        words = dealer.points if dealer.cards else ""
        if peeked and len(dealer.cards) == 1:
            words += ", no natural"
        canvas.text(middle, 30, f"dealer  {words}", size=13, fill=FELT_INK)
        hole = 1 if len(dealer.cards) == 1 and phase >= INSURANCE else 0
        _draw_fan(canvas, middle, 75, dealer, 0, hole=bool(hole))
        x = middle - (sum(widths) + 24 * (len(hands) - 1)) / 2
        for i, (hand, width) in enumerate(zip(hands, widths, strict=True)):
            centre = x + width / 2
            is_current = i == current and phase in (INSURANCE, PLAY, DRAW)
            _draw_fan(canvas, centre, 175, hand, i + 1)
            label = hand.points if hand.cards else "player"
            label += "".join(f", {word}" for word, flag in zip(FLAGS[:2], hand.flags, strict=False) if flag)
            weight, fill = ("bold", FELT_MARK) if is_current else ("normal", FELT_INK)
            canvas.text(centre, 220, label, size=13, fill=fill, weight=weight, most=width + 20)
            draw_chips(canvas, centre + 6, 246, 2 if hand.flags[0] else 1)
            x += width + 24
        if insured:
            canvas.text(middle, 124, "insured", size=12, fill=FELT_INK)
        return canvas


def value_name(value: int) -> str:
    """Return `A`, `2` .. `10`."""
    return "A" if value == 1 else str(value)


def _hand(fields: list[int], index: int) -> Hand:
    at = HEAD + index * (4 + MAX_CARDS)
    return Hand(fields[at + 4 : at + 4 + fields[at]], fields[at + 1 : at + 4])


def _hand_line(name: str, hand: Hand) -> str:
    cards = " ".join(value_name(card) for card in hand.cards) or "-"
    return f"{name}: {cards}" + (f" ({hand.points})" if hand.cards else "")


def _fan_width(hand: Hand) -> float:
    return CARD_WIDTH + 26.0 * max(len(hand.cards) - 1, 1)


def _draw_fan(canvas: Canvas, x: float, y: float, hand: Hand, seat: int, *, hole: bool = False) -> None:
    left = x - (CARD_WIDTH / 2 + 2 if hole else (_fan_width(hand) - CARD_WIDTH) / 2)
    if not hand.cards:
        draw_place(canvas, x, y)
    for i, card in enumerate(hand.cards):
        draw_card(canvas, left + 26 * i, y, value_name(card), SUITS[(seat + 3 * i + card) % 4])
    if hole:
        draw_back(canvas, left + CARD_WIDTH + 4, y)
