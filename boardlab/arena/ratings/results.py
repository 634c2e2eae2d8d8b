"""Results as rating systems read them, and how to read them from PGN files."""

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from boardlab.arena.ratings.plot import Span, draw_spans
from boardlab.arena.records.files import read_file
from boardlab.arena.records.pgn import IncompleteGameError, contradicts_moves, section_result, sections
from boardlab.errors import BoardLabError, printable, shown
from boardlab.games.game import is_number
from boardlab.html import Html
from boardlab.numbers import counted
from boardlab.reports import Report

R = TypeVar("R")


@dataclass(frozen=True)
class Result:
    """How one game ended."""

    players: tuple[str, ...]
    """Names in seat order; the first one began."""
    scores: tuple[float, ...]
    """One number per seat; only their order counts."""
    period: str = ""
    """When it was played: games with the same text form one rating period (Glicko-2)."""
    game: str = ""
    """The game with its non-default parameters, if known."""
    is_contradicted: bool = field(default=False, compare=False)
    """Whether the result is a file's tag and the moves give another one."""

    @property
    def first_points(self) -> float:
        """Points of the first of two players: 1, 1/2 or 0."""
        first, second = self.scores
        return (first > second) + 0.5 * (first == second)


class RatingList(Report, dict[str, R]):
    """Ratings by name, strongest first; prints as `boardlab rate`."""

    unit: ClassVar[str] = "Elo"

    def __init__(self, ratings: Iterable[tuple[str, R]], groups: Sequence[Sequence[str]]) -> None:
        super().__init__(ratings)
        self.groups = groups
        """Players connected by games."""

    def table(self, width: int | None = None) -> list[str]:
        """Format the list, for a terminal of `width` columns."""
        raise NotImplementedError

    def spans(self) -> list[Span]:
        """List the ratings with their 95% intervals."""
        raise NotImplementedError

    def plot(self, path: str | os.PathLike[str]) -> Path:
        """Draw the list with its 95% intervals into a file: .png, .svg or .pdf."""
        return draw_spans(path, self.unit, self.spans(), self.groups)

    def text(self, width: int | None = None) -> str:
        """Format the list with its notes."""
        return "\n".join([*self.table(width), *never_met(self.groups)])

    def _headline(self) -> str:
        return ranked(list(self))

    def _page(self) -> Html:
        from boardlab.arena.pages import ratings_page  # pages import results

        return ratings_page(self.unit, self.spans(), never_met(self.groups))

    def __str__(self) -> str:
        return self.text()


class PgnResults(list[Result]):
    """The results in a PGN file."""

    left_out: tuple[str, ...] = ()
    """The games of the file that were left out, one line per reason."""


def read_pgn_results(path: str | os.PathLike[str]) -> PgnResults:
    """Read the results of a PGN file from its tags; the moves need not be readable.

    If they are, and the file names the game, `is_contradicted` marks games whose moves give another result.
    `left_out` lists games without a result (`*`), games of one player, and incomplete games, such as the last
    one of a truncated file. An unknown result is an error that names its line.
    """
    results, unfinished, alone = PgnResults(), 0, 0
    incomplete: list[IncompleteGameError] = []
    for section in sections(read_file(path).lstrip("\ufeff")):
        try:
            found = section_result(f"{path}, line {section.line}", section.tags)
        except IncompleteGameError as error:
            incomplete.append(error)
            continue
        if found is None:
            unfinished += 1
        elif len(found[0]) == 1:
            alone += 1
        else:
            game = f"{section.tags.get('Game', '')} {section.tags.get('Parameters', '')}".strip()
            date = section.tags.get("Date", "")
            results.append(Result(*found, date, game, contradicts_moves(section)))
    if not results:
        raise (
            incomplete[0] if incomplete else BoardLabError(f'"{path}" {_nothing_to_rate(unfinished, alone)}')
        )
    for number, kind in (
        (len(incomplete), f"incomplete ({incomplete[0]})" if incomplete else ""),
        (unfinished, "without a result"),
        (alone, "of one player"),
    ):
        if number:
            results.left_out += (f"{counted(number, 'games')} left out: {kind}",)
    return results


def _nothing_to_rate(unfinished: int, alone: int) -> str:
    """Explain why a file has no result of two or more players."""
    if unfinished and alone:
        return (
            f"holds nothing to rate: {counted(unfinished, 'games')} without a result, and "
            f"{counted(alone, 'games')} of one player, in which nobody beat anybody"
        )
    if unfinished:
        return (
            f'holds no finished game: {counted(unfinished, "games")} without a result (the tag Result is "*")'
        )
    if alone:
        return f"holds games of one player ({alone:,}): nobody beat anybody, so nobody is rated"
    return "holds no game with the tags White, Black and Result"


