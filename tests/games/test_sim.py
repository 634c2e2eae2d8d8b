"""Sim: hand-made positions for every rule, solved games, a slow obvious version of the three-player rules."""

from functools import cache
from itertools import combinations, permutations
from math import factorial

import numpy as np
import pytest

import boardlab as bl


def play(game, *edges):
    state = game.initial_state()
    for edge in edges:
        state.apply(state.parse_action(edge))
    return state


def test_actions_are_the_edges_in_lexicographic_order():
    state = bl.game("sim", nodes=4).initial_state()
    assert [state.action_text(a) for a in state.legal_actions()] == ["AB", "AC", "AD", "BC", "BD", "CD"]


def test_a_triangle_in_the_own_colour_loses():
    state = play(bl.game("sim"), "AB", "CD", "AC", "DE", "BC")
    assert state.is_terminal
    assert state.scores.tolist() == [-1, 1]


def test_a_triangle_of_two_colours_is_harmless():
    state = play(bl.game("sim"), "AB", "AC", "BC")
    assert not state.is_terminal
    assert state.player == 1


@pytest.mark.parametrize(("nodes", "value"), [(4, 0), (5, 0), (6, -1)])
def test_two_player_games_are_solved(nodes, value):
    game = bl.game("sim", nodes=nodes)
    agent = bl.agent(f"alphabeta(depth={game.horizon}, table_mb=64)", game, seed=0)
    assert agent.act(game.initial_state()).scores[0] == value


def test_six_nodes_are_never_a_draw():
    game = bl.game("sim")
    for seed in range(200):
        state = game.initial_state()
        state.core.playout(seed, game.horizon)
        assert sorted(state.scores.tolist()) == [-1, 1]


# ---- three players ----


def test_the_first_of_three_losers_drops_out():
    # Red closes ABC in its third turn; from then on blue and green take turns.
    state = play(bl.game("sim", nodes=7, players=3), "AB", "DE", "FG", "AC", "DF", "EG", "BC")
    assert not state.is_terminal
    assert [state.player, state.last_player] == [1, 0]
    state.apply(state.parse_action("AD"))
    assert state.player == 2
    state.apply(state.parse_action("AE"))
    assert [state.player, state.last_player] == [1, 2]


def test_the_last_of_three_wins():
    state = play(bl.game("sim", nodes=7, players=3), "AB", "DE", "FG", "AC", "DF", "EG", "BC", "EF")
    assert state.is_terminal
    assert state.scores.tolist() == [-1, -1, 1]
    assert state.last_player == 1


def test_three_players_draw_when_the_edges_are_used_up():
    state = play(bl.game("sim", nodes=4, players=3), "AB", "AC", "AD", "CD", "BD", "BC")
    assert state.is_terminal
    assert state.scores.tolist() == [0, 0, 0]


def test_one_of_three_may_lose_alone():
    # Red loses, then blue and green use up the edges without a triangle.
    game = bl.game("sim", nodes=5, players=3)
    outcomes = set()
    for seed in range(300):
        state = game.initial_state()
        state.core.playout(seed, game.horizon)
        outcomes.add(tuple(state.scores.tolist()))
    assert (-1, 0, 0) in outcomes
    allowed = {p for scores in [(0, 0, 0), (-1, 0, 0), (-1, -1, 1)] for p in permutations(scores)}
    assert outcomes <= allowed


def test_the_coalition_ends_with_the_first_triangle():
    game = bl.game("sim", nodes=7, players=3, coalition=True)
    red_lost = play(game, "AB", "DE", "FG", "AC", "DF", "EG", "BC")
    assert red_lost.is_terminal
    assert red_lost.scores.tolist() == [-1, 1, 1]
    green_lost = play(game, "AB", "DE", "FG", "AD", "BD", "EG", "BE", "BF", "EF")
    assert green_lost.is_terminal
    assert green_lost.scores.tolist() == [1, -1, -1]


