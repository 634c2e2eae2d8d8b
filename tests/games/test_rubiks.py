"""Rubik's cube: known numbers of states per distance, orders of twist sequences, impossible cubes, solver."""

import random

import numpy as np
import pytest

import boardlab as bl
from boardlab import _engine

SOLVED_2 = "  UU\n  UU\nLLFFRRBB\nLLFFRRBB\n  DD\n  DD"
SOLVED_3 = "\n".join(["   UUU"] * 3 + ["LLLFFFRRRBBB"] * 3 + ["   DDD"] * 3)


def solved(game):
    return game.from_text(SOLVED_2 if game.rules.size == 2 else SOLVED_3)


def neighbours(game):
    """The states one twist from home. Nothing can be played at home, so scrambles of one twist find them."""
    one_twist = bl.game("rubiks", size=game.rules.size, metric=game.rules.metric, twists=1)
    found = {one_twist.initial_state(seed).to_text() for seed in range(40 * game.action_count)}
    assert len(found) == game.action_count
    return [game.from_text(text) for text in sorted(found)]


def states_per_distance(game, farthest):
    starts = [solved(game).core, *(state.core for state in neighbours(game))]
    at_most_one, *farther = _engine.count_states(starts, farthest - 1)
    return [1, at_most_one - 1, *farther]


POCKET_CUBES = {
    "htm": [1, 9, 54, 321, 1847, 9992, 50136, 227536, 870072, 1887748, 623800, 2644],
    "qtm": [1, 6, 27, 120, 534, 2256, 8969, 33058, 114149, 360508, 930588, 1350852, 782536, 90280, 276],
}


@pytest.mark.parametrize("metric", POCKET_CUBES)
def test_states_per_distance_of_the_2x2x2(metric):
    assert states_per_distance(bl.game("rubiks", metric=metric), 7) == POCKET_CUBES[metric][:8]


@pytest.mark.slow
@pytest.mark.parametrize("metric", POCKET_CUBES)
def test_all_states_of_the_2x2x2(metric):
    assert sum(POCKET_CUBES[metric]) == 3_674_160
    assert states_per_distance(bl.game("rubiks", metric=metric), 1000) == POCKET_CUBES[metric]


@pytest.mark.parametrize(
    ("metric", "counts"),
    [("htm", [1, 18, 243, 3240, 43239, 574908]), ("qtm", [1, 12, 114, 1068, 10011, 93840])],
)
def test_states_per_distance_of_the_3x3x3(metric, counts):
    game = bl.game("rubiks", size=3, metric=metric)
    assert states_per_distance(game, len(counts) - 1) == counts


# ---- twists ----


def play(state, twists):
    for twist in twists.split():
        state.apply(state.parse_action(twist))
    return state


def order(game, twists):
    """How often a sequence must be repeated until a scrambled cube is as before."""
    start = game.initial_state(seed=5)
    state, times = play(start.copy(), twists), 1
    while state != start:
        play(state, twists)
        times += 1
    return times


@pytest.mark.parametrize(
    ("twists", "expected"),
    [
        ("R", 4),
        ("F2", 2),
        ("R U R' U'", 6),
        ("R2 U2", 6),
        ("R U", 105),
        ("R U R' U R U2 R'", 6),
        ("R L", 4),
        ("R U2 D' B D'", 1260),
    ],
)
def test_orders_of_sequences_on_the_3x3x3(twists, expected):
    assert order(bl.game("rubiks", size=3, twists=20), twists) == expected


@pytest.mark.parametrize(("twists", "expected"), [("U", 4), ("L U L' U'", 6), ("L U", 15), ("F2 U2", 3)])
def test_orders_of_sequences_on_the_2x2x2(twists, expected):
    assert order(bl.game("rubiks"), twists) == expected


