"""Pictures show who moved, who won and what is allowed, and every place to click carries its action.

`python tests/games/test_pictures.py` draws the golden pictures again: look at the difference.
"""

import re
import runpy
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import boardlab as bl
from boardlab.games.drawing import text_width

GOLDEN = Path(__file__).parent / "pictures"
SMALL = {
    "tictactoe": ({}, 4),
    "connectfour": ({"rows": 4, "cols": 5, "connect": 3}, 4),
    "othello": ({"size": 4}, 4),
    "gobang": ({"rows": 3, "cols": 4, "k": 3}, 4),
    "nim": ({"heaps": (3, 4, 5), "max_take": 3}, 2),
    "sim": ({"nodes": 4}, 3),
    "hex": ({"size": 3}, 3),
    "yavalath": ({"side": 3, "players": 3}, 6),
    "ewn": ({"size": 3}, 5),
    "2048": ({"size": 2}, 6),
    "blackjack": ({"rounds": 2}, 6),
    "kuhnpoker": ({"rounds": 2}, 3),
    "leducpoker": ({"rounds": 2}, 6),
    "poker": ({"players": 3, "rounds": 2}, 9),
    "rubiks": ({"twists": 3}, 1),
    "morpion": ({"variant": "4D"}, 3),
    "pathwayz": ({"rows": 2, "cols": 3}, 3),
}
"""A small variant of each game, and after how many actions it is drawn."""
VARIANTS = [(name, variant) for name in bl.games() for variant in bl.game(name).rules.variants]


play_on = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "pictures.py"))["played"]


def played(game, actions, seed=1):
    """A position after random actions and chance events, in which a player moves or the game is over."""
    return play_on(game.initial_state(seed), actions, seed)


def opinion(state):
    """A decision with a value for each action, and a line of four actions."""
    legal, walk, line = state.legal_actions(), state.copy(), []
    while len(line) < 4 and not walk.is_terminal and walk.core.viewer < 0:
        line.append(walk.legal_actions()[0])
        walk.apply(line[-1])
    values = {action: 1 - 2 * i / len(legal) for i, action in enumerate(legal)}
    return bl.Decision(
        legal[0], dict.fromkeys(legal, 1 / len(legal)), values, info={"iterations": 1000.0}, line=tuple(line)
    )


def golden_pictures(name):
    parameters, actions = SMALL[name]
    game = bl.game(name, **parameters)
    middle, end = played(game, actions), played(game, 400)
    seen = middle.seen_by(middle.player)
    yield f"{name}-middle", seen.to_svg(legal=True, theme="light")
    yield f"{name}-opinion", seen.to_svg(opinion(middle), theme="dark")
    yield f"{name}-end", end.to_svg(theme="light")


def words_of(svg):
    return [
        element.text or "" for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("text")
    ]


def actions_in(svg):
    return [int(action) for action in re.findall(r'data-action="(\d+)"', svg)]


def test_every_game_has_golden_pictures():
    assert set(SMALL) == set(bl.games())


@pytest.mark.parametrize("name", SMALL)
def test_pictures_are_those_that_were_looked_at(name):
    for file, svg in golden_pictures(name):
        kept = (GOLDEN / f"{file}.svg").read_text(encoding="utf-8")
        assert svg.replace("><", ">\n<") + "\n" == kept, f"look at {file}.svg: python {__file__}"


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_every_legal_action_can_be_clicked_once_and_nothing_else(name, variant):
    game = bl.game(name, **variant)
    for actions in (0, 3, 12, 2000):
        state = played(game, actions)
        svg = state.to_svg(opinion(state) if not state.is_terminal else None)
        assert sorted(actions_in(svg)) == state.legal_actions()
        labels = {element.get("aria-label") for element in ElementTree.fromstring(svg).iter()}
        assert {*state.action_names().values()} <= labels or "data-action" in svg


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_captions_and_labels_stay_inside_the_picture(name, variant):
    for actions in (0, 9, 2000):
        svg = played(bl.game(name, **variant), actions).to_svg()
        root = ElementTree.fromstring(svg)
        width, height = float(root.get("width")), float(root.get("height"))
        for text in (element for element in root.iter() if element.tag.endswith("text")):
            x, y = float(text.get("x")), float(text.get("y"))
            wide = float(text.get("textLength") or text_width(text.text or "", float(text.get("font-size"))))
            left = x if text.get("text-anchor") == "start" else x - wide / 2
            assert left >= 0 and left + wide <= width and 0 < y < height, text.text


