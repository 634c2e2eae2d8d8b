"""Players of card games: Kuhn's Nash family, basic strategy, hold'em by rules and by chances."""

import itertools

import numpy as np
import pytest

import boardlab as bl
from boardlab import _engine
from boardlab.games.cards import read_card
from boardlab.references.blackjack import action_values, best_actions, round_return
from boardlab.references.poker import chen_points, equity, has_draw
from tests.games.test_blackjack import HIT_AND_STAND, expected_return, play

# ---- kuhn poker ----


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1 / 3])
def test_nash_reports_the_family_of_1950(alpha):
    from tests.games.test_kuhnpoker import BET, after, best_response, situation

    game = bl.game("kuhnpoker")
    agent = bl.agent(f"nash(alpha={alpha})", game)
    strategy = {}
    for card, betting in itertools.product(range(3), ("", "p", "b", "pb")):
        cards = (card, (card + 1) % 3) if len(betting) % 2 == 0 else ((card + 1) % 3, card)
        policy = agent.act(after(game, cards, betting)).policy
        strategy[situation(game, card, betting)] = policy[BET]
    assert best_response(game, 1, strategy) == pytest.approx(1 / 18)
    assert best_response(game, 0, strategy) == pytest.approx(-1 / 18)


def test_nash_wins_from_nobody_who_plays_nash_and_from_random():
    game = bl.game("kuhnpoker", rounds=100)
    assert bl.match(game, ["nash", "random"], games=20, seed=2).mean_scores[0] > 5
    for wrong in ("nash(alpha=0.5)", "nash"):
        with pytest.raises(bl.BoardLabError):
            bl.agent(wrong, game if "0.5" in wrong else bl.game("poker"))


# ---- blackjack ----


@pytest.mark.parametrize(
    "rules",
    [
        HIT_AND_STAND,
        {**HIT_AND_STAND, "natural": "1:1", "peek": False},
        {**HIT_AND_STAND, "double": True, "surrender": True, "insurance": True},
        {**HIT_AND_STAND, "double": True, "peek": False, "hit_soft_17": True},
    ],
)
def test_the_value_of_a_round_is_that_of_exhaustion(rules):
    game = bl.game("blackjack", **rules)
    assert round_return(game.rules) == pytest.approx(expected_return(**rules), abs=1e-12)


def test_doubling_is_worth_what_is_known():
    rules = bl.game("blackjack", **{**HIT_AND_STAND, "double": True, "peek": False}).rules
    assert round_return(rules) == pytest.approx(-0.01168, abs=5e-6)


def test_splits_are_worth_what_they_bring_in_play():
    """The whole game, splits included: the mean return of the player is what the tables say."""
    game = bl.game("blackjack", rounds=1000)
    result = bl.match(game, ["basic"], games=30, seed=3)
    error = result.score_errors[0] / 1000
    assert result.mean_scores[0] / 1000 == pytest.approx(round_return(game.rules), abs=4 * error)
    assert error < 0.01
    without = bl.game("blackjack", split=False).rules
    assert round_return(game.rules) > round_return(without) + 0.003


@pytest.mark.parametrize(
    ("steps", "best"),
    [
        ((8, 6, 8), "split"),
        ((1, 10, 1, "no natural"), "split"),
        ((10, 6, 10), "stand"),
        ((5, 6, 5), "double"),
        ((6, 5, 5), "double"),
        ((10, 10, 6, "no natural"), "surrender"),
        ((10, 9, 6), "surrender"),
        ((10, 2, 2), "hit"),
        ((10, 4, 2), "stand"),
        ((10, 7, 6), "hit"),
        ((1, 9, 7), "hit"),
        ((1, 6, 7), "double"),
        ((9, 7, 9), "stand"),
        ((4, 5, 4), "split"),
        ((10, 1, 9), "no insurance"),
    ],
)
def test_decisions_are_those_of_the_books(steps, best):
    """Six decks and more, dealer stands on all 17, double after split, late surrender."""
    game = bl.game("blackjack")
    state = play(game, *steps)
    values = action_values(state)
    assert [state.action_text(a) for a in best_actions(values)] == [best]
    assert set(values) == set(state.legal_actions())
    assert bl.agent("basic", game).act(state).values == pytest.approx(values)


def test_values_are_expected_final_scores():
    """The value of an action is the mean of those after the card that follows, from hand to hand of a split."""
    game = bl.game("blackjack", rounds=1)
    known = {}

    def value(state):
        if state.is_terminal:
            return float(state.scores[0])
        if state.player != bl.CHANCE:
            return max(action_values(state).values())
        key = state.core.to_bytes()
        if key not in known:
            known[key] = sum(p * value(after(state, outcome)) for outcome, p in state.chance_outcomes())
        return known[key]

    def after(state, action):
        child = state.copy()
        child.apply(action)
        return child

    for steps in (
        (8, 6, 8),
        (8, 6, 8, "split", 8),
        (8, 6, 8, "split", 8, "split", 10, "stand", 3),
        (5, 6, 6),
    ):
        state = play(game, *steps)
        values = action_values(state)
        for action in state.legal_actions():
            child = after(state, action)
            assert value(child) == pytest.approx(values[action]), (steps, action)


# ---- hold'em ----


def cards(text):
    return [read_card("test", word) - 1 for word in text.split()]


@pytest.mark.parametrize(
    ("hand", "known"), [("As Ah", 0.8520), ("7d 2c", 0.3458), ("As Ks", 0.6704), ("2c 2d", 0.5033)]
)
def test_equities_are_the_published_ones(hand, known):
    rng = np.random.default_rng(1)
    assert equity(cards(hand), [], 1, 20_000, rng) == pytest.approx(known, abs=0.012)


def test_equity_on_the_river_is_that_of_all_hands():
    own, board = cards("Qs Qd"), cards("Kh 7c 2d 9s 4h")
    rest = [card for card in range(52) if card not in own + board]
    hands = np.array([[*pair, *board] for pair in itertools.combinations(rest, 2)], dtype=np.uint8)
    mine = _engine.hand_strengths(np.array([own + board], dtype=np.uint8))[0]
    theirs = _engine.hand_strengths(hands)
    exact = float(((theirs < mine) + 0.5 * (theirs == mine)).mean())
    assert equity(own, board, 1, 20_000, np.random.default_rng(2)) == pytest.approx(exact, abs=0.012)


@pytest.mark.parametrize(
    ("hand", "points"),
    [("As Ad", 20), ("Ks Kd", 16), ("As Ks", 12), ("Tc Td", 10), ("5c 5d", 5), ("7d 2c", -1), ("Js Ts", 9)],
)
def test_chens_formula(hand, points):
    assert chen_points(cards(hand)) == points


def test_draws_are_seen():
    assert has_draw(cards("As Ks 2s 7s 9d")) and has_draw(cards("5c 6d 7h 8s 2c"))
    assert not has_draw(cards("As Kd 2s 7s 9d"))


@pytest.mark.parametrize("player", ["tight", "equity(samples=50)"])
@pytest.mark.parametrize("parameters", [{}, {"players": 4, "chips": 60, "rounds": 4}])
def test_hold_em_players_beat_random_ones_and_play_legally(player, parameters):
    game = bl.game("poker", **parameters)
    result = bl.match(game, [player] + ["random"] * (game.players - 1), games=480, seed=1)
    assert result.errors == 0
    assert result.mean_scores[0] > 2 * result.score_errors[0]


def test_hold_em_players_refuse_other_games():
    for player in ("tight", "equity"):
        with pytest.raises(bl.BoardLabError, match="plays poker"):
            bl.agent(player, bl.game("kuhnpoker"))
