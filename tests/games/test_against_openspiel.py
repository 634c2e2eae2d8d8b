"""Random games played side by side with OpenSpiel: who moves, what is legal, how it ends.

A game joins with a small function that yields its cases, and a line in CASES. Games that differ in more than
the numbers of their actions have a test of their own below.
"""

import random
from collections.abc import Callable, Iterator

import pytest

import boardlab as bl

pyspiel = pytest.importorskip("pyspiel")

# Our game, OpenSpiel's name of it, and what our action is called there.
Case = tuple[bl.Game, str, Callable[[int], int]]


def same(action: int) -> int:
    return action


def tictactoe_cases() -> Iterator[Case]:
    yield bl.game("tictactoe"), "tic_tac_toe", same


def connectfour_cases() -> Iterator[Case]:
    for rows, cols, connect in ((6, 7, 4), (5, 6, 3)):
        game = bl.game("connectfour", rows=rows, cols=cols, connect=connect)
        yield game, f"connect_four(rows={rows},columns={cols},x_in_row={connect})", same


def othello_cases() -> Iterator[Case]:
    yield bl.game("othello"), "othello", same


def nim_cases() -> Iterator[Case]:
    for heaps, misere in (((1, 3, 5, 7), True), ((4, 4, 6), False)):
        most, piles = max(heaps), len(heaps)
        their_name = f"nim(pile_sizes={';'.join(map(str, heaps))},is_misere={misere})"

        # Theirs count the piles first, ours the stones.
        def theirs(action: int, most: int = most, piles: int = piles) -> int:
            return action % most * piles + action // most

        yield bl.game("nim", heaps=heaps, max_take=most, misere=misere), their_name, theirs


def hex_cases() -> Iterator[Case]:
    for size, swap in ((2, True), (3, False), (5, True), (11, False)):
        yield bl.game("hex", size=size, swap=swap), f"hex(board_size={size},swap={swap})", same


def gobang_cases() -> Iterator[Case]:
    for rows, cols, k in ((3, 3, 3), (3, 5, 3), (6, 4, 4)):
        yield bl.game("gobang", rows=rows, cols=cols, k=k), f"mnk(m={cols},n={rows},k={k})", same
    yield bl.game("gobang", rows=15, cols=15, k=5), "gomoku(size=15,connect=5)", same


def kuhnpoker_cases() -> Iterator[Case]:
    yield bl.game("kuhnpoker"), "kuhn_poker", same


def leducpoker_cases() -> Iterator[Case]:
    yield bl.game("leducpoker"), "leduc_poker", same


CASES: dict[str, Callable[[], Iterator[Case]]] = {
    "tictactoe": tictactoe_cases,
    "connectfour": connectfour_cases,
    "othello": othello_cases,
    "nim": nim_cases,
    "hex": hex_cases,
    "gobang": gobang_cases,
    "kuhnpoker": kuhnpoker_cases,
    "leducpoker": leducpoker_cases,
}


@pytest.mark.parametrize("name", CASES)
def test_random_games_agree_with_openspiel(name):
    for game, their_name, theirs in CASES[name]():
        for seed in range(20):
            rng, ours = random.Random(seed), game.initial_state()
            other = pyspiel.load_game(their_name).new_initial_state()
            while not ours.is_terminal:
                assert not other.is_terminal()
                assert ours.player == other.current_player()
                actions = ours.legal_actions()
                assert sorted(theirs(a) for a in actions) == sorted(other.legal_actions())
                action = rng.choice(actions)
                ours.apply(action)
                other.apply_action(theirs(action))
            assert other.is_terminal()
            assert list(ours.scores) == other.returns()


def test_random_games_of_2048_agree_with_openspiel():
    # OpenSpiel 2.0.2 overlooks slides that only merge at the far edge, so its actions are some of ours.
    game = bl.game("2048")
    for seed in range(10):
        rng, ours = random.Random(seed), game.initial_state()
        other = pyspiel.load_game("2048").new_initial_state()
        while not other.is_terminal():
            if ours.player == bl.CHANCE:
                assert dict(other.chance_outcomes()) == pytest.approx(dict(ours.chance_outcomes()))
            else:
                assert set(other.legal_actions()) <= set(ours.legal_actions())
            action = rng.choice(other.legal_actions())
            ours.apply(action)
            other.apply_action(action)
            assert [2**e if e else 0 for e in ours.fields[:16]] == [int(word) for word in str(other).split()]
            assert list(ours.scores) == other.returns()


