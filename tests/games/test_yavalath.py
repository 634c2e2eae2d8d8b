import random

import pytest
from exact import value
from oracles.rules import PlainYavalath

import boardlab as bl


def test_side_2_is_a_draw():
    for swap in (False, True):
        assert value(bl.game("yavalath", side=2, swap=swap).initial_state(), 8) == 0


@pytest.mark.slow
def test_side_3_is_won_by_the_second_player():
    for swap in (False, True):
        assert value(bl.game("yavalath", side=3, swap=swap).initial_state(), 20) == -1


@pytest.mark.parametrize(
    ("side", "players", "swap"),
    [(2, 2, True), (3, 2, False), (5, 2, True), (6, 2, False), (2, 3, False), (3, 3, False), (5, 3, False)],
)
def test_games_go_as_the_slow_rules_say(side, players, swap):
    game = bl.game("yavalath", side=side, players=players, swap=swap)
    blocks, ends = 0, set()
    for seed in range(120):
        rng, state, slow = (
            random.Random(seed),
            game.initial_state(),
            PlainYavalath(side=side, players=players, swap=swap),
        )
        while slow.player != bl.TERMINAL:
            assert state.player == slow.player
            assert state.legal_actions() == slow.legal()
            action = rng.choice(state.legal_actions())
            state.apply(action)
            slow.apply(action)
            assert state.last_player == (
                slow.owner.get(slow.cells[action]) if action < len(slow.cells) else 1
            )
        assert state.is_terminal and list(state.scores) == slow.scores()
        blocks += slow.blocks
        ends.add(tuple(sorted(slow.scores())))
    if players == 3 and side > 2:
        assert blocks > 20
        assert {(-1, -1, 1), (-1, 0, 0)} <= ends if side == 3 else (-1, -1, 1) in ends


def position(game, turn, **stones):
    """The position with each colour's stones on the named cells: `white="e1 e2"`."""
    rules = game.rules
    names = [f"{'abcdefghijk'[row]}{i + 1}" for row, n in enumerate(rules.row_lengths) for i in range(n)]
    fields = [0] * len(names)
    for colour, cells in stones.items():
        for cell in cells.split():
            fields[names.index(cell)] = 1 + ("white", "black", "red").index(colour)
    return game.from_fields([*fields, ("white", "black", "red").index(turn)])


TWO = bl.game("yavalath")
PLAIN = bl.game("yavalath", swap=False)
THREE = bl.game("yavalath", players=3)


@pytest.mark.parametrize(
    ("white", "action", "scores"),
    [
        ("e1 e2 e4", "e3", [1, -1]),  # four in a row win
        ("e1 e2 e4 e5", "e3", [1, -1]),  # and so do five
        ("e1 e2 b3", "e3", [-1, 1]),  # three lose
        ("c3 d3 b1", "e3", [-1, 1]),  # towards the upper right
        ("c1 d2 a5", "e3", [-1, 1]),  # towards the upper left
        ("e1 e2 e4 c3 d3", "e3", [1, -1]),  # four win, though three are made as well
    ],
)
def test_lines_of_three_and_four(white, action, scores):
    black = " ".join(["g1", "g3", "g5", "i1", "i3"][: len(white.split())])
    state = position(TWO, "white", white=white, black=black)
    state.apply(state.parse_action(action))
    assert state.is_terminal and list(state.scores) == scores


def test_two_in_a_row_mean_nothing():
    state = position(TWO, "white", white="e1 b2", black="g1 h4")
    state.apply(state.parse_action("e2"))
    assert not state.is_terminal


def test_swap_takes_over_the_stone_where_it_stands():
    state = TWO.initial_state()
    assert TWO.action_count == 62
    state.apply(state.parse_action("c3"))
    swap = state.parse_action("swap")
    assert swap == 61
    state.apply(swap)
    assert state == position(TWO, "white", black="c3")
    assert state.player == 0 and state.last_player == 1 and swap not in state.legal_actions()
    assert bl.game("yavalath", swap=False).action_count == 61
    assert THREE.action_count == 61


def test_a_win_of_the_next_player_must_be_blocked():
    state = position(THREE, "white", white="a1 c1 i3", black="e1 e2 e4", red="g1 g3 g5")
    assert [state.action_text(a) for a in state.legal_actions()] == ["e3"]


def test_any_of_several_winning_cells_may_be_blocked():
    state = position(THREE, "white", white="a1 c1 i3 b5", black="e1 e2 e4 e7", red="g1 g3 g5 i1")
    assert [state.action_text(a) for a in state.legal_actions()] == ["e3"]
    state = position(THREE, "white", white="a1 c1 i3 b5 d7", black="e1 e2 e4 e6 e7", red="g1 g3 g5 i1 g7")
    assert [state.action_text(a) for a in state.legal_actions()] == ["e3", "e5"]


def test_the_duty_to_block_outranks_an_own_win():
    state = position(THREE, "white", white="a1 a2 a4", black="e1 e2 e4", red="g1 g3 g5")
    assert [state.action_text(a) for a in state.legal_actions()] == ["e3"]


