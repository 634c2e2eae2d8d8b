"""Ratings from game files, matches, tournaments or a list of results."""

import os
import warnings
from collections.abc import Sequence
from typing import Any

from boardlab.arena.match_result import MatchResult
from boardlab.arena.ratings import (
    BayesElo,
    GlickoRating,
    HistoryPoint,
    Result,
    SkillRating,
    bayes_elo,
    glicko2,
    openskill,
    read_pgn_results,
    whole_history,
)
from boardlab.arena.ratings.results import contradicted
from boardlab.arena.standings import TournamentResult, results_of
from boardlab.arena.store import Tournament
from boardlab.errors import BoardLabError, check_known, printable, shown

SYSTEMS = {"bayeselo": bayes_elo, "glicko2": glicko2, "openskill": openskill, "whole-history": whole_history}

Source = str | os.PathLike[str] | MatchResult | TournamentResult | Tournament | Sequence[Result]
Ratings = BayesElo | dict[str, GlickoRating] | dict[str, SkillRating] | dict[str, tuple[HistoryPoint, ...]]


def rate(source: Source, system: str = "bayeselo", **options: Any) -> Ratings:
    """Rate the players of a PGN file, a match, a tournament or a list of results.

    `system` is "bayeselo", "glicko2", "openskill" or "whole-history"; options are those of the functions of
    that name in `boardlab.arena.ratings`. Games of a player against itself, and games of a file without a
    result or without players, are left out with a warning. Files are rated by their tags, with a warning if
    the moves give another result.
    """
    check_known("rating system", system, SYSTEMS)
    results: Sequence[Result]
    if isinstance(source, (str, os.PathLike)):
        results = read_pgn_results(source)
        for line in (*results.left_out, *contradicted(results)):
            warnings.warn(printable(line), stacklevel=2)
    elif isinstance(source, (MatchResult, TournamentResult)):
        results = results_of(source.game, source.names, source.records)
    elif isinstance(source, Tournament):
        results = results_of(source.game, source.names, [stored.record for stored in source.games()])
    elif isinstance(source, (list, tuple)) and source:
        results = source
    else:
        raise BoardLabError(f"ratings need a file, a match, a tournament or results, not {shown(source)}")
    try:
        rated: Ratings = SYSTEMS[system](results, **options)  # type: ignore[operator]
    except TypeError as error:
        raise BoardLabError(f"{system}: {error}") from None
    return rated
