import functools

import pytest
from exact import value
from oracles.rules import PlainPathwayz

import boardlab as bl


def test_values_of_small_boards_agree_with_the_slow_rules():
    for rows, cols in ((2, 3), (3, 3)):

        @functools.cache
        def slow_value(board, mover, rows=rows, cols=cols):
            best = -2
            for action in range(2 * rows * cols):
                slow = PlainPathwayz(rows=rows, cols=cols)
                slow.board, slow.player = dict(board), mover
                if divmod(action % (rows * cols), cols) in slow.board:
                    continue
                slow.apply(action)
                if slow.player == bl.TERMINAL:
                    score = slow.scores()[mover]
                else:
                    score = -slow_value(frozenset(slow.board.items()), slow.player)
                best = max(best, score)
                if best == 1:
                    break
            return best

        game = bl.game("pathwayz", rows=rows, cols=cols)
        assert value(game.initial_state(), rows * cols) == slow_value(frozenset(), 0)


def played(text, action, rows=4, cols=6):
    state = bl.game("pathwayz", rows=rows, cols=cols).from_text(text)
    state.apply(state.parse_action(action))
    return state


def board(state):
    return "\n".join(
        "".join(".wbWB"[v] for v in state.fields[r * 6 : r * 6 + 6]) for r in range(len(state.fields) // 6)
    )


def test_there_are_two_actions_a_cell():
    for rows, cols, actions in ((4, 6, 48), (8, 12, 192)):
        state = bl.game("pathwayz", rows=rows, cols=cols).initial_state()
        assert len(state.legal_actions()) == actions == state.game.action_count
    state = bl.game("pathwayz").initial_state()
    assert state.action_text(7) == "b2" and state.action_text(24 + 7) == "b2!"


def test_a_regular_piece_has_the_own_colour_and_flips_nothing():
    assert board(played("......\n.wb...\n......\n......", "b3")) == "......\n.wb...\n.w....\n......"


def test_a_permanent_piece_has_the_other_colour_and_flips_its_eight_neighbours():
    text = "wbw...\nb.w...\nwbb...\n......"  # eight pieces: white moves
    assert board(played(text, "b2!")) == "bwb...\nwBb...\nbww...\n......"


def test_permanent_pieces_never_flip():
    text = "W.B...\n......\n..w..b\n......"
    assert board(played(text, "b2!")) == "W.B...\n.B....\n..b..b\n......"


def test_the_first_path_wins_and_diagonals_count():
    text = "w.w...\n.w.w.w\nbbbb..\nb....."
    state = played(text, "e1")
    assert state.is_terminal and list(state.scores) == [1, -1]
    assert state.game.rules.winning_cells(state) == [[0, 7, 2, 9, 4, 11]]


def test_who_completes_the_others_path_has_lost():
    state = played("BB.BBB\nwwwww.\n......\n......", "c1!")
    assert state.last_player == 0 and list(state.scores) == [-1, 1]


def test_a_permanent_piece_may_flip_the_path_away_that_it_would_complete():
    state = played("bb.bbb\n......\nw.w.w.\nw.w...", "c1!")
    assert board(state).startswith("bwBwbb") and not state.is_terminal


def test_when_both_paths_are_completed_the_mover_wins():
    # White's b2! joins the black row, flipping c2; it flips a3 too, which joins the white row.
    state = played("......\nB.wBBB\nbWWWWW\n.....w", "b2!")
    assert board(state) == "......\nBBbBBB\nwWWWWW\n.....w"
    assert state.last_player == 0 and list(state.scores) == [1, -1]
    assert state.game.from_text(state.to_text()) == state


def test_a_full_board_without_a_path_is_a_draw():
    state = played("wbwbwb\nwbwbwb\nwbwbwb\nwbwbw.", "f4")
    assert state.is_terminal and list(state.scores) == [0, 0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("W.....\n......\n......\n......", "more than it had turns"),
        ("wwwwww\n......\nbbbbbb\n......", "continued after"),
        ("x.....\n......\n......\n......", "must be one of"),
        ("......", "expected 4 rows"),
    ],
)
def test_impossible_boards_are_refused(text, says):
    with pytest.raises(bl.BoardLabError, match=says):
        bl.game("pathwayz").from_text(text)


def test_parameters_are_checked():
    with pytest.raises(bl.BoardLabError, match="at least rows"):
        bl.game("pathwayz", rows=8, cols=7)
    for wrong in ({"rows": 1}, {"rows": 9}, {"cols": 13}, {"cols": 2}):
        with pytest.raises(bl.BoardLabError):
            bl.game("pathwayz", **wrong)
