"""`boardlab sweep`: every combination of settings, over several seeds."""

import inspect
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from boardlab.cli.common import agent_from, command_options, console, saved_by_ctrl_c, table_of
from boardlab.cli.completion import complete_agent, complete_exam, complete_game, complete_learner
from boardlab.cli.progress import jobs_bar
from boardlab.cli.train import as_sentence, check_settable
from boardlab.errors import BoardLabError, install, unknown
from boardlab.experiments.sweep import SweepFailedError, SweepResult
from boardlab.experiments.sweep import sweep as run_sweep
from boardlab.experiments.sweep_file import read_sweep
from boardlab.experiments.sweep_pictures import text_picture
from boardlab.experiments.sweep_search import SEARCHES
from boardlab.experiments.sweep_space import VARIED
from boardlab.experiments.sweep_values import split_list
from boardlab.games.registry import rules_of
from boardlab.learners import LEARNERS, default_learner, known_learner
from boardlab.learners.run_options import RunOptions
from boardlab.options import Option, options_of

FAILED = 1
"""Exit status of a sweep in which some jobs failed."""
PYTHON_NAMES = {"exam": "exams"}
"""Options that have another name in Python."""
HELP = {
    "exam_every": "episodes between exams; by default one exam at the end",
    "exam_games": "games of an exam; by default 100",
    "seed": "runs have the seeds SEED+1, SEED+2 ...; a search uses it too",
}
"""Help that differs from that of `boardlab train`."""


def _takes_run_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a run to the command, those that may vary as lists."""
    own = inspect.signature(command)
    *parameters, _ = own.parameters.values()
    shown = [_parameter(option) for option in options_of(RunOptions) if option.name not in ("exams", "pace")]
    place = [parameter.name for parameter in parameters].index("learner") + 1
    parameters[place:place] = shown
    command.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _parameter(option: Option) -> inspect.Parameter:
    text = as_sentence(HELP.get(option.name, option.doc))
    kind, info = option.type | None, typer.Option(help=text, show_default=False)
    if option.name in VARIED:
        kind, info = str | None, typer.Option(help=text, metavar="LIST")
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, info]
    )


LEARNERS_HELP = "The learners: {}. By default td-ntuple, with --from alphazero."
"""The help of --learner; the command line adds the learners of plugins."""


@_takes_run_options
def sweep(
    context: typer.Context,
    game: Annotated[
        str | None,
        typer.Argument(
            help="The game. Its parameters and the learner's settings follow as --NAME LIST.",
            autocompletion=complete_game,
        ),
    ] = None,
    *,
    grid: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Read the sweep from this TOML file; other options override it."),
    ] = None,
    learner: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help=LEARNERS_HELP.format(", ".join(LEARNERS)),
            autocompletion=complete_learner,
        ),
    ] = None,
    exam: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LIST",
            help="Exams, or agents as opponents, a column of the table each; the first decides which setting "
            "is best. By default the usual exam of the game.",
            autocompletion=complete_exam,
        ),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LIST",
            help="Examine these agents instead of the run's own. RUN stands for the run's folder, as in "
            '"mcts(ntuple(RUN), iterations={100,1000})"; without it nothing is trained.',
            autocompletion=complete_agent,
        ),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(help="Runs of each setting, with the seeds SEED+1, SEED+2 ... Default: 3.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(help="Runs at a time, each in its own process.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder of the sweep; by default runs/GAME-sweep.")
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(
            help=f"Try some settings instead of all: {' or '.join(SEARCHES)}. Numbers may then be ranges: "
            '"0.1..10", "0.1..10:log".'
        ),
    ] = None,
    trials: Annotated[int | None, typer.Option(help="Settings that a search tries. Default: 50.")] = None,
    batch: Annotated[
        int | None, typer.Option(help="Settings that a search proposes at a time. Default: 1.")
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            help="What stays of finished runs: checkpoints (all), weights (they play; the default), or "
            "nothing but agent.toml, which trains them again."
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Start more than 1,000 runs.")] = False,
    **given: Any,
) -> None:
    """Train every combination of settings over several seeds, and compare them.

    The folder gets all runs, results.csv, table.csv, table.md and pictures. The same command continues an
    unfinished sweep.

    Options marked LIST, parameters of the game and settings of the learner take several values: 1,2,4. Commas
    inside brackets or quotes belong to a value: "(3,4,5),(5,5)". A range has a step: 1..4:0.5. Braces in an
    agent or an exam stand for several: "mcts(iterations={100,1000})".
    """
    if game is not None and game.startswith("--"):  # `boardlab sweep --grid FILE --alpha 1,2`
        context.args, game = [game, *context.args], None
    options: dict[str, Any] = {} if grid is None else _from_file(grid)
    if game is not None:
        options["game"] = game
    if "game" not in options:
        raise BoardLabError(
            "name a game, as in boardlab sweep connectfour --alpha 1,2,4, or a file with --grid"
        )
    named = {
        **given,
        "learner": learner and split_list(learner, "--learner"),
        "preset": given["preset"] and split_list(given["preset"], "--preset"),
        "exams": _expressions("--exam", exam),
        "agent": _expressions("--agent", agent),
        "seeds": seeds,
        "jobs": jobs,
        "out": out,
        "search": search,
        "trials": trials,
        "batch": batch,
        "keep": keep,
        "yes": yes or None,
    }
    options |= {name: value for name, value in named.items() if value is not None}
    options |= _settings(context, options)
    _check_idle(options)
    chosen = options.pop("game")
    where = saved_by_ctrl_c(shlex.join(["boardlab", *sys.argv[1:]]), lambda: True)
    failures = ""
    with where, jobs_bar() as show:
        try:
            result = run_sweep(chosen, progress=show, **options)
        except SweepFailedError as error:
            result, failures = error.result, str(error)
    _report(result)
    if failures:
        print(failures, file=sys.stderr)
        raise typer.Exit(FAILED)


def _from_file(path: Path) -> dict[str, Any]:
    """The options of a file, by their names in Python."""
    table = read_sweep(path)
    return {PYTHON_NAMES.get(name, name): value for name, value in table.items()}


def _expressions(flag: str, given: list[str] | None) -> list[str] | None:
    """The agents or exams of a repeated option, each a list; a run's folder stands for its agent."""
    if not given:
        return None
    return [agent_from(word, or_exam=True) for text in given for word in split_list(text, flag)]