@pytest.mark.parametrize("name", bl.games())
def test_text_and_picture_say_the_same_of_who_moves_and_who_has_won(name):
    game = bl.game(name, **SMALL[name][0])
    for state in (played(game, 2), played(game, 2000)):
        status = game.rules.status_text(state)
        assert status in " ".join(words_of(state.to_svg()))
        if game.players > 1:
            assert status.partition(" (")[0] in state.to_text()
            moves = [game.rules.player_name(state.player)] if state.player >= 0 else []
            assert all(player in status for player in moves)
    if game.players > 1:
        winners = [game.rules.player_name(player) for player in game.rules.winning_players(state)]
        assert all(winner in status for winner in winners) and (winners or "draw" in status)


@pytest.mark.parametrize("name", bl.games())
def test_the_last_action_is_found_in_the_history_and_shown(name):
    game = bl.game(name, **SMALL[name][0])
    state = played(game, 1)
    while state.player == bl.CHANCE:
        state.apply(state.sample_chance(1))
    action = state.legal_actions()[-1]
    state.apply(action)
    assert state.last_action == action == state.seen_by(0).copy().last_action or game.is_hidden
    if name not in ("kuhnpoker", "leducpoker", "poker"):  # their tables show all actions of the hand
        assert state.to_svg() == state.to_svg(last=action) != state.to_svg(last=False)
    assert game.from_fields(state.fields).last_action is None


def test_a_playout_of_several_actions_has_no_last_action():
    state = bl.game("hex", size=3).initial_state()
    state.core.playout(1, 3)
    assert state.last_action is None and "last" not in state.to_svg()


@pytest.mark.parametrize(
    ("name", "parameters", "text", "cells"),
    [
        ("tictactoe", {}, "XXX\nOO.\n...", [[0, 1, 2]]),
        ("connectfour", {"rows": 4, "cols": 4}, "...X\n..XO\nXXOO\nXOXO", [[3, 6, 9, 12]]),
        ("hex", {"size": 2}, "RB\nR.\nred has won, red moved last", [[0, 2]]),
        ("sim", {"nodes": 4}, "r r . r b b", [[0, 1, 3]]),
    ],
)
def test_what_decided_the_game_is_marked(name, parameters, text, cells):
    state = bl.game(name, **parameters).from_text(text)
    assert state.is_terminal and state.game.rules.winning_cells(state) == cells
    assert "win" in state.to_svg() or "polygon" in state.to_svg()


def test_legal_actions_are_marked_on_request():
    state = bl.game("othello").initial_state()
    assert state.to_svg(legal=True).count("f-legal") == 4 + 1 and "f-legal" not in state.to_svg()


def test_an_opinion_shows_values_shares_and_the_expected_line():
    state = bl.game("connectfour").initial_state()
    decision = bl.Decision(
        3, {3: 0.75, 2: 0.25}, {3: 0.5, 2: -0.25}, info={"iterations": 400.0}, line=(3, 3, 2)
    )
    words = words_of(state.to_svg(decision))
    assert {"+0.50", "75%", "-0.25", "25%", "1", "2", "3"} <= set(words)
    assert "3: value +0.5, 75.0% of 400 iterations" in state.to_svg(decision)


def test_an_opinion_of_actions_without_a_place_is_on_their_buttons():
    state = played(bl.game("blackjack"), 5)
    decision = bl.Decision(0, {0: 0.6, 1: 0.4}, {0: 0.25, 1: -0.5})
    assert {"hit +0.25 60%", "stand -0.50 40%"} <= {
        " ".join(word.split()) for word in words_of(state.to_svg(decision))
    }


