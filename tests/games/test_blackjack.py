import functools

import pytest

import boardlab as bl
from boardlab.games.blackjack import ACTIONS, NATURAL, NO_NATURAL, PHASES

HIT_AND_STAND = {"double": False, "split": False, "surrender": False, "insurance": False, "rounds": 1}


def expected_return(**parameters):
    """The value of a round under best play: exhaustion over the game's own states.

    States are told apart by what can matter for the rest of the round (totals, not the cards that make them).
    """
    game = bl.game("blackjack", **parameters)
    rules = game.rules

    def key(state):
        fields, dealer = state.fields, rules.dealer(state)
        hands = tuple(
            (h.total, h.is_soft, min(len(h.cards), 3), len(set(h.cards)) == 1 and len(h.cards) == 2, *h.flags)
            for h in rules.hands(state)
        )
        up = dealer.cards[:1] if len(dealer.cards) < 2 else []
        return (*fields[2:8], *up, dealer.total, dealer.is_soft, min(len(dealer.cards), 3), hands)

    known = {}

    def value(state):
        if state.is_terminal:
            return state.scores[0]
        at = key(state)
        if at not in known:
            if state.player == bl.CHANCE:
                chances = dict(state.chance_outcomes())
                known[at] = sum(chances[outcome] * value(child) for outcome, child in state.children())
            else:
                known[at] = max(value(child) for _, child in state.children())
        return known[at]

    return value(game.initial_state())


@pytest.mark.parametrize("peek", [False, True])
@pytest.mark.parametrize(("natural", "truth"), [("3:2", -0.02421), ("1:1", -0.04676)])
def test_hit_and_stand_is_worth_what_is_known(natural, truth, peek):
    """A peek cannot matter to a player who only hits and stands."""
    assert expected_return(natural=natural, peek=peek, **HIT_AND_STAND) == pytest.approx(truth, abs=5e-6)


def test_doubling_without_a_peek_is_worth_what_is_known():
    rules = {**HIT_AND_STAND, "double": True}
    no_peek = expected_return(peek=False, **rules)
    assert no_peek == pytest.approx(-0.01168, abs=5e-6)
    assert expected_return(peek=True, **rules) > no_peek  # a doubled stake is not lost to a natural


def test_every_permission_helps_the_player_and_a_hit_on_soft_17_the_house():
    value = functools.partial(expected_return, **{**HIT_AND_STAND, "double": True})
    plain = value()
    assert value(surrender=True) > plain
    assert value(insurance=True) == pytest.approx(plain, abs=1e-12)  # never worth it with an infinite deck
    assert value(hit_soft_17=True) < plain


# ---- rounds played by hand ----


def play(game, *steps):
    """Cards are written as numbers (1 is the ace), player actions and what the peek finds as words."""
    state = game.initial_state()
    for step in steps:
        if step in ("natural", "no natural"):
            outcome = NATURAL if step == "natural" else NO_NATURAL
            assert outcome in state.legal_actions()
            state.apply(outcome)
        elif isinstance(step, int):
            assert state.player == bl.CHANCE
            state.apply(step - 1)
        else:
            state.apply(state.parse_action(step))
    return state


def names(state):
    return [state.action_text(action) for action in state.legal_actions()]


@pytest.fixture
def game():
    return bl.game("blackjack", rounds=1)


@pytest.mark.parametrize(
    ("steps", "won"),
    [
        ((10, 6, 9, "stand", 10, 10), 1),  # the dealer busts with 26
        ((10, 6, 9, "stand", 10, 5), -1),  # 19 against 21
        ((10, 7, 8, "stand", 1), 0),  # 18 against a soft 18
        ((10, 6, 9, "hit", 5), -1),  # a bust loses before the dealer plays
        ((5, 6, 6, "double", 10, 10, 10), 2),
        ((5, 6, 6, "double", 2, 10, 1), -2),
        ((10, 9, 6, "surrender"), -0.5),
        ((1, 6, 10), 1.5),  # a natural ends the round
        ((1, 10, 10, "no natural"), 1.5),
        ((1, 10, 10, "natural"), 0),
        ((10, 10, 10, "natural"), -1),
        ((1, 1, 10, "insurance", "natural"), 1),  # even money
        ((1, 1, 10, "no insurance", "natural"), 0),
        ((10, 1, 10, "insurance", "natural"), 0),
        ((10, 1, 9, "insurance", "no natural", "stand", 7), 0.5),
        ((8, 6, 8, "split", 10, "stand", 3, "double", 10, 10, 10), 3),
        ((8, 6, 8, "split", 10, "hit", 10, 10, "stand", 10, 10), 0),
        ((1, 6, 1, "split", 10, 5, 10, 10), 2),  # one card each, and 21 is no natural
    ],
)
def test_rounds_by_hand(game, steps, won):
    state = play(game, *steps)
    assert state.is_terminal and state.round_over
    assert state.scores[0] == won


def test_without_a_peek_a_natural_takes_everything():
    game = bl.game("blackjack", rounds=1, peek=False)
    assert play(game, 5, 10, 6, "double", 10, 1).scores[0] == -2
    assert play(game, 1, 10, 10, 1).scores[0] == 0
    assert play(game, 1, 10, 10, 9).scores[0] == 1.5
    assert (
        play(game, 10, 1, 6, "insurance", "hit", 10, 10).scores[0] == 0
    )  # the hole card decides the insurance
    assert play(game, 10, 1, 6, "insurance", "hit", 10, 9).scores[0] == -1.5
    assert play(game, 10, 10, 6, "surrender").scores[0] == -0.5


