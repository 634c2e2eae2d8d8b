"""The command line, `boardlab COMMAND`: one file per command."""

import contextlib
import io
import os
import shlex
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import boardlab
from boardlab.cli.agents import agents
from boardlab.cli.balance import balance
from boardlab.cli.cluster import commands as cluster_commands
from boardlab.cli.cluster import takes_cluster
from boardlab.cli.common import GAME_PARAMETERS, PLAYERS, STOPPED, read_values
from boardlab.cli.compare import compare
from boardlab.cli.demo import demo
from boardlab.cli.evaluate import evaluate
from boardlab.cli.export import export
from boardlab.cli.fame import fame
from boardlab.cli.games import games
from boardlab.cli.gtp import gtp
from boardlab.cli.inspect import inspect
from boardlab.cli.match import match
from boardlab.cli.new_game import new_game
from boardlab.cli.play import play
from boardlab.cli.plugins import plugins, trust
from boardlab.cli.rate import rate
from boardlab.cli.replay import replay
from boardlab.cli.reproduce import reproduce
from boardlab.cli.runs import runs
from boardlab.cli.serve import serve
from boardlab.cli.sweep import LEARNERS_HELP, sweep
from boardlab.cli.tournament import tournament
from boardlab.cli.train import LEARNER_HELP, resume, train
from boardlab.errors import BoardLabWarning, printable
from boardlab.interrupts import ended_by_signals
from boardlab.learners import LEARNERS
from boardlab.paths import as_path
from boardlab.plugins import FOUND, PLUGINS, RUN, find_plugins, plugin_failure, run_plugin
from boardlab.runs.folder import OtherGameError

app = typer.Typer(
    name="boardlab",
    help="Train agents that teach themselves board games and puzzles, and measure their strength.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
SIMPLE: tuple[Callable[..., None], ...] = (
    games, agents, demo, runs, compare, export, rate, fame, reproduce, plugins, trust,
    new_game, serve,
)  # fmt: skip
OPEN = (play, inspect, match, tournament, evaluate, balance, gtp, train, resume, sweep, replay)
"""Commands that accept undeclared options, most of them as parameters of a game."""
BEFORE_GAME = {"evaluate": "--game ", "gtp": "--game "} | dict.fromkeys(
    ("play", "inspect", "match", "tournament", "balance"), ""
)
"""The commands that name a game, and the text that precedes it."""
WITHOUT_PLUGINS = ("trust", "new-game")
"""Commands that run no plugin."""
ON_CLUSTER = (match, tournament, evaluate, train, resume, sweep, reproduce)
"""Commands whose jobs may run on a cluster."""
for command in SIMPLE:
    app.command()(read_values(takes_cluster(command) if command in ON_CLUSTER else command))
for command in OPEN:
    made = read_values(takes_cluster(command) if command in ON_CLUSTER else command)
    app.command(context_settings=GAME_PARAMETERS)(made)
app.add_typer(cluster_commands)


@app.callback(invoke_without_command=True)
def _before(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    include: Annotated[
        bool, typer.Option("--include", help="Print the folder of the C headers and stop.")
    ] = False,
    plugin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Run this Python file first; it may register games, agents, evaluators, learners, exams and "
            "features. Or load this compiled game (.so). Runs the file's code.",
        ),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Players by name, lines NAME = 'AGENT'; by default players.toml, if there."
        ),
    ] = None,
) -> None:
    if version:
        print(f"boardlab {boardlab.__version__}")
        raise typer.Exit
    if include:
        print(boardlab.include())
        raise typer.Exit
    PLUGINS.clear()
    RUN.clear()
    FOUND.clear()
    PLAYERS[:] = [] if players is None else [as_path("--players", players)]
    if context.invoked_subcommand not in WITHOUT_PLUGINS:
        with warnings.catch_warnings():
            if context.invoked_subcommand == "plugins":  # it lists what fails
                warnings.simplefilter("ignore", BoardLabWarning)
            find_plugins()
        for path in plugin or []:
            run_plugin(path)
    _name_learners(context)


def _name_learners(context: typer.Context) -> None:
    """Add the learners of plugins to the help of --learner."""
    for command, text in (("train", LEARNER_HELP), ("sweep", LEARNERS_HELP)):
        for parameter in context.command.commands[command].params:  # type: ignore[attr-defined]
            if parameter.name == "learner":
                parameter.help = text.format(", ".join(LEARNERS.names()))


def _from_command(words: list[str]) -> list[str]:
    """Return the words from the command's name on."""
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in ("--plugin", "--players") else 1 :]
    return words


def _check_place_of_plugins(words: list[str]) -> None:
    """Refuse --plugin after the command, which would read it as its option."""
    words = _from_command(words)
    if any(word == "--plugin" or word.startswith("--plugin=") for word in words):
        raise boardlab.BoardLabError(
            f"--plugin goes before the command: boardlab --plugin FILE {words[0]} ..."
        )


def _game_to_type(error: Exception) -> str:
    """Return how to type the run's own game, if another one was given."""
    if not isinstance(error, OtherGameError):
        return ""
    before = BEFORE_GAME.get(next(iter(_from_command(sys.argv[1:])), ""))
    words = shlex.join(error.trained_on.rules.command_words())
    return "" if before is None else f"; type {before}{words}"


def _show_warning(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """Print a warning for users in one line, and others as Python does."""
    if issubclass(category, BoardLabWarning):
        print(printable(f"boardlab: {message}"), file=sys.stderr)
    else:
        print(warnings.formatwarning(message, category, *place[:2]), file=sys.stderr, end="")


def main() -> None:
    """Run a command.

    A user's mistake prints one sentence on standard error and exits with status 2.

    A command ended by a signal exits with 128 + signal: 130 (Ctrl-C), 143 (SIGTERM), 129 (SIGHUP).
    """
    if sys.stdin is None:  # closed, as some services start their programs: there is no input
        sys.stdin = Path(os.devnull).open()  # noqa: SIM115
    elif isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # undecodable input is an unknown word, not a crash
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # print ? for letters the terminal lacks, not a traceback
    warnings.showwarning = _show_warning
    with ended_by_signals() as ending:
        try:
            _check_place_of_plugins(sys.argv[1:])
            app()
        except SystemExit as end:
            sys.exit(ending.status if end.code == STOPPED else end.code)
        except Exception as error:
            message = plugin_failure(error)
            if message is None and not isinstance(error, boardlab.BoardLabError | OSError):
                raise
            with contextlib.suppress(OSError):
                print(printable(f"boardlab: {message or error}{_game_to_type(error)}"), file=sys.stderr)
            is_cut_off = isinstance(error, OSError) and ending.signal != signal.SIGINT
            sys.exit(ending.status if is_cut_off else 2)
