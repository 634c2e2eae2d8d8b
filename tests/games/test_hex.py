import random

import pytest
from exact import random_play

import boardlab as bl
from boardlab import _engine
from boardlab.testing import check_game


def test_the_largest_board_keeps_every_invariant():
    check_game(bl.game("hex", size=19, swap=True), games=1)


WINNING_OPENINGS = {
    2: {(0, 1), (1, 0)},
    3: {(0, 2), (1, 0), (1, 1), (1, 2), (2, 0)},
    4: {(0, 3), (1, 2), (2, 1), (3, 0)},
}


@pytest.mark.parametrize("size", WINNING_OPENINGS)
def test_winning_openings(size):
    game = bl.game("hex", size=size)
    agent = bl.agent(f"alphabeta(depth={size * size}, exact=True, table_mb=256)", game)
    values = agent.act(game.initial_state()).values
    assert {divmod(action, size) for action, v in values.items() if v == 1} == WINNING_OPENINGS[size]
    assert set(values.values()) <= {-1, 1}


def test_with_swap_the_second_player_wins():
    game = bl.game("hex", size=3, swap=True)
    assert bl.agent("alphabeta(depth=10)", game).act(game.initial_state()).scores[1] == 1


def slow_winner(cells, size):
    """Flood fill from scratch with its own idea of the neighbours; None while nobody has joined the edges."""
    for colour, at_start, at_goal in (
        (1, lambda r, c: r == 0, lambda r, c: r == size - 1),
        (2, lambda r, c: c == 0, lambda r, c: c == size - 1),
    ):
        own = {(i // size, i % size) for i, value in enumerate(cells) if value == colour}
        todo = [cell for cell in own if at_start(*cell)]
        seen = set(todo)
        while todo:
            r, c = todo.pop()
            if at_goal(r, c):
                return colour - 1
            steps = {(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1), (r - 1, c + 1), (r + 1, c - 1)}
            todo += (steps & own) - seen
            seen |= steps & own
    return None


@pytest.mark.parametrize(("size", "swap"), [(2, False), (5, True), (6, False), (9, True), (13, False)])
def test_games_end_as_the_slow_rules_say(size, swap):
    game = bl.game("hex", size=size, swap=swap)
    for seed in range(25):
        rng, state = random.Random(seed), game.initial_state()
        while not state.is_terminal:
            mover = state.player
            state.apply(rng.choice(state.legal_actions()))
            winner = slow_winner(state.fields[:-1], size)
            assert state.is_terminal == (winner is not None)
            assert winner in (None, mover)
        assert state.scores[winner] == 1 and state.scores.sum() == 0


def test_red_joins_top_and_bottom_and_blue_left_and_right():
    game = bl.game("hex", size=3)
    red = game.from_text("R B .\nR B .\nR . .\nred moved last")
    blue = game.from_text("R . .\nB B B\nR R .\nblue moved last")
    assert list(red.scores) == [1, -1] and list(blue.scores) == [-1, 1]


def test_the_diagonal_to_the_upper_right_joins_and_the_other_does_not():
    game = bl.game("hex", size=3)
    assert game.from_text("B B R\n. R .\nR . .\nred moved last").is_terminal
    assert not game.from_text("R B B\n. R .\n. . R\nblue to move").is_terminal


def test_swap_mirrors_the_stone_at_the_long_diagonal():
    game = bl.game("hex", size=4, swap=True)
    state = game.initial_state()
    assert game.action_count == 17 and 16 not in state.legal_actions()
    state.apply(state.parse_action("c1"))
    assert state.player == 1 and state.action_text(16) == "swap" and len(state.legal_actions()) == 16
    state.apply(state.parse_action("swap"))
    assert state.fields[:16] == [0] * 8 + [2] + [0] * 7  # a3
    assert state.player == 0 and state.last_player == 1
    assert state.legal_actions() == [cell for cell in range(16) if cell != 8]


def test_swap_on_the_diagonal_changes_only_the_colour():
    game = bl.game("hex", size=3, swap=True)
    state = game.initial_state()
    state.apply(4)
    state.apply(9)
    assert state.fields == [0, 0, 0, 0, 2, 0, 0, 0, 0, 0]


def test_a_swap_does_not_change_how_good_the_opening_was():
    """What red's opening is worth to red without swap, the mirrored stone is worth to blue after it."""
    plain, swapping = bl.game("hex", size=3), bl.game("hex", size=3, swap=True)
    for opening in range(9):
        one, other = plain.initial_state(), swapping.initial_state()
        one.apply(opening)
        other.apply(opening)
        other.apply(9)
        ours = bl.agent("alphabeta(depth=9)", plain).act(one).scores[0]
        theirs = bl.agent("alphabeta(depth=9)", swapping).act(other).scores[1]
        assert ours == theirs


def test_only_the_second_action_may_swap():
    game = bl.game("hex", size=3, swap=True)
    state = game.initial_state()
    for action in (0, 9):
        state.apply(action)
        if action == 9:
            assert 9 not in state.legal_actions()
    assert bl.game("hex", size=3).action_count == 9


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("R . .\n. . .\n. . .\nred to move", "do not fit"),
        ("B . .\n. . .\n. . .\nred to move", "do not fit"),
        ("R B .\nR B .\nR . .\nblue moved last", "do not fit"),
        (". . .\n. . .\n. . .", "whose turn"),
        (". . .\n. . .\n. . .\ngreen to move", "players are red, blue"),
        (". . .\n. . .\nred to move", "row 3"),
    ],
)
def test_impossible_boards_are_refused(text, says):
    with pytest.raises(bl.BoardLabError, match=says):
        bl.game("hex", size=3).from_text(text)


def test_two_chains_side_by_side_cannot_come_from_one_stone():
    twice = "R R B B\nR R B B\nR R B B\nR R B .\nred moved last"
    with pytest.raises(bl.BoardLabError, match="continued after"):
        bl.game("hex", size=4).from_text(twice)


def test_playouts_are_uniformly_random():
    """The shuffled playout against exact expectations of random play, with and without swap."""
    for swap in (False, True):
        game = bl.game("hex", size=3, swap=swap)
        score, length = random_play(game.initial_state())
        actions, scores = _engine.random_games(game.core, 40_000, 1)
        assert scores[0] == pytest.approx(score, abs=0.02)
        assert actions / 40_000 == pytest.approx(length, abs=0.02)


def test_a_playout_stops_after_the_given_actions():
    game = bl.game("hex", size=5, swap=True)
    for most in range(12):
        state = game.initial_state()
        assert state.core.playout(7, most) == most
        assert state.moves_left >= 25 - most


def test_parameters_are_checked():
    for wrong in ({"size": 1}, {"size": 20}, {"swap": "yes"}, {"size": 5.5}):
        with pytest.raises(bl.BoardLabError):
            bl.game("hex", **wrong)
