import collections
import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

import boardlab as bl
from boardlab import _engine
from boardlab.games.cards import read_card
from boardlab.games.poker import CATEGORIES, SEATS, WORDS, Poker

# ---- the ranking of hands ----


def strengths(*hands):
    cards = [[read_card("test", word) - 1 for word in hand.split()] for hand in hands]
    return _engine.hand_strengths(np.array(cards, dtype=np.uint8)).tolist()


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("As Ks Qs Js Ts 2d 2c", "9h Th Jh Qh Kh Ad Ac"),  # royal flush, straight flush to the king
        ("2s 3s 4s 5s 6s Ah Ad", "As 2s 3s 4s 5s Kh Kd"),  # the ace below the two makes the lowest one
        ("As 2s 3s 4s 5s Kh Kd", "9c 9d 9h 9s Ah Kh Qh"),
        ("9c 9d 9h 9s Ah Kh Qh", "9c 9d 9h 9s Kh Ks Kd"),  # four nines, ace or king beside
        ("2c 2d 2h 2s 3h 4h 6c", "Ac Ad Ah Ks Kh Qd Qc"),
        ("Kc Kd Kh Qs Qh 2d 3c", "Qc Qd Qh Ks Kh Ac 2d"),
        ("Kc Kd Kh Qs Qh Qd 3c", "Kc Kd Kh Js Jh Jd 3c"),  # two triples are a full house
        ("2c 2d 2h 3s 3h 7d 8c", "Ah Kh Qh Jh 9h 2c 2s"),
        ("Ah Kh Qh Jh 9h 2c 2s", "Ah Kh Qh Jh 8h Ac As"),
        ("Kh Qh Jh 9h 2h 3h 4c", "As Kd Qh Jh Th 2c 2s"),
        ("As Kd Qh Jh Th 2c 2s", "9s Kd Qh Jh Th 2c 2s"),
        ("As 2d 3h 4h 5c Kc Ks", "Kc Kd Kh Qs Jh 9c 2d"),
        ("Kc Kd Kh As Jh 3c 2d", "Kc Kd Kh Qs Jh 3c 2d"),
        ("2c 2d 2h As Jh 9c 4d", "Ac Ad Kh Ks Qh Qc 2d"),
        ("Ac Ad Kh Ks Qh 3c 2d", "Ac Ad Kh Ks Jh Jc 2d"),  # the third pair is only a kicker
        ("Ac Ad 3h 3s Qh 9c 2d", "Kc Kd Qh Qs Ah 9c 2d"),
        ("3c 3d 2h 2s 4h 9c Td", "Ac Ad Kh Qs Jh 9c 2d"),
        ("Ac Ad Kh Qs Jh 9c 2d", "Ac Ad Kh Qs Th 9c 2d"),
        ("2c 2d Kh Qs Jh 9c 3d", "Ac Kd Qh Js 9h 3c 2d"),
        ("Ac Kd Qh Js 9h 3c 2d", "Ac Kd Qh Js 8h 3c 2d"),
    ],
)
def test_the_better_hand_has_the_higher_number(better, worse):
    high, low = strengths(better, worse)
    assert high > low


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("As Kd Qh Jh 9c 3c 2d", "Ad Ks Qc Js 9h 3d 2c"),  # suits do not rank
        ("As Ad Kh Ks Qc 3c 2d", "As Ad Kh Ks Qh 4c 2c"),  # two pair and a queen
        ("Ah Kh Qh Jh 9h 2h 3h", "Ah Kh Qh Jh 9h 4c 5c"),  # a sixth card of the suit does not count
        ("5s 6d 7h 8h 9c 2c 2d", "5h 6c 7s 8d 9d Ac Ad"),
    ],
)
def test_equal_hands_have_equal_numbers(one, other):
    assert len(set(strengths(one, other))) == 1


def test_all_hands_of_five_cards_fall_into_the_known_categories():
    hands = np.fromiter(
        itertools.chain.from_iterable(itertools.combinations(range(52), 5)), np.uint8, 2598960 * 5
    )
    found = _engine.hand_strengths(hands.reshape(-1, 5))
    counts = np.bincount(found >> 26, minlength=9).tolist()
    known = [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]
    assert dict(zip(CATEGORIES, counts, strict=True)) == dict(zip(CATEGORIES, known, strict=True))
    assert len(np.unique(found)) == 7462  # classes of equal hands


