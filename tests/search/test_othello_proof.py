"""Proofs about Othello on 6x6: the same verdicts as slow searches, whatever the proof does without."""

import random

import numpy as np
import pytest
from oracles.full_width import minimax
from oracles.judges import score_judge

import boardlab as bl
from boardlab import _engine

GAME = bl.game("othello", size=6)
SAVINGS = {"order": 1, "look up": 2, "stable discs": 4, "parity": 8}


def boards(state: bl.State) -> tuple[int, int]:
    """Bitboards of the side to move and of the other."""
    discs = [sum(1 << cell for cell in range(36) if state.fields[cell] == side) for side in (1, 2)]
    return (discs[0], discs[1]) if state.fields[36] == 0 else (discs[1], discs[0])


def solved(proof: _engine.OthelloProof, own: int, other: int, first: int = 0) -> int:
    """The value by null windows from a first guess."""
    lower, upper, least = -36, 36, first
    while lower < upper:
        value = proof.bound(own, other, least)
        if value >= least:
            assert value > lower or least == lower
            lower, least = value, value + 1
        else:
            assert value < upper
            upper, least = value, value
    return lower


def late_position(seed: int, empties: int) -> bl.State:
    """A random position in which a player moves, with at most `empties` empty cells."""
    chooser = random.Random(seed)
    while True:
        state = GAME.initial_state()
        while not state.is_terminal:
            if list(state.fields[:36]).count(0) <= empties:
                return state
            state.apply(chooser.choice(state.legal_actions()))


@pytest.mark.parametrize("empties", [1, 2, 3, 4, 5, 6, 8])
def test_a_proof_agrees_with_plain_minimax(empties: int) -> None:
    proof = _engine.OthelloProof(table_mb=1, lessons=0)
    for seed in range(20 if empties < 8 else 5):
        state = late_position(100 * empties + seed, empties)
        value = minimax(state, 60, score_judge("discs"), "discs")
        assert solved(proof, *boards(state)) == (value if state.player == 0 else -value)


@pytest.mark.parametrize("without", [0, *SAVINGS.values(), 15], ids=["nothing", *SAVINGS, "all"])
def test_a_proof_agrees_with_the_solver_without_any_saving(without: int) -> None:
    proof = _engine.OthelloProof(table_mb=1, lessons=500, without=without)
    for seed in range(12):
        state = late_position(seed, 8 + seed % 6)
        scores = state.solve(outcome="discs")
        assert scores is not None
        assert solved(proof, *boards(state), first=-4) == scores[state.player]


@pytest.mark.parametrize("images_from", [8, 11])
def test_images_of_a_position_are_worth_the_same(images_from: int) -> None:
    """Near the end too, if the proof looks for images there."""
    proof = _engine.OthelloProof(table_mb=1, lessons=500, images_from=images_from)
    for seed in range(6):
        state = late_position(seed, 11 + seed % 3)
        scores = state.solve(outcome="discs")
        assert scores is not None
        for symmetry in range(8):
            assert solved(proof, *boards(state.symmetry(symmetry))) == scores[state.player]


@pytest.mark.slow
def test_solutions_from_afar_agree_with_those_one_action_later() -> None:
    """With 24 empty cells `solve` proves; with 23 it searches as on every board."""
    state = late_position(3, 24)
    solution = state.core.solve(2**62, "discs")
    assert solution is not None
    scores, best, _ = solution
    values = {}
    for action in state.legal_actions():
        after = state.copy()
        after.apply(action)
        values[action] = after.solve(outcome="discs")[state.player]
    assert scores[state.player] == max(values.values()) == values[best]
    outcome = state.core.solve(2**62, "score")
    assert outcome is not None
    assert outcome[0][state.player] == np.sign(scores[state.player]) == np.sign(values[outcome[1]])


@pytest.mark.slow
def test_a_proof_gives_up_in_time() -> None:
    state = GAME.initial_state()
    agent = bl.agent("alphabeta(depth=2, seconds=0.5, solve_below=40, solve_nodes=4000000000000000)", GAME)
    decision = agent.act(state)
    assert decision.info["depth"] >= 1 and not decision.info["proven"]


def test_a_bound_does_not_depend_on_earlier_questions() -> None:
    """What the table remembers of other positions and other claims is true as well."""
    used = _engine.OthelloProof(table_mb=1, lessons=500)
    for seed in range(30):
        own, other = boards(late_position(seed, 12))
        fresh = _engine.OthelloProof(table_mb=1, lessons=0)
        assert solved(used, own, other, first=2 * (seed % 5) - 4) == solved(fresh, own, other)


def test_lessons_bring_the_guess_nearer_to_the_value() -> None:
    errors = []
    for lessons in (0, 5000):
        proof = _engine.OthelloProof(table_mb=1, lessons=lessons)
        errors.append(0.0)
        for seed in range(40):
            own, other = boards(late_position(seed, 11))
            errors[-1] += abs(proof.guess(own, other, 0) / 128 - solved(proof, own, other))
    assert errors[1] < 0.8 * errors[0]


def test_equal_seeds_give_equal_proofs() -> None:
    nodes = set()
    for _ in range(2):
        proof = _engine.OthelloProof(table_mb=1, lessons=500, seed=3)
        solved(proof, *boards(late_position(1, 14)))
        nodes.add((proof.nodes, proof.guess(*boards(late_position(2, 20)), 3)))
    assert len(nodes) == 1


def test_boards_that_do_not_exist_are_refused() -> None:
    proof = _engine.OthelloProof(table_mb=1, lessons=0)
    with pytest.raises(ValueError, match="both players"):
        proof.bound(3, 1, 0)
    with pytest.raises(ValueError, match="36 cells"):
        proof.bound(1 << 36, 1, 0)
    with pytest.raises(ValueError, match="between -36 and 36"):
        proof.bound(1, 2, 40)


@pytest.mark.slow
def test_the_second_player_wins_by_four_discs() -> None:
    """Feinstein (1993): 20 to 16. Takes about a minute."""
    proof = _engine.OthelloProof(table_mb=1024, lessons=100_000)
    own, other = boards(GAME.initial_state())
    assert proof.bound(own, other, -4) >= -4
    assert proof.bound(own, other, -3) <= -4
