"""Openings: varied starts, so that a match is a sample and not one game repeated."""

import functools
import os
import random
import re
from collections.abc import Sequence

from boardlab.errors import BoardLabError
from boardlab.games.game import CHANCE, Game, State, as_game, as_integer, as_seed
from boardlab.games.rules import Rules
from boardlab.numbers import counted
from boardlab.paths import read_text

MOST_POSITIONS = 100_000


def all_positions(game: Game, plies: int) -> list[State]:
    """Return all unfinished positions after exactly `plies` actions, each once."""
    return starts_up_to(game, plies, plies)


def starts_up_to(game: Game, plies: int, fewest: int = 0) -> list[State]:
    """Return all unfinished positions after `fewest` to `plies` actions, each once."""
    as_game(game)
    plies = as_integer("plies", plies, 0, 100)
    frontier = [game.initial_state()]
    starts = dict.fromkeys(frontier if fewest == 0 else ())
    for ply in range(1, plies + 1):
        found: dict[State, None] = {}
        for state in frontier:
            if state.player == CHANCE:
                raise BoardLabError(
                    f"{game.name} has chance events: its starts must be random actions or come from a file"
                )
            found.update((child, None) for _, child in state.children() if not child.is_terminal)
            if len(found) > MOST_POSITIONS:
                raise BoardLabError(
                    f"{game.name} has more than {MOST_POSITIONS} positions after {counted(ply, 'actions')}"
                )
        frontier = list(found)
        if ply >= fewest:
            starts.update(found)
    if not starts:
        raise BoardLabError(f"every game of {game.name} is over after {counted(plies, 'actions')}")
    return list(starts)


VARIED = 200
"""Openings that an exam draws from, if the game has that many."""


def varied_openings(game: Game) -> tuple[State, ...]:
    """Return all positions after the fewest actions that give 200 of them.

    There are none if chance varies the games. At most a quarter of a game is skipped, and no action is added
    that would leave fewer positions.
    Othello: the 236 positions after four actions, as in Scheiermann and Konen (2022).
    """
    as_game(game)
    return () if game.has_chance or game.is_hidden else _varied_openings(game.rules)


@functools.lru_cache(maxsize=64)
def _varied_openings(rules: Rules) -> tuple[State, ...]:
    game = Game(rules)
    found = {game.initial_state(): None}
    for _ in range(max(1, game.horizon // 4)):
        further: dict[State, None] = {}
        for state in found:
            further.update((child, None) for _, child in state.children() if not child.is_terminal)
        if len(further) <= len(found):
            break
        found = further
        if len(found) >= VARIED:
            break
    return tuple(found)


LARGEST = 1 << 26
"""Most bytes of a file of openings."""


def read_openings(game: Game, path: str | os.PathLike[str]) -> list[State]:
    """Read openings from a file: one line of actions each, `#` starts a comment.

    Actions are separated by blanks, or by commas if their names contain blanks; chance outcomes are listed
    too. Empty lines are skipped; `-` is the initial position.
    """
    as_game(game)
    lines = read_text("the file of openings", path, LARGEST).splitlines()
    openings = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].strip()
        if not words:
            continue
        state = game.initial_state()
        try:
            for word in re.split(r"\s*,\s*" if "," in words else r"\s+", words if words != "-" else ""):
                if word:
                    state.apply(state.parse_action(word))
        except BoardLabError as error:
            raise BoardLabError(f"{path}, line {number}: {error}") from None
        if state.is_terminal:
            raise BoardLabError(f"{path}, line {number}: the game is over after this opening")
        openings.append(state)
    if not openings:
        raise BoardLabError(f'"{path}" contains no opening')
    return openings


Starts = Sequence[State] | int | str | os.PathLike[str]
"""Where games begin: positions, or anything that `read_starts` reads."""


def read_starts(game: Game, words: int | str | os.PathLike[str]) -> tuple[list[State], int]:
    """Read starts in text form.

    Returns the positions, or none and the number of random actions.

    "default": none; "0": the initial position; "2": all positions after two actions; "0-1": all after at most
    one; "random 4": four random actions; anything else is the name of a file of openings.
    """
    if isinstance(words, os.PathLike):
        return read_openings(game, words), 0
    text = str(as_integer("starts", words, 0, 100) if not isinstance(words, str) else words).strip()
    if text == "default":
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
    if re.fullmatch(r"[-+]?\d*\.?\d+", text):
        raise BoardLabError(f"starts must be a number of actions of at least 0 or a file, not {text}")
    return read_openings(game, text), 0


def shuffled_starts(game: Game, starts: Starts, seed: int) -> tuple[Sequence[State], int]:
    """Read starts like `read_starts` and shuffle them by the seed.

    A match too short for all of them then plays a random sample. Positions given as a list keep their order.
    """
    if isinstance(starts, Sequence) and not isinstance(starts, str):
        return starts, 0
    found, random_actions = read_starts(game, starts)
    random.Random(as_seed(seed)).shuffle(found)
    return found, random_actions
