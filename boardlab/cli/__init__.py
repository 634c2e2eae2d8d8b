"""The command line: `boardlab COMMAND`, the same as `python -m boardlab COMMAND`. One file a command."""

import runpy
import sys
from pathlib import Path
from traceback import extract_tb
from typing import Annotated

import typer

import boardlab
from boardlab.cli.agents import agents
from boardlab.cli.balance import balance
from boardlab.cli.common import GAME_PARAMETERS
from boardlab.cli.demo import demo
from boardlab.cli.evaluate import evaluate
from boardlab.cli.fame import fame
from boardlab.cli.games import games
from boardlab.cli.gtp import gtp
from boardlab.cli.inspect import inspect
from boardlab.cli.match import match
from boardlab.cli.play import play
from boardlab.cli.rate import rate
from boardlab.cli.replay import replay
from boardlab.cli.tournament import tournament
from boardlab.cli.train import resume, train

app = typer.Typer(
    name="boardlab",
    help="Agents that teach themselves board games and puzzles, and how strong they really are.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(games)
app.command()(agents)
app.command()(demo)
app.command()(resume)
app.command()(rate)
app.command()(fame)
for command in (play, inspect, match, tournament, evaluate, balance, gtp, train, replay):
    app.command(context_settings=GAME_PARAMETERS)(command)


_plugins: set[str] = set()
"""Files of the user's own code: where one of them fails later, that is said in a sentence too."""


@app.callback(invoke_without_command=True)
def _before(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    plugin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Run this Python file first: it may register evaluators. Or load this game library (.so). "
            "Runs its code.",
        ),
    ] = None,
) -> None:
    if version:
        print(f"boardlab {boardlab.__version__}")
        raise typer.Exit
    for path in plugin or []:
        if not Path(path).is_file():
            raise boardlab.BoardLabError(f'there is no file "{path}" to run as a plugin')
        if Path(path).suffix in (".so", ".dylib", ".dll"):
            boardlab.load_game(path)
            continue
        _plugins.add(path)
        try:
            runpy.run_path(path, run_name="boardlab_plugin")
        except boardlab.BoardLabError:
            raise
        except Exception as error:
            raise boardlab.BoardLabError(
                f"the plugin {path} failed: {type(error).__name__}: {error}"
            ) from None


def main() -> None:
    """Runs a command; what a user got wrong is one sentence on standard error and exit status 2."""
    try:
        app()
    except (boardlab.BoardLabError, OSError) as error:
        print(f"boardlab: {error}", file=sys.stderr)
        sys.exit(2)
    except Exception as error:
        place = next((f for f in reversed(extract_tb(error.__traceback__)) if f.filename in _plugins), None)
        if place is None:
            raise
        said = f"the plugin {place.filename} failed in line {place.lineno}: {type(error).__name__}: {error}"
        print(f"boardlab: {said}", file=sys.stderr)
        sys.exit(2)
