"""Openings: where games begin, so that a match is a sample and not one game many times."""

import os
import random
import re

from boardlab.errors import BoardLabError
from boardlab.games.game import CHANCE, Game, State, as_game, as_integer, as_seed
from boardlab.numbers import counted
from boardlab.paths import as_path

MOST_POSITIONS = 100_000


def all_positions(game: Game, plies: int) -> list[State]:
    """All positions after exactly so many actions that are still running, each once: a balanced set."""
    as_game(game)
    plies = as_integer("plies", plies, 0, 100)
    frontier = [game.initial_state()]
    for _ in range(plies):
        found: dict[State, None] = {}
        for state in frontier:
            if state.player == CHANCE:
                raise BoardLabError(
                    f"nature moves in {game.name}: its openings are random actions or come from a file"
                )
            found.update((child, None) for _, child in state.children() if not child.is_terminal)
            if len(found) > MOST_POSITIONS:
                raise BoardLabError(
                    f"{game.name} has more than {MOST_POSITIONS} positions after {counted(plies, 'actions')}"
                )
        frontier = list(found)
    if not frontier:
        raise BoardLabError(f"no game of {game.name} still runs after {counted(plies, 'actions')}")
    return frontier


def read_openings(game: Game, path: str | os.PathLike[str]) -> list[State]:
    """Openings from a file: a line each, the actions as they are written in the game, `#` begins a comment.

    Actions stand between blanks, or between commas where their names have blanks. At chance nodes stands
    the outcome. An empty line is no opening; `-` is the initial position.
    """
    as_game(game)
    file = as_path("the file of openings", path)
    if not file.is_file():
        raise BoardLabError(f'there is no file "{path}" with openings')
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise BoardLabError(f'"{path}" is not a text file (UTF-8)') from None
    except OSError as error:
        raise BoardLabError(f'"{path}" cannot be read: {error.strerror}') from None
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
        raise BoardLabError(f'"{path}" holds no opening')
    return openings


def openings_from(game: Game, words: str, seed: int = 0) -> list[State]:
    """What a command line names: a number of plies (all positions after them) or a file, in random order.

    The order is that of the seed, so that a match too short for all of them plays a random sample.
    """
    text = str(words).strip()
    if re.fullmatch(r"[-+]?\d*\.?\d+", text) and not text.isdecimal():
        raise BoardLabError(f"openings must be a number of actions of at least 0 or a file, not {text}")
    found = all_positions(game, int(text)) if text.isdecimal() else read_openings(game, text)
    random.Random(as_seed(seed)).shuffle(found)
    return found