def test_random_games_of_ewn_agree_with_openspiel():
    # There white begins, bottom right, and each player's stones are dealt at random: their white is our red,
    # and the board is turned by 180 degrees.
    game, their_game = bl.game("ewn"), pyspiel.load_game("einstein_wurfelt_nicht")
    assert their_game.num_distinct_actions() == 5 * 5 * 6 * 2
    for seed in range(60):
        rng, other = random.Random(seed), their_game.new_initial_state()
        for _ in range(2):
            other.apply_action(rng.randrange(720))
        ours = game.from_text(turned_ewn_board(other))
        while not ours.is_terminal:
            assert not other.is_terminal()
            if ours.player == bl.CHANCE:
                assert dict(other.chance_outcomes()) == pytest.approx(dict(ours.chance_outcomes()))
                roll = rng.randrange(6)
                ours.apply(roll)
                other.apply_action(roll)
                continue
            assert other.current_player() == 1 - ours.player
            names = {ewn_step(ours, action): action for action in ours.legal_actions()}
            theirs = {ewn_step_of(their): their for their in other.legal_actions()}
            assert names.keys() == theirs.keys()
            step = rng.choice(sorted(names))
            ours.apply(names[step])
            other.apply_action(theirs[step])
            assert ours.to_text().splitlines()[1:6] == turned_ewn_board(other).splitlines()[1:6]
        assert other.is_terminal()
        assert list(ours.scores) == other.returns()[::-1]


def turned_ewn_board(other) -> str:
    cells = [cell for line in str(other).splitlines()[:5] for cell in line.strip("|").split("||")]
    words = [cell.strip().replace("b", "Y").replace("w", "R").replace("_", "") or "." for cell in cells][::-1]
    rows = [f"{r + 1} " + " ".join(f"{w:<2}" for w in words[5 * r : 5 * r + 5]).rstrip() for r in range(5)]
    return "\n".join(["  a  b  c  d  e", *rows])


def ewn_step(ours, action) -> tuple[int, int, bool]:
    """From cell, to cell and whether something is taken, on their board."""
    name = ours.action_text(action)
    start, end = (24 - ("abcde".index(cell[0]) + 5 * (int(cell[1]) - 1)) for cell in (name[:2], name[3:]))
    return start, end, name[2] == "x"


def ewn_step_of(action: int) -> tuple[int, int, bool]:
    rest, capture = divmod(action, 2)
    start, direction = divmod(rest, 6)
    down, right = ((1, 1), (1, 0), (0, 1), (-1, 0), (-1, -1), (0, -1))[direction]
    return start, start + 5 * down + right, bool(capture)


def test_random_games_of_morpion_4d_agree_with_openspiel():
    # Theirs is played on 13x13 points, ours has no border: lines that leave their board are left out.
    game, their_game = bl.game("morpion", variant="4D"), pyspiel.load_game("morpion_solitaire")
    for seed in range(12):
        rng, ours, other = random.Random(seed), game.initial_state(), their_game.new_initial_state()
        while not other.is_terminal():
            inside = {line: a for a in ours.legal_actions() if (line := morpion_line(game, a)) is not None}
            theirs = {morpion_line_of(other.action_to_string(a)): a for a in other.legal_actions()}
            assert inside.keys() == theirs.keys()
            line = rng.choice(sorted(map(sorted, inside)))
            ours.apply(inside[frozenset(map(tuple, line))])
            other.apply_action(theirs[frozenset(map(tuple, line))])
            assert list(ours.scores) == other.returns()
        assert not any(morpion_line(game, a) for a in ours.legal_actions())


def morpion_line(game, action) -> frozenset[tuple[int, int]] | None:
    from boardlab.games.morpion import Line, Point

    # Their cross begins at row and column 3, ours at 28.
    points = game.rules.points_of(Line(Point(action // 4 % 64, action // 4 // 64), action % 4))
    shifted = frozenset((p.y - 25, p.x - 25) for p in points)
    return shifted if all(0 <= v < 13 for point in shifted for v in point) else None


def morpion_line_of(text: str) -> frozenset[tuple[int, int]]:
    pairs = text.replace("[", "").replace("]", "").split()
    return frozenset((int(a), int(b)) for a, b in (pair.split(",") for pair in pairs))
