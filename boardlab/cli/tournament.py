"""`boardlab tournament`: agents meet by a plan."""

from pathlib import Path
from typing import Annotated

import typer

from boardlab.arena.match import Adjudication
from boardlab.arena.ratings import BayesElo
from boardlab.arena.standings import TournamentResult, check_meetings
from boardlab.arena.store import Store
from boardlab.arena.tournament import tournament as play_tournament
from boardlab.cli.common import (
    check_given_with,
    console,
    game_bar,
    saved_by_ctrl_c,
    screen_width,
    split_agents,
)
from boardlab.cli.completion import GameArgument, complete_agent
from boardlab.cli.match import Iterations, Judge, JudgeAfter, JudgeAt
from boardlab.errors import BoardLabError, MissingPackageError
from boardlab.numbers import counted
from boardlab.runs import check_writable, write_file


def tournament(
    context: typer.Context,
    game: GameArgument,
    agents: Annotated[
        list[str],
        typer.Argument(
            help="The entrants, agents or folders of runs; the game's parameters follow them.",
            autocompletion=complete_agent,
        ),
    ],
    format: Annotated[
        str, typer.Option(help="round-robin, gauntlet (the first agent against all others) or swiss.")
    ] = "round-robin",
    games: Annotated[
        int, typer.Option("--games", "-n", help="Games a pairing, rounded up to whole turns of the seats.")
    ] = 20,
    seats: Annotated[
        str,
        typer.Option(
            help="Seats on one opening: single, double (everybody once on each) or all (in another order "
            "around the table each turn)."
        ),
    ] = "all",
    rounds: Annotated[int | None, typer.Option(help="Rounds of a Swiss tournament.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same tournament.")] = 0,
    random_actions: Annotated[
        int, typer.Option(help="Random actions before the agents take over, the same for all in a round.")
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
    adjudicate: Judge = None,
    adjudicate_at: JudgeAt = 0.95,
    adjudicate_after: JudgeAfter = 4,
    iterations: Iterations = None,
    threads: Annotated[int, typer.Option(help="Games played at once.")] = 1,
    store: Annotated[
        Path | None, typer.Option(help="The file that keeps it; by default $BOARDLAB_STORE or boardlab.db.")
    ] = None,
    name: Annotated[str, typer.Option(help="What to call it; another name renames it.")] = "",
    again: Annotated[
        bool, typer.Option("--again", help="Start anew though the store has this tournament.")
    ] = False,
    first_seat: Annotated[
        bool, typer.Option("--first-seat", help="Also print wins/draws/losses of who moves first.")
    ] = False,
    superiority: Annotated[
        bool, typer.Option("--superiority", help="Also print how likely each agent is stronger.")
    ] = False,
    heat_map: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.png",
            help="Write the cross table as a picture (without matplotlib: print it as text).",
        ),
    ] = None,
) -> None:
    """Let agents meet in a tournament: cross table, ratings with error bars, time a move.

    Everything is kept in the store. The same command again goes on where it was broken off, or shows the
    result.
    """
    check_given_with(context, "adjudicate", "adjudicate_at", "adjudicate_after")
    arena_game, players = split_agents(game, agents, context)
    for option, asked in (("--first-seat", first_seat), ("--superiority", superiority)):
        if asked and arena_game.players != 2:
            has = counted(arena_game.players, "players")
            raise BoardLabError(f"{option} is a question for two players; {arena_game.name} has {has}")
    if heat_map is not None:
        check_meetings(arena_game)
        check_writable(heat_map, ".png")
    kept = Store(store)
    is_new = not kept.path.exists()
    with (
        saved_by_ctrl_c(f"the same command, without --again (the store is {kept.path})"),
        game_bar("playing", 1) as tell,
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
            store=kept,
            name=name,
            again=again,
            iterations=iterations,
            progress=tell,
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
    """The line that says how much of a result is new, and where it is kept."""
    games = len(result.records)
    if not result.fresh:
        return f"nothing was played: all {games:,} games were in {store.path}; --again plays them anew"
    before = games - result.fresh
    how = f", {before:,} were there before" if before else ""
    where = f"a new store, {store.path}" if is_new else store.path
    return f"{counted(result.fresh, 'games')} played and kept in {where}{how}"
