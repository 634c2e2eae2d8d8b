"""`boardlab evaluate`: let an agent take its game's exams."""

import contextlib
from collections.abc import Iterator
from typing import Annotated

import typer
from rich.console import RenderableType

from boardlab.arena.exams import EXAMS, exams_for
from boardlab.arena.exams import evaluate as take_exam
from boardlab.arena.match import StoppedMatch
from boardlab.cli.common import (
    STOPPED,
    agent_from,
    console,
    game_from,
    game_of_run,
    stopped_by_ctrl_c,
    table_of,
)
from boardlab.cli.completion import GameOption, complete_agent, complete_exam
from boardlab.cli.progress import game_bar
from boardlab.errors import BoardLabError, MissingPackageError
from boardlab.games.game import Game

GAMES_HELP = (
    "Games or positions per exam. Exams with several starts play each equally often in every seat, at least "
    "once; cube exams play this many games per number of twists."
)


def evaluate(
    context: typer.Context,
    agent: Annotated[
        str | None,
        typer.Argument(
            help='An agent, as in "mcts(rollout, iterations=1000)", or a run, as in runs/hex.',
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
    games: Annotated[int, typer.Option("--games", "-n", help=GAMES_HELP)] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 0,
    threads: Annotated[int, typer.Option(help="Games played at once.")] = 1,
) -> None:
    """Measure an agent by its game's exams."""
    # In `boardlab evaluate --game hex --list --size 4` the game's parameter is parsed as the agent.
    if list_exams and agent is not None:
        context.args = [agent, *context.args] if agent.startswith("--") else context.args
    examined = game_from(game, context) if game else _game_of(agent, context)
    if list_exams:
        console.print(_exam_table(examined))
        return
    if agent is None:
        raise BoardLabError('name an agent, as in boardlab evaluate "mcts(rollout)" --game hex')
    agent, against = agent_from(agent), against and agent_from(against)
    if against is None and (starts != "default" or first):
        raise BoardLabError("--starts and --first belong to an opponent; name one with --against")
    if against is not None:
        if exam:
            raise BoardLabError("give exams (--exam) or an opponent (--against), not both")
        with _partial_result_on_ctrl_c(f"in the match against {against}"), game_bar(against, games) as show:
            result = take_exam(
                agent,
                examined,
                None,
                games,
                seed,
                against=against,
                starts=starts,
                moves_first=first,
                threads=threads,
                progress=show,
            )
        console.print(result.text(games), markup=False, soft_wrap=True)
        return
    names = exams_for(examined)
    slow = [name for name in names if EXAMS[name].slow]
    for name in exam or [name for name in names if name not in slow]:
        try:
            with _partial_result_on_ctrl_c(f"in the exam {name}"), game_bar(name, games) as show:
                result = take_exam(agent, examined, name, games, seed, threads=threads, progress=show)
        except MissingPackageError as missing:
            if exam:
                raise
            console.print(f"{name}: skipped: {missing}", style="dim", markup=False, soft_wrap=True)
            continue
        console.print(result.text(games), markup=False, soft_wrap=True)
    if not exam and slow:
        console.print(
            f"also available with --exam: {', '.join(slow)}", style="dim", markup=False, soft_wrap=True
        )


def _game_of(agent: str | None, context: typer.Context) -> Game:
    """Return the game of the agent's run, when none was given."""
    found = game_of_run(agent_from(agent)) if agent is not None and not context.args else None
    if found is None:
        raise BoardLabError('name a game, as in boardlab evaluate "mcts(rollout)" --game hex')
    return found


@contextlib.contextmanager
def _partial_result_on_ctrl_c(where: str) -> Iterator[None]:
    """After Ctrl-C, print the result of the games finished so far."""
    with stopped_by_ctrl_c(f"{where}, which has no result"):
        try:
            yield
        except StoppedMatch as stop:
            so_far = f"stopped {where}, which has no result; its last match so far:\n{stop.result}"
            console.print(so_far, markup=False, soft_wrap=True)
            raise typer.Exit(STOPPED) from None


def _exam_table(game: Game) -> RenderableType:
    exams = [EXAMS[name] for name in exams_for(game)]
    rows = [(exam.name, exam.sentence, exam.best_in_words(game)) for exam in exams]
    return table_of(("exam", "what it measures", "best possible"), rows)
