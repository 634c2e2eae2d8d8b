"""`boardlab match`: agents meet."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from boardlab.arena.match import Adjudication, StoppedMatch, thinking_times
from boardlab.arena.match import match as play_match
from boardlab.arena.play_stats import write_play_stats
from boardlab.arena.records import FORMATS_HELP, check_addition
from boardlab.arena.sprt import Sprt
from boardlab.cli.common import (
    STOPPED,
    check_given_with,
    console,
    game_bar,
    split_agents,
    stopped_by_ctrl_c,
    whole_once_stopped,
)
from boardlab.cli.completion import GameArgument, complete_agent
from boardlab.errors import BoardLabError
from boardlab.numbers import counted
from boardlab.runs import check_writable
from boardlab.search.budget import budgets

Judge = Annotated[
    str | None, typer.Option(metavar="EVALUATOR", help="End games that this evaluator finds clear.")
]
JudgeAt = Annotated[float, typer.Option(help="How clear: 1 is a value at the end of the score range.")]
JudgeAfter = Annotated[int, typer.Option(help="For so many of the agents' actions in a row.")]

Iterations = Annotated[
    int | None, typer.Option(help="Simulations a decision of every tree search, so that budgets are equal.")
]


def match(
    context: typer.Context,
    game: GameArgument,
    agents: Annotated[
        list[str],
        typer.Argument(
            help='One a player, as in random "mcts(rollout)" or the folder of a run, as in runs/hex; the '
            "game's parameters follow them.",
            autocompletion=complete_agent,
        ),
    ],
    games: Annotated[int, typer.Option("--games", "-n", help="Number of games, at most with --sprt.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same match.")] = 0,
    random_actions: Annotated[
        int, typer.Option(help="Random actions before the agents take over, the same in every seat.")
    ] = 0,
    starts: Annotated[
        str,
        typer.Option(
            "--starts",
            "--openings",
            metavar="STARTS",
            help='Where games begin: "2", all positions after two actions; "0-1"; "random 4", so many random '
            "ones; or a file with an opening a line. In random order, each in every seat.",
        ),
    ] = "default",
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1",
            help="Stop when it is clear whether the first agent is ELO1 or only ELO0 stronger.",
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="The test's chance to accept ELO1 when ELO0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(help="The test's chance to accept ELO0 when ELO1 is true.")] = 0.05,
    adjudicate: Judge = None,
    adjudicate_at: JudgeAt = 0.95,
    adjudicate_after: JudgeAfter = 4,
    iterations: Iterations = None,
    threads: Annotated[int, typer.Option(help="Games played at once.")] = 1,
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
    """Let agents play each other, each in every seat, and say how sure the result is."""
    check_given_with(context, "sprt", "alpha", "beta")
    check_given_with(context, "adjudicate", "adjudicate_at", "adjudicate_after")
    arena_game, players = split_agents(game, agents, context)
    if save is not None:
        check_addition(save, arena_game)
        check_writable(save)
    if play_stats is not None:
        check_writable(play_stats, ".csv")
    stopped = False
    with stopped_by_ctrl_c("before a game was finished"), game_bar("playing", games) as tell:
        try:
            result = play_match(
                arena_game,
                players,
                games,
                seed,
                random_actions=random_actions,
                starts=starts,
                sprt=_test(sprt, alpha, beta) if sprt is not None else None,
                adjudicate=Adjudication(adjudicate, adjudicate_at, adjudicate_after) if adjudicate else None,
                threads=threads,
                values=save is not None,
                iterations=iterations,
                progress=tell,
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
    # Files come before the screen: who reads it may have gone away. What fails is told after the result.
    told, failed = [], []
    with whole_once_stopped(stopped):
        for line, write in files:
            try:
                write()
                told.append(line)
            except BoardLabError as error:
                failed.append(str(error))
    if stopped:
        console.print(f"stopped: this is the result of {result.games} of {counted(games, 'games')}")
    console.print(str(result), markup=False, soft_wrap=True)
    console.print(
        thinking_times(result.agents, result.seconds_per_decision), markup=False, soft_wrap=True, style="dim"
    )
    for line in (*budgets(result.agents), *told):
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