def test_what_is_allowed_when(game):
    assert names(play(game, 8, 6, 8)) == ["hit", "stand", "double", "split", "surrender"]
    assert names(play(game, 8, 6, 7)) == ["hit", "stand", "double", "surrender"]
    assert names(play(game, 8, 6, 2, "hit", 3)) == ["hit", "stand"]
    assert names(play(game, 8, 6, 8, "split", 8)) == ["hit", "stand", "double", "split"]
    four = play(game, 8, 6, 8, "split", 8, "split", 8, "split", 8)
    assert names(four) == ["hit", "stand", "double"]
    assert names(play(game, 8, 1, 8)) == ["insurance", "no insurance"]
    assert names(play(bl.game("blackjack", **HIT_AND_STAND), 8, 1, 8, "no natural")) == ["hit", "stand"]


def test_the_peek_has_the_right_odds_and_leaves_the_right_cards(game):
    peek = play(game, 10, 1, 6, "no insurance")
    assert dict(peek.chance_outcomes()) == pytest.approx({NO_NATURAL: 9 / 13, NATURAL: 4 / 13})
    hole = dict(play(game, 10, 1, 7, "no insurance", "no natural", "stand").chance_outcomes())
    assert hole == pytest.approx(dict.fromkeys(range(9), 1 / 9))
    peek = play(game, 10, 10, 6)
    assert dict(peek.chance_outcomes()) == pytest.approx({NO_NATURAL: 12 / 13, NATURAL: 1 / 13})
    hole = dict(play(game, 10, 10, 7, "no natural", "stand").chance_outcomes())
    assert hole == pytest.approx(dict.fromkeys(range(1, 9), 1 / 12) | {9: 4 / 12})
    second = dict(play(game, 10, 10, 7, "no natural", "stand", 2).chance_outcomes())
    assert second == pytest.approx(dict.fromkeys(range(9), 1 / 13) | {9: 4 / 13})


def test_dealer_and_a_soft_17():
    stands = bl.game("blackjack", rounds=1)
    assert play(stands, 10, 6, 8, "stand", 1).scores[0] == 1
    hits = bl.game("blackjack", rounds=1, hit_soft_17=True)
    drawing = play(hits, 10, 6, 8, "stand", 1)
    assert not drawing.is_terminal
    drawing.apply(3 - 1)
    assert drawing.scores[0] == -1


def test_rounds_add_up():
    game = bl.game("blackjack", rounds=2)
    state = play(game, 10, 6, 9, "stand", 10, 10)
    assert state.round_over and not state.is_terminal and state.scores[0] == 1
    state.apply(9)
    assert not state.round_over and state.scores[0] == 1
    for card in (8, 8):
        state.apply(card)
    state.apply(state.parse_action("surrender"))
    assert state.is_terminal and state.scores[0] == 0.5


def test_nothing_is_hidden_and_expectimax_stands_on_twenty():
    game = bl.game("blackjack", rounds=5, split=False)
    assert not game.is_hidden
    state = play(game, 10, 6, 10)
    assert ACTIONS[bl.agent("expectimax(depth=2)", game).act(state).action] == "stand"


def test_searches_return_more_than_random_play():
    game = bl.game("blackjack", rounds=100)
    mean = {
        agent: bl.match(game, [agent], games=games, seed=3).mean_scores[0] / 100
        for agent, games in {"random": 100, "mc(iterations=300)": 20, "mcts(iterations=300)": 20}.items()
    }
    # A round varies by about 1.2 stakes: standard errors of .012 and .03.
    assert mean["random"] < -0.35
    assert mean["mc(iterations=300)"] > -0.2
    assert mean["mcts(iterations=300)"] > -0.2


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nonsense", 'expected "round 1 of 1'),
        ("round 1 of 1, won +0\ndealer: 11\nhand 1: 10 5, in play\nplayer to move", '"11" is not a card'),
        ("round 9 of 1, won +0\ndealer: 6\nhand 1: 5 10, in play\nplayer to move", "beyond the last one"),
        ("round 1 of 1, won +0\ndealer: 6\nhand 1: 10 5, in play\nplayer to move", "must be sorted"),
        ("round 1 of 1, won +0\ndealer: 6\nhand 1: 10 10 10, in play\nplayer to move", "finished"),
        ("round 1 of 1, won +0\ndealer: 10\nhand 1: 5 10, in play\nplayer to move", "may peek only"),
        (f"round 1 of 1, won +0\ndealer: 6\nhand 1: {'A ' * 20}, in play\n{PHASES[6]}", "finished"),
    ],
)
def test_impossible_states_are_refused(game, text, sentence):
    with pytest.raises(bl.BoardLabError, match=sentence):
        game.from_text(text)


def test_parameters_are_checked():
    with pytest.raises(bl.BoardLabError, match="natural must be one of"):
        bl.game("blackjack", natural="6:5")
    with pytest.raises(bl.BoardLabError, match="rounds"):
        bl.game("blackjack", rounds=0)
