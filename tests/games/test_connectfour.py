import random

import pytest

import boardlab as bl


def test_perft():
    game = bl.game("connectfour")
    expected = [7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572]
    assert [bl.perft(game, depth) for depth in range(1, 10)] == expected


@pytest.mark.slow
def test_perft_10():
    assert bl.perft(bl.game("connectfour"), 10) == 268031646


def finished(state, plies):
    if state.is_terminal:
        if plies == 0:
            yield state
        return
    if plies:
        for _, child in state.children():
            yield from finished(child, plies - 1)


def test_games_won_at_ply_7():
    assert sum(1 for _ in finished(bl.game("connectfour").initial_state(), 7)) == 13_032


def test_the_board_fits_into_128_bits():
    assert bl.game("connectfour", rows=8, cols=9).action_count == 9
    with pytest.raises(bl.BoardLabError, match="at most 128"):
        bl.game("connectfour", rows=15, cols=9)
    with pytest.raises(bl.BoardLabError, match="must fit"):
        bl.game("connectfour", rows=3, cols=3, connect=5)


def test_128_bit_board_plays_like_the_64_bit_one():
    """The same rules on a wider board: a game that stays in the first seven columns ends alike on both."""
    small, large = bl.game("connectfour"), bl.game("connectfour", rows=6, cols=18)
    for seed in range(50):
        a, b = small.initial_state(), large.initial_state()
        rng = random.Random(seed)
        while not a.is_terminal:
            action = rng.choice(a.legal_actions())
            a.apply(action)
            b.apply(action)
            assert b.is_terminal == (a.is_terminal and a.scores[0] != 0)
        assert (a.scores == b.scores).all()


@pytest.mark.parametrize(
    ("text", "winner"),
    [
        (".......\n" * 2 + "X......\nX......\nXO.....\nXOO....", 0),
        (".......\n" * 5 + "XXXXOOO", 0),
        (".......\n" * 2 + "...X...\n..XO...\n.XOO...\nXOXO..X", 0),
        (".......\n" * 2 + "O......\nXO.....\nXXO....\nOXXO...", 1),
    ],
)
def test_lines_in_every_direction(text, winner):
    state = bl.game("connectfour").from_text(text)
    assert state.is_terminal
    assert state.scores[winner] == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("X......\n" + ".......\n" * 5, "floats"),
        (".......\n" * 5 + "XX.....", "as many stones"),
        (".......\n" * 4 + "XXXX...\nOOOO...", "continued after"),
        (".......\n" * 5 + "XZ.....", "must be one of"),
        (".......\n" * 3, "expected 6 rows"),
        ("0000000", "column 0 cannot be played"),
    ],
)
def test_impossible_boards_are_refused(text, says):
    with pytest.raises(bl.BoardLabError, match=says):
        bl.game("connectfour").from_text(text)


def test_columns_as_text():
    game = bl.game("connectfour")
    state = game.initial_state()
    for column in (3, 3, 2, 4):
        state.apply(column)
    assert game.from_text("3324") == state


def test_exact_value_of_a_small_board():
    """4x4 with three in a row: the first player wins; 4x4 with four is a draw (exhaustive search)."""
    for connect, value in ((3, 1), (4, 0)):
        game = bl.game("connectfour", rows=4, cols=4, connect=connect)
        assert bl.agent("alphabeta(depth=16)", game).act(game.initial_state()).scores[0] == value


def test_narrow_tall_boards_have_only_columns():
    """Shifts across a tall board would pass the word; there is nothing to find there."""
    for rows, cols in ((31, 2), (31, 4), (20, 3)):
        game = bl.game("connectfour", rows=rows, cols=cols, connect=4)
        state = game.initial_state()
        for _ in range(3):
            state.apply(0)
            state.apply(1)
        assert not state.is_terminal
        state.apply(0)
        assert state.is_terminal and state.scores[0] == 1
