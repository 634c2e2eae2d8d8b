"""`boardlab balance`: measure the worth of a seat and find even starts."""

from typing import Annotated

import typer

from boardlab.arena.balance import MORE, StoppedBalance, write_openings
from boardlab.arena.balance import balance as find_balance
from boardlab.cli.common import (
    STOPPED,
    agent_from,
    check_given_with,
    console,
    game_from,
    stopped_by_ctrl_c,
    whole_once_stopped,
)
from boardlab.cli.completion import GameArgument, complete_agent
from boardlab.cli.progress import game_bar
from boardlab.numbers import counted
from boardlab.runs import check_writable


def balance(
    context: typer.Context,
    game: GameArgument,
    agent: Annotated[
        list[str],
        typer.Option(
            "--agent",
            "-a",
            help="The agent that plays itself; repeat for one agent per player.",
            autocompletion=complete_agent,
        ),
    ],
    games: Annotated[int, typer.Option("--games", "-n", help="Games from the standard start.")] = 200,
    plies: Annotated[
        int, typer.Option(help="Search for even starts this many random actions deep; 0: none.")
    ] = 0,
    candidates: Annotated[int, typer.Option(help="Number of starts to screen.")] = 100,
    keep: Annotated[int, typer.Option(help="Number of starts to keep.")] = 10,
    screen: Annotated[int, typer.Option(help="Games per start in the first screening.")] = 20,
    confirm: Annotated[int, typer.Option(help="New games per kept start, for its reported figures.")] = 100,
    out: Annotated[str | None, typer.Option(help="Save the kept starts to this file of openings.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 0,
    threads: Annotated[int, typer.Option(help="Games played at once.")] = 1,
) -> None:
    """Measure the first-move advantage, and find even starts."""
    check_given_with(context, "plies", "candidates", "keep", "screen", "confirm", "out")
    weighed = game_from(game, context)
    if out is not None:
        check_writable(out)
    again = min(MORE * keep, candidates) * MORE * screen
    before = {"usual": 0, "screen": games, "screen again": games + candidates * screen}
    before["confirm"] = before["screen again"] + again
    total = before["confirm"] + keep * confirm if plies else games
    done = 0
    is_stopped = False
    with stopped_by_ctrl_c("before a game was finished"), game_bar("", total) as show:

        def follow(stage: str, number: int, _: int) -> None:
            nonlocal done
            done = before[stage] + number
            show(done)

        try:
            result = find_balance(
                weighed,
                [agent_from(word) for word in agent],
                games,
                seed,
                plies=plies,
                candidates=candidates,
                keep=keep,
                screen=screen,
                confirm=confirm,
                threads=threads,
                progress=follow,
            )
        except StoppedBalance as stop:
            result, is_stopped = stop.result, True
    if out is not None and result.starts:  # before printing: the reader of a pipe may be gone
        with whole_once_stopped(is_stopped):
            write_openings(result, out)
    if is_stopped:
        console.print(f"stopped after {done:,} of {counted(total, 'games')}")
    console.print(str(result), markup=False, soft_wrap=True)
    if out is not None:
        kept = f"{counted(len(result.starts), 'starts')} in {out}"
        saved = kept if result.starts else "nothing: no start was confirmed"
        console.print(f"saved {saved}", markup=False, soft_wrap=True)
    if is_stopped:
        raise typer.Exit(STOPPED)
