import random

import pytest
from exact import random_play, value

import boardlab as bl
from boardlab import _engine
from boardlab.testing import check_game


def test_the_largest_board_keeps_every_invariant():
    check_game(bl.game("gobang", rows=19, cols=19, k=5), games=1)


@pytest.mark.parametrize(
    ("rows", "cols", "k", "score"), [(3, 3, 3, 0), (3, 4, 3, 1), (4, 3, 3, 1), (4, 4, 4, 0)]
)
def test_values_of_small_boards(rows, cols, k, score):
    game = bl.game("gobang", rows=rows, cols=cols, k=k)
    assert value(game.initial_state(), rows * cols) == score


def test_three_by_three_is_tictactoe():
    ours, theirs = bl.game("gobang", rows=3, cols=3, k=3), bl.game("tictactoe")
    assert [bl.perft(ours, d) for d in range(10)] == [bl.perft(theirs, d) for d in range(10)]


def slow_winner(cells, rows, cols, k, exactly):
    """Looks along every line of the board; the obvious version of the rule."""
    lines = [[r * cols + c for c in range(cols)] for r in range(rows)]
    lines += [[r * cols + c for r in range(rows)] for c in range(cols)]
    for d in range(-rows, cols):
        lines.append([r * cols + r + d for r in range(rows) if 0 <= r + d < cols])
        lines.append([r * cols + cols - 1 - r - d for r in range(rows) if 0 <= cols - 1 - r - d < cols])
    for line in lines:
        text = "".join(".XO"[cells[cell]] for cell in line)
        for symbol in "XO":
            lengths = [len(run) for run in "".join(c if c == symbol else " " for c in text).split()]
            if any(n == k or (n > k and not exactly) for n in lengths):
                return ".XO".index(symbol)
    return 0


@pytest.mark.parametrize(
    ("rows", "cols", "k", "exactly"),
    [(6, 6, 4, False), (5, 7, 3, True), (7, 4, 4, True), (10, 9, 4, False), (13, 18, 5, True)],
)
def test_games_end_as_the_slow_rules_say(rows, cols, k, exactly):
    game = bl.game("gobang", rows=rows, cols=cols, k=k, exactly=exactly)
    for seed in range(30):
        rng, state = random.Random(seed), game.initial_state()
        while not state.is_terminal:
            state.apply(rng.choice(state.legal_actions()))
            winner = slow_winner(state.fields, rows, cols, k, exactly)
            full = 0 not in state.fields
            assert state.is_terminal == (winner > 0 or full)
            assert state.scores[0] == (0, 1, -1)[winner]


@pytest.mark.parametrize(
    ("cells", "action"),
    [
        (["XXX.OO", "O....."], "d1"),
        (["X....O", "X....O", "X....O"], "a4"),
        (["X....O", ".X...O", "..X..O"], "d4"),
        (["...X.O", "..X..O", ".X...O"], "a4"),
        ([".....O", "..X..O", "...X.O", "....X."], "b1"),
    ],
)
def test_lines_in_every_direction(cells, action):
    game = bl.game("gobang")
    state = game.from_text("\n".join(cells + ["......"] * (6 - len(cells))))
    state.apply(state.parse_action(action))
    assert state.is_terminal and list(state.scores) == [1, -1]


def test_exactly_k_means_that_a_longer_line_is_none():
    text = "XX.XX.\nOO.O..\n......\n......\nO.....\n......"
    for exactly, over in ((True, False), (False, True)):
        game = bl.game("gobang", k=4, exactly=exactly)
        state = game.from_text(text)
        state.apply(state.parse_action("c1"))
        assert state.is_terminal == over
        assert game.from_text(state.to_text()) == state


def test_a_longer_line_does_not_spoil_an_exact_one():
    game = bl.game("gobang", k=3, exactly=True)
    state = game.from_text("XX.X..\nOOX.O.\nO.X.O.\n......\n......\n......")
    state.apply(state.parse_action("c1"))
    assert state.is_terminal and state.scores[0] == 1


def test_a_full_board_is_a_draw():
    game = bl.game("gobang", rows=3, cols=3, k=3)
    state = game.from_text("XOX\nXOO\nOXX")
    assert state.is_terminal and list(state.scores) == [0, 0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("XX....\n" + "......\n" * 5, "as many stones"),
        ("XXXX..\nOOOO..\n" + "......\n" * 4, "continued after"),
        ("XXXX..\nX.OOO.\nX.OO..\nX.OO..\n......\n......", "continued after"),
        ("XXXXX.XXXX..", "expected 6 rows"),
        ("?.....\n" + "......\n" * 5, "must be one of"),
    ],
)
def test_impossible_boards_are_refused(text, says):
    with pytest.raises(bl.BoardLabError, match=says):
        bl.game("gobang").from_text(text)


def test_two_separate_lines_cannot_come_from_one_stone():
    text = "XXXX..\n......\nXXXX..\nOOO.OO\nOO....\n......"
    with pytest.raises(bl.BoardLabError, match="continued after"):
        bl.game("gobang").from_text(text)


def test_parameters_are_checked():
    with pytest.raises(bl.BoardLabError, match="must fit on the board"):
        bl.game("gobang", rows=4, cols=4, k=5)
    for wrong in ({"rows": 2}, {"cols": 20}, {"k": 1}, {"exactly": 1}, {"size": 6}):
        with pytest.raises(bl.BoardLabError):
            bl.game("gobang", **wrong)


def test_playouts_are_uniformly_random():
    """The shuffled playout against exact expectations of random play."""
    game = bl.game("gobang", rows=3, cols=3, k=3)
    score, length = random_play(game.initial_state())
    actions, scores = _engine.random_games(game.core, 40_000, 1)
    assert scores[0] == pytest.approx(score, abs=0.015)
    assert actions / 40_000 == pytest.approx(length, abs=0.02)


def test_the_winning_line_is_drawn():
    game = bl.game("gobang")
    state = game.from_text("XXXX..\nOOO...\n" + "......\n" * 4)
    assert game.rules.winning_cells(state) == [[0, 1, 2, 3]]