def test_twists_are_named_after_singmaster():
    htm = bl.game("rubiks", size=3, twists=5).initial_state()
    names = " ".join(htm.action_text(action) for action in htm.legal_actions())
    assert names == "U U2 U' L L2 L' F F2 F' D D2 D' R R2 R' B B2 B'"
    qtm = bl.game("rubiks", metric="qtm").initial_state()
    assert " ".join(qtm.action_text(action) for action in qtm.legal_actions()) == "U U' L L' F F'"
    assert htm.parse_action("u'") == 2


# Clockwise as seen from outside: U takes the top row of F to L, R the right column of F to U,
# F the bottom row of U to R.
AFTER_ONE_TWIST = {
    "U": ["   UUU"] * 3 + ["FFFRRRBBBLLL", "LLLFFFRRRBBB", "LLLFFFRRRBBB"] + ["   DDD"] * 3,
    "R": ["   UUF"] * 3 + ["LLLFFDRRRUBB"] * 3 + ["   DDB"] * 3,
    "F": ["   UUU", "   UUU", "   LLL"] + ["LLDFFFURRBBB"] * 3 + ["   RRR", "   DDD", "   DDD"],
}


@pytest.mark.parametrize("twist", AFTER_ONE_TWIST)
def test_a_twist_turns_its_face_clockwise(twist):
    # Three more of the same bring it home; two alone do not.
    state = bl.game("rubiks", size=3).from_text("\n".join(AFTER_ONE_TWIST[twist]))
    assert not play(state, f"{twist} {twist}").is_terminal
    assert play(state, twist).is_terminal


# ---- scrambles ----


@pytest.mark.parametrize(("metric", "twists"), [("htm", 3), ("qtm", 4)])
def test_no_twist_of_a_scramble_takes_back_another(metric, twists):
    # Up to this length different scrambles lead to different cubes: each must lie exactly this far from home.
    game = bl.game("rubiks", size=3, metric=metric, twists=twists)
    nearer, frontier = {solved(game)}, neighbours(game)
    for _ in range(twists - 1):
        nearer |= set(frontier)
        frontier = {child for state in frontier for _, child in state.children()} - nearer
    for seed in range(3000):
        assert game.initial_state(seed) in frontier


def test_training_starts_take_one_to_all_twists():
    game = bl.game("rubiks", twists=3)
    distances = {round((1 - game.training_start(seed).solve()[0]) / 0.04) for seed in range(200)}
    assert distances == {1, 2, 3}


def test_no_twists_give_a_solved_cube():
    state = bl.game("rubiks", twists=0).initial_state()
    assert state.is_terminal
    assert state.scores.tolist() == [1]


# ---- symmetries ----


@pytest.mark.parametrize("metric", ["htm", "qtm"])
@pytest.mark.parametrize("size", [2, 3])
def test_symmetries_commute_with_twists(size, metric):
    game = bl.game("rubiks", size=size, metric=metric, twists=8)
    rng = random.Random(0)
    for seed in range(5):
        state = game.initial_state(seed)
        for g in range(24):
            action = rng.choice(state.legal_actions())
            one, other = state.copy(), state.symmetry(g)
            one.apply(action)
            other.apply(state.core.symmetry_action(g, action))
            assert one.symmetry(g) == other


def test_symmetries_form_orbits_of_up_to_24_cubes():
    state = bl.game("rubiks", size=3, twists=20).initial_state(3)
    assert len({state.symmetry(g) for g in range(24)}) == 24
    home = solved(state.game)
    assert {home.symmetry(g) for g in range(24)} == {home}


def test_symmetries_keep_the_distance():
    game = bl.game("rubiks", twists=11)
    for seed in range(20):
        state = game.initial_state(seed)
        assert {state.symmetry(g).solve()[0] for g in range(24)} == {state.solve()[0]}


# ---- solver ----


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_the_solver_knows_the_distance(metric):
    game = bl.game("rubiks", metric=metric)
    seen, frontier = {solved(game)}, set(neighbours(game))
    for distance in range(1, 4):
        for state in frontier:
            assert state.solve()[0] == pytest.approx(1 - 0.04 * distance)
        seen |= frontier
        frontier = {child for state in frontier for _, child in state.children()} - seen


