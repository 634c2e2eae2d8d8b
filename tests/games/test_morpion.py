"""Morpion Solitaire: known limits of its length, text, notation."""

from collections import Counter

import numpy as np
import pytest
from oracles.rules.morpion import CROSSES

import boardlab as bl
from boardlab import _engine

VARIANTS = ("5T", "5D", "4T", "4D")
LONGEST = {"4D": 35, "4T": 62}
SHORTEST = {"4D": 16, "4T": 22, "5D": 20, "5T": 20}


def line_of(game, action):
    """The points of an action's line, relative to the square round the cross."""
    length = game.rules.length
    x, y, (dx, dy) = action // 4 % 64, action // 4 // 64, ((1, 0), (0, 1), (1, 1), (-1, 1))[action % 4]
    first = 27 if length == 5 else 28
    return frozenset((x + i * dx - first, y + i * dy - first) for i in range(length))


@pytest.mark.parametrize(
    ("variant", "points", "actions"), [("5T", 36, 28), ("5D", 36, 28), ("4T", 24, 40), ("4D", 24, 40)]
)
def test_the_cross_and_its_first_moves(variant, points, actions):
    state = bl.game("morpion", variant=variant).initial_state()
    assert sum(field & 1 for field in state.fields) == points
    assert sum(field >> 1 for field in state.fields) == 0
    assert len(state.legal_actions()) == actions
    columns, *rows, _ = state.to_text().splitlines()
    assert columns.split() == [str(x) for x in range(len(rows))]
    assert rows == [f"{y} {' '.join(row)}" for y, row in enumerate(CROSSES[int(variant[0])])]


def test_the_text_has_the_columns_and_rows_that_actions_are_written_with():
    game = bl.game("morpion")
    state = play(game, "(3,-1)v1", "(-1,3)h1")
    lines = state.to_text().splitlines()
    assert lines[0] == "   -1  0  1  2  3  4  5  6  7  8  9"
    assert lines[1] == "-1  .  .  .  .  *  .  .  .  .  .  ."
    assert lines[5] == " 3  *  o  o  o  o  .  .  o  o  o  o"
    assert ">-1</text>" in state.to_svg()
    without = "\n".join(line[3:] for line in lines[1:-1]) + f"\n{lines[-1]}"  # as earlier versions wrote it
    assert game.from_text(state.to_text()) == game.from_text(without) == state


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_cross_looks_the_same_from_all_sides(variant):
    state = bl.game("morpion", variant=variant).initial_state()
    assert all(state.symmetry(g) == state for g in range(8))


@pytest.mark.parametrize("variant", VARIANTS)
def test_random_games_keep_within_the_known_lengths(variant):
    game = bl.game("morpion", variant=variant)
    lengths = Counter()
    for seed in range(3000):
        state = game.initial_state()
        lengths[state.core.playout(seed, game.horizon)] += 1
        assert state.is_terminal
    assert min(lengths) >= SHORTEST[variant]
    assert max(lengths) <= LONGEST.get(variant, game.horizon)
    # Sane: random games are much longer than the shortest and stay below the longest ones known.
    assert sum(n * count for n, count in lengths.items()) / 3000 > 1.2 * SHORTEST[variant]
    assert max(lengths) <= {"4D": 35, "4T": 62, "5D": 82, "5T": 178}[variant]


@pytest.mark.parametrize("variant", ["4D", "4T"])
def test_a_search_does_not_exceed_the_proved_maximum(variant):
    game = bl.game("morpion", variant=variant)
    agent, state = bl.agent("mc(rollout, iterations=3000)", game, seed=1), game.initial_state()
    while not state.is_terminal:
        state.apply(agent.act(state).action)
    mean = _engine.random_games(game.core, 1000, 0)[1][0]
    assert mean < state.scores[0] <= LONGEST[variant]


def play(game, *moves):
    state = game.initial_state()
    for move in moves:
        state.apply(state.parse_action(move))
    return state


def test_touching_lines_are_for_t_only():
    # Row 3 of the cross has columns 0 to 3 and 6 to 9: the lines 0-4 and 4-8 share the point (4,3).
    first = "(4,3)h5"
    touching = "(5,3)h2"
    for variant, allowed in (("5T", True), ("5D", False)):
        state = play(bl.game("morpion", variant=variant), first)
        names = [state.action_text(action) for action in state.legal_actions()]
        assert (touching in names) == allowed
        # A line that shares a step with the first is forbidden in both.
        assert "(-1,3)h1" not in names


