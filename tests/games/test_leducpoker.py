import itertools
from collections import defaultdict

import pytest

import boardlab as bl

JS, JH, QS, QH, KS, KH = range(6)


@pytest.fixture(scope="module")
def game():
    return bl.game("leducpoker")


def after(game, cards, first="", common=None, second=""):
    """The position after this deal and betting: after(game, (KS, QH), "crc", JS, "r")."""
    state = game.initial_state()
    for action in (*cards, *map("fcr".index, first)):
        state.apply(action)
    if common is not None:
        state.apply(common)
    for letter in second:
        state.apply("fcr".index(letter))
    return state


def positions(state):
    yield state
    for _, child in state.children():
        yield from positions(child)


def test_the_tree_has_the_published_size(game):
    """936 information sets, and 9,457 histories (OpenSpiel counts the same)."""
    histories, sets = 0, set()
    for state in positions(game.initial_state()):
        histories += 1
        if state.player >= 0:
            sets.add((state.player, state.observe(state.player)))
    assert (histories, len(sets)) == (9457, 936)


@pytest.mark.parametrize(
    ("cards", "first", "common", "second", "score"),
    [
        ((KS, QH), "cc", JS, "cc", 1),
        ((KS, QH), "cc", QS, "cc", -1),  # a pair beats a king
        ((KS, KH), "rrc", JS, "rrc", 0),  # equal ranks share
        ((JS, QH), "crrc", JH, "crrc", 13),
        ((JS, QH), "rrc", KS, "rc", -9),
        ((KS, QH), "rf", None, "", 1),
        ((KS, QH), "rrf", None, "", -3),
        ((KS, QH), "crrf", None, "", 3),
        ((KS, QH), "rc", QS, "rf", 3),
        ((KS, QH), "rc", QS, "crrf", 7),
    ],
)
def test_payments_by_hand(game, cards, first, common, second, score):
    state = after(game, cards, first, common, second)
    assert state.is_terminal and tuple(state.scores) == (score, -score)


def test_histories_look_alike_if_and_only_if_the_player_cannot_tell_them_apart(game):
    def knowledge(state, player):
        cards, betting = state.fields[3:5], tuple(state.fields[5:])
        shown = state.is_terminal and betting[2] in (3, 6, 9, 12, 14)
        return cards[player], cards[1 - player] if shown else bool(cards[1 - player]), betting

    for player in (0, 1):
        keys, facts = defaultdict(set), defaultdict(set)
        for state in positions(game.initial_state()):
            key, fact = state.observe(player), knowledge(state, player)
            keys[key].add(fact)
            facts[fact].add(key)
        assert all(len(found) == 1 for found in (*keys.values(), *facts.values()))


def test_completions_are_the_cards_that_are_left(game):
    state = after(game, (QS, JH), "rc", KS)
    found = {s.fields[4] - 1: p for s, p in state.seen_by(0).completions(0)}
    assert found == dict.fromkeys((JS, JH, QH, KH), 0.25)
    assert len(after(game, (QS, JH), "rc", KS, "cc").completions(0)) == 1  # shown
    assert len(after(game, (QS, JH), "rf").completions(0)) == 5  # not shown


def test_rounds_alternate_and_add_up():
    game = bl.game("leducpoker", rounds=2)
    state = after(game, (KS, JS), "rc", JH, "cc")
    assert state.round_over and not state.is_terminal and tuple(state.scores) == (-3, 3)
    for action in (QS, KH):  # the first card goes to player 1, who begins now
        state.apply(action)
    assert state.player == 1 and state.fields[3:5] == [KH + 1, QS + 1]
    for letter in "rf":
        state.apply("fcr".index(letter))
    assert state.is_terminal and tuple(state.scores) == (-4, 4)


def test_text_names_actions_and_refuses_what_cannot_be(game):
    state = after(game, (KS, JS), "crc", QS, "r")
    assert state.action_names() == {0: "fold", 1: "call", 2: "raise"}
    assert "cards: Ks Js, common: Qs" in state.to_text() and "check bet call / bet" in state.to_text()
    seen = state.seen_by(1).to_text()
    assert "cards: ?? Js" in seen
    with pytest.raises(bl.BoardLabError, match="hidden card cannot be read back"):
        game.from_text(seen)
    head = "round 1 of 1, player 0 has won 0\n"
    for wrong, why in [
        (head + "cards: Ks Ks, common: --\nbetting: none / none", "occurs twice"),
        (
            head + "cards: Ks Qs, common: --\nbetting: call raise fold call / none",
            "not the betting of a street",
        ),
        (head + "cards: Ks --, common: --\nbetting: check / none", "do not fit together"),
        (head + "cards: Ks Qs, common: Js\nbetting: check / none", "do not fit together"),
        ("round 1 of 1, player 0 has won 5\ncards: Ks Qs, common: --\nbetting: none / none", "more was won"),
        ("Ks Qs", "expected"),
    ]:
        with pytest.raises(bl.BoardLabError, match=why):
            game.from_text(wrong)


def test_every_position_reads_back(game):
    for state in itertools.islice(positions(game.initial_state()), 0, None, 7):
        assert game.from_text(state.to_text()) == state
