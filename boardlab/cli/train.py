"""`boardlab train` and `boardlab resume`: agents that teach themselves, before your eyes."""

import typing
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from boardlab.cli.common import GAME_PARAMETERS, console, game_from
from boardlab.errors import BoardLabError, unknown
from boardlab.games.registry import rules_of
from boardlab.learning import LEARNERS, Run
from boardlab.learning import Progress as Standing
from boardlab.learning import resume as resume_run
from boardlab.learning import train as train_run
from boardlab.options import Option, options_of

TRAIN_PARAMETERS = GAME_PARAMETERS
"""Lets `train` take the game's parameters and the learner's settings as --NAME VALUE."""


def train(
    context: typer.Context,
    game: Annotated[
        str,
        typer.Argument(help="The game; its parameters and the learner's settings follow as --NAME VALUE."),
    ],
    learner: Annotated[str, typer.Option(help=f"What learns: {', '.join(LEARNERS)}.")] = "td-ntuple",
    preset: Annotated[str, typer.Option(help='Settings by name: "default" or "paper".')] = "default",
    episodes: Annotated[int | None, typer.Option(help="Games of self-play; by default the preset's.")] = None,
    out: Annotated[Path | None, typer.Option(help="The run's folder; by default runs/GAME.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same agent.")] = 0,
    exam: Annotated[
        list[str] | None, typer.Option(help="An agent to be examined against; may be repeated.")
    ] = None,
    exam_every: Annotated[int, typer.Option(help="Episodes between exams; 0: one at the end.")] = 0,
    exam_games: Annotated[int, typer.Option(help="Games an exam.")] = 100,
    layout: Annotated[
        str | None, typer.Option(help="walk, points, windows, cells, or a file with one tuple a line.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a run that is already there.")] = False,
) -> None:
    """Train an agent by self-play (TD n-tuple learning and others) and keep it in a run folder."""
    settings = split_settings(game, learner, context)
    if layout is not None:
        settings |= read_layout(layout)
    board_game = game_from(game, context)
    with _bar() as bar:
        run = train_run(
            board_game,
            learner,
            episodes=episodes,
            out=out,
            seed=seed,
            preset=preset,
            force=force,
            exams=exam or (),
            exam_every=exam_every,
            exam_games=exam_games,
            progress=_teller(bar),
            **settings,
        )
    _report(run)


def resume(
    run: Annotated[Path, typer.Argument(help="The run's folder.")],
    episodes: Annotated[int | None, typer.Option(help="A new number of episodes in all.")] = None,
) -> None:
    """Go on with a run from its last checkpoint; it ends where an unbroken run would have ended."""
    with _bar() as bar:
        done = resume_run(run, episodes=episodes, progress=_teller(bar))
    _report(done)


def split_settings(game: str, learner: str, context: typer.Context) -> dict[str, Any]:
    """Takes the learner's settings out of the words behind the game; the game's own parameters stay."""
    if learner not in LEARNERS:
        raise unknown("learner", learner, LEARNERS)
    own = {option.name for option in options_of(rules_of(game))}
    settable = options_of(LEARNERS[learner])
    known = {option.name.rstrip("_"): option for option in settable if option.name not in own}
    settings: dict[str, Any] = {}
    words, rest = list(context.args), []
    while words:
        word = words.pop(0)
        key, equals, value = word[2:].partition("=")
        key = key.replace("-", "_")
        switched_off = key.startswith("no_") and key[3:] in known and known[key[3:]].type is bool
        if (
            word.startswith("--")
            and key not in {*own, *known}
            and key.removeprefix("no_") not in {*own, *known}
        ):
            raise unknown(f"option, setting or parameter of {game}", key, [*own, *known])
        if not word.startswith("--") or not (key in known or switched_off):
            rest.append(word)
            if word.startswith("--") and not equals and words and not words[0].startswith("--"):
                rest.append(words.pop(0))
            continue
        option = known[key[3:] if switched_off else key]
        if option.type is bool and not equals:
            settings[option.name] = not switched_off
            continue
        if not equals:
            if not words:
                raise BoardLabError(f"--{key} needs a value: {option.allowed}")
            value = words.pop(0)
        settings[option.name] = _read(learner, option, value)
    context.args = rest
    return settings


def read_layout(layout: str) -> dict[str, Any]:
    """A kind of layout by name, or the cells in a file."""
    if layout in ("walk", "points", "windows", "cells"):
        return {"layout": layout}
    file = Path(layout)
    if not file.is_file():
        raise BoardLabError(f'layout must be walk, points, windows, cells or a file, not "{layout}"')
    return {"layout": "cells", "cells": file.read_text(encoding="utf-8")}


def _read(learner: str, option: Option, text: str) -> Any:
    kinds = [kind for kind in (typing.get_args(option.type) or (option.type,)) if kind is not type(None)]
    try:
        if kinds[0] is bool:
            return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[
                text.lower()
            ]
        return kinds[0](text)
    except (ValueError, KeyError):
        raise BoardLabError(f'{learner}: {option.name} must be {option.allowed}, not "{text}"') from None


def _bar() -> Progress:
    return Progress(
        TextColumn("training"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} episodes {task.fields[speed]}"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )


def _teller(bar: Progress) -> Any:
    task = bar.add_task("", total=None, start=True, speed="")

    def tell(standing: Standing) -> None:
        speed = ""
        if standing.seconds > 0:
            speed = (
                f"{standing.episodes / standing.seconds:,.0f} episodes/s, "
                f"{standing.actions / standing.seconds:,.0f} actions/s"
            )
        for opponent, score in standing.exam.items():
            speed += f", {opponent} {score:.3g}"
        bar.update(task, total=standing.total, completed=standing.episodes, speed=speed)

    return tell


def _report(run: Run) -> None:
    console.print(str(run), markup=False, soft_wrap=True)
    last = run.log[-1] if run.log else {}
    for name, score in last.items():
        if name not in ("episodes", "actions", "seconds", "alpha", "epsilon"):
            console.print(f"exam against {name}: {score}", markup=False, soft_wrap=True)
    console.print(f"play it as {run.expression}", markup=False, soft_wrap=True)
