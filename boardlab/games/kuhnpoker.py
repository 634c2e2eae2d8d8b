"""Kuhn poker: text, names and drawing.

Fields: the round (from 0), what player 0 has won in finished rounds, who acted last (-1: nobody yet), the
cards of the two players (0 none, 1 jack, 2 queen, 3 king, 4 face down), the number of actions in this round,
the actions.
"""

import re
from dataclasses import dataclass

from boardlab.errors import BoardLabError
from boardlab.games.drawing import Canvas
from boardlab.games.duels import PokerDuel, Seat
from boardlab.games.game import State
from boardlab.options import option

CARDS = "-JQK?"
PASS, BET = 0, 1


@dataclass(frozen=True)
class KuhnPoker(PokerDuel):
    """Jack, queen, king: one card each, ante 1, one bet of 1."""

    rounds: int = option(1, "rounds per game; the first player alternates", low=1, high=1000)

    name = "kuhnpoker"
    lengths = ("rounds",)
    summary = "poker with three cards: the smallest game that needs bluffing"
    colours = (
        (r"\bK\b", "bold red"),
        (r"\bQ\b", "bold magenta"),
        (r"\bJ\b", "bold bright_blue"),
        (r"\?", "dim"),
    )
    variants = ({}, {"rounds": 2}, {"rounds": 5})
    truths = (
        "one round is worth -1/18 to the first player; its Nash strategies are one family: bet a jack with "
        "probability alpha in [0, 1/3], a king with 3 alpha, call with a queen with alpha + 1/3"
    )

    def words(self, actions: list[int]) -> list[str]:
        """Name the actions of a round: check, bet, fold, call."""
        faced = [BET in actions[:i] for i in range(len(actions))]
        return [action_word(action, bet) for action, bet in zip(actions, faced, strict=True)]

    def to_text(self, state: State) -> str:
        """Write round, cards, betting and who moves; `?` is a hidden card."""
        number, won, last, card0, card1, count, *actions = state.fields
        head = f"round {number + 1} of {self.rounds}, player 0 has won {won}"
        if count == 0 and last >= 0:
            head += f", player {last} acted last"
        betting = " ".join(self.words(actions[:count])) or "none"
        return f"{head}\ncards: {CARDS[card0]} {CARDS[card1]}\nbetting: {betting}\n{self.status_text(state)}"

    def fields_from_text(self, text: str) -> list[int]:
        """Read what `to_text` wrote."""
        head = re.search(r"round (\d{1,4}) of \d+, player 0 has won (-?\d{1,5})", text)
        cards = re.search(r"cards: ([-JQK?]) ([-JQK?])", text)
        betting = re.search(r"betting: ([a-z ]+)", text)
        if not head or not cards or not betting:
            raise BoardLabError(
                f'{self.name}: expected "round 1 of 1, player 0 has won 0", "cards: K Q" and '
                '"betting: check bet"'
            )
        actions: list[int] = []
        for word in betting[1].split():
            if word == "none":
                continue
            known = {action_word(a, BET in actions): a for a in (PASS, BET)}
            if word not in known:
                raise BoardLabError(f'{self.name}: "{word}" cannot follow; expected {" or ".join(known)}')
            actions.append(known[word])
        if len(actions) > 3:
            raise BoardLabError(f"{self.name}: a round can have at most three actions")
        number = int(head[1]) - 1
        before = re.search(r"player ([01]) acted last", text)
        last = (number + len(actions) - 1) % 2 if actions else int(before[1]) if before else -1
        padding = [0] * (3 - len(actions))
        shown = [CARDS.index(cards[1]), CARDS.index(cards[2])]
        return [number, int(head[2]), last, *shown, len(actions), *actions, *padding]

    def action_text(self, state: State, action: int) -> str:
        """Name the action: check or bet; after a bet, fold or call."""
        count = state.fields[5]
        return action_word(action, BET in state.fields[6 : 6 + count])

    def chance_text(self, state: State, outcome: int) -> str:
        """Name the dealt card."""
        return CARDS[outcome + 1]

    def draw_board(self, state: State) -> Canvas:
        """Draw the table with both cards, the antes and the bets."""
        number, _, _, *cards, count = state.fields[:6]
        actions = state.fields[6 : 6 + count]
        first, words = number % 2, self.words(actions)
        winner = _winner(cards, actions, first) if state.round_over or state.is_terminal else None

        def seat(player: int) -> Seat:
            own = [i for i in range(count) if (first + i) % 2 == player]
            return Seat(
                card=f"{CARDS[cards[player]]}s",
                paid=1 + sum(actions[i] for i in own),
                words=", ".join(words[i] for i in own),
                has_won=winner == player,
                acted_last=count - 1 in own,
            )

        return self.draw_table(state, (seat(0), seat(1)))


def _winner(cards: list[int], actions: list[int], first: int) -> int | None:
    """Return who took the pot of a finished round; None if a card is hidden that decides."""
    if len(actions) > 1 and actions[-1] == PASS and BET in actions[:-1]:  # folded: the other one
        return 1 - (first + len(actions) - 1) % 2
    return int(cards[1] > cards[0]) if all(1 <= card <= 3 for card in cards) else None


def action_word(action: int, facing_a_bet: bool) -> str:
    """Name pass (0) and bet (1) in their situation."""
    return ("fold", "call")[action] if facing_a_bet else ("check", "bet")[action]
