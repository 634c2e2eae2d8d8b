"""Every declared variant of every game beside plain rules in Python: who moves, what is legal, chances, scores.

OpenSpiel lacks most of these games or variants; where it has one, test_against_openspiel.py compares too.
"""

import random

import pytest
from oracles.rules import PLAIN
from oracles.rules.plain import CHANCE, TERMINAL

import boardlab as bl
from boardlab.games.registry import GAMES

CASES = [(name, variant) for name, rules in GAMES.items() for variant in rules.variants]
IDS = [f"{name}-{variant}" for name, variant in CASES]
LONGEST = 200
"""Random twists never solve a cube; such a game is left after this number of moves."""


def plain_version(name, variant, state):
    parameters = dict(variant)
    if name == "ewn":
        # How the start was chosen and how cells are coded makes no difference to the rules.
        parameters = {key: value for key, value in parameters.items() if key in ("size", "players")}
    return PLAIN[name](state.to_text(), **parameters)


def assert_agree(state, plain):
    assert state.player == plain.player
    assert state.is_terminal == (plain.player == TERMINAL)
    if plain.player == CHANCE:
        assert dict(state.chance_outcomes()) == pytest.approx(plain.chances())
    elif plain.player != TERMINAL:
        assert state.legal_actions() == plain.legal()
    assert state.scores.tolist() == pytest.approx(plain.scores())
    if hasattr(plain, "fields"):
        assert state.fields == plain.fields()


def play_beside(name, variant, moves):
    """Random games until this number of moves was compared; a game that has begun is played to its end."""
    game, rng = bl.game(name, **variant), random.Random(f"{name} {variant}")
    played = games = 0
    while played < moves:
        state = game.initial_state(rng.randrange(2**32))
        plain = plain_version(name, variant, state)
        assert_agree(state, plain)
        for _ in range(LONGEST):
            if state.is_terminal:
                break
            if state.player == CHANCE:
                outcomes, weights = zip(*sorted(plain.chances().items()), strict=True)
                action = rng.choices(outcomes, weights)[0]
            else:
                action = rng.choice(state.legal_actions())
            state.apply(action)
            plain.apply(action)
            played += 1
            assert_agree(state, plain)
        games += 1
    return games


def test_the_marks_for_chance_and_the_end_are_ours():
    assert (CHANCE, TERMINAL) == (bl.CHANCE, bl.TERMINAL)


def test_every_game_has_plain_rules():
    assert PLAIN.keys() == GAMES.keys()


@pytest.mark.parametrize(("name", "variant"), CASES, ids=IDS)
def test_a_thousand_moves_agree(name, variant):
    play_beside(name, variant, 1000 // len(GAMES[name].variants))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "variant"), CASES, ids=IDS)
def test_a_hundred_thousand_moves_agree(name, variant):
    """At least 10^5 moves of each game over its variants."""
    play_beside(name, variant, -(-100_000 // len(GAMES[name].variants)))
