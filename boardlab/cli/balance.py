"""`boardlab balance`: what a seat is worth, and which starts make a game even."""

import math
from typing import Annotated

import typer

from boardlab.arena.balance import MORE, BalanceResult, SeatReport, write_openings
from boardlab.arena.balance import balance as find_balance
from boardlab.cli.common import agent_from, check_given_with, console, game_bar, game_from, stopped_by_ctrl_c
from boardlab.cli.completion import GameArgument, complete_agent
from boardlab.games.game import Game
from boardlab.numbers import counted, plain
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
    stopped = stopped_by_ctrl_c("before the last game: there is no result, and nothing was saved")
    with stopped, game_bar("playing", total) as tell:
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
            progress=lambda stage, done, _: tell(before[stage] + done),
        )
    console.print(balance_text(result, weighed), markup=False, soft_wrap=True)
    if out is not None:
        write_openings(result, out)
        console.print(f"saved {counted(len(result.starts), 'starts')} in {out}", markup=False, soft_wrap=True)


def balance_text(result: BalanceResult, game: Game) -> str:
    """What was found, in lines."""
    lines = [_seats_text("usual start", result.usual, game)]
    for number, start in enumerate(result.starts, 1):
        report = start.report
        width = _half(report.intervals[0])
        lines.append(
            f"start {number}: {' '.join(start.actions)}: {report.advantage:+z.3f}{width} "
            f"({report.games} fresh games; {start.screened:+z.3f} in those it was chosen by)"
        )
    if result.together:
        together = "this start" if len(result.starts) == 1 else f"these {len(result.starts)} starts"
        lines.append(_seats_text(together, result.together, game))
        lines.append(f"a start is off by {result.imbalance:.3f} (root mean square, chance taken out)")
    return "\n".join(lines)


def _half(width: float) -> str:
    """Nothing where there were too few games for one."""
    return "" if math.isnan(width) else f" ± {plain(width, 2)}"


def _seats_text(title: str, report: SeatReport, game: Game) -> str:
    seats = ", ".join(
        f"{game.rules.player_name(seat)} {score:+z.3f}{_half(width)} (wins {wins:.1%})"
        for seat, (score, width, wins) in enumerate(
            zip(report.mean_scores, report.intervals, report.wins, strict=True)
        )
    )
    tail = f", {report.errors} ended by an agent's error" if report.errors else ""
    return (
        f"{title}: {seats}, draws {report.draws:.1%}; {counted(report.games, 'games')}, "
        f"{report.distinct} distinct{tail}"
    )