@pytest.mark.parametrize(("cards", "count"), [(7, 100_000), (6, 20_000), (5, 20_000)])
def test_hands_rank_as_in_an_independent_evaluator(cards, count):
    phevaluator = pytest.importorskip("phevaluator")
    rng = random.Random(cards)
    hands = [rng.sample(range(52), cards) for _ in range(count)]
    ours = _engine.hand_strengths(np.array(hands, dtype=np.uint8)).tolist()
    theirs = [-phevaluator.evaluate_cards(*hand) for hand in hands]  # there the best hand is 1
    pairs = sorted(set(zip(ours, theirs, strict=True)))
    # The same classes of equal hands in the same order.
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in itertools.pairwise(pairs))
    assert len(pairs) > 1000


def test_impossible_hands_are_refused():
    for cards in ([[0, 1, 2, 3]], [[0, 1, 2, 3, 52]], [[0, 1, 2, 3, 3]]):
        with pytest.raises(bl.BoardLabError):
            _engine.hand_strengths(np.array(cards, dtype=np.uint8))


# ---- hands played by hand ----


def later_hand(game, stacks, button):
    """The start of the second hand with these stacks; the first hand always starts with equal ones."""
    rules = game.rules
    assert isinstance(rules, Poker) and sum(stacks) == rules.players * rules.chips
    seats = [p for p in range(rules.players) if stacks[p]]
    order = [p for p in (*range(button + 1, rules.players), *range(button + 1)) if p in seats]
    blinds = (button, order[0]) if len(seats) == 2 else (order[0], order[1])
    paid = [0] * SEATS
    for player, blind in zip(blinds, (rules.small_blind, rules.big_blind), strict=True):
        paid[player] = min(blind, stacks[player])
    start = list(stacks) + [0] * (SEATS - rules.players)
    stack = [a - b for a, b in zip(start, paid, strict=True)]
    most = 4 * (rules.players + rules.raise_cap * (rules.players - 1))
    fields = [1, button, 0, 0, 0, rules.big_blind, 0, *start, *stack, *paid, *paid]
    return game.from_fields(fields + [0] * (2 * SEATS + 5 + most))


def play(state, *steps):
    """Words are actions, strings of cards ("As Kd") are dealt one after the other."""
    for step in steps:
        if state.player == bl.CHANCE:
            for card in step.split():
                assert state.player == bl.CHANCE
                state.apply(read_card("test", card) - 1)
        else:
            state.apply(state.parse_action(step))
    return state


def names(state):
    return [state.action_text(action) for action in state.legal_actions()]


def stacks_of(state):
    return state.game.rules.table(state).stacks


def test_two_players_blinds_turns_and_sizes():
    game = bl.game("poker")
    state = play(game.initial_state(), "2c 3c 2d 3d")  # dealt to player 1 first: left of the button
    assert state.player == 0 and game.rules.table(state).button == 0
    assert game.rules.table(state).holes == [[read_card("", "3c"), read_card("", "3d")], [1, 2]]
    assert names(state) == ["fold", "call 5", "raise to 20", "all-in 95"]
    play(state, "call")
    assert names(state) == ["check", "raise to 20", "all-in 90"]  # the big blind may still raise
    play(state, "check", "7s 8s 9s")
    assert state.player == 1  # after the flop the button is last
    assert names(state) == ["check", "bet 10", "all-in 90"]
    play(state, "check", "bet 10", "raise", "call", "Ts", "check", "check", "Js", "check")
    assert game.rules.table(state).pot == 60 and not state.round_over
    play(state, "check")  # both play the straight flush on the board
    assert state.round_over and stacks_of(state) == [100, 100] and tuple(state.scores) == (0, 0)


def test_a_fold_takes_the_pot_and_shows_nothing():
    game = bl.game("poker")
    state = play(game.initial_state(), "2c 3c 2d 3d", "raise", "fold")
    assert state.round_over and tuple(state.scores) == (10, -10)
    assert game.rules.table(state.seen_by(1)).holes[0] == [53, 53]
    assert game.rules.table(state.seen_by(0)).holes[1] == [53, 53]


