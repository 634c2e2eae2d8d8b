"""The exact endgame solver of Othello against plain recursion and published endgames."""

import random

import pytest

import boardlab as bl
from boardlab import BoardLabError, State

SCORES_AND_DISCS = pytest.mark.parametrize("outcome", ["score", "discs"])

# FFO endgame test suite (1990s): the position, the side to move, its final disc difference.
FFO = {
    40: ("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X--------", "X", 38),
    41: ("-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O-", "X", 0),
    42: ("--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO--", "X", 6),
    43: ("--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX-", "O", -12),
    44: ("--O-X-O---O-XO-O-OOXXXOOOOOOXXXOOOOOXX--XXOOXO----XXXX-----XXX--", "O", -14),
    45: ("---XXXX-X-XXXO--XXOXOO--XXXOXO--XXOXXO---OXXXOO-O-OOOO------OO--", "X", 6),
}


def endgame(size: int, empties: int, seed: int) -> State:
    """A random position in which a player moves and so many squares are empty."""
    game = bl.game("othello", size=size)
    chooser = random.Random(f"{size} {empties} {seed}")
    while True:
        state = game.initial_state()
        while not state.is_terminal:
            if state.moves_left == empties:
                return state
            state.apply(chooser.choice(state.legal_actions()))


def negamax(state: State, outcome: str) -> float:
    """For player 0."""
    if state.is_terminal:
        return float(state.outcome(outcome)[0])
    values = []
    for action in state.legal_actions():
        state.apply(action)
        values.append(negamax(state, outcome))
        state.undo()
    return max(values) if state.player == 0 else min(values)


def ffo(number: int) -> State:
    board, side, _ = FFO[number]
    fields = ["-XO".index(cell) for cell in board]
    return bl.game("othello").from_fields([*fields, "XO".index(side)])


@SCORES_AND_DISCS
@pytest.mark.parametrize("size, empties", [(4, 3), (4, 6), (6, 1), (6, 5), (8, 2), (8, 4), (8, 6), (10, 5)])
def test_endgames_are_solved_as_by_plain_recursion(size: int, empties: int, outcome: str) -> None:
    for seed in range(12):
        state = endgame(size, empties, seed)
        exact = state.solve(outcome=outcome)
        assert exact is not None
        assert exact[0] == -exact[1] == negamax(state, outcome)


@pytest.mark.parametrize("size, empties", [(4, 9), (6, 8), (8, 8), (8, 10), (10, 7)])
def test_longer_endgames_are_solved_as_by_alphabeta(size: int, empties: int) -> None:
    """Far enough from the end for the table, the order of moves and stable discs to take part."""
    judge = 'score(outcome="discs")'
    for seed in range(8):
        state = endgame(size, empties, seed)
        plain = bl.agent(f"alphabeta({judge}, depth=30, table_mb=8)", state.game).act(state)
        exact = state.solve(outcome="discs")
        assert exact is not None
        assert list(exact) == list(plain.scores)


def test_the_solver_names_an_action_that_reaches_the_value() -> None:
    for empties in (5, 9, 12):
        for seed in range(10):
            state = endgame(8, empties, seed)
            solution = state.core.solve(2**40, "discs")
            assert solution is not None
            scores, action, nodes = solution
            assert nodes >= 1
            mover = state.player
            state.apply(action)
            after = state.solve(outcome="discs")
            assert after is not None and after[mover] == scores[mover]


def test_the_smallest_board_is_solved_from_the_start() -> None:
    """4x4: white wins 11-3, the two squares left empty counted for it as in tournaments."""
    state = bl.game("othello", size=4).initial_state()
    assert list(state.solve(outcome="discs")) == [-10, 10]  # type: ignore[arg-type]
    assert list(state.solve()) == [-1, 1]  # type: ignore[arg-type]


def test_the_solver_gives_up_at_its_node_limit() -> None:
    state = ffo(40)
    assert state.solve(node_limit=1000) is None
    assert state.solve(node_limit=100_000, outcome="discs") is None
    near = endgame(8, 12, 1)
    needed = near.core.solve(2**40, "discs")
    assert needed is not None
    assert near.solve(node_limit=needed[2] // 2, outcome="discs") is None
    again = near.core.solve(needed[2] + 1, "discs")
    assert again is not None
    assert again[2] == needed[2], "the effort depends on what was asked before"


def test_solving_a_finished_game_tells_its_outcome() -> None:
    game = bl.game("othello", size=4)
    state = game.initial_state()
    chooser = random.Random(3)
    while not state.is_terminal:
        state.apply(chooser.choice(state.legal_actions()))
    assert list(state.solve(outcome="discs")) == list(state.outcome("discs"))  # type: ignore[arg-type]


def test_an_unknown_outcome_is_refused() -> None:
    with pytest.raises((BoardLabError, ValueError), match="stones"):
        endgame(8, 5, 0).solve(outcome="stones")


@pytest.mark.slow
@pytest.mark.parametrize("number", FFO)
def test_ffo_endgames(number: int) -> None:
    state, wanted = ffo(number), FFO[number][2]
    solution = state.core.solve(2**60, "discs")
    assert solution is not None
    assert solution[0][state.player] == wanted


def test_win_loss_and_draw_of_ffo_40() -> None:
    state = ffo(40)
    exact = state.solve()
    assert exact is not None and exact[state.player] == 1


def test_null_windows_find_the_value_of_a_full_window() -> None:
    """From 20 empty squares on values come from null windows alone; one action later they do not."""
    game, rng = bl.game("othello", size=6), random.Random(4)
    for _ in range(3):
        state = game.initial_state()
        while state.moves_left > 20:
            state.apply(rng.choice(state.legal_actions()))
        mover = state.player
        scores, action, _ = state.core.solve(2**60, "discs")
        values = {a: child.core.solve(2**60, "discs")[0][mover] for a, child in state.children()}
        assert scores[mover] == max(values.values()) == values[action]
