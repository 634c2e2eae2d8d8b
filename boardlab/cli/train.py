"""`boardlab train` and `boardlab resume`."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from boardlab.cli.cluster import check_cluster_helps
from boardlab.cli.common import (
    agent_from,
    check_given_with,
    command_options,
    console,
    game_from,
    read_switch,
    saved_by_ctrl_c,
    table_of,
)
from boardlab.cli.completion import complete_exam, complete_game, complete_learner, complete_preset
from boardlab.cli.progress import jobs_bar, many_teller, teller, training_bar
from boardlab.errors import BoardLabError, install, unknown
from boardlab.games.game import Game
from boardlab.games.registry import game as default_game
from boardlab.games.registry import rules_of
from boardlab.learners import LEARNERS, ManyRuns, Run, default_learner, known_learner, train_many
from boardlab.learners import resume as resume_run
from boardlab.learners import train as train_run
from boardlab.learners.again import next_commands
from boardlab.learners.curve import points, text_curve
from boardlab.learners.exams import exam_counts, exam_names
from boardlab.learners.many import check_many, resume_many
from boardlab.learners.ntuple.layouts import LAYOUTS, read_layout
from boardlab.learners.run import open_run
from boardlab.learners.run_options import ROUNDED_UP, RunOptions
from boardlab.learners.train import Prepared, prepare
from boardlab.learners.usual_exams import better_exam
from boardlab.numbers import memory, with_interval
from boardlab.options import Option, options_of, read_option, values_of
from boardlab.runs import RunFolder, runs_in
from boardlab.search.expression import programs_of

NO_PICTURE = "for the learning curve as a picture: "


COMPLETIONS: dict[str, Callable[..., Any]] = {
    "preset": complete_preset,
    "exams": complete_exam,
    "stop_exam": complete_exam,
}

EXAMS_HELP = 'Repeat the option for more than one; "none" takes none'


def takes_run_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add an option for every option of a run to a command, behind --learner."""
    own = inspect.signature(command)
    *parameters, _ = own.parameters.values()
    place = [parameter.name for parameter in parameters].index("learner") + 1
    parameters[place:place] = [_parameter(option) for option in options_of(RunOptions)]
    command.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _parameter(option: Option) -> inspect.Parameter:
    """The option of a run as an option of the command line."""
    kind, flags, help_text = option.type, [], as_sentence(option.doc)
    if option.name == "exams":
        kind, flags, help_text = list[str] | None, ["--exam"], as_sentence(f"{option.doc}. {EXAMS_HELP}")
    info = typer.Option(*flags, help=help_text, autocompletion=COMPLETIONS.get(option.name))
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=Annotated[kind, info]
    )


def as_sentence(doc: str) -> str:
    """The help of an option as the command line shows it."""
    return f"{doc[0].upper()}{doc[1:]}."


LEARNER_HELP = "The learner: {}. By default td-ntuple, for hidden cards cfr, with --from alphazero."
"""The help of --learner; the command line adds the learners of plugins."""


