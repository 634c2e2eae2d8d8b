"""Results of games as rating systems read them, and PGN files as a source of them."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardLabError, shown


@dataclass(frozen=True)
class Result:
    """How one game ended."""

    players: tuple[str, ...]
    """Names in the order of the seats; the first one began."""
    scores: tuple[float, ...]
    """One number a seat; only their order counts."""
    period: str = ""
    """When it was played: games with the same text belong to one rating period (Glicko-2)."""

    @property
    def first_points(self) -> float:
        """What the first of two players made of it: 1, 1/2 or 0."""
        first, second = self.scores
        return (first > second) + 0.5 * (first == second)


TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*$')
RESULTS = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}


def read_pgn_results(path: str | os.PathLike[str]) -> list[Result]:
    """The results in a PGN file, from the tags alone: what stands where moves should be is not looked at.

    Games without a result (`*`) are left out. A game that lacks a player or has an unknown result is an error
    that names its line.
    """
    file = Path(path)
    if not file.is_file():
        raise BoardLabError(f'there is no file "{path}"')
    results = []
    try:
        with file.open(encoding="utf-8-sig", errors="replace") as lines:
            for line, tags in _tag_sections(lines):
                result = _result(f"{path}, line {line}", tags)
                if result is not None:
                    results.append(result)
    except OSError as error:
        raise BoardLabError(f'"{path}" cannot be read: {error.strerror}') from None
    if not results:
        raise BoardLabError(f'"{path}" holds no game with the tags White, Black and Result')
    return results


def _tag_sections(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The tags of each game with the number of their first line."""
    tags: dict[str, str] = {}
    first, in_moves = 0, False
    for number, line in enumerate(lines, 1):
        if line.startswith("["):
            found = TAG.match(line)
            if found:
                name, value = found.groups()
                if tags and (in_moves or name in tags):
                    yield first, tags
                    tags = {}
                if not tags:
                    first = number
                in_moves = False
                tags[name] = re.sub(r"\\(.)", r"\1", value)
                continue
        if line.strip():
            in_moves = True
    if tags:
        yield first, tags


def _result(place: str, tags: dict[str, str]) -> Result | None:
    text = tags.get("Result", "*").replace(" ", "")
    if text == "*":
        return None
    if text not in RESULTS:
        raise BoardLabError(f'{place}: the result "{text}" is none of 1-0, 0-1, 1/2-1/2, *')
    missing = [name for name in ("White", "Black") if not tags.get(name)]
    if missing:
        raise BoardLabError(f"{place}: a game without the tag {missing[0]}")
    return Result((tags["White"], tags["Black"]), RESULTS[text], tags.get("Date", ""))


def names_of(results: Sequence[Result]) -> list[str]:
    """All players, in the order in which they first appear."""
    return list(dict.fromkeys(name for result in results for name in result.players))


def as_results(results: object, players: int | None = None) -> list[Result]:
    """`results`, if that is what they are, for games of so many players."""
    if not isinstance(results, Sequence) or not all(isinstance(r, Result) for r in results):
        raise BoardLabError(f"a rating is made from a list of results, not from {shown(results)}")
    if not results:
        raise BoardLabError("there is no game to rate")
    for result in results:
        count = len(result.players)
        if count != len(result.scores):
            raise BoardLabError(f"a result has one score a player, not {shown(result)}")
        if players is not None and count != players:
            raise BoardLabError(
                f"this rating system is for games of {players} players, not of {count}; "
                "openskill takes any number"
            )
        if len(set(result.players)) != count:
            raise BoardLabError(f'"{result.players[0]}" cannot be rated by games against itself')
        if not all(map(np.isfinite, result.scores)):
            raise BoardLabError(f"scores must be finite numbers, not {shown(result.scores)}")
    return list(results)


def count_results(results: Sequence[Result]) -> tuple[list[str], NDArray[np.float64]]:
    """Names, and how often [first player, second player, 0 = lost, 1 = drew, 2 = won (for the first)]."""
    names = names_of(results)
    index = {name: i for i, name in enumerate(names)}
    counts = np.zeros((len(names), len(names), 3))
    for result in results:
        first, second = (index[name] for name in result.players)
        counts[first, second, int(2 * result.first_points)] += 1
    return names, counts
