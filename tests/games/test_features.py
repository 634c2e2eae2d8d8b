"""The features of games: against slow versions, and the same on symmetric boards."""

import random
from typing import Any

import numpy as np
import pytest

import boardlab as bl
from boardlab.games.game import CHANCE, Game, State
from tests.oracles.game_features import SLOW, slow_features

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("tictactoe", {}),
    ("connectfour", {}),
    ("connectfour", {"rows": 5, "cols": 4, "connect": 3}),
    ("connectfour", {"rows": 9, "cols": 9}),
    ("hex", {"size": 3}),
    ("hex", {"size": 6, "swap": True}),
    ("nim", {}),
    ("nim", {"heaps": (3, 4, 5), "players": 3}),
    ("nim", {"heaps": (7, 5, 3), "max_take": 3, "misere": True}),
    ("2048", {}),
    ("2048", {"size": 3}),
    ("othello", {"size": 6}),
    ("othello", {}),
    ("sim", {}),
    ("sim", {"players": 3, "nodes": 5}),
    ("yavalath", {}),
    ("yavalath", {"players": 3, "side": 4, "swap": False}),
    ("ewn", {"size": 3}),
    ("ewn", {}),
    ("ewn", {"players": 3, "size": 6}),
    ("ewn", {"players": 4, "size": 4}),
]


def positions(game: Game, games: int) -> list[State]:
    """The positions of random games."""
    rng = random.Random(game.name)
    found = []
    for number in range(games):
        state = game.initial_state(seed=number)
        for _ in range(200):
            found.append(state.copy())
            if state.is_terminal:
                break
            if state.player == CHANCE:
                state.apply(state.sample_chance(rng.getrandbits(32)))
            else:
                state.apply(rng.choice(state.legal_actions()))
    return found


@pytest.mark.parametrize(("name", "parameters"), VARIANTS, ids=str)
def test_features_equal_the_slow_version(name: str, parameters: dict[str, Any]) -> None:
    game = bl.game(name, **parameters)
    found = positions(game, 4)
    for state in random.Random(1).sample(found, min(40, len(found))):
        for player in range(game.players):
            expected = slow_features(game, state, player)
            np.testing.assert_allclose(state.features(player), expected, atol=1e-12, err_msg=str(state))


@pytest.mark.parametrize(("name", "parameters"), VARIANTS, ids=str)
def test_symmetric_positions_have_the_same_features(name: str, parameters: dict[str, Any]) -> None:
    game = bl.game(name, **parameters)
    for state in positions(game, 1):
        for g in range(1, min(game.symmetries, 12)):
            np.testing.assert_allclose(state.symmetry(g).features(0), state.features(0), atol=1e-12)


def test_every_game_of_gbg_that_gained_features_has_them() -> None:
    from boardlab.evaluators.features import GAINED

    assert set(SLOW) == GAINED
    for name in GAINED:
        assert bl.game(name).core.feature_count == len(
            slow_features(bl.game(name), bl.game(name).initial_state(), 0)
        )