@takes_run_options
def train(
    context: typer.Context,
    game: Annotated[
        str,
        typer.Argument(
            help="The game. Its parameters and the learner's settings follow as --NAME VALUE; switches also "
            "as --NAME and --no-NAME.",
            autocompletion=complete_game,
        ),
    ],
    *,
    learner: Annotated[
        str | None,
        typer.Option(
            help=LEARNER_HELP.format(", ".join(LEARNERS)),
            show_default=False,
            autocompletion=complete_learner,
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The run's folder; by default runs/GAME.")] = None,
    layout: Annotated[
        str | None,
        typer.Option(
            help=f"Layout of n-tuple learners: {', '.join(LAYOUTS)}, or a file with one tuple a line."
        ),
    ] = None,
    runs: Annotated[
        int | None, typer.Option(help="Number of runs, with the seeds SEED+1, SEED+2 ..., and their mean.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Runs at a time, each in its own process; for --runs.")] = 1,
    force: Annotated[bool, typer.Option("--force", help="Replace a run that is already there.")] = False,
    show: Annotated[
        bool,
        typer.Option(
            "--settings",
            help="List the settings with their values in this run, and stop; refuses what the run would.",
        ),
    ] = False,
    **given: Any,
) -> None:
    """Train an agent by self-play and keep it in a run folder."""
    check_given_with(context, "runs", "jobs")
    for option in options_of(RunOptions):
        for need in option.needs:
            check_given_with(context, next(iter(need)), option.name)
    learner, settings = _learner_and_settings(context, game, learner, layout)
    board_game = game_from(game, context)
    exams, stop_exam = _exams(given["exams"]), given["stop_exam"]
    stop_exam = stop_exam and agent_from(stop_exam, or_exam=True)
    arguments = {"learner": learner, **given, "exams": exams, "stop_exam": stop_exam, **settings}
    folder = out if out is not None else Path("runs") / game
    if show:
        if runs is not None:
            check_many(board_game, runs, jobs, given["seed"], arguments)
        _show_settings(prepare(board_game, **arguments), folder)
        return
    if jobs > 1:  # the processes of the runs do not report it
        prepared = prepare(board_game, **arguments)
        _say_memory(prepared.settings.table_bytes(board_game, given["seed"]), " a run")
    arguments |= {"out": out, "force": force}
    if runs is not None:
        _train_many(board_game, runs, jobs, arguments)
    else:
        _train(board_game, folder, arguments)


def _learner_and_settings(
    context: typer.Context, game: str, learner: str | None, layout: str | None
) -> tuple[str, dict[str, Any]]:
    """The learner, and its settings among the words behind the game."""
    is_implied = learner is None
    if learner is None:
        names = (word.removeprefix("--").partition("=")[0] for word in context.args)
        learner = default_learner(names, default_game(game).is_hidden)
    try:
        settings = split_settings(game, learner, context)
        if layout is not None:
            check_settable("--layout", learner)
            settings |= read_layout(layout)
    except UnsettableError as error:
        if not is_implied or learner != default_learner(["from"]):
            raise
        raise BoardLabError(
            f"{error}; --from implies --learner {learner}, the only one that takes over another run's net"
        ) from None
    return learner, settings


def _train(game: Game, folder: Path, arguments: dict[str, Any]) -> None:
    """Train one run, with a progress bar and a report."""
    check_cluster_helps(arguments["learner"], int(arguments.get("processes") or 1))
    before = _written(folder)  # so that a run that --force replaces is not taken for the new one
    exams = (*(arguments["exams"] or ()), arguments["stop_exam"])
    with saved_by_ctrl_c(
        _to_go_on(folder, any(programs_of(name) for name in exams if name)),
        lambda: _written(folder) not in (None, before),
    ):
        with training_bar() as bar:
            run = train_run(game, progress=teller(bar), told_memory=_say_memory, **arguments)
        _report(run)
        if arguments["exams"] is None and arguments["stop_exam"] is None:
            _say_usual_exam(run)


def _say_usual_exam(run: Run) -> None:
    """Print why a run was not examined, or how to get a better exam."""
    names = tuple(exam_names(run.log))
    hint = better_exam(run.game, names) if names else "no exam: the run was too short; --exam names one"
    if hint:
        console.print(hint, style="dim", markup=False, soft_wrap=True)


def _to_go_on(folder: Path, programs: bool) -> str:
    return f"boardlab resume {folder}{' --programs' * programs}"


def _written(folder: Path) -> tuple[int, int] | None:
    """Identify the run in the folder; None where there is none to resume."""
    try:
        file = (folder / "agent.toml").stat()
        return (file.st_ino, file.st_mtime_ns) if (folder / "checkpoint.npz").exists() else None
    except OSError:
        return None


def _exams(given: list[str] | None) -> list[str] | None:
    """The exams that the user names; "none" is no exam."""
    if given and "none" in given:
        if len(given) > 1:
            raise BoardLabError("--exam none takes no exam: give none or others, not both")
        return []
    return [agent_from(word, or_exam=True) for word in given] if given else given


def _show_settings(run: Prepared, folder: Path) -> None:
    """Print every setting of the run with its value and help, and the tables' memory.

    The run is built, so that its errors appear here. A run that is already in the folder does not matter.
    """
    sizes: list[float] = []
    run.training(RunFolder(folder), sizes.append)
    values = values_of(run.settings)
    rows = [(*run.length, "a number")]
    for option in options_of(type(run.settings)):
        value = values[option.name]
        shown = "" if value is None else str(value)
        rows.append((option.name.rstrip("_"), shown, option.doc, option.allowed))
    console.print(table_of(("setting", "here", "", "allowed"), rows))
    console.print(f"exams: {run.exams}", markup=False, soft_wrap=True)
    _say_memory(sizes[0])


def _say_memory(size: float, each: str = "") -> None:
    """Print the memory of the tables before it is taken."""
    if size:
        console.print(f"memory of the tables: {memory(size)}{each}", markup=False, soft_wrap=True)


def _train_many(game: Game, runs: int, jobs: int, arguments: dict[str, Any]) -> None:
    out = arguments["out"] or Path("runs") / f"{game.name}-runs"
    command = "the same command" + (", without --force" if arguments["force"] else "")
    saved = saved_by_ctrl_c(command, lambda: any(_written(path) for path in out.glob("seed-*")))
    with saved, jobs_bar("runs") as show:
        printed: set[float] = set()

        def say_once(size: float) -> None:
            if size not in printed:
                printed.add(size)
                _say_memory(size, " a run")

        done = train_many(game, runs, jobs=jobs, told_standing=show, told_memory=say_once, **arguments)
    _report_many(done)


def _report_many(done: ManyRuns) -> None:
    console.print(str(done), markup=False, soft_wrap=True)
    console.print(f"all exams of all runs: {done.path / 'multi.csv'}", markup=False, soft_wrap=True)
    if done.exams:
        picture = done.path / "curve.png"
        drawn = f"learning curves and their mean: {picture}"
        where = drawn if picture.exists() else NO_PICTURE + install("plots")
        console.print(where, markup=False, soft_wrap=True)
    console.print(f"play them all, as one player, as {done.expression}", markup=False, soft_wrap=True)
    _say_next(next_commands(done.runs[0], done.path))


def _say_next(commands: list[str]) -> None:
    for line in commands:
        console.print(f"  {line}", markup=False, soft_wrap=True, style="dim")


def resume(
    context: typer.Context,
    run: Annotated[Path, typer.Argument(help="The folder of a run, or of several (--runs).")],
    episodes: Annotated[int | None, typer.Option(help=f"New total of episodes. {ROUNDED_UP}.")] = None,
    minutes: Annotated[float | None, typer.Option(help="New total of minutes of training.")] = None,
    programs: Annotated[
        bool,
        typer.Option(
            "--programs", help="Let the run's exams start outside programs; only for runs you trust."
        ),
    ] = False,
) -> None:
    """Go on with a run from its last checkpoint.

    With one thread it ends where an unbroken run would have ended, bit for bit.
    """
    if context.args:
        raise BoardLabError(
            "a run keeps the settings that it began with: resume takes --episodes, --minutes and "
            f"--programs, not {context.args[0]}"
        )
    with saved_by_ctrl_c(_to_go_on(run, programs)):
        if runs_in(run):
            with training_bar() as bar:
                tell = many_teller(bar)
                many = resume_many(run, episodes=episodes, minutes=minutes, progress=tell, programs=programs)
            _report_many(many)
            return
        known = open_run(run).settings
        check_cluster_helps(known.name, getattr(getattr(known, "self_play", None), "processes", 1))
        with training_bar() as bar:
            progress = teller(bar)
            done = resume_run(run, episodes=episodes, minutes=minutes, progress=progress, programs=programs)
        _report(done)


def split_settings(game: str, learner: str, context: typer.Context) -> dict[str, Any]:
    """Take the learner's settings from the words behind the game."""
    known_learner(learner)
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
            LEARNERS[learner].check_renamed(key)
            check_settable(word.partition("=")[0], learner)
            names = [*own, *known, *command_options(context)]
            raise unknown(f"option, setting or parameter of {game}", key, names)
        if not word.startswith("--") or not (key in known or switched_off):
            rest.append(word)
            if word.startswith("--") and not equals and words and not words[0].startswith("--"):
                rest.append(words.pop(0))
            continue
        option = known[key[3:] if switched_off else key]
        if option.type is bool and not equals:
            settings[option.name] = not switched_off and read_switch(learner, option, words)
            continue
        if not equals:
            if not words:
                raise BoardLabError(f"--{key} needs a value: {option.allowed}")
            value = words.pop(0)
        settings[option.name] = read_option(learner, option, value)
    context.args = rest
    return settings


class UnsettableError(BoardLabError):
    """An option that is a setting of other learners only."""


def check_settable(word: str, learner: str) -> None:
    """Refuse an option that is a setting of other learners only."""
    name = word[2:].replace("-", "_")
    others = [
        learns
        for learns, kind in LEARNERS.items()
        if name in (option.shown_name for option in options_of(kind))
    ]
    if others and learner not in others:
        theirs = f"of the learner{'s' * (len(others) > 1)} {', '.join(others)}"
        raise UnsettableError(f"{word} is a setting {theirs}, not of {learner}")


def curve_width() -> int:
    """Columns of a curve beside its numbers, as many as the terminal has."""
    return max(16, min(56, console.width - 12))


def _report(run: Run) -> None:
    console.print(str(run), markup=False, soft_wrap=True)
    for exam in exam_names(run.log):
        _, value, half = points(run.log, exam)[-1]
        known = " (95%)" if half == half else ""
        counts = exam_counts(run.log[-1], exam)
        console.print(f"{exam}: {with_interval(value, half)}{known}{counts}", markup=False, soft_wrap=True)
        if len(run.log) > 1:
            console.print(text_curve(run.log, exam, width=curve_width()), markup=False)
    if not run.is_finished:
        console.print("stopped early: the exam was passed often enough", markup=False)
    if run.picture:
        console.print(f"learning curve: {run.picture}", markup=False, soft_wrap=True)
    elif exam_names(run.log):
        console.print(NO_PICTURE + install("plots"), markup=False, soft_wrap=True)
    console.print(f"play it as {run.expression}", markup=False, soft_wrap=True)
    _say_next(next_commands(run))
