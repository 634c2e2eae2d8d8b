"""Where the games of an exam begin."""

import random

from boardlab.arena.openings import read_openings
from boardlab.errors import BoardLabError
from boardlab.games.game import CHANCE, Game, State
from boardlab.numbers import counted

MOST_STARTS = 100_000


def starts_up_to(game: Game, plies: int, fewest: int = 0) -> list[State]:
    """All positions that are still running after `fewest` .. `plies` actions, each once."""
    frontier = [game.initial_state()]
    found = dict.fromkeys(frontier) if fewest == 0 else {}
    for ply in range(1, plies + 1):
        if any(state.player == CHANCE for state in frontier):
            raise BoardLabError(
                f"nature moves in {game.name}: its starts are random actions or come from a file"
            )
        children = (child for state in frontier for _, child in state.children() if not child.is_terminal)
        frontier = list(dict.fromkeys(children))
        if len(frontier) > MOST_STARTS:
            raise BoardLabError(
                f"{game.name} has more than {MOST_STARTS} positions after {counted(ply, 'actions')}"
            )
        if ply >= fewest:
            found.update(dict.fromkeys(frontier))
    if not found:
        raise BoardLabError(f"no game of {game.name} still runs after {counted(plies, 'actions')}")
    return list(found)


def read_starts(game: Game, words: str) -> tuple[list[State], int]:
    """Starts as a person names them: the positions, or none and the number of random actions.

    "default"; "2": all positions after two actions; "0-1": all after no or one; "random 4": four random
    actions; else the name of a file of openings.
    """
    text = words.strip()
    if text in ("", "default"):
        return [], 0
    first, _, last = text.partition("-")
    if first.isdecimal() and (last.isdecimal() or text == first):
        fewest, plies = int(first), int(last or first)
        if not fewest <= plies <= 100:
            raise BoardLabError(f'starts "{text}": expected a number of actions, or a range such as 0-1')
        return starts_up_to(game, plies, fewest), 0
    head, _, number = text.partition(" ")
    if head == "random" and number.strip().isdecimal():
        return [], min(int(number), 1_000_000)
    return read_openings(game, text), 0


def met_at_random(game: Game, count: int, seed: int, *, most_actions: int = 10_000) -> list[State]:
    """Positions in which a player has a choice, one from each random game, at a random moment of it."""
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
                if rng.randrange(seen) == 0:  # each moment of the game is equally likely
                    chosen = state.copy()
            state.apply(rng.choice(legal))
        if chosen is not None:
            found.append(chosen)
        if len(found) == count or (not found and attempt > 100):
            break
    if not found:
        raise BoardLabError(f"{game!r} leaves its players no choice")
    return found
