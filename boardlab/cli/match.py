"""`boardlab match`: let agents play each other."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from boardlab.arena.arena import Adjudication
from boardlab.arena.match import StoppedMatch
from boardlab.arena.match import match as play_match
from boardlab.arena.match_result import thinking_times
from boardlab.arena.play_stats import write_play_stats
from boardlab.arena.records import FORMATS_HELP, check_addition
from boardlab.arena.sprt import Sprt
from boardlab.cli.common import (
    STOPPED,
    Jobs,
    Threads,
    check_given_with,
    console,
    split_agents,
    stopped_by_ctrl_c,
    whole_once_stopped,
)
from boardlab.cli.completion import GameArgument, complete_agent
from boardlab.cli.progress import game_bar
from boardlab.errors import BoardLabError
from boardlab.numbers import counted
from boardlab.runs import check_writable
from boardlab.search.budget import budgets

Adjudicate = Annotated[
    str | None, typer.Option(metavar="EVALUATOR", help="End games early that this evaluator finds decided.")
]
AdjudicateAt = Annotated[
    float, typer.Option(help="Value that counts as decided; 1 is the end of the score range.")
]
AdjudicateAfter = Annotated[int, typer.Option(help="Consecutive actions that must be decided.")]

Iterations = Annotated[
    int | None, typer.Option(help="Simulations per decision of every tree search, to give equal budgets.")
]


def match(
    context: typer.Context,
    game: GameArgument,
    agents: Annotated[
        list[str],
        typer.Argument(
            help='One per player, as in random "mcts(rollout)", or the folder of a run or of several, as in '
            "runs/hex. NAME=AGENT gives it a name. The game's parameters follow.",
            autocompletion=complete_agent,
        ),
    ],
    games: Annotated[
        int, typer.Option("--games", "-n", help="Games to play; the maximum with --sprt.")
    ] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same match.")] = 0,
    random_actions: Annotated[int, typer.Option(help="Random opening actions, the same in every seat.")] = 0,
    starts: Annotated[
        str,
        typer.Option(
            "--starts",
            "--openings",
            metavar="STARTS",
            help='Where games begin: "2", all positions after two actions; "0-1"; "random 4", after four '
            "random actions; or a file with one opening per line. In random order, each in every seat.",
        ),
    ] = "default",
    seats: Annotated[
        str,
        typer.Option(
            help="Seat orders: single (the order given; the first agent begins every game), double (each "
            "agent once in each seat) or all (also in every order around the table)."
        ),
    ] = "all",
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1",
            help="Stop once it is clear whether the first agent is stronger by ELO1 or only by ELO0.",
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Probability of accepting ELO1 when ELO0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Probability of accepting ELO0 when ELO1 is true.")] = 0.05,
    adjudicate: Adjudicate = None,
    adjudicate_at: AdjudicateAt = 0.95,
    adjudicate_after: AdjudicateAfter = 4,
    iterations: Iterations = None,
    threads: Threads = 1,
    jobs: Jobs = 1,
    play_stats: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv", help="Write every position played, in the columns of GBG's playStats.csv."
        ),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help=f"Add the games to this file: {FORMATS_HELP}.", metavar="FILE")
    ] = None,
) -> None:
    """Let agents play each other, by default in every seat.

    The result has 95% confidence intervals.
    """
    check_given_with(context, "sprt", "alpha", "beta")
    check_given_with(context, "adjudicate", "adjudicate_at", "adjudicate_after")
    arena_game, players = split_agents(game, agents, context)
    if save is not None:
        check_addition(save, arena_game)
        check_writable(save)
    if play_stats is not None:
        check_writable(play_stats, ".csv")
    stopped = False
    with stopped_by_ctrl_c("before a game was finished"), game_bar("", games) as show:
        try:
            result = play_match(
                arena_game,
                players,
                games,
                seed,
                random_actions=random_actions,
                starts=starts,
                seats=seats,
                sprt=_test(sprt, alpha, beta) if sprt is not None else None,
                adjudicate=Adjudication(adjudicate, adjudicate_at, adjudicate_after) if adjudicate else None,
                threads=threads,
                jobs=jobs,
                values=save is not None,
                iterations=iterations,
                progress=show,
            )
        except StoppedMatch as stop:
            result, stopped = stop.result, True
    files = []
    if save is not None:
        how = "added to" if save.exists() else "saved"
        files.append((f"{how}: {save}", partial(result.save, save, append=True)))
    if play_stats is not None:
        write = partial(write_play_stats, play_stats, arena_game, result)
        files.append((f"every position played: {play_stats}", write))
    # Write files before printing: the reader of a pipe may be gone. Report failures after the result.
    lines, failed = [], []
    with whole_once_stopped(stopped):
        for line, write in files:
            try:
                write()
                lines.append(line)
            except BoardLabError as error:
                failed.append(str(error))
    if stopped:
        console.print(f"stopped: this is the result of {result.games} of {counted(games, 'games')}")
    elif any(result.runs) and result.games != games:
        console.print(f"{result.games} games, not {games}, so that all runs play equally often")
    console.print(str(result), markup=False, soft_wrap=True)
    console.print(
        thinking_times(result.names, result.seconds_per_decision), markup=False, soft_wrap=True, style="dim"
    )
    for line in (*budgets(result.agents), *lines):
        console.print(line, markup=False, soft_wrap=True)
    for record in [r for r in result.records if r.failed][:3]:
        console.print(f"error: {record.error}", style="red", markup=False)
    if failed:
        raise BoardLabError("; ".join(failed))
    if stopped:
        raise typer.Exit(STOPPED)


def _test(words: str, alpha: float, beta: float) -> Sprt:
    try:
        elo0, elo1 = (float(word) for word in words.split(","))
    except ValueError:
        raise BoardLabError(f'--sprt takes two Elo differences as in 0,10, not "{words}"') from None
    return Sprt(elo0, elo1, alpha, beta)
