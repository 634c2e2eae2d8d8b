"""What Kuhn and Leduc poker share: two players with a card each, and the table they sit at."""

from dataclasses import dataclass

from boardlab.games.cards import FELT_INK, FELT_MARK, draw_chips, draw_felt, draw_shown, mark_card
from boardlab.games.drawing import Canvas
from boardlab.games.game import CHANCE, State
from boardlab.games.history import Event
from boardlab.games.rules import Rules


@dataclass(frozen=True)
class Seat:
    """What the table shows of a player."""

    card: str
    paid: int
    words: str
    """The player's actions in this round."""
    has_won: bool
    acted_last: bool


@dataclass(frozen=True)
class PokerDuel(Rules):
    """Poker for two; the fields begin with the round and what player 0 has won."""

    def status_text(self, state: State) -> str:
        """Write who moves, or who has won how much."""
        won = state.fields[1]
        if state.is_terminal:
            return f"{super().status_text(state)} {abs(won)}" if won else super().status_text(state)
        if state.round_over:
            return "round over"
        return "nature deals" if state.player == CHANCE else super().status_text(state)

    def draw_last(self, canvas: Canvas, state: State, event: Event) -> bool:
        """The table shows every action of the round."""
        return True

    def draw_table(self, state: State, seats: tuple[Seat, Seat], common: str = "") -> Canvas:
        """Draw both players, and the common card between them."""
        number, won, *_ = state.fields
        rounds = getattr(self, "rounds", 1)
        canvas = Canvas(340, 224 if rounds > 1 else 202)
        draw_felt(canvas)
        for player, seat in enumerate(seats):
            x = 90.0 + 160 * player
            draw_shown(canvas, x, 92, seat.card)
            if seat.has_won:
                mark_card(canvas, x, 92)
            weight, fill = ("bold", FELT_MARK) if state.player == player else ("normal", FELT_INK)
            canvas.text(x, 44, self.player_name(player), fill=fill, weight=weight)
            draw_chips(canvas, x + 6, 142, seat.paid)
            weight = "bold" if seat.acted_last else "normal"
            canvas.text(x, 165, seat.words, size=13, fill=FELT_INK, weight=weight, most=150)
        if common:
            draw_shown(canvas, 170, 92, common)
        if rounds > 1:
            standing = f"round {number + 1} of {rounds}, player 0 has won {won}"
            canvas.text(170, 190, standing, size=12, fill=FELT_INK)
        return canvas
