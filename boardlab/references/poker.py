"""Texas hold'em: a player with rules of thumb, and one that computes its odds.

Neither bluffs, and neither models its opponents: they are yardsticks, not masters.
"""

import random
from dataclasses import dataclass

import numpy as np

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State
from boardlab.games.poker import ALL_IN, BET, BOARD, CALL, CHECK, FOLD, RAISE, Poker, Table
from boardlab.options import option
from boardlab.search.agent import python_agent
from boardlab.search.spec import SearchSpec

FLOP, RIVER = 1, 3
PAIR, TWO_PAIR, STRAIGHT = 1, 2, 4
"""Categories as numbered by `hand_strengths` (from bit 26 on)."""


def _cards(table: Table, player: int) -> tuple[list[int], list[int]]:
    """Return the player's cards and those on the board, 0 .. 51."""
    return [c - 1 for c in table.holes[player]], [c - 1 for c in table.board if c]


def _rivals(table: Table, player: int) -> int:
    return sum(table.is_in(p) and not folded and p != player for p, folded in enumerate(table.folded))


def equity(own: list[int], board: list[int], rivals: int, samples: int, rng: np.random.Generator) -> float:
    """Return the expected share of the pot against random hands if nobody folds.

    Cards are 0 .. 51.
    """
    rest = np.setdiff1d(np.arange(52, dtype=np.uint8), np.array(own + board, dtype=np.uint8))
    missing = BOARD - len(board)
    drawn = rest[rng.random((samples, len(rest))).argsort(axis=1)[:, : missing + 2 * rivals]]
    common = np.hstack([np.tile(np.array(board, dtype=np.uint8), (samples, 1)), drawn[:, :missing]])
    hands = [np.hstack([np.tile(np.array(own, dtype=np.uint8), (samples, 1)), common])]
    hands += [np.hstack([drawn[:, missing + 2 * i : missing + 2 * i + 2], common]) for i in range(rivals)]
    strengths = np.array([_engine.hand_strengths(np.ascontiguousarray(hand)) for hand in hands])
    best = strengths.max(axis=0)
    shares = (strengths[0] == best) / (strengths == best).sum(axis=0)
    return float(shares.mean())


def chen_points(cards: list[int]) -> float:
    """Return Bill Chen's points of two cards (0 .. 51): aces 20, 7-2 below 0."""
    ranks = sorted((card // 4 for card in cards), reverse=True)  # 0 is a two, 12 an ace
    points = {12: 10.0, 11: 8.0, 10: 7.0, 9: 6.0}.get(ranks[0], (ranks[0] + 2) / 2)
    if ranks[0] == ranks[1]:
        return max(5.0, 2 * points)
    gap = ranks[0] - ranks[1] - 1
    points -= (0, 1, 2, 4)[gap] if gap < 4 else 5
    if gap < 2 and ranks[0] < 10:  # open to a straight on either side
        points += 1
    if cards[0] % 4 == cards[1] % 4:
        points += 2
    return float(np.ceil(points))


def has_draw(cards: list[int]) -> bool:
    """Return whether one more card can make a flush, or a straight at either end."""
    if max(sum(card % 4 == suit for card in cards) for suit in range(4)) >= 4:
        return True
    ranks = {card // 4 for card in cards}
    return any({low, low + 1, low + 2, low + 3} <= ranks for low in range(9))


def _first(legal: list[int], *wanted: int) -> int:
    """Return the first of these actions that is legal.

    All-in replaces an unaffordable one.
    """
    return next(action for action in (*wanted, ALL_IN) if action in legal)


def _own_category(own: list[int], board: list[int]) -> int:
    """Return the category of the own hand; 0 if the board alone has the same."""

    def category(cards: list[int]) -> int:
        if len(cards) >= 5:
            return int(_engine.hand_strengths(np.array([cards], dtype=np.uint8))[0]) >> 26
        counts = sorted((sum(c // 4 == rank for c in cards) for rank in range(13)), reverse=True)
        return {1: 0, 2: TWO_PAIR if counts[1] == 2 else PAIR, 3: 3, 4: 7}.get(counts[0], 0)

    mine = category(own + board)
    return mine if mine > category(board) else 0


def tight_action(state: State) -> int:
    """Play by rules of thumb: raise good cards, call cheap with fair ones, or fold."""
    rules = state.game.rules
    assert isinstance(rules, Poker)
    table, legal = rules.table(state), state.legal_actions()
    own, board = _cards(table, state.player)
    price = min(table.to_match - table.bets[state.player], table.stacks[state.player])
    cheap = price <= rules.big_blind
    if table.street < FLOP:
        points = chen_points(own)
        heads_up = _rivals(table, state.player) == 1  # against one opponent fair cards suffice
        good = points >= (7 if heads_up else 9)
        fair = points >= (4 if heads_up else 6) or (cheap and points >= (1 if heads_up else 4))
    else:
        category = _own_category(own, board)
        good = category >= TWO_PAIR
        draw = table.street < RIVER and has_draw(own + board) and price * 3 <= table.pot
        top_pair = category == PAIR and max(own[0] // 4, own[1] // 4) >= max(card // 4 for card in board)
        fair = category >= PAIR or draw
        good = good or (top_pair and cheap)
    if good:
        return _first(legal, RAISE, BET, CALL, CHECK)
    if fair:
        return _first(legal, CHECK, CALL)
    return _first(legal, CHECK, FOLD)


def equity_action(state: State, samples: int, rng: np.random.Generator) -> int:
    """Raise with a clear lead, call when the pot odds pay, else check or fold."""
    rules = state.game.rules
    assert isinstance(rules, Poker)
    table, legal = rules.table(state), state.legal_actions()
    own, board = _cards(table, state.player)
    rivals = _rivals(table, state.player)
    share = equity(own, board, rivals, samples, rng)
    lead = (share - 1 / (rivals + 1)) * (rivals + 1) / rivals  # 0 is a fair share, 1 the whole pot
    price = min(table.to_match - table.bets[state.player], table.stacks[state.player])
    if lead > 0.25:
        return _first(legal, RAISE, BET, CALL, CHECK)
    if price == 0:
        return CHECK
    # Opponents who bet have better cards than random ones: require a little more than the pot odds.
    return _first(legal, CALL) if share > price / (table.pot + price) + 0.05 else _first(legal, FOLD)


@dataclass(frozen=True)
class Tight(SearchSpec):
    """Hold'em by rules of thumb: Chen's points, then made hands and draws."""

    name = "tight"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Make the engine's search for this game."""
        _check(self.name, game)
        return python_agent(game, tight_action, self.name).core


@dataclass(frozen=True)
class Equity(SearchSpec):
    """Hold'em by pot odds: equity against random hands (sampled) against the price."""

    samples: int = option(200, "sampled deals per decision", low=1, high=1_000_000)

    name = "equity"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Make the engine's search for this game."""
        _check(self.name, game)
        stream = random.Random(seed)

        def choose(state: State) -> int:
            return equity_action(state, self.samples, np.random.default_rng(stream.randrange(2**63)))

        return python_agent(game, choose, self.name, stream.seed).core


def _check(name: str, game: Game) -> None:
    if not isinstance(game.rules, Poker):
        raise BoardLabError(f"{name} plays poker, not {game!r}")