def test_a_showdown_shows_those_who_did_not_fold():
    game = bl.game("poker", players=3)
    state = play(game.initial_state(), "2c 3c 4c 2d 3d 4d", "call", "call", "check", "7s 8s 9h")
    play(state, "bet", "fold", "call", "Kh", "check", "check", "Kd", "check", "check")
    assert state.round_over
    holes = game.rules.table(state.seen_by(2)).holes
    folded = [p for p in range(3) if game.rules.table(state).folded[p]]
    assert folded == [2] and 53 not in holes[0] + holes[1] and 53 not in holes[2]  # its own it knows
    assert game.rules.table(state.seen_by(0)).holes[2] == [53, 53]


def test_the_cap_ends_the_raising():
    game = bl.game("poker", raise_cap=3, chips=500)
    state = play(game.initial_state(), "2c 3c 2d 3d", "raise", "raise")
    assert names(state) == ["fold", "call 10"]
    play(state, "call", "7s 8s 9s", "bet", "raise", "raise")
    assert names(state) == ["fold", "call 10"]


def test_player_0_begins_whatever_the_number_of_players():
    for players in range(2, 7):
        state = bl.game("poker", players=players).initial_state()
        while state.player == bl.CHANCE:
            state.apply(state.legal_actions()[0])
        assert state.player == 0 and state.last_player == bl.CHANCE


def test_side_pots_by_hand():
    """30, 90 and 90 of 180 chips: a pot of 90 for all three, one of 120 for the two who paid more."""
    game = bl.game("poker", players=3)
    state = later_hand(game, [30, 90, 180], button=0)
    # Dealt from player 1 on: 1 kings, 2 queens, 0 aces.
    play(state, "Kc Qc Ac Kd Qd Ad")
    assert state.player == 0
    play(state, "all-in", "all-in", "call", "2h 7s 9d", "Jc", "3s")
    assert state.round_over and stacks_of(state) == [90, 120, 90]


def test_the_main_pot_may_be_lost_and_the_side_pot_won():
    game = bl.game("poker", players=4)
    state = later_hand(game, [40, 100, 100, 160], button=3)  # blinds: 0 and 1
    # Player 0 kings, 1 fives, 2 queens, 3 aces; the aces fold after putting 20 in.
    play(state, "Kc 5c Qc Ac Kd 5d Qd Ad", "raise", "call", "call", "call", "2h 7s 9d")
    play(state, "all-in", "raise", "all-in", "fold", "all-in", "Jc", "3s")
    # Main pot 4 x 20 + 3 x 20 = 140 to the kings; side pot 2 x 60 = 120 to the queens.
    assert state.round_over and stacks_of(state) == [140, 0, 120, 140]


def test_a_hand_that_is_over_says_who_won_what_of_the_pot():
    game = bl.game("poker")
    state = play(game.initial_state(), "2c 3c 2d 3d", "raise")
    assert ", pot 30," in state.to_text()
    play(state, "fold")
    first, *_, last = state.to_text().splitlines()
    assert last == "hand over: player 0 wins 20" and "pot" not in first  # 10 of its 20 came back
    assert "over: player 0 wins 20" in state.to_svg()
    three = later_hand(bl.game("poker", players=3), [30, 90, 180], button=0)
    play(three, "Kc Qc Ac Kd Qd Ad", "all-in", "all-in", "call", "2h 7s 9d", "Jc", "3s")
    assert three.to_text().endswith("hand over: player 0 wins 90, player 1 wins 120")
    lone = later_hand(game, [40, 160], button=0)
    play(lone, "Ac Kc Ad Kd", "call", "all-in 150", "all-in", "2h 7s 9d", "Jc", "3s")
    assert lone.is_terminal and lone.to_text().endswith("game over: player 1 wins 80")
    for over in (state, three, lone):
        assert over.game.from_text(over.to_text()) == over


def test_an_uncalled_bet_comes_back():
    game = bl.game("poker")
    state = later_hand(game, [40, 160], button=0)
    play(state, "Ac Kc Ad Kd", "call", "all-in 150", "all-in", "2h 7s 9d", "Jc", "3s")
    assert stacks_of(state) == [0, 200] and state.is_terminal  # player 1 has the aces and all chips
    state = later_hand(game, [40, 160], button=0)
    play(state, "Kc Ac Kd Ad", "call", "all-in 150", "all-in", "2h 7s 9d", "Jc", "3s")
    assert stacks_of(state) == [80, 120]


