import functools
import random

import pytest
from exact import value

import boardlab as bl


class SlowPathwayz:
    """The rules word by word on a dictionary: cell -> (colour, permanent)."""

    def __init__(self, rows, cols):
        self.rows, self.cols, self.board, self.mover, self.scores = rows, cols, {}, 0, None

    def around(self, cell):
        r, c = cell
        near = [(r + dr, c + dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc]
        return [n for n in near if 0 <= n[0] < self.rows and 0 <= n[1] < self.cols]

    def legal(self):
        cells = self.rows * self.cols
        empty = [i for i in range(cells) if divmod(i, self.cols) not in self.board]
        return empty + [cells + i for i in empty]

    def apply(self, action):
        permanent, cell = divmod(action, self.rows * self.cols)
        cell = divmod(cell, self.cols)
        if permanent:
            self.board[cell] = (1 - self.mover, True)
            for near in self.around(cell):
                colour, fixed = self.board.get(near, (None, True))
                if not fixed:
                    self.board[near] = (1 - colour, False)
        else:
            self.board[cell] = (self.mover, False)
        if self.has_path(self.mover):
            self.scores = (1, -1) if self.mover == 0 else (-1, 1)
        elif self.has_path(1 - self.mover):
            self.scores = (-1, 1) if self.mover == 0 else (1, -1)
        elif len(self.board) == self.rows * self.cols:
            self.scores = (0, 0)
        self.mover = 1 - self.mover

    def has_path(self, colour):
        own = {cell for cell, (c, _) in self.board.items() if c == colour}
        todo = [cell for cell in own if cell[1] == 0]
        seen = set(todo)
        while todo:
            cell = todo.pop()
            if cell[1] == self.cols - 1:
                return True
            fresh = [n for n in self.around(cell) if n in own and n not in seen]
            seen.update(fresh)
            todo += fresh
        return False


@pytest.mark.parametrize(("rows", "cols"), [(4, 6), (2, 3), (5, 5), (6, 9), (8, 12)])
def test_games_go_as_the_slow_rules_say(rows, cols):
    game = bl.game("pathwayz", rows=rows, cols=cols)
    ends = set()
    for seed in range(60):
        rng, state, slow = random.Random(seed), game.initial_state(), SlowPathwayz(rows, cols)
        while slow.scores is None:
            assert state.player == slow.mover and state.legal_actions() == slow.legal()
            action = rng.choice(state.legal_actions())
            state.apply(action)
            slow.apply(action)
            board = [slow.board.get(divmod(i, cols)) for i in range(rows * cols)]
            assert state.fields == [0 if b is None else 1 + b[0] + 2 * b[1] for b in board]
        assert state.is_terminal and tuple(state.scores) == slow.scores
        ends.add(slow.scores)
    assert {(1, -1), (-1, 1)} <= ends


def test_values_of_small_boards_agree_with_the_slow_rules():
    for rows, cols in ((2, 3), (3, 3)):

        @functools.cache
        def slow_value(board, mover, rows=rows, cols=cols):
            best = -2
            for action in range(2 * rows * cols):
                slow = SlowPathwayz(rows, cols)
                slow.board, slow.mover = dict(board), mover
                if divmod(action % (rows * cols), cols) in slow.board:
                    continue
                slow.apply(action)
                if slow.scores:
                    score = slow.scores[mover]
                else:
                    score = -slow_value(frozenset(slow.board.items()), slow.mover)
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
    assert state.game.rules.winning_path(state) == [0, 7, 2, 9, 4, 11]


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
        ("W.....\n......\n......\n......", "more of them than it had turns"),
        ("wwwwww\n......\nbbbbbb\n......", "went on after"),
        ("x.....\n......\n......\n......", "is none of"),
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