def test_a_greedy_solver_solves_in_the_fewest_twists():
    game = bl.game("rubiks", twists=30)
    agent = bl.agent("greedy(solver)", game, seed=0)
    for seed in range(20):
        state, twists = game.initial_state(seed), 0
        distance = round((1 - state.solve()[0]) / 0.04)
        while not state.is_terminal:
            state.apply(agent.act(state).action)
            twists += 1
        assert twists == distance <= 11


def test_the_3x3x3_has_no_solver():
    assert bl.game("rubiks", size=3, twists=5).initial_state().solve() is None


def test_moves_left_is_bounded_by_gods_number():
    assert bl.game("rubiks", twists=3).initial_state().moves_left == 3
    assert bl.game("rubiks", size=3, metric="qtm", twists=500).initial_state().moves_left == 26
    assert solved(bl.game("rubiks")).moves_left == 0


# ---- impossible cubes ----


def swapped(text, *pairs):
    letters = list(text)
    for a, b in pairs:
        letters[a], letters[b] = letters[b], letters[a]
    return "".join(letters)


# Facelets in one line: U 0-8, L 9-17, F 18-26, R 27-35, B 36-44, D 45-53.
LINE_3 = "U" * 9 + "L" * 9 + "F" * 9 + "R" * 9 + "B" * 9 + "D" * 9


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (swapped(LINE_3, (7, 19)), "an edge is flipped"),
        (swapped(LINE_3, (8, 20), (8, 27)), "a corner is twisted"),
        # The edges UF and UR exchanged: F and R stickers trade places.
        (swapped(LINE_3, (19, 28)), "two pieces are swapped"),
        (swapped(LINE_3, (20, 27)), "eight corners"),
        (swapped(LINE_3, (4, 13)), "centres"),
        (LINE_3.replace("B", "L", 1), "eight corners|twelve edges"),
        (LINE_3[:-1], "expected 54 facelets"),
        (LINE_3[:-1] + "X", "expected 54 facelets"),
    ],
)
def test_impossible_cubes_are_refused(text, complaint):
    with pytest.raises(bl.BoardLabError, match=complaint):
        bl.game("rubiks", size=3).from_text(text)


def test_one_line_reads_like_the_unfolded_cube():
    assert bl.game("rubiks", size=3).from_text(LINE_3) == bl.game("rubiks", size=3).from_text(SOLVED_3)


def test_a_pocket_cube_turned_as_a_whole_is_the_same_cube():
    game = bl.game("rubiks")
    turned = "  UU\n  UU\nFFRRBBLL\nFFRRBBLL\n  DD\n  DD"
    assert game.from_text(turned) == solved(game)
    with pytest.raises(bl.BoardLabError, match="twisted"):
        game.from_text(swapped("UUUULLLLFFFFRRRRBBBBDDDD", (3, 9), (3, 12)))


@pytest.mark.parametrize(("size", "twists"), [(2, 7), (3, 9)])
def test_cubestate_is_the_colours_without_the_centres(size, twists):
    game = bl.game("rubiks", size=size, twists=twists, coding="cubestate")
    for seed in range(20):
        state = game.initial_state(seed=seed)
        outer = [c for i, c in enumerate(state.fields) if size == 2 or i % 9 != 4]
        assert state.board_vector(0).tolist() == outer
    assert game.core.cells == (24 if size == 2 else 48) and set(game.core.cell_values()) == {6}


def test_sticker_marks_the_cubie_at_every_place():
    usual, coded = (bl.game("rubiks", twists=9, coding=coding) for coding in ("sticker2", "sticker"))
    for seed in range(20):
        cubies, turns = np.split(usual.initial_state(seed=seed).board_vector(0), 2)
        board = coded.initial_state(seed=seed).board_vector(0).reshape(7, 7)
        assert ((board > 0).sum(axis=0) == 1).all() and ((board > 0).sum(axis=1) == 1).all()
        assert board.argmax(axis=1).tolist() == cubies.tolist()
        assert (board.max(axis=1) - 1).tolist() == turns.tolist()