def test_a_threat_of_the_player_after_next_need_not_be_blocked():
    state = position(THREE, "white", white="a1 c1 i3", black="g1 g3 g5", red="e1 e2 e4")
    assert len(state.legal_actions()) == 61 - 9


def test_two_players_need_not_block():
    state = position(TWO, "white", white="a1 c1 i3", black="e1 e2 e4")
    assert len(state.legal_actions()) == 61 - 6


def test_who_makes_three_drops_out_and_the_others_play_on():
    state = position(THREE, "white", white="c3 d3 i3", black="e1 e2 e4", red="g1 g3 h6")
    state.apply(state.parse_action("e3"))  # the forced block makes three
    assert not state.is_terminal and list(state.scores) == [0, 0, 0]
    assert state.last_player == 0 and state.player == 1
    assert THREE.from_text(state.to_text()) == state
    state.apply(state.parse_action("a1"))
    assert state.player == 2
    state.apply(state.parse_action("g4"))
    assert state.player == 1  # white is passed over
    assert [state.action_text(a) for a in state.legal_actions()] == ["g2"]  # and two still have to block


def test_the_last_survivor_wins():
    state = position(THREE, "black", white="c3 d3 e3 i3", black="e1 e2 h4", red="g1 g3 a5")
    assert state.last_player == 0
    state.apply(state.parse_action("b1"))
    state.apply(state.parse_action("g2"))  # red makes three
    assert state.is_terminal and list(state.scores) == [-1, 1, -1]
    assert THREE.from_text(state.to_text()) == state


def test_the_stones_of_who_dropped_out_threaten_nobody():
    state = position(THREE, "black", white="c3 d3 e3 i2 i3 i5", black="e1 e5 h4 a1 b4", red="g1 g3 a5 c7 f8")
    assert len(state.legal_actions()) == 61 - 16


@pytest.mark.parametrize(
    ("turn", "stones", "says"),
    [
        ("white", {"white": "a1 a3"}, "do not fit"),
        ("black", {"black": "a1"}, "do not fit"),
        ("white", {"white": "a1 a2 a3 i1", "black": "e1 e3 e5 e7"}, "do not fit"),
        ("white", {"white": "a1 a2 a3 i1 i2 i3", "black": "e1 e3 e5 e7 g1"}, "continued after making three"),
        ("white", {"white": "a1 a2 a3", "black": "e1 e2 e3"}, "continued after the game was won"),
        ("red", {"white": "a1"}, "do not fit"),
    ],
)
def test_impossible_positions_are_refused(turn, stones, says):
    with pytest.raises(bl.BoardLabError, match=says):
        position(PLAIN, turn, **stones)


def test_after_a_swap_other_numbers_of_stones_fit():
    assert position(TWO, "white", black="a1").player == 0
    assert position(TWO, "black", white="a1", black="a3").player == 1
    lost = position(TWO, "white", white="a1 a2 a3 i1", black="e1 e3 e5 e7")
    assert lost.last_player == 0 and list(lost.scores) == [-1, 1]
    assert TWO.from_text(lost.to_text()) == lost


def test_a_row_is_written_between_its_letter_and_the_number_of_its_last_cell():
    game = bl.game("yavalath", side=2)
    text = " a W . 2\nb . . . 3\n c . . 2\nblack to move"
    state = game.from_text(text)
    assert state.to_text() == text and state.action_text(4) == "b3"
    assert ">3</text>" in state.to_svg()
    for other in ("a W .\nb . . .\nc . .\nblack to move", "W.\n...\n..\nblack to move"):
        assert game.from_text(other) == state


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (". .\n. . .\n. .", "whose turn"),
        (". .\n. . .\n. R\nwhite to move", "row c must have 2 cells of . W B"),
        (". .\n. .\n. .\nwhite to move", "row b must have 3 cells"),
        (". . 3\n. . .\n. .\nwhite to move", "row a must have 2 cells"),
        (". .", "expected 3 rows"),
    ],
)
def test_text_that_is_no_board_is_refused(text, says):
    with pytest.raises(bl.BoardLabError, match=says):
        bl.game("yavalath", side=2).from_text(text)


def test_parameters_are_checked():
    for wrong in ({"side": 1}, {"side": 7}, {"players": 4}, {"swap": 1}):
        with pytest.raises(bl.BoardLabError):
            bl.game("yavalath", **wrong)


def test_planes_tell_whether_the_swap_may_be_played():
    """One stone of the opponent's is all there is to see before the swap, and after it."""
    state = bl.game("yavalath", side=3).initial_state()
    centre, swap = 9, 19
    for action, may_swap in ((centre, True), (swap, False)):
        state.apply(action)
        planes = state.planes(state.player)
        assert planes.shape[0] == 4 and planes[1].sum() == 1
        assert (planes[3] == may_swap * planes[2]).all()
    assert bl.game("yavalath", side=3, swap=False).initial_state().planes().shape[0] == 3