def test_an_action_names_the_new_point_and_its_place_in_the_line():
    state = bl.game("morpion").initial_state()
    names = {state.action_text(action) for action in state.legal_actions()}
    # The top stroke can be continued to both sides, the left stroke up and down.
    assert {"(2,0)h1", "(7,0)h5", "(0,2)v1", "(0,7)v5"} <= names


def test_rising_diagonals_count_their_places_from_the_left():
    game = bl.game("morpion", variant="4T")
    state = game.initial_state()
    for action in state.legal_actions():
        name = state.action_text(action)
        child = state.copy()
        child.apply(action)
        x, y = (int(word) for word in name[1 : name.index(")")].split(","))
        line = sorted(line_of(game, action))
        assert line[int(name[-1]) - 1] == (x, y)


def test_the_same_points_and_lines_are_the_same_position_in_any_order():
    game = bl.game("morpion")
    one = play(game, "(2,0)h1", "(0,2)v1", "(9,2)v1")
    other = play(game, "(9,2)v1", "(2,0)h1", "(0,2)v1")
    assert one == other
    assert hash(one) == hash(other)


def test_moves_come_in_the_order_played():
    game = bl.game("morpion")
    state = play(game, "(9,2)v1", "(2,0)h1", "(0,2)v1")
    added = [point for _, point in game.rules.moves(state)]
    assert [(p.x - 27, p.y - 27) for p in added] == [(9, 2), (2, 0), (0, 2)]
    read = game.from_text(state.to_text())
    assert {point for _, point in game.rules.moves(read)} == set(added)
    played = game.initial_state()
    played.core.playout(1, 30)
    assert len(game.rules.moves(played)) == 30


def test_the_board_vector_tells_the_directions_of_the_lines():
    game = bl.game("morpion")
    state = play(game, "(2,0)h1")
    vector = state.board_vector().reshape(32, 32)
    # The window begins 11 columns and rows before the cross; direction 0 is horizontal.
    assert vector[11, 13:19].tolist() == [2, 2, 2, 2, 2, 0]
    assert Counter(vector.ravel().tolist()) == {0: 32 * 32 - 37, 1: 32, 2: 5}
    planes = state.planes()
    assert planes[0].sum() == 37
    assert np.argwhere(planes[1]).tolist() == [[11, col] for col in range(13, 18)]
    assert planes[2:].sum() == 0


def test_no_position_comes_near_the_size_of_the_sheet():
    # The sheet wraps round; the head of engine/games/morpion.cpp proves that this cannot matter.
    game = bl.game("morpion")
    for seed in range(300):
        state = game.initial_state()
        state.core.playout(seed, game.horizon)
        cells = np.array(state.fields).reshape(64, 64) & 1
        rows, cols = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
        assert rows[-1] - rows[0] < 60
        assert cols[-1] - cols[0] < 60


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("nonsense", "expected"),
        ("5D, 0 moves:", "the position is of 5D"),
        ("5T: (2,0)x1", "is not a move"),
        ("5T: (2,0)h1 (1,0)h1", "overlap"),
        ("5T: (40,40)h1", "cannot be played"),
        ("5T: (2,0)h2", "cannot be played|cross and one more"),
    ],
)
def test_impossible_texts_are_refused(text, complaint):
    with pytest.raises(bl.BoardLabError, match=complaint):
        bl.game("morpion").from_text(text)


def test_impossible_fields_are_refused():
    game = bl.game("morpion")
    fields = game.initial_state().fields
    for cell, value, complaint in (
        (0, 1, "one more for each line"),
        (0, 32, "a point or none"),
        (0, -1, "a point or"),
    ):
        wrong = fields.copy()
        wrong[cell] = value
        with pytest.raises(bl.BoardLabError, match=complaint):
            game.from_fields(wrong)
    with pytest.raises(bl.BoardLabError, match="more lines than"):
        game.from_fields([31 if x % 4 == 0 and y % 4 == 0 else 1 for y in range(64) for x in range(64)])
