"""Leduc poker: text, names and drawing.

Fields: the round (from 0), what player 0 has won in finished rounds, who acted last (-1: nobody yet), the
cards of the two players and the common card (0 none, 1 .. 6, 7 face down), the betting of both streets as
numbers of `SEQUENCES`.
"""

import re
from dataclasses import dataclass

from boardlab.errors import BoardLabError
from boardlab.games.cards import TERMINAL_COLOURS
from boardlab.games.drawing import Canvas
from boardlab.games.duels import PokerDuel, Seat
from boardlab.games.game import State
from boardlab.options import option

CARDS = ("--", "Js", "Jh", "Qs", "Qh", "Ks", "Kh", "??")
FOLD, CALL, RAISE = range(3)
SEQUENCES = (
    "", "c", "r", "cc", "cr", "rf", "rc", "rr", "crf", "crc", "crr", "rrf", "rrc", "crrf", "crrc"
)  # fmt: skip
"""All the betting of a street, as the engine numbers it: f folds, c calls or checks, r raises or bets."""
ANTE, STAKES = 1, (2, 4)


@dataclass(frozen=True)
class LeducPoker(PokerDuel):
    """Six cards, a common card, two streets of betting with at most two raises each."""

    rounds: int = option(1, "rounds per game; the first player alternates", low=1, high=1000)

    name = "leducpoker"
    lengths = ("rounds",)
    summary = "poker with six cards and a common one: the yardstick of methods for hidden cards"
    colours = TERMINAL_COLOURS
    variants = ({}, {"rounds": 2}, {"rounds": 5})
    truths = "one round is worth -0.0856064 to the first player; it has 936 information sets"

    def to_text(self, state: State) -> str:
        """Write round, cards, betting and who moves; `??` is a hidden card."""
        number, won, last, *cards, first, second = state.fields
        head = f"round {number + 1} of {self.rounds}, player 0 has won {won}"
        if not first and last >= 0:
            head += f", player {last} acted last"
        shown = [CARDS[card] for card in cards]
        streets = " / ".join(" ".join(street_words(SEQUENCES[s])) or "none" for s in (first, second))
        dealt = f"cards: {shown[0]} {shown[1]}, common: {shown[2]}"
        return "\n".join((head, dealt, f"betting: {streets}", self.status_text(state)))

    def fields_from_text(self, text: str) -> list[int]:
        """Read what `to_text` wrote."""
        head = re.search(r"round (\d{1,4}) of \d+, player 0 has won (-?\d{1,6})", text)
        cards = re.search(r"cards: (\S\S) (\S\S), common: (\S\S)", text)
        betting = re.search(r"betting: ([a-z ]+) / ([a-z ]+)", text)
        if not head or not cards or not betting or not all(card in CARDS for card in cards.groups()):
            raise BoardLabError(
                f'{self.name}: expected "round 1 of 1, player 0 has won 0", "cards: Ks Qh, common: --" and '
                '"betting: check bet / none"'
            )
        streets = [self._read_street(words) for words in betting.groups()]
        number = int(head[1]) - 1
        before = re.search(r"player ([01]) acted last", text)
        played = SEQUENCES[streets[1] or streets[0]]
        last = (number + len(played) - 1) % 2 if played else int(before[1]) if before else -1
        return [number, int(head[2]), last, *map(CARDS.index, cards.groups()), *streets]

    def _read_street(self, words: str) -> int:
        """Return the number of a street's betting."""
        played = "" if words.strip() == "none" else "".join(_LETTERS.get(w, "?") for w in words.split())
        if played not in SEQUENCES:
            raise BoardLabError(f'{self.name}: "{words.strip()}" is not the betting of a street')
        return SEQUENCES.index(played)

    def action_text(self, state: State, action: int) -> str:
        """Name the action: fold; check or call; bet or raise."""
        *_, common, first, second = state.fields
        return street_words(SEQUENCES[second if common else first] + "fcr"[action])[-1]

    def chance_text(self, state: State, outcome: int) -> str:
        """Name the dealt card."""
        return CARDS[outcome + 1]

    def draw_board(self, state: State) -> Canvas:
        """Draw the table with the cards, what was paid and the betting."""
        number, _, _, *cards, first, second = state.fields
        streets = SEQUENCES[first], SEQUENCES[second]
        begins = number % 2
        winner = _winner(cards, streets, begins) if state.round_over or state.is_terminal else None
        last = (begins + len(streets[1] or streets[0]) - 1) % 2 if first else None

        def seat(player: int) -> Seat:
            place = (player - begins) % 2
            said = [", ".join(street_words(street)[place::2]) for street in streets if street]
            return Seat(
                card=CARDS[cards[player]],
                paid=paid_chips(streets, place),
                words=" / ".join(filter(None, said)),
                has_won=winner == player,
                acted_last=last == player,
            )

        return self.draw_table(state, (seat(0), seat(1)), CARDS[cards[2]])


def _winner(cards: list[int], streets: tuple[str, str], begins: int) -> int | None:
    """Return who took the pot of a finished round; None if it was split or a hidden card decides."""
    for street in streets:
        if street.endswith("f"):
            return (begins + len(street)) % 2  # not who acted last
    if not all(1 <= card <= 6 for card in cards):
        return None
    ranks = [(card - 1) // 2 for card in cards]
    strength = [(rank == ranks[2], rank) for rank in ranks[:2]]
    return None if strength[0] == strength[1] else int(strength[1] > strength[0])


_LETTERS = {"fold": "f", "check": "c", "call": "c", "bet": "r", "raise": "r"}


def street_words(played: str) -> list[str]:
    """Name the actions of a street: check, bet, call, raise, fold."""
    words = []
    for i, letter in enumerate(played):
        facing = "r" in played[:i]
        words.append(
            {"f": "fold", "c": "call" if facing else "check", "r": "raise" if facing else "bet"}[letter]
        )
    return words


def paid_chips(streets: tuple[str, str], seat: int) -> int:
    """Return what a seat (0 begins) has paid: the ante and its bets."""
    paid = ANTE
    for played, stake in zip(streets, STAKES, strict=True):
        bets = [0, 0]
        for i, letter in enumerate(played):
            if letter != "f":
                bets[i % 2] = max(bets) + (letter == "r")
        paid += stake * bets[seat]
    return paid
