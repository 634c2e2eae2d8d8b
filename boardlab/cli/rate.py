"""`boardlab rate`: make a rating list from game files and tournaments."""

import enum
import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from boardlab.arena.ratings import (
    BayesElo,
    Result,
    bayes_elo,
    glicko2,
    openskill,
    read_pgn_results,
    whole_history,
)
from boardlab.arena.ratings.results import RatingList, against_others, contradicted, left_out, played_apart
from boardlab.arena.standings import results_of
from boardlab.arena.store import Store, Tournament
from boardlab.cli.common import console, screen_width
from boardlab.errors import BoardLabError
from boardlab.numbers import counted
from boardlab.plots import picture_file


class System(enum.StrEnum):
    """Rating systems."""

    BAYESELO = "bayeselo"
    GLICKO2 = "glicko2"
    OPENSKILL = "openskill"
    WHOLE_HISTORY = "whole-history"


class Like(enum.StrEnum):
    """Programs whose settings can be copied."""

    BAYESELO = "bayeselo"


class Bounds(enum.StrEnum):
    """Sources of BayesElo's intervals."""

    COVARIANCE = "covariance"
    EXACT_OPPONENTS = "exact-opponents"


def rate(
    files: Annotated[
        list[Path] | None, typer.Argument(help="PGN files; only their tags are read, not the moves.")
    ] = None,
    tournament: Annotated[
        list[int] | None, typer.Option(help="Also rate the games of this tournament in the store.")
    ] = None,
    store: Annotated[
        Path | None, typer.Option(help="The store's file; default: $BOARDLAB_STORE or ./boardlab.db.")
    ] = None,
    system: Annotated[System, typer.Option(help="The rating system.")] = System.BAYESELO,
    advantage: Annotated[
        float | None, typer.Option(help="First-move advantage in Elo; estimated by default.")
    ] = None,
    draw: Annotated[float | None, typer.Option(help="Draw width eloDraw; estimated by default.")] = None,
    like: Annotated[
        Like | None,
        typer.Option(
            help="Use the fixed settings of Coulom's BayesElo program: advantage 32.8, draw 97.3, bounds "
            "exact-opponents."
        ),
    ] = None,
    prior: Annotated[float | None, typer.Option(help="Virtual draws per player; 2 by default.")] = None,
    anchor: Annotated[
        str | None, typer.Option(help="The player whose rating is 0, instead of the mean.")
    ] = None,
    bounds: Annotated[
        Bounds | None,
        typer.Option(
            help="95% intervals from the covariance of all ratings (default), or treating the opponents' "
            "ratings as exact."
        ),
    ] = None,
    superiority: Annotated[
        bool, typer.Option("--superiority", help="Also print the likelihood that one player is stronger.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the ratings with their bounds: .png, .svg or .pdf."),
    ] = None,
    tau: Annotated[
        float | None, typer.Option(help="Glicko-2: how fast the volatility changes; 0.5 by default.")
    ] = None,
    drift: Annotated[
        float | None, typer.Option(help="Whole history: variance of strength in Elo² per unit of time.")
    ] = None,
) -> None:
    """Rate the players of PGN files or tournaments.

    Ratings have error bars. Bayesian Elo (Coulom) prints the columns Rank Name Elo + - games score oppo.
    draws. Whole-history ratings read the time from names such as run@2000.
    """
    if plot is not None:
        picture_file(plot, "--plot")
    results: list[Result] = []
    skipped: list[str] = []
    for file in files or ():
        found = read_pgn_results(file)
        results += found
        skipped += found.left_out
    titles = []
    stores: list[Tournament] = []
    for number in tournament or ():
        stored = Store(store).tournament(number)
        if stored.game.players == 1:
            raise BoardLabError(
                f"tournament {number} is of {stored.game.name}, a game for one player: nobody beat anybody; "
                "boardlab fame lists its mean scores"
            )
        titles.append(stored.title)
        stores.append(stored)
    names = names_in(stores)
    for stored in stores:
        labels = [names[agent] for agent in stored.agents]
        results += results_of(stored.game, labels, [game.record for game in stored.games()])
    if not results:
        raise BoardLabError("give a PGN file or a --tournament with games to rate")
    given = {
        "advantage": advantage,
        "draw": draw,
        "like": like and str(like),
        "prior": prior,
        "anchor": anchor,
        "bounds": bounds and str(bounds),
        "superiority": superiority or None,
        "tau": tau,
        "drift": drift,
    }
    options = {name: value for name, value in given.items() if value is not None}
    report, allowed = _REPORTS[system]
    for name in options:
        if name not in allowed:
            takes = f"takes {', '.join(f'--{other}' for other in allowed)}" if allowed else "takes none"
            raise BoardLabError(f"--{name} is not an option of {system}, which {takes}")
    rated = against_others(results) or results  # if none is left, the system reports the error
    notes = [*played_apart(rated), *skipped, *left_out(results, rated), *contradicted(rated)]
    ratings, lines = report(rated, **options)
    if plot is not None:
        notes.append(f"drawn: {ratings.plot(plot)}")
    for line in [*titles, *lines, *notes]:
        console.print(line, markup=False, soft_wrap=True)


def names_in(tournaments: list[Tournament]) -> dict[str, str]:
    """Return what players are called, by expression: the name that they were given last.

    Where two players have one name, their expressions tell them apart.
    """
    names = {agent: agent for tournament in tournaments for agent in tournament.agents}
    for tournament in tournaments:
        for agent, name in zip(tournament.agents, tournament.names, strict=True):
            names[agent] = name if name != agent else names[agent]
    called = list(names.values())
    return {agent: name if called.count(name) == 1 else agent for agent, name in names.items()}


Rated = BayesElo | RatingList[Any]


def _bayeselo(results: list[Result], superiority: bool = False, **options: Any) -> tuple[Rated, list[str]]:
    rated = bayes_elo(results, **options)
    width = f"eloDraw {rated.draw:.0f}" if math.isfinite(rated.draw) else "eloDraw unknown (no game was won)"
    lines = [
        rated.text(screen_width()),
        f"first move {rated.advantage:+z.0f} Elo, {width}, {counted(len(results), 'games')}",
    ]
    if superiority:
        lines += [
            "",
            "Likelihood in percent that the row is stronger than the column",
            rated.superiority_table(screen_width()),
        ]
    return rated, lines


Reporter = Callable[..., tuple[Rated, list[str]]]
"""Rates results with a system's options; returns the ratings and the lines to print."""


def _printed(system: Callable[..., RatingList[Any]]) -> Reporter:
    """Make the report of a system whose result is its list of ratings."""

    def report(results: list[Result], **options: Any) -> tuple[Rated, list[str]]:
        rated = system(results, **options)
        return rated, [rated.text(screen_width())]

    return report


_REPORTS: dict[System, tuple[Reporter, tuple[str, ...]]] = {
    System.BAYESELO: (_bayeselo, ("advantage", "draw", "like", "prior", "anchor", "bounds", "superiority")),
    System.GLICKO2: (_printed(glicko2), ("tau",)),
    System.OPENSKILL: (_printed(openskill), ()),
    System.WHOLE_HISTORY: (_printed(whole_history), ("drift", "prior")),
}
