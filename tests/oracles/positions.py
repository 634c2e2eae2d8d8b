"""Positions for comparisons: reached by random actions from a seed."""

import random

import boardlab as bl
from boardlab import Game, State

# One for all tests: its solver needs seconds to fill its table.
CUBE = bl.game("rubiks", twists=6)


def scrambled(twists: int, seed: int) -> State:
    """A cube after few twists."""
    return CUBE.from_fields(bl.game("rubiks", twists=twists).initial_state(seed).fields)


def random_position(game: Game, seed: int, actions: int) -> State:
    """A position in which a player moves, at most `actions` player actions after the start."""
    chooser = random.Random(seed)
    while True:
        state = game.initial_state(seed)
        wanted = chooser.randint(0, actions)
        while not state.is_terminal:
            if state.player != bl.CHANCE:
                if wanted == 0:
                    return state
                wanted -= 1
            state.apply(chooser.choice(state.legal_actions()))
        # the game ended before: another attempt with other actions


def near_the_end(seed: int) -> State:
    """One of the last positions of a game of Morpion, whose ends have different scores."""
    game, rng = bl.game("morpion", variant="4D"), random.Random(seed)
    while True:
        state, before = game.initial_state(), []
        while not state.is_terminal:
            before.append(state.copy())
            state.apply(rng.choice(state.legal_actions()))
        for state in before[-4:]:
            if len(ends_of(state)) > 1:
                return state


def ends_of(state: State) -> set[float]:
    """The first player's scores of all ends, by exhaustion."""
    if state.is_terminal:
        return {state.scores[0]}
    return {score for _, child in state.children() for score in ends_of(child)}
