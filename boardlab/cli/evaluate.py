"""`boardlab evaluate`: an agent takes its game's exams."""

from typing import Annotated

import typer

from boardlab.arena.exams import EXAMS, ExamResult, exams_for
from boardlab.arena.exams import evaluate as take_exam
from boardlab.cli.common import console, game_bar, game_from
from boardlab.errors import MissingPackageError


def evaluate(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(help='An agent, as in "mcts(rollout, iterations=1000)".')],
    game: Annotated[
        str, typer.Option("--game", "-g", help="The game; its parameters follow as --NAME VALUE.")
    ],
    exam: Annotated[str | None, typer.Option(help="One exam; by default all that the game has.")] = None,
    games: Annotated[int, typer.Option("--games", "-n", help="Number of games an exam.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 0,
    threads: Annotated[int, typer.Option(help="Games played at once.")] = 1,
) -> None:
    """Measure an agent by its game's exams."""
    examined = game_from(game, context)
    names = [exam] if exam is not None else exams_for(examined)
    for name in names:
        try:
            with game_bar(name, games) as tell:
                result = take_exam(agent, examined, name, games, seed, threads=threads, progress=tell)
        except MissingPackageError as missing:
            if exam is not None:
                raise
            console.print(f"{name}: left out, {missing}", style="dim", markup=False, soft_wrap=True)
            continue
        console.print(exam_text(result), markup=False, soft_wrap=True)


def exam_text(result: ExamResult) -> str:
    """The result in two or three lines."""
    best = f", best possible {result.best:.4g}" if result.best != float("inf") else ""
    lines = [
        f"{result.exam}: {result.value:.4g} ± {result.interval:.2g} (95%){best}, {result.games} games",
        f"  {EXAMS[result.exam].sentence}",
    ]
    if result.details:
        lines.append("  " + ", ".join(f"{name} {value:.1%}" for name, value in result.details.items()))
    return "\n".join(lines)
