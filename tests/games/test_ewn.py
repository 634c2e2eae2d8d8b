"""EinStein wuerfelt nicht: GBG's starts, hand-made positions for every rule, exact winning probabilities."""

from itertools import permutations

import numpy as np
import pytest

import boardlab as bl
from boardlab import _engine


def board(*rows, status="red to roll"):
    return "\n".join([*rows, status])


def actions(state):
    return [state.action_text(action) for action in state.legal_actions()]


def play(state, name):
    state.apply(state.parse_action(name))
    return state


# ---- starts ----

FIXED_STARTS = {
    (3, 2): ["R1 R3 .", "R2 . Y2", ". Y3 Y1"],
    (4, 2): ["R1 R3 . .", "R2 . . .", ". . . Y2", ". . Y3 Y1"],
    (5, 2): ["R1 R3 R6 . .", "R2 R5 . . .", "R4 . . . Y4", ". . . Y5 Y2", ". . Y6 Y3 Y1"],
    (6, 3): [
        "R1 R3 R6 . . .", "R2 R5 . . . .", "R4 . . . . .",
        "B6 . . . . Y4", "B3 B5 . . Y5 Y2", "B1 B2 B4 Y6 Y3 Y1",
    ],
    (4, 4): ["R1 R2 G3 G1", "R3 . . G2", "B2 . . Y3", "B1 B3 Y2 Y1"],
    (6, 4): [
        "R1 R3 R6 G4 G2 G1", "R2 R5 . . G5 G3", "R4 . . . . G6",
        "B6 . . . . Y4", "B3 B5 . . Y5 Y2", "B1 B2 B4 Y6 Y3 Y1",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("size", "players"), FIXED_STARTS)
def test_the_fixed_start_is_that_of_gbg(size, players):
    game = bl.game("ewn", size=size, players=players)
    assert game.initial_state() == game.from_text("\n".join(FIXED_STARTS[size, players]))
    assert game.initial_state(seed=1) == game.initial_state(seed=2)


def test_the_random_start_deals_the_same_to_every_seat():
    game = bl.game("ewn", size=3, start="random")
    deals = set()
    for seed in range(100):
        fields = game.initial_state(seed=seed).fields
        red = [fields[cell] for cell in (0, 1, 3)]
        assert [fields[8 - cell] - 3 for cell in (0, 1, 3)] == red
        deals.add(tuple(red))
    assert deals == set(permutations((1, 2, 3)))


@pytest.mark.parametrize(("size", "players"), [(5, 3), (3, 4), (5, 4)])
def test_boards_that_do_not_fit_the_players_are_refused(size, players):
    with pytest.raises(bl.BoardLabError, match="size must be"):
        bl.game("ewn", size=size, players=players)


# ---- which stone moves, and where ----


def test_the_die_picks_the_stone():
    state = bl.game("ewn").from_text(board(*FIXED_STARTS[5, 2], status="red rolled 4"))
    assert actions(state) == ["a3-b3", "a3-a4", "a3-b4"]


def test_a_missing_stone_is_replaced_by_the_next_lower_and_higher_however_far():
    rows = ["R1 . . . .", ". . R6 . .", ". . . . .", ". . . . .", ". . . . Y1"]
    game = bl.game("ewn")
    assert actions(game.from_text(board(*rows, status="red rolled 2"))) == [
        "a1-b1", "a1-a2", "a1-b2", "c2-d2", "c2-c3", "c2-d3"
    ]  # fmt: skip
    rows[1] = ". R2 R6 . ."
    assert actions(game.from_text(board(*rows, status="red rolled 3"))) == [
        "b2xc2", "b2-b3", "b2-c3", "c2-d2", "c2-c3", "c2-d3"
    ]  # fmt: skip
    assert {name[:2] for name in actions(game.from_text(board(*rows, status="yellow rolled 6")))} == {"e5"}


def test_stones_run_towards_the_far_corner_and_stay_on_the_board():
    game = bl.game("ewn", size=3)
    state = game.from_text(board(". . R1", ". . .", "Y1 . .", status="red rolled 1"))
    assert actions(state) == ["c1-c2"]
    state = game.from_text(board(". . R1", ". . .", "Y1 . .", status="yellow rolled 3"))
    assert actions(state) == ["a3-a2"]


def test_own_stones_can_be_taken():
    state = bl.game("ewn", size=3).from_text(board(*FIXED_STARTS[3, 2], status="red rolled 1"))
    assert actions(state) == ["a1xb1", "a1xa2", "a1-b2"]
    play(state, "a1xb1")
    assert state.to_text() == "  a  b  c\n1 .  R1 .\n2 R2 .  Y2\n3 .  Y3 Y1\nyellow to roll"


def test_the_directions_of_all_four_seats():
    rows = [". . . .", ". G1 R1 .", ". Y1 B1 .", ". . . ."]
    game = bl.game("ewn", size=4, players=4)
    steps = {
        name: set(actions(game.from_text(board(*rows, status=f"{name} rolled 1"))))
        for name in ("red", "yellow", "blue", "green")
    }
    assert steps == {
        "red": {"c2-d2", "c2xc3", "c2-d3"},
        "yellow": {"b3-a3", "b3xb2", "b3-a2"},
        "blue": {"c3xc2", "c3-d3", "c3-d2"},
        "green": {"b2xb3", "b2-a2", "b2-a3"},
    }


# ---- the end ----


def test_reaching_the_far_corner_wins():
    state = bl.game("ewn", size=3).from_text(board(". . .", ". R2 .", "Y1 . .", status="red rolled 3"))
    play(state, "b2-c3")
    assert state.is_terminal
    assert state.scores.tolist() == [1, -1]


def test_taking_the_last_stone_wins():
    state = bl.game("ewn", size=3).from_text(board("R1 Y1 .", ". . .", ". . .", status="red rolled 2"))
    play(state, "a1xb1")
    assert state.is_terminal
    assert state.scores.tolist() == [1, -1]


THREE = ["R1 . . . . .", ". B1 . . . .", ". . . . . .", ". . . . . .", ". . . . Y1 .", ". . . . . ."]


def test_three_players_two_hunt_the_third():
    game = bl.game("ewn", size=6, players=3)
    state = play(game.from_text(board(*THREE, status="red rolled 6")), "a1xb2")
    assert state.is_terminal
    assert state.scores.tolist() == [1, 1, -1]


def test_three_players_a_hunter_does_not_win_in_the_corner_and_then_passes():
    game = bl.game("ewn", size=6, players=3)
    rows = [*THREE[:4], ". . . . R1 .", ". . . . . Y1"]
    rows[0] = ". . . . . ."
    state = game.from_text(board(*rows, status="red rolled 1"))
    with pytest.raises(bl.BoardLabError):
        play(state, "pass")
    play(state, "e5-f5")
    rows[4], rows[5] = ". . . . Y1 .", ". . . . . R1"
    state = game.from_text(board(*rows, status="red rolled 5"))
    assert not state.is_terminal
    assert actions(state) == ["pass"]
    play(state, "pass")
    assert (state.player, state.last_player, state.fields[36:]) == (bl.CHANCE, 0, [1, 0])


def test_three_players_losing_a_hunter_loses_for_both():
    game = bl.game("ewn", size=6, players=3)
    rows = [". R1 . . . .", "B1 . . . . .", *THREE[2:]]
    state = play(game.from_text(board(*rows, status="blue rolled 1")), "a2xb1")
    assert state.is_terminal
    assert state.scores.tolist() == [-1, -1, 1]


def test_three_players_the_hunted_wins_in_its_corner():
    rows = ["R1 . . . . .", ". . . . B2 .", *THREE[2:]]
    state = bl.game("ewn", size=6, players=3).from_text(board(*rows, status="blue rolled 3"))
    assert play(state, "e2-f1").scores.tolist() == [-1, -1, 1]


def test_four_players_play_in_two_teams():
    game = bl.game("ewn", size=4, players=4)
    rows = ["R1 . . .", ". G1 . B1", ". Y1 . .", ". . . ."]
    reached = play(game.from_text(board(*rows, status="blue rolled 1")), "d2-d1")
    assert reached.scores.tolist() == [1, -1, 1, -1]
    taken = play(game.from_text(board(*rows, status="green rolled 1")), "b2xb3")
    assert taken.is_terminal
    assert taken.scores.tolist() == [1, -1, 1, -1]  # green took its team mate's last stone


def test_reaching_the_corner_counts_before_a_team_mates_last_stone():
    rows = [". . B1 R1", ". G1 . .", ". Y1 . .", ". . . ."]
    state = bl.game("ewn", size=4, players=4).from_text(board(*rows, status="blue rolled 1"))
    assert play(state, "c1xd1").scores.tolist() == [1, -1, 1, -1]


# ---- exact values ----


def first_player_wins(game, state, table_mb=64):
    """Probability under perfect play, by our own expectimax to the end of the game."""
    agent = bl.agent(f"expectimax(depth=60, table_mb={table_mb})", game, seed=0)
    mean = 0.0
    for outcome, probability in state.chance_outcomes():
        rolled = state.copy()
        rolled.apply(outcome)
        mean += probability * agent.act(rolled).scores[0]
    return (1 + mean) / 2


@pytest.mark.parametrize(
    ("rows", "probability"),
    [
        (["R1 R3 .", "R2 . Y2", ". Y3 Y1"], 0.699588),
        (["R2 R3 .", "R1 . Y1", ". Y3 Y2"], 0.588477),
    ],
)
def test_perfect_play_on_3x3(rows, probability):
    game = bl.game("ewn", size=3)
    assert first_player_wins(game, game.from_text("\n".join(rows))) == pytest.approx(probability, abs=1e-6)


@pytest.mark.slow
def test_perfect_play_on_3x3_from_every_placement():
    game = bl.game("ewn", size=3)
    found = set()
    for red in permutations((1, 2, 3)):
        for yellow in permutations((4, 5, 6)):
            fields = [red[0], red[1], 0, red[2], 0, yellow[2], 0, yellow[1], yellow[0], 0, 0]
            found.add(round(first_player_wins(game, game.from_fields(fields)), 6))
    assert found == {0.699588, 0.588477, 0.617284, 0.691358}


def undecided_positions(game):
    """Positions before a roll in games that go on: each has one child a side of the die, at odd distances."""
    counts = _engine.count_states([game.initial_state().core], 1000)
    rolled, sides = sum(counts[1::2]), 3
    assert rolled % sides == 0
    return rolled // sides


def test_number_of_states_on_3x3():
    assert undecided_positions(bl.game("ewn", size=3)) == 17_538


@pytest.mark.slow
def test_4x4_is_solved():
    game = bl.game("ewn", size=4)
    assert first_player_wins(game, game.initial_state(), 1024) == pytest.approx(0.551235, abs=1e-6)


@pytest.mark.slow
def test_number_of_states_on_4x4():
    assert undecided_positions(bl.game("ewn", size=4)) == 2_814_497


# ---- what learners see ----


@pytest.mark.parametrize(
    ("coding", "values", "expected"),
    [
        ("owner", 3, [1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 2]),
        ("level", 7, [1, 2, 3, 0, 0, 1, 3, 0, 0, 0, 2, 0, 0, 0, 5]),
        ("stone", 13, [1, 3, 6, 0, 0, 2, 5, 0, 0, 0, 4, 0, 0, 0, 10]),
    ],
)
def test_the_three_codings(coding, values, expected):
    game = bl.game("ewn", coding=coding)
    assert set(game.core.cell_values()) == {values}
    assert game.initial_state().board_vector().tolist()[:15] == expected


def test_levels_of_three_stones_are_the_stones():
    one, other = (bl.game("ewn", size=3, coding=coding).initial_state() for coding in ("level", "stone"))
    assert one.board_vector().tolist() == other.board_vector().tolist()


def test_planes_are_seen_from_the_own_corner():
    for size, players in ((5, 2), (6, 4)):
        state = bl.game("ewn", size=size, players=players).initial_state()
        state.apply(2)
        for player in range(players):
            # The own start looks the same from every seat, and with two players so does the other's.
            same = len(state.planes()) if players == 2 else 6
            assert (state.planes(player)[:same] == state.planes(0)[:same]).all()
            assert state.planes(player)[players * 6 + 2].all()
    planes = (
        bl.game("ewn", size=3).from_text(board(". R2 .", ". . .", ". . Y1", status="red rolled 3")).planes(1)
    )
    assert np.argwhere(planes).tolist()[:2] == [[0, 0, 0], [4, 2, 1]]
    assert planes[8].all()
    assert planes.sum() == 2 + 9


@pytest.mark.parametrize(("size", "players"), [(6, 3), (4, 4), (6, 4)])
def test_planes_of_three_and_four_players_tell_the_seat(size, players):
    """The followers' corners and the partners differ from seat to seat, whatever the board looks like."""
    state = bl.game("ewn", size=size, players=players).initial_state()
    for player in range(players):
        seats = state.planes(player)[-players:]
        assert [bool(plane.all()) for plane in seats] == [seat == player for seat in range(players)]
        assert seats.sum() == size * size


# ---- text ----


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "3 rows of 3"),
        ("R1 . .\n. . .\n. . Z1", "row 3 must have 3 cells"),
        ("R1 . .\n. . R1\n. . Y1", "two cells"),
        ("R1 . .\n. . .\n. . Y1\nred rolled 4", "no such number"),
        ("R1 . .\n. . .\n. . Y1\nblue to roll", "expected"),
        ("R1 . .\n. . .\n. . R2\nred to roll", "has just moved"),
        ("Y1 . .\n. . .\n. R1 .\nyellow to roll", "after a stone reached"),
        ("R1 . .\n. . .\n. . .\nyellow rolled 1", "after the end"),
    ],
)
def test_impossible_texts_are_refused(text, complaint):
    with pytest.raises(bl.BoardLabError, match=complaint):
        bl.game("ewn", size=3).from_text(text)


def test_captures_may_be_written_without_the_cross():
    state = bl.game("ewn", size=3).from_text(board(*FIXED_STARTS[3, 2], status="red rolled 1"))
    assert state.parse_action("a1-b1") == state.parse_action("A1xB1") == state.parse_action("a1b1")
