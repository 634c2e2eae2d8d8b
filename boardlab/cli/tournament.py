"""`boardlab tournament`: let agents meet by a plan."""

from pathlib import Path
from typing import Annotated

import typer

from boardlab.arena.arena import Adjudication
from boardlab.arena.ratings import BayesElo
from boardlab.arena.standings import TournamentResult, check_meetings
from boardlab.arena.store import Store
from boardlab.arena.tournament import tournament as play_tournament
from boardlab.cli.common import (
    Jobs,
    Threads,
    check_given_with,
    console,
    saved_by_ctrl_c,
    screen_width,
    split_agents,
)
from boardlab.cli.completion import GameArgument, complete_agent
from boardlab.cli.match import Adjudicate, AdjudicateAfter, AdjudicateAt, Iterations
from boardlab.cli.progress import game_bar
from boardlab.errors import BoardLabError, MissingPackageError
from boardlab.numbers import counted
from boardlab.runs import check_writable, write_file


def tournament(
    context: typer.Context,
    game: GameArgument,
    agents: Annotated[
        list[str],
        typer.Argument(
            help="The entrants: agents or runs, or folders of runs. NAME=AGENT gives one a name. The game's "
            "parameters follow them.",
            autocompletion=complete_agent,
        ),
    ],
    format: Annotated[
        str, typer.Option(help="round-robin, gauntlet (the first agent against all others) or swiss.")
    ] = "round-robin",
    games: Annotated[
        int, typer.Option("--games", "-n", help="Games per pairing, rounded up to whole rotations of seats.")
    ] = 20,
    seats: Annotated[
        str,
        typer.Option(
            help="Seat orders on one opening: single, double (each agent once in each seat) or all (also in "
            "every order around the table)."
        ),
    ] = "all",
    rounds: Annotated[int | None, typer.Option(help="Rounds of a Swiss tournament.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same tournament.")] = 0,
    random_actions: Annotated[
        int, typer.Option(help="Random opening actions, the same for all pairings of a round.")
    ] = 0,
    starts: Annotated[
        str,
        typer.Option(
            "--starts",
            "--openings",
            metavar="STARTS",
            help='Where games begin: "2", all positions after two actions; "0-1"; "random 4"; or a file.',
        ),
    ] = "default",
    adjudicate: Adjudicate = None,
    adjudicate_at: AdjudicateAt = 0.95,
    adjudicate_after: AdjudicateAfter = 4,
    iterations: Iterations = None,
    threads: Threads = 1,
    jobs: Jobs = 1,
    store: Annotated[
        Path | None, typer.Option(help="The store's file; default: $BOARDLAB_STORE or ./boardlab.db.")
    ] = None,
    each: Annotated[
        bool,
        typer.Option("--each", help="Enter every run of a folder of runs; otherwise they are one player."),
    ] = False,
    name: Annotated[str, typer.Option(help="Title of the tournament; a new name renames it.")] = "",
    again: Annotated[
        bool, typer.Option("--again", help="Start over even if the store has this tournament.")
    ] = False,
    first_seat: Annotated[
        bool, typer.Option("--first-seat", help="Also print wins/draws/losses when moving first.")
    ] = False,
    superiority: Annotated[
        bool, typer.Option("--superiority", help="Also print the likelihood that one agent is stronger.")
    ] = False,
    heat_map: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.png",
            help="Write the cross table as a picture (without matplotlib: print it as text).",
        ),
    ] = None,
) -> None:
    """Play a tournament and rate the agents.

    Prints the cross table, ratings with error bars, and the time per action. The store keeps everything. The
    same command again continues an unfinished tournament, or shows its result.
    """
    check_given_with(context, "adjudicate", "adjudicate_at", "adjudicate_after")
    arena_game, players = split_agents(game, agents, context)
    for option, asked in (("--first-seat", first_seat), ("--superiority", superiority)):
        if asked and arena_game.players != 2:
            has = counted(arena_game.players, "players")
            raise BoardLabError(f"{option} needs a game for two players; {arena_game.name} has {has}")
    if heat_map is not None:
        check_meetings(arena_game)
        check_writable(heat_map, ".png")
    kept = Store(store)
    is_new = not kept.path.exists()
    with (
        saved_by_ctrl_c(f"the same command, without --again (the store is {kept.path})"),
        game_bar("", 1) as show,
    ):
        result = play_tournament(
            arena_game,
            players,
            format,
            games,
            seed,
            seats=seats,
            rounds=rounds,
            random_actions=random_actions,
            starts=starts,
            adjudicate=Adjudication(adjudicate, adjudicate_at, adjudicate_after) if adjudicate else None,
            threads=threads,
            jobs=jobs,
            store=kept,
            name=name,
            again=again,
            iterations=iterations,
            each=each,
            progress=show,
        )
    console.print(result.text(screen_width()), markup=False, soft_wrap=True)
    console.print(_what_was_played(result, kept, is_new), markup=False, soft_wrap=True)
    if first_seat:
        console.print("\nWins/draws/losses of the row, moving first, against the column")
        console.print(result.first_seat_table(screen_width()), markup=False, soft_wrap=True)
    if superiority and isinstance(result.ratings, BayesElo):
        console.print("\nLikelihood in percent that the row is stronger than the column")
        console.print(result.ratings.superiority_table(screen_width()), markup=False, soft_wrap=True)
    if heat_map is not None:
        try:
            write_file(heat_map, result.heat_map())
            console.print(f"wrote {heat_map}", markup=False)
        except MissingPackageError as error:
            console.print(f"\n{result.heat_text(screen_width())}\n{error}", markup=False, soft_wrap=True)


def _what_was_played(result: TournamentResult, store: Store, is_new: bool) -> str:
    """Report how many games are new, and where they are kept."""
    games = len(result.records)
    if not result.fresh:
        return f"nothing was played: all {games:,} games were in {store.path}; --again plays them again"
    before = games - result.fresh
    how = f", which already had {before:,}" if before else ""
    where = f"a new store, {store.path}" if is_new else store.path
    return f"{counted(result.fresh, 'games')} played and kept in {where}{how}"