def test_odd_chips_go_to_the_left_of_the_button():
    """The small blind folds 1 chip; big blind and button share the pot of 5 with the same hand."""
    game = bl.game("poker", players=3, small_blind=1)
    state = later_hand(game, [100, 100, 100], button=0)
    play(state, "2c Ac Ah 3d Kc Kh", "call", "fold", "check", "Qs Js 9d", "check", "check")
    play(state, "4c", "check", "check", "5h", "check", "check")
    assert state.round_over and stacks_of(state) == [100, 99, 101]


def test_a_player_who_cannot_pay_the_blind_is_all_in():
    game = bl.game("poker")
    state = later_hand(game, [197, 3], button=0)
    play(state, "Ac Kc Ad Kd")
    # The small blind of 5 covers the 3 chips: nobody has anything to decide.
    assert state.player == bl.CHANCE
    play(state, "2h 7s 9d Jc 3s")
    assert stacks_of(state) == [194, 6]


def test_players_without_chips_are_out_and_the_button_passes_them():
    game = bl.game("poker", players=3, rounds=5)
    state = later_hand(game, [0, 150, 150], button=2)
    play(state, "2c 3c 2d 3d")
    assert state.player == 2  # of two players the button acts first
    play(state, "fold")
    play(state, "2c 3c 2d 3d")
    assert game.rules.table(state).button == 1 and state.player == 1
    assert game.rules.table(state).holes[0] == [0, 0]


def test_the_game_ends_after_its_rounds():
    game = bl.game("poker", rounds=2)
    state = play(game.initial_state(), "2c 3c 2d 3d", "fold")
    assert state.round_over and not state.is_terminal
    play(state, "2c 3c 2d 3d")
    assert game.rules.table(state).button == 1 and state.player == 1
    play(state, "fold")
    assert state.is_terminal and tuple(state.scores) == (0, 0)


# ---- properties ----


def random_games(game, rng, count):
    for _ in range(count):
        state = game.initial_state()
        while True:
            yield state
            if state.is_terminal:
                break
            if state.player == bl.CHANCE:
                state.apply(state.sample_chance(rng.randrange(2**32)))
            else:
                state.apply(rng.choice(state.legal_actions()))


VARIANTS = [{**Poker.variants[0]}, *map(dict, Poker.variants[1:]), {"players": 5, "chips": 40, "rounds": 6}]


def slow_shares(rules, table):
    """What everyone gets of the pot, chip by chip: a chip is shared by the best who paid at least as deep."""
    live = [p for p in range(rules.players) if table.is_in(p) and not table.folded[p]]
    strength = dict.fromkeys(live, 0)
    if len(live) > 1:
        hands = np.array([[*table.holes[p], *table.board] for p in live], dtype=np.uint8) - np.uint8(1)
        strength = dict(zip(live, _engine.hand_strengths(hands).tolist(), strict=True))
    shares = collections.Counter()
    for depth in range(1, max(table.paid) + 1):
        contenders = [p for p in live if table.paid[p] >= depth]
        best = max(strength[p] for p in contenders)
        winners = [p for p in contenders if strength[p] == best]
        chips = sum(paid >= depth for paid in table.paid)
        for p in winners:
            shares[p] += Fraction(chips, len(winners))
    return shares


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_chips_are_conserved_and_pots_go_where_they_belong(variant):
    game, rng = bl.game("poker", **variant), random.Random(5)
    rules = game.rules
    pots = 0
    for state in random_games(game, rng, 60):
        t = rules.table(state)
        open_pot = 0 if state.round_over else t.pot
        assert sum(t.stacks) + open_pot == rules.players * rules.chips
        assert state.scores.sum() == 0
        if state.round_over:
            pots += 1
            shares = slow_shares(rules, t)
            for p in range(rules.players):
                gained = t.stacks[p] - (t.start[p] - t.paid[p])
                # Odd chips: less than one a side pot.
                assert abs(gained - shares[p]) < rules.players
                assert shares[p] or not gained
    assert pots >= 60


