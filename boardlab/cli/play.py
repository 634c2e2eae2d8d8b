"""`boardlab play`: play against agents in the terminal, or watch them."""

import contextlib
import datetime
import os
import random
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from boardlab.arena.records import FORMATS_HELP, Record, check_addition, read_records, write_records
from boardlab.cli.common import (
    STOPPED,
    agent_from,
    console,
    first_position,
    game_from,
)
from boardlab.cli.completion import GameArgument, complete_agent
from boardlab.cli.playing.fullscreen import FullScreen
from boardlab.cli.playing.lines import Lines
from boardlab.cli.playing.seats import HUMAN, make_players, read_seats
from boardlab.cli.playing.session import Session
from boardlab.cli.playing.table import Table
from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State, as_seed, is_number
from boardlab.interrupts import ignoring_ctrl_c
from boardlab.plugins import plugin_paths
from boardlab.runs import check_writable
from boardlab.search.expression import agent as make_agent

HINTS = "mcts(rollout, seconds=2)"
REVIEW = "mcts(rollout, seconds=0.5)"
"""The agent of a review without --hints: it has many positions to look at."""


def play(
    context: typer.Context,
    game: GameArgument,
    against: Annotated[
        str,
        typer.Option(help="Agent in the seats that --seat does not name.", autocompletion=complete_agent),
    ] = "mcts(rollout, seconds=0.5)",
    seat: Annotated[
        list[str] | None,
        typer.Option(
            help="Your seat (seat 0 begins), or who plays a seat: 0=human, 1=AGENT; may be repeated.",
            metavar="SEAT",
        ),
    ] = None,
    hints: Annotated[
        str | None,
        typer.Option(
            help=f"Agent that gives hints and reviews; default: {HINTS}, {REVIEW} in reviews.",
            metavar="AGENT",
            autocompletion=complete_agent,
        ),
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(
            help="Actions a second of agents, 0: no pause; default: 1 if you watch on a terminal, else 0."
        ),
    ] = None,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="Lines of text, no colour; as with NO_COLOR or without a terminal."),
    ] = False,
    position: Annotated[str | None, typer.Option(help="Start from this position, as text or @FILE.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the agents, the set-up and chance.")] = None,
    save: Annotated[
        Path | None, typer.Option(help=f"Add the game to this file: {FORMATS_HELP}.", metavar="FILE")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Go on with the last game of this file.", metavar="FILE")
    ] = None,
) -> None:
    """Play against agents, or watch them.

    On a terminal the board is redrawn in place: arrow keys and Enter play, or type an action.
    """
    chosen = game_from(game, context)
    unfinished = None
    if resume is not None:
        if save is not None or position is not None:
            raise BoardLabError("--resume goes on with a saved game; it takes neither --save nor --position")
        unfinished = unfinished_game(resume, chosen, has_parameters=bool(context.args))
        chosen = unfinished.game
    if speed is not None and not (is_number(speed) and 0 <= speed <= 1000):
        raise BoardLabError(f"--speed must be a number from 0 to 1000, not {speed}")
    seats = read_seats(chosen, seat or [], against)
    hints = agent_from(hints) if hints is not None else None
    if save is not None:
        check_addition(save, chosen)
        check_writable(save)
    seed = random.SystemRandom().randrange(2**32) if seed is None else as_seed(seed)
    players = make_players(chosen, seats, seed)
    if hints is not None:
        make_agent(hints, chosen, seed=seed)  # a mistake is better known now

    def first(seed: int) -> State:
        if unfinished is not None and unfinished.start is not None:
            return unfinished.start.copy()
        return first_position(chosen, position, seed)

    table = Table.from_record(unfinished) if unfinished is not None else Table(first(seed))
    names = [HUMAN if player is None else player.expression for player in players]
    file = _GameFile(save if save is not None else resume, names, replaces=resume is not None)
    is_screen = has_screen() and not plain
    if speed is None:
        speed = 1.0 if is_screen and None not in players else 0.0
    front = FullScreen() if is_screen else Lines()
    session = Session(
        table,
        players,
        front,
        random.Random(seed),
        first=first,
        hints=hints or HINTS,
        review=hints or REVIEW,
        speed=speed,
        keep=file.keep,
    )
    options = [*(["--hints", hints] if hints else []), *(["--plain"] if plain else [])]
    with contextlib.nullcontext() if is_screen else _plain_output():
        _run(session, front, file, options)


