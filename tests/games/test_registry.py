"""A game is one C++ file and one line: its face in Python is found, or made."""

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