def names_of(results: Sequence[Result]) -> list[str]:
    """Return all players, in order of first appearance."""
    return list(dict.fromkeys(name for result in results for name in result.players))


def groups_of(results: Sequence[Result]) -> list[list[str]]:
    """Return the groups of players connected by games.

    Only ratings within one compare.
    """
    names = names_of(results)
    group = {name: [name] for name in names}
    for result in results:
        mine = group[result.players[0]]
        for name in result.players[1:]:
            if (other := group[name]) is not mine:
                mine += other
                group.update(dict.fromkeys(other, mine))
    place = {name: i for i, name in enumerate(names)}
    return [sorted(found, key=place.__getitem__) for found in {id(g): g for g in group.values()}.values()]


def ranked(names: Sequence[str]) -> str:
    """Format the strongest few of a list in one line."""
    others = [f"and {len(names) - 3} more"] if len(names) > 3 else []
    return f"of {counted(len(names), 'players')}: {', '.join([*names[:3], *others])}"


def never_met(groups: Sequence[Sequence[str]]) -> list[str]:
    """Return the note for players that cannot all be compared."""
    if len(groups) < 2:
        return []
    return [f"{len(groups)} groups never met; only ratings within a group can be compared"]


def played_apart(results: Sequence[Result]) -> list[str]:
    """Return the note for a list that mixes games."""
    games = sorted({result.game for result in results if result.game})
    if len(games) < 2:
        return []
    named = ", ".join(games[:3]) + (f" and {len(games) - 3} more" if len(games) > 3 else "")
    return [f"{len(games)} games are rated as one ({named}); strength in one does not carry over to another"]


def as_results(results: object, players: int | None = None) -> list[Result]:
    """Check that these are results of games with `players` players, and return them.

    Games of a player against itself are left out with a warning; if none remain, that is an error.
    """
    if not isinstance(results, Sequence) or not all(isinstance(r, Result) for r in results):
        raise BoardLabError(f"a rating needs a list of results, not {shown(results)}")
    if not results:
        raise BoardLabError("there is no game to rate")
    for result in results:
        count = len(result.players)
        if count != len(result.scores):
            raise BoardLabError(f"a result needs one score per player, not {shown(result)}")
        if players is not None and count != players:
            raise BoardLabError(
                f"this rating system is for games of {counted(players, 'players')}, not of {count}; "
                "openskill takes any number"
            )
        if not all(isinstance(name, str) and name for name in result.players):
            raise BoardLabError(f"players must be named by text, not {shown(result.players)}")
        if not all(map(is_number, result.scores)):
            raise BoardLabError(f"scores must be finite numbers, not {shown(result.scores)}")
    kept = against_others(results)
    if not kept:
        raise BoardLabError(f'"{results[0].players[0]}" cannot be rated by games against itself')
    for line in left_out(results, kept):
        warnings.warn(printable(line), stacklevel=3)
    return kept


def against_others(results: Sequence[Result]) -> list[Result]:
    """Drop the games of a player against itself."""
    return [result for result in results if len(set(result.players)) == len(result.players)]


def left_out(results: Sequence[Result], kept: Sequence[Result]) -> list[str]:
    """Return the note for a list that leaves games out."""
    number = len(results) - len(kept)
    return [f"{counted(number, 'games')} of a player against itself left out"] if number else []


def contradicted(results: Sequence[Result]) -> list[str]:
    """Return the note for games whose moves give another result."""
    number = sum(result.is_contradicted for result in results)
    if not number:
        return []
    return [f"{counted(number, 'games')} rated by the tag Result, though the moves give another result"]


def as_start(start: object, kind: type[R], ranges: Mapping[str, tuple[float, float]]) -> dict[str, R]:
    """Check the ratings of known players against their ranges; none for None."""
    if start is None:
        return {}
    if not isinstance(start, Mapping) or not all(isinstance(rating, kind) for rating in start.values()):
        raise BoardLabError(f"start must give a {kind.__name__} for each name, not {shown(start)}")
    for name, rating in start.items():
        for what, (low, high) in ranges.items():
            given = getattr(rating, what)
            if not is_number(given) or not low <= given <= high:
                raise BoardLabError(
                    f"the {what} of {name} must be a number from {low:g} to {high:g}, not {shown(given)}"
                )
    return dict(start)


def count_results(results: Sequence[Result]) -> tuple[list[str], NDArray[np.float64]]:
    """Return names and counts [first, second, 0 lost / 1 drew / 2 won by the first]."""
    names = names_of(results)
    index = {name: i for i, name in enumerate(names)}
    counts = np.zeros((len(names), len(names), 3))
    for result in results:
        first, second = (index[name] for name in result.players)
        counts[first, second, int(2 * result.first_points)] += 1
    return names, counts