def test_an_agent_that_reports_nonsense_is_drawn_as_far_as_it_makes_sense():
    state = bl.game("tictactoe").initial_state()
    nan = float("nan")
    decision = bl.Decision(4, {4: nan, 99: 1.0}, {4: float("inf"), 5: nan, 77: 1.0}, line=(4, 4, -1))
    assert actions_in(state.to_svg(decision)) == state.legal_actions()


def test_a_decision_draws_itself_and_its_table():
    game = bl.game("tictactoe")
    state = game.initial_state()
    state.apply(4)
    decision = bl.agent("mcts(iterations=100)", game, seed=1).act(state)
    page = decision._repr_html_()
    assert (
        page.count("<svg") == 1 and "<table" in page and decision.to_svg() == decision.state.to_svg(decision)
    )
    assert decision.state == state and decision.state.last_action == 4
    assert bl.Decision(3)._repr_html_() is None
    with pytest.raises(bl.BoardLabError, match="does not know its position"):
        bl.Decision(3).to_svg()


def test_a_decision_hides_what_its_player_may_not_see():
    game = bl.game("kuhnpoker")
    pictures = set()
    for other in (0, 1):  # a jack or a queen
        state = game.initial_state()
        for card in (2, other):
            state.apply(card)
        pictures.add(bl.agent("mcts(iterations=50)", game, seed=1).act(state)._repr_html_())
    assert len(pictures) == 1


def test_a_player_cannot_click_while_another_moves_or_see_what_he_may_choose():
    state = played(bl.game("poker"), 6)
    assert actions_in(state.seen_by(state.player).to_svg()) == state.legal_actions()
    assert not actions_in(state.seen_by(1 - state.player).to_svg(legal=True))


def test_themes():
    state = bl.game("hex", size=2).initial_state()
    pictures = {theme: state.to_svg(theme=theme) for theme in ("auto", "page", "light", "dark")}
    assert "<style>" in pictures["auto"] and "light-dark(" in pictures["auto"]
    assert [theme for theme, svg in pictures.items() if 'class="f-paper"' in svg] == ["auto", "page"]
    assert "<style>" not in pictures["page"] + pictures["light"] + pictures["dark"]
    assert "#faf7f0" in pictures["light"] and "#1b1e24" in pictures["dark"]
    classes = {
        name for found in re.findall(r'class="([fs]-[^"]+)"', pictures["page"]) for name in found.split()
    }
    assert classes and all(f".boardlab .{name}{{" in bl.stylesheet() for name in classes)
    with pytest.raises(bl.BoardLabError, match='unknown theme "drak"; did you mean "dark"'):
        state.to_svg(theme="drak")


@pytest.mark.parametrize("last", [-1, 9, "a1", 1.0])
def test_a_last_action_that_is_none_is_refused(last):
    with pytest.raises(bl.BoardLabError, match="last must be an action from 0 to 8, True or False"):
        bl.game("tictactoe").initial_state().to_svg(last=last)


def test_what_is_no_decision_is_refused():
    with pytest.raises(bl.BoardLabError, match=r"decision must be what agent\.act"):
        bl.game("tictactoe").initial_state().to_svg(3)


@pytest.mark.parametrize("exponent", [10, 11, 13, 16, 17])
def test_large_tiles_of_2048_keep_inside_their_tile(exponent):
    state = bl.game("2048").from_text("\n".join([f"{2**exponent} 2 4 8"] * 4))
    tile = next(t for t in ElementTree.fromstring(state.to_svg()).iter() if t.text == str(2**exponent))
    wide = float(tile.get("textLength") or text_width(tile.text, float(tile.get("font-size"))))
    assert wide <= 34


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for game_name in SMALL:
        for file_name, drawing in golden_pictures(game_name):
            (GOLDEN / f"{file_name}.svg").write_text(drawing.replace("><", ">\n<") + "\n", encoding="utf-8")