def test_sticker_is_for_the_small_cube():
    with pytest.raises(bl.BoardLabError, match="sticker is for the 2x2x2"):
        bl.game("rubiks", size=3, coding="sticker")
    with pytest.raises(bl.BoardLabError, match="coding must be"):
        bl.game("rubiks", coding="cubeminusaction")


@pytest.mark.parametrize(("size", "metric"), [(2, "htm"), (2, "qtm"), (3, "htm"), (3, "qtm")])
def test_cubeplusaction_is_the_colours_and_the_last_twist(size, metric):
    game = bl.game("rubiks", size=size, metric=metric, twists=5, coding="cubeplusaction")
    plain = bl.game("rubiks", size=size, metric=metric, twists=5, coding="cubestate")
    assert game.core.cell_values() == [*plain.core.cell_values(), 7 if size == 3 else 4, 4]
    quarters = {"": 1, "2": 2, "'": 3}
    state, other = game.initial_state(seed=4), plain.initial_state(seed=4)
    assert state.board_vector(0).tolist() == [*other.board_vector(0), 0, 0]  # a scramble has no last twist
    for action, name in state.action_names().items():
        after, expected = state.copy(), other.copy()
        after.apply(action)
        expected.apply(action)
        face = 1 + "ULFDRB".index(name[0])
        assert after.board_vector(0).tolist() == [*expected.board_vector(0), face, quarters[name[1:]]]
        assert after.to_text() == f"{expected.to_text()}\nlast twist: {name}"
        assert game.from_text(after.to_text()) == after and game.from_fields(after.fields) == after


def test_a_cube_solved_by_any_twist_is_solved():
    game = bl.game("rubiks", twists=1, coding="cubeplusaction")
    for seed in range(9):
        state = game.initial_state(seed=seed)
        state.apply(bl.agent("exact", game).act(state).action)
        assert state.is_terminal and state.scores[0] == 1
        assert game.from_text(state.to_text()) == state


def test_the_last_twist_of_a_turned_pocket_cube_is_named_as_at_home():
    game = bl.game("rubiks", twists=0, coding="cubeplusaction")
    turned = "  UU\n  UU\nFFRRBBLL\nFFRRBBLL\n  DD\n  DD\n"  # F is where L is at home
    assert game.from_text(turned + "last twist: L").to_text().endswith("last twist: F\nsolved")
    with pytest.raises(bl.BoardLabError, match="last twist: must be followed by one of U, U2"):
        game.from_text(turned + "last twist: D")
    with pytest.raises(bl.BoardLabError, match="the last twist must be 0, or 1"):
        game.from_fields([*game.initial_state().fields[:24], 10])


def test_cubes_that_keep_their_last_twist_are_learned_solved_and_written(tmp_path):
    game = bl.game("rubiks", twists=2, coding="cubeplusaction")
    run = bl.train(game, episodes=300, out=tmp_path / "run", tuples=10, length=5, exams=[])
    assert not run.settings.skip_reversal
    with pytest.raises(bl.BoardLabError, match="skip_reversal does nothing with coding=cubeplusaction"):
        bl.train(game, out=tmp_path / "other", skip_reversal=True)
    for agent in (run.agent(), "exact", "random"):
        result = bl.match(game, [agent], games=4, seed=1)
        result.save(tmp_path / "games.txt")
        records = bl.read_records(tmp_path / "games.txt", game)
        assert [r.actions for r in records] == [r.actions for r in result.records]


@pytest.mark.parametrize("coding", ["sticker", "cubestate"])
def test_a_learner_reads_every_coding(coding, tmp_path):
    game = bl.game("rubiks", twists=2, coding=coding)
    run = bl.train(game, episodes=300, out=tmp_path / "run", tuples=10, length=5, exams=[])
    assert run.agent().act(game.initial_state(seed=1)).action in range(9)
