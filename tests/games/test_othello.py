import numpy as np
import pytest

import boardlab as bl
from boardlab import _engine

FFO_40 = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X"


def test_perft():
    game = bl.game("othello")
    expected = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571056]
    assert [bl.perft(game, depth) for depth in range(1, 11)] == expected


def test_random_play_has_the_known_averages():
    """Black wins .4545, white .504, draws .0417; 60.0 moves a game (100,000 games: 3 sigma is .005)."""
    game = bl.game("othello")
    actions, means = _engine.random_games(game.core, 100_000, 7)
    assert means[0] == pytest.approx(0.4545 - 0.504, abs=0.009)
    assert means[0] == -means[1]
    assert actions / 100_000 == pytest.approx(60.4, abs=0.6)  # passes are actions


def test_the_game_goes_on_after_a_pass_and_ends_when_neither_can_move():
    game = bl.game("othello", size=4)
    state = game.from_text("XXO.\nXXXX\nXXXX\nXXXX\nO to move")
    assert state.legal_actions() == [16] and state.action_text(16) == "pass"
    state.apply(16)
    assert state.player == 0 and state.action_text(state.legal_actions()[0]) == "d1"
    state.apply(3)
    assert state.is_terminal and state.scores.tolist() == [1, -1]
    assert state.outcome("discs").tolist() == [16, -16]


def test_empty_squares_count_for_the_winner():
    state = bl.game("othello", size=4).from_text("XX..\nXX..\n....\n....\nX to move")
    assert state.is_terminal and state.outcome("discs").tolist() == [16, -16]
    draw = bl.game("othello", size=4).from_text("X...\n....\n....\n...O\nO to move")
    assert draw.is_terminal and draw.outcome("discs").tolist() == [0, 0] and draw.scores.tolist() == [0, 0]


def naive_moves(cells, size, mover):
    """Legal squares and what they turn, by walking in eight directions."""
    own, other = mover + 1, 2 - mover
    moves = {}
    for cell in range(size * size):
        if cells[cell]:
            continue
        turned = []
        for dr in (-1, 0, 1):
            for dc in (-1, 0, 1):
                row, col, line = cell // size + dr, cell % size + dc, []
                while (dr or dc) and 0 <= row < size and 0 <= col < size and cells[row * size + col] == other:
                    line.append(row * size + col)
                    row, col = row + dr, col + dc
                if line and 0 <= row < size and 0 <= col < size and cells[row * size + col] == own:
                    turned += line
        if turned:
            moves[cell] = turned
    return moves


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_moves_and_flips_agree_with_a_plain_version(size):
    game = bl.game("othello", size=size)
    rng = np.random.default_rng(size)
    for _ in range(8):
        state = game.initial_state()
        while not state.is_terminal:
            *cells, mover = state.fields
            moves = naive_moves(cells, size, mover)
            assert state.legal_actions() == (sorted(moves) or [size * size])
            action = int(rng.choice(state.legal_actions()))
            state.apply(action)
            if action < size * size:
                cells[action] = mover + 1
                for cell in moves[action]:
                    cells[cell] = mover + 1
            assert state.fields == [*cells, 1 - mover]
        *cells, mover = state.fields
        assert not naive_moves(cells, size, 0) and not naive_moves(cells, size, 1)


def test_mobility_table_counts_both_sides():
    state = bl.game("othello").from_text(FFO_40)
    *cells, mover = state.fields
    mine, theirs = len(naive_moves(cells, 8, mover)), len(naive_moves(cells, 8, 1 - mover))
    assert state.core.feature_indices(0).tolist() == [32 * mine + theirs]


def test_4x4_is_won_by_the_second_player():
    """Exhaustive search; 4x4 Othello is known to end 3-11, and white keeps the two empty squares."""
    game = bl.game("othello", size=4)
    agent = bl.agent('alphabeta(score(outcome="discs"), depth=30)', game)
    assert agent.act(game.initial_state()).scores.tolist() == [-10, 10]


def test_exact_endgame_score_agrees_with_full_width_search():
    game = bl.game("othello")
    state = game.initial_state()
    state.core.playout(8, 52)
    exact = bl.agent('alphabeta(score(outcome="discs"), depth=30, exact=True)', game).act(state)
    plain = bl.agent('maxn(score(outcome="discs"), depth=30)', game).act(state)
    assert exact.values == plain.values


def test_single_line_positions_read():
    state = bl.game("othello").from_text(FFO_40)
    assert state.fields.count(0) >= 20 and state.player == 0
    assert state.action_text(state.parse_action("A2")) == "a2"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("X" * 64, "expected 8 rows"),
        ("........\n" * 8, "who moves"),
        ("........\n" * 8 + "Z to move", "cannot move"),
    ],
)
def test_malformed_text_is_refused(text, says):
    with pytest.raises(bl.BoardLabError, match=says):
        bl.game("othello").from_text(text)


def test_odd_sizes_are_refused():
    with pytest.raises(bl.BoardLabError, match="must be even"):
        bl.game("othello", size=7)
    with pytest.raises(bl.BoardLabError, match="from 4 to 10"):
        bl.game("othello", size=12)


def test_a_finished_game_says_who_has_won_before_whose_turn_it_would_be():
    game = bl.game("othello", size=4)
    board = "XXXX\nXXXX\nXXXX\nXXXO\n"
    state = game.from_text(f"{board}O to move, game over (X 15, O 1)")  # as earlier versions wrote it
    assert state == game.from_text(f"{board}game over, O next (X 15, O 1)")
    assert state.is_terminal and state.to_text().endswith("\nX has won, O next (X 15, O 1)")
    assert game.from_text(state.to_text()) == state
