"""`boardlab balance`: what a seat is worth, and which starts make a game even."""

from typing import Annotated

import typer

from boardlab.arena.balance import MORE, StoppedBalance, write_openings
from boardlab.arena.balance import balance as find_balance
from boardlab.cli.common import (
    STOPPED,
    agent_from,
    check_given_with,
    console,
    game_bar,
    game_from,
    stopped_by_ctrl_c,
    whole_once_stopped,
)
from boardlab.cli.completion import GameArgument, complete_agent
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
            help="Plays itself; or one for each player, given several times.",
            autocompletion=complete_agent,
        ),
    ],
    games: Annotated[int, typer.Option("--games", "-n", help="Games from the usual start.")] = 200,
    plies: Annotated[
        int, typer.Option(help="Look for even starts after so many random actions; 0: do not.")
    ] = 0,
    candidates: Annotated[int, typer.Option(help="Starts that are screened.")] = 100,
    keep: Annotated[int, typer.Option(help="Starts that are kept.")] = 10,
    screen: Annotated[int, typer.Option(help="Games a start in the first screening.")] = 20,
    confirm: Annotated[int, typer.Option(help="Fresh games a kept start, for the figures.")] = 100,
    out: Annotated[str | None, typer.Option(help="Save the kept starts as a file of openings.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 0,
    threads: Annotated[int, typer.Option(help="Games played at once.")] = 1,
) -> None:
    """Measure the first-move advantage of a game, and find the starts that make it even."""
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
    with stopped_by_ctrl_c("before a game was finished"), game_bar("playing", total) as tell:

        def follow(stage: str, number: int, _: int) -> None:
            nonlocal done
            done = before[stage] + number
            tell(done)

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
    if out is not None and result.starts:  # before the screen: who reads it may have gone away
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
