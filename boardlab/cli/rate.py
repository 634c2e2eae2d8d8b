"""`boardlab rate`: a rating list from game files and tournaments."""

import enum
from pathlib import Path
from typing import Annotated

import typer

from boardlab.arena.ratings import Result, bayes_elo, glicko2, openskill, read_pgn_results, whole_history
from boardlab.arena.standings import results_of
from boardlab.arena.store import Store
from boardlab.cli.common import console
from boardlab.errors import BoardLabError


class System(enum.StrEnum):
    """How to rate."""

    BAYESELO = "bayeselo"
    GLICKO2 = "glicko2"
    OPENSKILL = "openskill"
    WHOLE_HISTORY = "whole-history"


class Bounds(enum.StrEnum):
    """Where BayesElo's intervals come from."""

    COVARIANCE = "covariance"
    EXACT_OPPONENTS = "exact-opponents"


def rate(
    files: Annotated[
        list[Path] | None, typer.Argument(help="PGN files; only the tags are read, not the moves.")
    ] = None,
    tournament: Annotated[
        list[int] | None, typer.Option(help="Also, or instead, the games of this tournament in the store.")
    ] = None,
    store: Annotated[
        Path | None, typer.Option(help="The file with the tournaments; $BOARDLAB_STORE or boardlab.db.")
    ] = None,
    system: Annotated[System, typer.Option(help="The rating system.")] = System.BAYESELO,
    advantage: Annotated[
        float | None, typer.Option(help="What the first move is worth in Elo; estimated by default.")
    ] = None,
    draw: Annotated[float | None, typer.Option(help="eloDraw; estimated by default.")] = None,
    prior: Annotated[float, typer.Option(help="Virtual draws a player.")] = 2.0,
    anchor: Annotated[
        str | None, typer.Option(help="The player whose rating is 0, instead of the mean.")
    ] = None,
    bounds: Annotated[
        Bounds,
        typer.Option(
            help="95% intervals from the covariance of all ratings, or as though the opponents' were exact."
        ),
    ] = Bounds.COVARIANCE,
    superiority: Annotated[
        bool, typer.Option("--superiority", help="Also print how likely each player is stronger.")
    ] = False,
    tau: Annotated[float, typer.Option(help="Glicko-2: how freely the volatility moves.")] = 0.5,
    drift: Annotated[
        float | None, typer.Option(help="Whole history: variance of strength in Elo² a unit of time.")
    ] = None,
) -> None:
    """Rate the players of games in PGN files or tournaments, with error bars.

    Bayesian Elo (Coulom) prints its list: Rank Name Elo + - games score oppo. draws. Whole-history ratings
    read the time from names such as run@2000.
    """
    results = [result for file in files or () for result in read_pgn_results(file)]
    for number in tournament or ():
        stored = Store(store).tournament(number)
        results += results_of(stored.agents, [game.record for game in stored.games()])
    if not results:
        raise BoardLabError("name a PGN file or a --tournament with games to rate")
    lines = {
        System.BAYESELO: lambda: _bayeselo(results, advantage, draw, prior, anchor, bounds, superiority),
        System.GLICKO2: lambda: _glicko2(results, tau),
        System.OPENSKILL: lambda: _openskill(results),
        System.WHOLE_HISTORY: lambda: _whole_history(results, drift, prior),
    }[system]()
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def _bayeselo(
    results: list[Result],
    advantage: float | None,
    draw: float | None,
    prior: float,
    anchor: str | None,
    bounds: str,
    superiority: bool,
) -> list[str]:
    rated = bayes_elo(results, advantage=advantage, draw=draw, prior=prior, anchor=anchor, bounds=str(bounds))
    lines = [
        str(rated),
        f"first move {rated.advantage:+.0f} Elo, eloDraw {rated.draw:.0f}, {len(results)} games",
    ]
    if superiority:
        lines += [
            "",
            "Likelihood in percent that the row is stronger than the column",
            rated.superiority_table(),
        ]
    return lines


def _glicko2(results: list[Result], tau: float) -> list[str]:
    rated = glicko2(results, tau=tau)
    width = max(4, *map(len, rated))
    lines = [f"Rank {'Name':<{width}} rating ± 95% volatility games"]
    for rank, (name, r) in enumerate(rated.items(), 1):
        lines.append(
            f"{rank:>4} {name:<{width}} {r.rating:>6.0f} {1.96 * r.deviation:>5.0f} "
            f"{r.volatility:>10.4f} {r.games:>5}"
        )
    return lines


def _openskill(results: list[Result]) -> list[str]:
    rated = openskill(results)
    width = max(4, *map(len, rated))
    lines = [f"Rank {'Name':<{width}}  mean ± 95% ordinal games"]
    for rank, (name, r) in enumerate(rated.items(), 1):
        lines.append(
            f"{rank:>4} {name:<{width}} {r.mean:>5.1f} {1.96 * r.deviation:>5.1f} "
            f"{r.ordinal:>7.1f} {r.games:>5}"
        )
    return lines


def _whole_history(results: list[Result], drift: float | None, prior: float) -> list[str]:
    curves = whole_history(results, drift=drift, prior=prior)
    width = max(4, *map(len, curves))
    lines = [f"{'Name':<{width}} {'time':>10}   Elo ± 95% games"]
    for name, curve in curves.items():
        for p in curve:
            lines.append(f"{name:<{width}} {p.time:>10g} {p.elo:>5.0f} {p.error:>5.0f} {p.games:>5}")
    return lines