def test_the_betting_is_part_of_what_a_player_knows():
    """The same cards and chips after check-bet-call and bet-call are two positions."""
    game = bl.game("poker")
    deal = ("2c 3c 2d 3d", "call", "check", "7s 8s 9s")
    one = play(game.initial_state(), *deal, "check", "bet", "call", "Ts")
    other = play(game.initial_state(), *deal, "bet", "call", "Ts")
    assert stacks_of(one) == stacks_of(other)
    assert one.observe(0) != other.observe(0) and one.observe(1) != other.observe(1)


def test_the_order_of_the_two_hole_cards_does_not_matter():
    game = bl.game("poker")
    one = play(game.initial_state(), "2c 3c 2d 3d")
    other = play(game.initial_state(), "2d 3d 2c 3c")
    assert one == other


def test_two_players_have_990_possible_opponents_on_the_river():
    game = bl.game("poker")
    state = play(game.initial_state(), "2c 3c 2d 3d", "call", "check")
    assert len(state.seen_by(0).completions(0)) == 1225
    play(state, "7s 8s 9s", "check", "check")
    assert len(state.seen_by(0).completions(0)) == 1081
    play(state, "Ts", "check", "check", "Js")
    found = state.seen_by(0).completions(0)
    assert len(found) == 990 and all(p == pytest.approx(1 / 990) for _, p in found)
    assert state.seen_by(0).completions(0, most=989) == []
    assert play(bl.game("poker", players=3).initial_state(), "2c 3c 4c 2d 3d 4d").completions(0) == []


def test_determinize_deals_every_unseen_card_equally_often():
    game = bl.game("poker")
    state = play(game.initial_state(), "2c 3c 2d 3d", "call", "check", "7s 8s 9s", "check", "check", "Ts")
    seen, counts, draws = state.seen_by(0), collections.Counter(), 4000
    for seed in range(draws):
        counts.update(game.rules.table(seen.determinize(0, seed)).holes[1])
    assert len(counts) == 46 and {read_card("", c) for c in ("3c", "3d", "7s", "Ts")}.isdisjoint(counts)
    expected = draws * 2 / 46
    assert all(abs(n - expected) < 6 * expected**0.5 for n in counts.values())


# ---- agents, text, parameters ----


def test_mcts_calls_with_the_nuts_and_folds_nothing_against_it():
    game = bl.game("poker")
    state = play(game.initial_state(), "2c As 7d Ks", "call", "check", "Qs Js Ts", "all-in")
    assert state.player == 0  # a royal flush against an all-in
    for agent in ("mcts(iterations=300)", "mc(iterations=300)"):
        assert WORDS[bl.agent(agent, game, seed=1).act(state).action] == "all-in"


@pytest.mark.parametrize("agent", ["mcts(iterations=200)", "mc(iterations=200)"])
def test_searches_beat_random_play(agent):
    """One hand varies by about 50 chips; both seats share their cards, so the error of 4,000 is below 1."""
    result = bl.match(bl.game("poker", rounds=1), [agent, "random"], games=4000, seed=1)
    assert result.mean_scores[0] > 3
    assert result.errors == 0


def test_text_hides_what_may_not_be_seen():
    game = bl.game("poker")
    state = play(game.initial_state(), "2c 3c 2d 3d", "raise")
    assert "player 0: ?? ??" in state.seen_by(1).to_text() and "2c 2d" in state.seen_by(1).to_text()
    assert "3c" not in state.seen_by(1).to_text()
    with pytest.raises(bl.BoardLabError, match="hidden card cannot be read back"):
        game.from_text(state.seen_by(1).to_text())
    text = state.to_text()
    for old, new, why in [
        ("3c 3d", "3c 3c", "twice"),
        ("3c 3d", "3c 1d", '"1d" is not a card'),
        ("betting: raise", "betting: check", "breaks the rules"),
        ("betting: raise", "betting: raise fold", "do not fit"),
        ("betting: raise", "betting: jump", '"jump" is not an action'),
        ("chips 80 of 100", "chips 70 of 100", "do not fit"),
        ("of 100", "of 90", "add up"),
    ]:
        assert old in text
        with pytest.raises(bl.BoardLabError, match=why):
            game.from_text(text.replace(old, new))


def test_parameters_are_checked():
    with pytest.raises(bl.BoardLabError, match="small_blind must be at most half of the chips"):
        bl.game("poker", chips=10, small_blind=6)
    with pytest.raises(bl.BoardLabError, match="players must be"):
        bl.game("poker", players=7)


# ---- strength and potential of hands ----


