"""Opponents of rising strength, for those who do not know our agents' names yet."""

from boardlab.games.game import Game

LEVELS: tuple[tuple[str, int], ...] = (
    ("Beginner", 2),
    ("Easy", 15),
    ("Medium", 100),
    ("Hard", 600),
    ("Expert", 4000),
    ("Master", 25_000),
)
"""Names, each with the iterations of its search."""


def levels(game: Game) -> list[dict[str, str]]:
    """Return the opponents of a game, weakest first, with their expressions."""
    return [{"name": name, "agent": f"mcts(rollout, iterations={iterations})"} for name, iterations in LEVELS]
