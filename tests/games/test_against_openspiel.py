"""Random games played side by side with OpenSpiel: who moves, what is legal, how it ends.

A game joins with a small function that yields its cases, and a line in CASES.
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


def hex_cases() -> Iterator[Case]:
    for size, swap in ((2, True), (3, False), (5, True), (11, False)):
        yield bl.game("hex", size=size, swap=swap), f"hex(board_size={size},swap={swap})", same


def gobang_cases() -> Iterator[Case]:
    for rows, cols, k in ((3, 3, 3), (3, 5, 3), (6, 4, 4)):
        yield bl.game("gobang", rows=rows, cols=cols, k=k), f"mnk(m={cols},n={rows},k={k})", same
    yield bl.game("gobang", rows=15, cols=15, k=5), "gomoku(size=15,connect=5)", same


def kuhnpoker_cases() -> Iterator[Case]:
    yield bl.game("kuhnpoker"), "kuhn_poker", same


CASES: dict[str, Callable[[], Iterator[Case]]] = {
    "hex": hex_cases,
    "gobang": gobang_cases,
    "kuhnpoker": kuhnpoker_cases,
}


@pytest.mark.parametrize("name", CASES)
def test_random_games_agree_with_openspiel(name):
    for game, their_name, theirs in CASES[name]():
        for seed in range(20):
            rng, ours, other = (
                random.Random(seed),
                game.initial_state(),
                pyspiel.load_game(their_name).new_initial_state(),
            )
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
