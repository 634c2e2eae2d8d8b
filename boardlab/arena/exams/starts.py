"""Positions for exams that ask about positions."""

import random

from boardlab.errors import BoardLabError
from boardlab.games.game import CHANCE, Game, State


def met_at_random(game: Game, count: int, seed: int, *, most_actions: int = 10_000) -> list[State]:
    """Return positions with a choice, each from a random moment of a random game."""
    rng = random.Random(seed)
    found: list[State] = []
    for attempt in range(20 * count):
        state = game.initial_state(rng.randrange(2**63))
        chosen, seen = None, 0
        for _ in range(most_actions):
            if state.is_terminal:
                break
            if state.player == CHANCE:
                state.apply(state.sample_chance(rng.randrange(2**63)))
                continue
            legal = state.legal_actions()
            if len(legal) > 1:
                seen += 1
                if rng.randrange(seen) == 0:  # keeps each moment of the game with equal probability
                    chosen = state.copy()
            state.apply(rng.choice(legal))
        if chosen is not None:
            found.append(chosen)
        if len(found) == count or (not found and attempt > 100):
            break
    if not found:
        raise BoardLabError(f"{game!r} never offers its players a choice")
    return found
