"""Where cells stand in the text of a board, and its colours in a terminal."""

import random

import pytest

import boardlab as bl
from boardlab.cli.common import board
from boardlab.games.game import Game
from boardlab.games.registry import GAMES

BOARDS = (
    "tictactoe",
    "connectfour",
    "othello",
    "gobang",
    "pathwayz",
    "hex",
    "yavalath",
    "ewn",
    "sim",
    "morpion",
)


def games():
    return [(name, variant) for name in bl.games() for variant in GAMES[name].variants]


def positions(name, variant, seed=1, most=30):
    state, rng = bl.game(name, **variant).initial_state(seed), random.Random(seed)
    for _ in range(most):
        if state.player >= 0:
            yield state.copy()
        if state.is_terminal:
            return
        state.apply(rng.choice(state.legal_actions()))


@pytest.mark.parametrize(("name", "variant"), games())
def test_every_cell_is_a_word_of_the_text(name, variant):
    for state in positions(name, variant):
        rules = state.game.rules
        lines = rules.board_text(state).split("\n")
        places = rules.text_places(state)
        for place in places.values():
            assert lines[place.line][place.column : place.column + place.width].strip()
        if name not in BOARDS:
            continue
        for action in state.legal_actions():
            cells = rules.action_cells(state, action)
            if not cells:
                assert state.action_text(action) in ("pass", "swap")
                continue
            place = places[cells[-1]]
            word = lines[place.line][place.column : place.column + place.width]
            assert word == "." or name == "ewn"


def test_a_column_of_the_text_is_the_column_of_the_action():
    state = bl.game("hex", size=3).initial_state()
    state.apply(state.parse_action("b3"))
    place = state.game.rules.text_places(state)[7]
    assert state.to_text().split("\n")[place.line][place.column] == "R"


@pytest.mark.parametrize("name", sorted({name for name, _ in games()}))
def test_every_game_is_coloured(name):
    states = list(positions(name, {}))
    assert any(board(state).spans for state in states)
    if name == "rubiks":
        text = board(states[0])
        coloured = {place for span in text.spans for place in range(span.start, span.end)}
        assert coloured == {place for place, letter in enumerate(text.plain) if letter.strip()}


def test_a_declared_grid_has_places():
    class Row(bl.PythonGame):
        name, players, action_count = "row", 2, 3
        board = bl.grid(1, 3)

        def initial_state(self, rng):
            return (0, 0, 0)

        def player(self, p):
            return bl.TERMINAL if all(p) else sum(1 for v in p if v) % 2

        def legal(self, p):
            return [i for i in range(3) if not p[i]]

        def apply(self, p, a):
            return (*p[:a], self.player(p) + 1, *p[a + 1 :])

        def scores(self, p):
            return (0, 0)

        def pieces(self, p):
            return list(p)

    state = Game(Row()).initial_state()
    state.apply(1)
    places = state.game.rules.text_places(state)
    line = state.game.rules.board_text(state).split("\n")[places[1].line]
    assert [line[places[i].column] for i in range(3)] == [".", "X", "."]