def dealt(cards, seed=0):
    """A position of player 0 with this hole and board, "As Kd / 7h 2c 2d", met in play without a raise."""
    hole, _, board = cards.partition("/")
    own, table = hole.split(), board.split()
    game = bl.game("poker", rounds=1)
    left = [c for c in (r + s for r in "23456789TJQKA" for s in "cdhs") if c not in (*own, *table)]
    other = left[:2]
    state = game.initial_state()
    order = [other[0], own[0], other[1], own[1]]  # left of the button first
    pending = [*order, *table]
    while pending or state.player == bl.CHANCE:
        if state.player == bl.CHANCE:
            if not pending:
                break
            state.apply(card_number(pending.pop(0)))
        else:
            state.apply(1 if 1 in state.legal_actions() else 3)  # check or call
    return state


def card_number(name):
    return read_card("test", name) - 1


def won_on_the_river(own, board):
    """The share of the pot against every other hand, one by one."""
    rest = [c for c in range(52) if c not in own and c not in board]
    hands = np.array([[a, b, *board] for i, a in enumerate(rest) for b in rest[:i]], np.uint8)
    theirs = _engine.hand_strengths(hands)
    mine = _engine.hand_strengths(np.array([[*own, *board]], np.uint8))[0]
    return float(((theirs < mine) + 0.5 * (theirs == mine)).mean())


@pytest.mark.parametrize(
    "cards",
    ["As Ks / Qs Js Ts 2d 2c", "7h 2d / Ah Kh Qc 9s 3d", "8c 8d / 8h 7s 6s 5s 2h", "Ac 4c / Kc 9c 3d 3h 2c"],
)
def test_strength_on_the_river_is_the_share_won_against_every_other_hand(cards):
    words = cards.replace("/", "").split()
    own, board = [card_number(w) for w in words[:2]], [card_number(w) for w in words[2:]]
    strength, potential = dealt(cards).features(0)[:2]
    assert strength == pytest.approx(won_on_the_river(own, board), abs=0.5 / 255 + 1e-9)
    assert potential == 0


def test_strength_and_potential_on_the_turn_are_mean_and_spread_over_the_river():
    own, board = [card_number(w) for w in ("Ah", "5h")], [card_number(w) for w in ("Kh", "9h", "5c", "2s")]
    shares = [won_on_the_river(own, [*board, c]) for c in range(52) if c not in own and c not in board]
    strength, potential = dealt("Ah 5h / Kh 9h 5c 2s").features(0)[:2]
    assert strength == pytest.approx(np.mean(shares), abs=0.004)
    assert potential == pytest.approx(np.std(shares), abs=0.004)


def test_strength_before_the_flop_is_the_known_equity():
    known = {"As Ad": 0.852, "Ks Kd": 0.824, "As Ks": 0.670, "As Kd": 0.654, "7s 2d": 0.346, "3s 2d": 0.323}
    for cards, share in known.items():
        assert dealt(cards).features(0)[0] == pytest.approx(share, abs=0.004)


def test_strength_does_not_know_the_names_of_suits():
    strengths = set()
    for suits in ("cdhs", "dhsc", "shcd"):
        a, b, c, d = suits
        strengths.add(tuple(dealt(f"A{a} 9{b} / K{a} 7{a} 2{c}").features(0)[:2]))
        strengths.add(tuple(dealt(f"9{b} A{a} / 2{d} K{a} 7{a}").features(0)[:2]))
    assert len(strengths) == 1
    assert dealt("Ac 9d / Kc 7c 2h").features(0)[1] > dealt("Ac 9d / Kh 7h 2s").features(0)[1]  # a draw


def test_a_situation_is_the_betting_and_neither_cards_nor_chips():
    game, other = bl.game("poker", rounds=1), bl.game("poker", rounds=3)
    state = game.initial_state()
    for card in (0, 20, 40, 50):
        state.apply(card)
    again = other.initial_state()
    for action in (3, 9, 1, 2, 0):  # the button folds the first hand
        again.apply(action)
    for card in (30, 31, 32, 33):
        again.apply(card)
    assert (state.player, again.player) == (0, 1)
    assert state.core.situation(0) == again.core.situation(1)
    state.apply(3)
    again.apply(4)
    assert state.core.situation(1) != again.core.situation(0)