def _settings(context: typer.Context, options: Mapping[str, Any]) -> dict[str, Any]:
    """The game's parameters and the learners' settings among the words behind the game."""
    game, words = options["game"], list(context.args)
    named = options.get("learner") or default_learner(word[2:].partition("=")[0] for word in words)
    learners = named if isinstance(named, list) else [named]
    for learner in learners:
        known_learner(learner)
    kinds = [*(LEARNERS[learner] for learner in learners), rules_of(game)]
    known = {option.shown_name: option for kind in kinds for option in options_of(kind)}
    found: dict[str, Any] = {}
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            raise BoardLabError(f'unexpected "{word}"; options of a sweep are written --NAME LIST')
        key, equals, value = word[2:].partition("=")
        key = key.replace("-", "_")
        option = known.get(key)
        if option is None and (off := known.get(key.removeprefix("no_"))) is not None and off.type is bool:
            found[off.shown_name] = False
            continue
        if option is None:
            for learner in learners:
                LEARNERS[learner].check_renamed(key)
                check_settable(f"--{key.replace('_', '-')}", learner)
            raise unknown(f"option, setting or parameter of {game}", key, [*known, *command_options(context)])
        if not equals:
            if option.type is bool and (not words or words[0].startswith("--")):
                found[key] = True
                continue
            if not words:
                raise BoardLabError(f"--{key} needs a value: {option.allowed}")
            value = words.pop(0)
        found[key] = split_list(value, f"--{key}")
    return found


def _check_idle(options: Mapping[str, Any]) -> None:
    """Refuse options of a search without one."""
    for name in ("trials", "batch"):
        if name in options and "search" not in options:
            raise BoardLabError(f"--{name} does nothing without --search; give --search too")


def _report(result: SweepResult) -> None:
    """Print the table, the best setting and where the pictures are."""
    console.print(result.path.as_posix() + f": {result.game}", markup=False, soft_wrap=True)
    console.print(table_of(result.table.columns, result.table.cells()))
    if not result.pictures and (picture := text_picture(result.table, result.exam)):
        console.print(picture, markup=False)
        console.print(f"for pictures: {install('plots')}", style="dim", markup=False, soft_wrap=True)
    for line in result.verdict:
        console.print(line, markup=False, soft_wrap=True)
    files = ["table.md", "table.csv", "results.csv", *(picture.name for picture in result.pictures)]
    console.print(f"in the folder: {', '.join(files)}", style="dim", markup=False, soft_wrap=True)
