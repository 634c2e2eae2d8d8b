"""`boardlab.play`: a board to click, with an agent on the other side."""

import re
import sys

import pytest

import boardlab as bl
from boardlab.errors import MissingPackageError
from boardlab.notebooks import board
from boardlab.notebooks.board import HINT, NEW, NEXT, UNDO, Table
from boardlab.search.expression import AGENTS


class Lowest:
    """Plays the legal action with the lowest number."""

    def __init__(self, game, seed):
        pass

    def act(self, state):
        return state.legal_actions()[0]


@pytest.fixture(autouse=True)
def _register_lowest():
    bl.register_agent("lowest", Lowest)
    yield
    del AGENTS["lowest"]


def legal_in(table):
    return sorted(int(action) for action in re.findall(r'data-action="(\d+)"', table.picture()))


def click(table, action):
    table.click(action)
    table.answer()


def test_a_click_plays_and_the_agent_answers():
    table = Table(bl.game("tictactoe"), "lowest", seed=1)
    assert legal_in(table) == list(range(9)) and table.words() == [UNDO, HINT, NEW]
    click(table, 4)
    assert table.state.fields == [2, 0, 0, 0, 1, 0, 0, 0, 0] and table.note == "O plays a1"
    assert 4 not in legal_in(table) and 'class="last"' in table.picture()


def test_the_person_may_take_another_seat():
    table = Table(bl.game("tictactoe"), "lowest", seat=1, seed=1)
    assert table.state.fields[0] == 1 and table.note == "X plays a1" and 0 not in legal_in(table)


@pytest.mark.parametrize("action", [0, 99, -1, True, None, "4", 1.0, [4]])
def test_what_is_no_legal_action_changes_nothing(action):
    table = Table(bl.game("tictactoe"), "lowest", seed=1)
    click(table, 4)
    before = table.state.fields
    click(table, action)
    table.press("no such button")
    assert table.state.fields == before


def test_undo_goes_back_to_the_persons_last_choice():
    table = Table(bl.game("tictactoe"), "lowest", seed=1)
    table.press(UNDO)
    assert table.note == "there is nothing to take back"
    click(table, 4)
    click(table, 8)
    table.press(UNDO)
    assert table.state.actions_played == 2
    table.press(UNDO)
    assert table.state.actions_played == 0


def test_a_hint_is_drawn_over_the_board_until_the_next_click():
    table = Table(bl.game("tictactoe"), "mcts(iterations=50)", seed=1)
    table.press(HINT)
    assert 'class="opinion"' in table.picture() and table.note.startswith("the agent would play ")
    click(table, 4)
    assert 'class="opinion"' not in table.picture()


def test_a_finished_game_names_the_winner_and_starts_again():
    table = Table(bl.game("tictactoe"), "lowest", seed=1)
    for cell in (4, 6, 2):
        click(table, cell)
    assert "X has won" in table.picture() and not legal_in(table) and table.words() == [UNDO, NEW]
    table.press(HINT)
    assert table.hint is None
    table.press(NEW)
    table.answer()
    assert legal_in(table) == list(range(9))


def test_the_end_of_a_round_stays_until_the_person_goes_on():
    table = Table(bl.game("kuhnpoker", rounds=2), "lowest", seed=1)
    while not table.state.round_over:
        click(table, 0)
    assert table.words() == [NEXT, NEW] and "round over" in table.picture()
    table.answer()
    assert table.state.round_over
    table.press(NEXT)
    table.answer()
    assert table.state.player == 0 and not table.state.round_over


def test_hidden_cards_stay_hidden():
    table = Table(bl.game("kuhnpoker"), "lowest", seed=1)
    other = bl.game("kuhnpoker").rules.board_text(table.state).split("cards: ")[1].split()[1]
    assert f">{other}</text>" not in table.picture()


def test_the_opponent_may_be_an_agent_or_a_run(tmp_path):
    game = bl.game("tictactoe")
    highest = bl.python_agent(game, lambda state: state.legal_actions()[-1], "highest")
    table = Table(game, highest, seed=1)
    click(table, 4)
    assert table.note == "O plays c3"
    run = bl.train(game, "q-table", episodes=5, out=tmp_path / "run", exams=[])
    assert Table(game, run, seat=1).note.startswith("X plays ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"against": "mtcs"}, 'unknown agent "mtcs"; did you mean "mcts"'),
        ({"against": 3}, "the opponent must be an agent or its expression, not 3"),
        ({"against": "random", "seat": 2}, "the seat must be a whole number from 0 to 1, not 2"),
        ({"against": "random"}, "shows a board in a notebook; in a terminal: boardlab play tictactoe"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(bl.BoardLabError, match=message):
        bl.play(bl.game("tictactoe"), **arguments)


def test_the_missing_package_is_named(monkeypatch):
    board._widget_class.cache_clear()
    monkeypatch.setattr(board, "is_notebook", lambda: True)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(MissingPackageError, match=r"needs anywidget: .* pip install 'boardlab\[notebook\]'"):
        bl.play(bl.game("tictactoe"), "random")


def test_the_widget_shows_the_table_and_hears_clicks(monkeypatch):
    pytest.importorskip("anywidget")
    board._widget_class.cache_clear()
    monkeypatch.setattr(board, "is_notebook", lambda: True)
    widget = bl.play(bl.game("tictactoe"), "lowest", seed=1)
    assert widget.picture == widget.table.picture() and widget.words == [UNDO, HINT, NEW]
    widget._hear(widget, {"action": 4}, [])
    assert (
        widget.state.fields[4] == 1
        and widget.note == "O plays a1"
        and widget.picture == widget.table.picture()
    )
    widget._hear(widget, {"word": UNDO}, [])
    assert widget.state.actions_played == 0
    for junk in (None, [], {}, {"action": "x"}, {"word": 3}, {"other": 1}):
        widget._hear(widget, junk, [])
    assert widget.state.actions_played == 0


def test_an_agent_that_fails_is_reported_on_the_board(monkeypatch):
    pytest.importorskip("anywidget")
    monkeypatch.setattr(board, "is_notebook", lambda: True)
    widget = bl.play(bl.game("tictactoe"), "lowest", seed=1)

    def fail(state):
        raise RuntimeError("out of ideas")

    widget.table.agent = bl.python_agent(bl.game("tictactoe"), fail, "fails")
    widget._hear(widget, {"action": 4}, [])
    assert "out of ideas" in widget.note and widget.words == [UNDO, NEW]
