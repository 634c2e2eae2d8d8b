"""Texas hold'em: text, names and drawing.

Fields: the round (from 0), the button, who acted last (-1: nobody yet), the number of actions in this hand,
the street, the bet to match, who folded (bits); then for six seats the chips when the hand began, the stacks,
the bets in this street, what was paid in this hand, two cards each; five cards on the board; the actions of
this hand. A card is 0 (none), 1 .. 52 (rank * 4 + suit + 1) or 53 (face down).
"""

import math
import re
from dataclasses import dataclass

import numpy as np

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.games.cards import (
    FELT_INK,
    FELT_MARK,
    HIDDEN,
    TERMINAL_COLOURS,
    card_name,
    draw_back,
    draw_card,
    draw_chips,
    draw_felt,
    draw_place,
    read_card,
)
from boardlab.games.drawing import Canvas
from boardlab.games.game import CHANCE, State
from boardlab.games.history import Event
from boardlab.games.rules import Rules
from boardlab.options import option

SEATS, BOARD, STREETS = 6, 5, ("preflop", "flop", "turn", "river")
FOLD, CHECK, BET, CALL, RAISE, ALL_IN = range(6)
WORDS = ("fold", "check", "bet", "call", "raise", "all-in")
CATEGORIES = (
    "high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house",
    "four of a kind", "straight flush",
)  # fmt: skip


@dataclass(frozen=True)
class Table:
    """The fields of a state by name."""

    round: int
    button: int
    last: int
    street: int
    to_match: int
    folded: list[bool]
    start: list[int]
    stacks: list[int]
    bets: list[int]
    paid: list[int]
    holes: list[list[int]]
    board: list[int]
    history: list[int]

    @property
    def pot(self) -> int:
        """Chips paid in this hand by all players."""
        return sum(self.paid)

    @property
    def won(self) -> list[int]:
        """Chips each player won when the hand was over; an uncalled bet is not a win."""
        got = [
            stack - (start - paid)
            for stack, start, paid in zip(self.stacks, self.start, self.paid, strict=True)
        ]
        second, most = sorted(self.paid)[-2:]
        got[self.paid.index(most)] -= most - second
        return got

    def is_in(self, player: int) -> bool:
        """Return whether the player takes part in the hand, folded or not."""
        return self.start[player] > 0


