"""Every game and its variants through the conformance kit."""

import pytest

import boardlab as bl
from boardlab.games.registry import GAMES
from boardlab.testing import check_game

CASES = [(name, variant) for name, rules in GAMES.items() for variant in rules.variants]


@pytest.mark.parametrize(("name", "variant"), CASES, ids=[f"{n}-{v}" for n, v in CASES])
def test_game_keeps_every_invariant(name, variant):
    check_game(bl.game(name, **variant), games=4)


def test_variants_begin_with_the_default():
    assert all(rules.variants[0] == {} for rules in GAMES.values())
