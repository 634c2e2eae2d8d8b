"""`boardlab evaluate`: let an agent take its game's exams."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType

from boardlab.arena.examinations import Examined, StoppedExams, evaluate_all, row_text
from boardlab.arena.exams import EXAMS, exams_for
from boardlab.arena.match import StoppedMatch
from boardlab.arena.speed import speed as measure_speed
from boardlab.cli.common import (
    STOPPED,
    Jobs,
    Threads,
    agent_from,
    check_given_with,
    check_given_without,
    console,
    entrant_from,
    game_from,
    game_of_run,
    stopped_by_ctrl_c,
    table_of,
)
from boardlab.cli.completion import GameOption, complete_agent, complete_exam
from boardlab.cli.progress import jobs_bar
from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.interrupts import ignoring_ctrl_c
from boardlab.search.entrants import Entrant, as_entrants, legend

GAMES_HELP = (
    "Games or positions per exam. Exams with several starts play each equally often in every seat, at least "
    "once; cube exams play this many games per number of twists."
)


def evaluate(
    context: typer.Context,
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="AGENTS",
            help='Agents, as in "mcts(rollout, iterations=1000)", runs, as in runs/hex, or folders of runs, '
            "each of which takes the exams. NAME=AGENT gives one a name.",
            autocompletion=complete_agent,
        ),
    ] = None,
    game: GameOption = "",
    exam: Annotated[
        list[str] | None,
        typer.Option(
            help="An exam; repeat for several. Default: all except the slow ones.",
            autocompletion=complete_exam,
        ),
    ] = None,
    list_exams: Annotated[bool, typer.Option("--list", help="List the game's exams and stop.")] = False,
    against: Annotated[
        str | None,
        typer.Option(
            help="Play against this agent in every seat, instead of an exam.", autocompletion=complete_agent
        ),
    ] = None,
    starts: Annotated[
        str,
        typer.Option(
            help='With --against: "default" (varied openings), "0" (the initial position), "1" (all '
            'positions after one action), "0-1", "random 4", or a file of openings.'
        ),
    ] = "default",
    first: Annotated[
        bool,
        typer.Option(
            "--first",
            help="With --against: the agent always moves first (default: from the initial position).",
        ),
    ] = False,
    speed: Annotated[
        bool,
        typer.Option(
            "--speed",
            help="Measure actions per second instead: the agent plays itself on one thread.",
        ),
    ] = False,
    seconds: Annotated[float, typer.Option(help="With --speed: how long to play.")] = 2.0,
    games: Annotated[int, typer.Option("--games", "-n", help=GAMES_HELP)] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 0,
    threads: Threads = 1,
    jobs: Jobs = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Remember finished exams here; the same command goes on."),
    ] = None,
) -> None:
    """Measure agents by their game's exams, or their speed."""
    words = [*(agents or ()), *context.args]
    first_option = next((i for i, word in enumerate(words) if word.startswith("--")), len(words))
    named, context.args = words[:first_option], words[first_option:]
    examined = game_from(game, context) if game else _game_of(named, context)
    if list_exams:
        console.print(_exam_table(examined))
        return
    if not named:
        raise BoardLabError('name an agent, as in boardlab evaluate "mcts(rollout)" --game hex')
    players = as_entrants([entrant_from(word) for word in named])
    check_given_with(context, "speed", "seconds")
    if speed:
        check_given_without(
            context, "speed", "exam", "against", "starts", "first", "games", "threads", "jobs", "out"
        )
        with stopped_by_ctrl_c("before the speed was known"):
            for player in players:
                console.print(
                    str(measure_speed(player, examined, seconds, seed)), markup=False, soft_wrap=True
                )
        return
    opponent = as_entrants([entrant_from(against)])[0] if against is not None else None
    if against is None and (starts != "default" or first):
        raise BoardLabError("--starts and --first belong to an opponent; name one with --against")
    if against is not None and exam:
        raise BoardLabError("give exams (--exam) or an opponent (--against), not both")
    for line in _legend([*players, *([opponent] if opponent else [])]):
        console.print(line, markup=False, soft_wrap=True)
    show_row = _printer(games, is_one=len(named) == 1)
    with _results_on_ctrl_c(out is not None), jobs_bar("exams") as show:
        evaluate_all(
            players,
            examined,
            exam or None,
            games,
            seed,
            against=opponent,
            starts=starts,
            moves_first=first,
            threads=threads,
            jobs=jobs,
            out=out,
            progress=show,
            told=show_row,
        )
    slow = [name for name in exams_for(examined) if EXAMS[name].slow]
    if not exam and against is None and slow:
        console.print(
            f"also available with --exam: {', '.join(slow)}", style="dim", markup=False, soft_wrap=True
        )


def _game_of(agents: Sequence[str], context: typer.Context) -> Game:
    """Return the game of the first agent's run, when none was given."""
    found = game_of_run(agent_from(agents[0])) if agents and not context.args else None
    if found is None:
        raise BoardLabError('name a game, as in boardlab evaluate "mcts(rollout)" --game hex')
    return found


def _legend(entrants: Sequence[Entrant]) -> list[str]:
    """List the expressions of players that have a name."""
    named = [entrant for entrant in entrants if entrant.name]
    return legend([entrant.name for entrant in named], [entrant.expression for entrant in named])


def _printer(games: int, is_one: bool) -> Callable[[Examined], None]:
    """A function that prints each result, below its agent where there are several."""
    last = ""

    def show(row: Examined) -> None:
        nonlocal last
        if not is_one and row.agent != last:
            console.print(row.agent, style="bold", markup=False, soft_wrap=True)
        last = row.agent
        style = "dim" if row.skipped else None
        console.print(row_text(row, games), style=style, markup=False, soft_wrap=True)

    return show


@contextlib.contextmanager
def _results_on_ctrl_c(is_kept: bool) -> Iterator[None]:
    """After Ctrl-C, print the result of the games finished so far."""
    try:
        yield
    except StoppedExams as stop:
        told = f"stopped in {stop.next.where}, which has no result"
        if isinstance(stop.__cause__, StoppedMatch):
            told += f"; its last match so far:\n{stop.__cause__.result}"
        elif is_kept:
            told += "; to continue: the same command"
        with ignoring_ctrl_c(), contextlib.suppress(OSError):
            console.print(told, markup=False, soft_wrap=True)
        raise typer.Exit(STOPPED) from None


def _exam_table(game: Game) -> RenderableType:
    EXAMS.load_installed()
    exams = [EXAMS[name] for name in exams_for(game)]
    rows = [(exam.name, exam.sentence, exam.best_in_words(game)) for exam in exams]
    return table_of(("exam", "what it measures", "best possible"), rows)