def _run(session: Session, front: "FullScreen | Lines", file: "_GameFile", options: Sequence[str]) -> None:
    """Play, and keep the game however it ends."""
    is_stopped = False
    try:
        try:
            session.run()
        finally:
            front.close()
    except (EOFError, KeyboardInterrupt) as stop:
        is_stopped = isinstance(stop, KeyboardInterrupt)
        with ignoring_ctrl_c():
            with contextlib.suppress(OSError):  # the terminal may be closed
                console.print("\nstopped")
            if is_stopped and file.path is None and session.state.actions_played:
                file.path = new_file(session.state.game)
    finally:  # also after an agent failed
        with ignoring_ctrl_c():
            if file.keep(session.table):
                with contextlib.suppress(OSError):
                    console.print(f"saved: {file.path}", markup=False, soft_wrap=True)
                    if is_stopped and not session.state.is_terminal:
                        again = file.command(session.state.game, options)
                        console.print(f"to go on: {again}", markup=False, soft_wrap=True)
    if is_stopped:
        raise typer.Exit(STOPPED)


def has_screen() -> bool:
    """Return whether there is a terminal that can redraw and colour."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") in ("", "dumb", "unknown"):
        return False
    try:
        import termios  # noqa: F401
    except ImportError:  # not on Windows
        return False
    try:
        return sys.stdin.isatty() and sys.stdout.isatty()
    except ValueError:  # closed
        return False


@contextlib.contextmanager
def _plain_output() -> Iterator[None]:
    """Print without colour and other styles in this block."""
    before = console._color_system
    console._color_system = None
    try:
        yield
    finally:
        console._color_system = before


class _GameFile:
    """The file that keeps the games of a session; a resumed game is replaced in it."""

    def __init__(self, path: Path | None, seats: Sequence[str], *, replaces: bool) -> None:
        self.path, self.seats, self._replaces = path, list(seats), replaces

    def keep(self, table: Table) -> bool:
        """Write the game on the table; return False without a file or an action."""
        if self.path is None or not table.state.actions_played:
            return False
        record = table.record(self.seats)
        if self._replaces:
            *others, _ = read_records(self.path, record.game)
            write_records(self.path, [*others, record])
            self._replaces = False
        else:
            write_records(self.path, [record], append=True)
        return True

    def command(self, game: Game, options: Sequence[str]) -> str:
        """Return the command that goes on with the game."""
        plugins = [word for plugin in plugin_paths() for word in ("--plugin", plugin)]
        seats = [word for seat, who in enumerate(self.seats) for word in ("--seat", f"{seat}={who}")]
        words = [*plugins, "play", *game.rules.command_words(), *seats, *options]
        return shlex.join(["boardlab", *words, "--resume", str(self.path)])


def new_file(game: Game) -> Path:
    """Return a name for a file of this game that is not taken."""
    start = f"{game.name}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
    names = (Path(f"{start}{number}.pgn") for number in ("", *(f"-{i}" for i in range(2, 10_000))))
    return next(name for name in names if not name.exists())


def unfinished_game(file: Path, game: Game, *, has_parameters: bool) -> Record:
    """Return the last game of a file; refuse a finished one and one of another game."""
    record = read_records(file, game)[-1]
    if record.game.name != game.name or (has_parameters and record.game != game):
        words = shlex.join(record.game.rules.command_words())
        raise BoardLabError(f"the last game of {file} is not of {game!r}; type play {words}")
    if list(record.states())[-1].is_terminal:
        raise BoardLabError(f"the last game of {file} is over; boardlab replay {file} shows it")
    return record