@dataclass(frozen=True)
class Poker(Rules):
    """Texas hold'em: blinds, bets of one big blind, raises by one big blind, all-in."""

    players: int = option(2, "seats at the table", low=2, high=6)
    chips: int = option(100, "chips of every player at the start", low=2, high=10000)
    small_blind: int = option(5, "small blind; the big blind is twice as much", low=1, high=5000)
    raise_cap: int = option(
        4, "most bets and raises per street, including the big blind and all-ins", low=1, high=8
    )
    rounds: int = option(10, "hands per game; it ends early when one player has all chips", low=1, high=10000)

    name = "poker"
    lengths = ("rounds",)
    summary = "Texas hold'em with blinds, side pots and chips carried over from hand to hand"
    colours = TERMINAL_COLOURS
    variants = (
        {},
        {"rounds": 1},
        {"players": 3, "rounds": 3},
        {"players": 6, "chips": 60, "rounds": 4},
        {"players": 4, "chips": 23, "small_blind": 3, "raise_cap": 2, "rounds": 8},
        {"players": 2, "chips": 10, "raise_cap": 1, "rounds": 20},
    )
    truths = "the total of all chips is constant; hands rank as in an independent evaluator"

    @property
    def big_blind(self) -> int:
        """Twice the small blind: the size of bets and raises."""
        return 2 * self.small_blind

    def table(self, state: State) -> Table:
        """Return the fields of a state by name."""
        f = state.fields
        seats = [f[7 + SEATS * k : 7 + SEATS * (k + 1)][: self.players] for k in range(4)]
        cards = 7 + 4 * SEATS
        board = cards + 2 * SEATS
        return Table(
            round=f[0],
            button=f[1],
            last=f[2],
            street=f[4],
            to_match=f[5],
            folded=[bool(f[6] >> p & 1) for p in range(self.players)],
            start=seats[0],
            stacks=seats[1],
            bets=seats[2],
            paid=seats[3],
            holes=[f[cards + 2 * p : cards + 2 * p + 2] for p in range(self.players)],
            board=f[board : board + BOARD],
            history=f[board + BOARD : board + BOARD + f[3]],
        )

    # ---- text ----

    def to_text(self, state: State) -> str:
        """Write board, players, betting and who moves; `??` is a hidden card."""
        t = self.table(state)
        head = f"hand {t.round + 1} of {self.rounds}, {STREETS[t.street]}, {t.to_match} to match"
        if not state.round_over:
            head += f", pot {t.pot}"
        if t.last >= 0:
            head += f", player {t.last} acted last"
        lines = [head, "board: " + " ".join(card_name(card) for card in t.board)]
        for p in range(self.players):
            cards = " ".join(card_name(card) for card in t.holes[p])
            line = (
                f"player {p}: {cards}, chips {t.stacks[p]} of {t.start[p]}, bet {t.bets[p]}, paid {t.paid[p]}"
            )
            if p == t.button:
                line += ", button"
            if t.folded[p]:
                line += ", folded"
            if hand := self._shown_hand(state, t, p):
                line += f" ({hand})"
            lines.append(line)
        lines.append("betting: " + (" ".join(WORDS[action] for action in t.history) or "none"))
        return "\n".join([*lines, self.status_text(state)])

    def status_text(self, state: State) -> str:
        """Write who moves, or who has won the hand."""
        if state.round_over:
            t = self.table(state)
            won = (f"player {p} wins {chips}" for p, chips in enumerate(t.won) if chips > 0)
            return f"{'game' if state.is_terminal else 'hand'} over: {', '.join(won)}"
        return "nature deals" if state.player == CHANCE else f"player {state.player} to move"

    def _shown_hand(self, state: State, t: Table, player: int) -> str:
        """Name a hand that is shown at the end; empty for others."""
        cards = [*t.holes[player], *t.board]
        live = sum(t.is_in(p) and not t.folded[p] for p in range(self.players))
        if not state.round_over or live < 2 or t.folded[player] or not all(0 < c < HIDDEN for c in cards):
            return ""
        strength = _engine.hand_strengths(np.array([cards], dtype=np.uint8) - np.uint8(1))[0]
        return CATEGORIES[int(strength) >> 26]

    def fields_from_text(self, text: str) -> list[int]:
        """Read what `to_text` wrote."""
        head = re.search(r"hand (\d{1,5}) of \d+, (\w+), (\d{1,5}) to match", text)
        board = re.search(r"^board: (.*)$", text, re.M)
        betting = re.search(r"^betting: (.*)$", text, re.M)
        seat = r"^player (\d): (\S+) (\S+), chips (\d{1,6}) of (\d{1,6}), bet (\d{1,6}), paid (\d{1,6})(.*)$"
        seats = re.findall(seat, text, re.M)
        if not head or head[2] not in STREETS or not board or not betting or len(seats) != self.players:
            raise BoardLabError(
                f'{self.name}: expected "hand 1 of 10, flop, 0 to match", "board: As Kd 7h -- --", '
                f'"betting: call check" and for each of the {self.players} players '
                '"player 0: Qs Qd, chips 80 of 100, bet 0, paid 20"'
            )
        history = [] if betting[1].strip() == "none" else betting[1].split()
        for word in history:
            if word not in WORDS:
                raise BoardLabError(f'{self.name}: "{word}" is not an action; actions are {", ".join(WORDS)}')
        most = 4 * (self.players + self.raise_cap * (self.players - 1))
        if len(history) > most:
            raise BoardLabError(f"{self.name}: a hand can have at most {most} actions")
        cards = [read_card(self.name, word) for word in board[1].split()]
        if len(cards) != BOARD:
            raise BoardLabError(f"{self.name}: the board needs {BOARD} cards, -- for those to come")
        none = [0] * (SEATS - self.players)
        holes = [read_card(self.name, word) for s in seats for word in s[1:3]]
        acted = re.search(r"player (\d) acted last", text)
        button = next((p for p, s in enumerate(seats) if "button" in s[7]), -1)
        folded = sum(1 << p for p, s in enumerate(seats) if "folded" in s[7])
        fields = [int(head[1]) - 1, button, int(acted[1]) if acted else -1, len(history)]
        fields += [STREETS.index(head[2]), int(head[3]), folded]
        for column in (4, 3, 5, 6):
            fields += [int(s[column]) for s in seats] + none
        fields += [*holes, *none, *none, *cards, *[WORDS.index(word) for word in history]]
        return fields + [0] * (most - len(history))

    def action_text(self, state: State, action: int) -> str:
        """Name the action: fold, check, `bet 10`, `call 5`, `raise to 20`, `all-in 85`."""
        t, player = self.table(state), state.player
        if action == BET:
            return f"bet {self.big_blind}"
        if action == CALL:
            return f"call {t.to_match - t.bets[player]}"
        if action == RAISE:
            return f"raise to {t.to_match + self.big_blind}"
        return f"all-in {t.stacks[player]}" if action == ALL_IN else WORDS[action]

    def parse_action(self, state: State, text: str) -> int:
        """Read an action, or only its first word: `raise`."""
        wanted = text.strip().lower()
        for action in state.legal_actions() if state.player >= 0 else []:
            if wanted == WORDS[action]:
                return action
        return super().parse_action(state, text)

    def chance_text(self, state: State, outcome: int) -> str:
        """Name the dealt card."""
        return card_name(outcome + 1)

    # ---- drawing ----

    def draw_last(self, canvas: Canvas, state: State, event: Event) -> bool:
        """The table names the last action."""
        return True

    def draw_board(self, state: State) -> Canvas:
        """Draw the table from above, player 0 at the bottom."""
        t = self.table(state)
        canvas = Canvas(400 if self.players == 2 else 620, 440)
        draw_felt(canvas)
        x0, y0 = canvas.width / 2, canvas.height / 2
        for i, card in enumerate(t.board):
            x = x0 + 50 * (i - 2)
            if card:
                draw_card(canvas, x, y0 - 6, *_rank_and_suit(card))
            else:
                draw_place(canvas, x, y0 - 6)
        if not state.round_over:
            draw_chips(canvas, x0 + 6, y0 - 47, t.pot)
        canvas.text(
            x0, y0 + 40, f"hand {t.round + 1} of {self.rounds}, {STREETS[t.street]}", size=13, fill=FELT_INK
        )
        if t.history and t.last >= 0:
            canvas.text(x0, y0 + 58, f"player {t.last}: {WORDS[t.history[-1]]}", size=13, fill=FELT_INK)
        for p in range(self.players):
            self._draw_seat(canvas, state, t, p)
        return canvas

    def _draw_seat(self, canvas: Canvas, state: State, t: Table, p: int) -> None:
        angle = math.pi / 2 + 2 * math.pi * p / self.players  # clockwise, from the bottom
        cos, sin = math.cos(angle), math.sin(angle)
        x, y = canvas.width / 2 + 0.355 * canvas.width * cos, canvas.height / 2 + 135 * sin
        faded = t.folded[p] or not t.is_in(p)
        for i, card in enumerate(t.holes[p]):
            at = x - 24 + 48 * i
            if card == HIDDEN:
                draw_back(canvas, at, y, faded=faded)
            elif card:
                draw_card(canvas, at, y, *_rank_and_suit(card), faded=faded)
            else:
                draw_place(canvas, at, y)
        is_mover = state.player == p
        label = f"player {p}: {t.stacks[p]}"
        if t.folded[p]:
            label += ", folded"
        elif not t.is_in(p):
            label += ", out"
        elif hand := self._shown_hand(state, t, p):
            label += f", {hand}"
        elif t.stacks[p] == 0 and not state.round_over:
            label += ", all-in"
        has_won = state.round_over and t.won[p] > 0
        fill = FELT_MARK if is_mover or has_won else FELT_INK
        below = y + 43 if sin > -0.01 else y - 43
        canvas.text(x, below, label, size=13, fill=fill, weight="bold" if is_mover or has_won else "normal")
        if p == t.button:
            bx, by = x + (62 if cos < 0.5 else -62), y - 24
            canvas.circle(bx, by, 10, "#fffdf8", stroke="#8d8779")
            canvas.text(bx, by + 0.5, "D", size=11, weight="bold", fill="core")
        if t.bets[p]:
            if abs(cos) < 0.5:
                draw_chips(canvas, x + 4, y - 48 * sin, t.bets[p])
            else:
                draw_chips(canvas, x - math.copysign(74, cos), y + 8, t.bets[p])


def _rank_and_suit(card: int) -> tuple[str, str]:
    name = card_name(card)
    return name[0].replace("T", "10"), name[1]