def slow_maxn(nodes, coalition):
    """Red's score for each of its first actions, when everybody plays the first action that is best for the own score."""
    edges = list(combinations(range(nodes), 2))

    triangles = [[edges.index(e) for e in combinations(t, 2)] for t in combinations(range(nodes), 3)]

    @cache
    def value(owners, mover, lost):
        over = len(lost) == (1 if coalition else 2)
        if over or None not in owners:
            if coalition:
                return (0, 0, 0) if not lost else (-1, 1, 1) if 0 in lost else (1, -1, -1)
            return tuple(-1 if p in lost else int(len(lost) == 2) for p in range(3))
        best = None
        for i, owner in enumerate(owners):
            if owner is not None:
                continue
            after = (*owners[:i], mover, *owners[i + 1 :])
            now_lost = lost
            if any(after[a] == after[b] == after[c] == mover for a, b, c in triangles):
                now_lost = lost | {mover}
            after_mover = (mover + 1) % 3
            if after_mover in now_lost and not coalition:
                after_mover = (after_mover + 1) % 3
            scores = value(after, after_mover, now_lost)
            if best is None or scores[mover] > best[mover]:
                best = scores
        return best

    free = (None,) * len(edges)
    return [value((*free[:i], 0, *free[i + 1 :]), 1, frozenset())[0] for i in range(len(edges))]


@pytest.mark.parametrize(("nodes", "coalition"), [(4, False), (5, False), (5, True)])
def test_three_player_values_agree_with_a_slow_solver(nodes, coalition):
    game = bl.game("sim", nodes=nodes, players=3, coalition=coalition)
    decision = bl.agent(f"maxn(depth={game.horizon})", game, seed=0).act(game.initial_state())
    assert [decision.values[edge] for edge in range(game.action_count)] == slow_maxn(nodes, coalition)


# ---- symmetries ----


def test_symmetries_are_all_permutations_of_the_nodes():
    game = bl.game("sim", nodes=4)
    assert game.symmetries == factorial(4)
    state = play(game, "AB", "CD", "AC")
    images = {state.symmetry(g).core.to_bytes() for g in range(game.symmetries)}
    # Red's path B-A-C and the blue edge C-D admit no symmetry of their own.
    assert len(images) == factorial(4)


def test_twenty_nodes_have_twenty_factorial_symmetries():
    game = bl.game("sim", nodes=20)
    assert game.symmetries == factorial(20)
    state = play(game, "AB", "CD", "AT", "BT")
    turned = state.symmetry(factorial(20) - 1)
    # The last Lehmer code turns the order of the nodes round: A becomes T, B becomes S.
    coloured = set(range(game.action_count)) - set(turned.legal_actions())
    start = game.initial_state()
    assert {start.action_text(edge) for edge in coloured} == {"ST", "QR", "AT", "AS"}
    with pytest.raises(bl.BoardLabError):
        state.symmetry(factorial(20))


# ---- text and parameters ----


def test_impossible_positions_are_refused():
    game = bl.game("sim", nodes=4)
    with pytest.raises(bl.BoardLabError, match="take turns"):
        game.from_text("RR....")
    with pytest.raises(bl.BoardLabError, match="play continued"):
        game.from_text("RRBRBB")
    assert game.from_text("rr.rbb").scores.tolist() == [-1, 1]
    with pytest.raises(bl.BoardLabError, match="expected 6 edges"):
        game.from_text("RX....")
    with pytest.raises(bl.BoardLabError, match="expected"):
        game.from_text("")
    with pytest.raises(bl.BoardLabError, match="nobody or to one"):
        game.from_fields([3, 0, 0, 0, 0, 0])


def test_the_coalition_is_for_three_players():
    with pytest.raises(bl.BoardLabError, match="three players"):
        bl.game("sim", coalition=True)


def test_planes_show_the_own_colour_first():
    state = play(bl.game("sim", nodes=4, players=3), "AB", "CD")
    planes = state.planes(1)
    assert np.argwhere(planes[0]).tolist() == [[2, 3], [3, 2]]
    assert planes[1].sum() == 0
    assert np.argwhere(planes[2]).tolist() == [[0, 1], [1, 0]]
