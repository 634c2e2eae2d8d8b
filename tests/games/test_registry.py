"""A game is one C++ file and one line: its face in Python is found, or made."""

import pytest

import boardlab as bl
from boardlab import _engine
from boardlab.games.game import Game
from boardlab.games.registry import GAMES, _plain_face
from boardlab.games.rules import Rules
from boardlab.testing import check_game


def test_every_game_of_the_engine_is_known_in_its_order():
    assert bl.games() == _engine.game_names()


def test_every_built_in_game_has_a_face_of_its_own():
    assert all(rules.__module__.startswith("boardlab.games.") for rules in GAMES.values())
    assert all(rules.to_text is not Rules.to_text for rules in GAMES.values())


def test_a_game_without_a_face_is_complete():
    game = Game(_plain_face("tictactoe")())
    check_game(game)
    state = game.initial_state()
    state.apply(state.parse_action("3"))
    assert game.from_text(state.to_text()) == state
    assert bl.match(game, ["mcts(iterations=50)", "random"], games=2).errors == 0


@pytest.mark.parametrize(
    ("name", "parameters", "says"),
    [
        ("nim", {}, "the last taker wins"),
        ("nim", {"misere": True}, "the last taker loses"),
        ("nim", {"players": 3}, "the player after the last taker wins"),
        ("nim", {"players": 3, "extra_rule": True}, "the one after the winner gets 0.2"),
        ("connectfour", {}, "four in a row win"),
        ("connectfour", {"connect": 3}, "three in a row win"),
        ("gobang", {"k": 5}, "set stones, five in a row win"),
        ("gobang", {"rows": 19, "cols": 19, "k": 13, "exactly": True}, "exactly 13 in a row win"),
        ("sim", {"players": 3}, "puts you out"),
        ("sim", {"players": 3, "coalition": True}, "blue and green play together"),
        ("hex", {"swap": True}, "swap"),
        ("yavalath", {"players": 3}, "must block"),
        ("ewn", {"size": 6, "players": 3}, "hunt blue"),
        ("ewn", {"size": 6, "players": 4}, "against yellow and green"),
        ("blackjack", {"split": False, "insurance": False}, "hit, stand, double, surrender"),
    ],
)
def test_the_summary_of_a_variant_states_its_rules(name, parameters, says):
    assert says in bl.game(name, **parameters).rules.variant_summary()


@pytest.mark.parametrize("name", bl.games())
def test_the_list_of_games_keeps_the_sentence_that_holds_for_all_parameters(name):
    rules = GAMES[name]
    told = rules().variant_summary()
    assert "\n" not in told and not told.endswith(".") and rules.summary in bl.describe(name)


@pytest.mark.parametrize("name", ["nim", "ewn", "othello"])
def test_a_player_is_not_shown_who_would_be_next_after_the_end(name):
    """The text that is read back keeps it: the fields have it."""
    state = bl.game(name).initial_state()
    while not state.is_terminal:
        state.apply(state.legal_actions()[0])
    assert " next" in state.to_text() and state.game.from_text(state.to_text()) == state
    shown = state.game.rules.board_text(state)
    assert " has won" in shown and " next" not in shown
