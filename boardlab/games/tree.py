"""The whole tree of a small game: expected scores, best responses and NashConv of strategies."""

import functools

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.games.rules import Rules

SMALL_TREE = 200_000
"""Nodes of a tree that is built wherever it is useful."""
DOUBT = 4
"""How many times too large an estimated tree must be to be left alone: the estimate varies."""


def small_tree(game: Game, most_nodes: int = SMALL_TREE) -> _engine.GameTree | None:
    """The game's tree, or that of one round; None where it is too large or none at all.

    A game that begins at random, or in which a player forgets what it did, has none.
    """
    return _small_tree(game.rules, most_nodes)


@functools.lru_cache(maxsize=8)
def _small_tree(rules: Rules, most_nodes: int) -> _engine.GameTree | None:
    game = Game(rules)
    if tree_nodes(game, DOUBT * most_nodes) > DOUBT * most_nodes:
        return None
    try:
        return _engine.GameTree(game.core, most_nodes)
    except BoardLabError:
        return None


def tree_nodes(game: Game, enough: float = 1e300) -> float:
    """About how many nodes the tree has; it is not followed beyond `enough`."""
    return _engine.estimate_nodes(game.core, float(enough), 0)
