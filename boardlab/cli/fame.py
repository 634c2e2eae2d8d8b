"""`boardlab fame`: the strongest agents of every game, what they cost, and how to get them again."""

import math
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from boardlab.arena.store import Fame, StoredRun, Tournament
from boardlab.arena.store import store as open_store
from boardlab.cli.common import console
from boardlab.cli.completion import complete_game
from boardlab.errors import BoardLabError
from boardlab.games.game import as_integer
from boardlab.games.registry import GAMES
from boardlab.learning.again import train_command
from boardlab.numbers import counted, plain
from boardlab.options import option_text, options_of

MEANING = {"bayeselo": "Elo", "openskill": "skill", "score": "mean score"}

STORE = typer.Option("--store", help="The store's file; by default $BOARDLAB_STORE or ./boardlab.db.")


def fame(
    game: Annotated[str | None, typer.Argument(help="Only this game.", autocompletion=complete_game)] = None,
    store: Annotated[Path | None, STORE] = None,
    top: Annotated[
        int, typer.Option("--top", "-n", help="So many agents a list; who never met have their own.")
    ] = 10,
) -> None:
    """List the strongest agents of rated tournaments: rating, training cost, and how to get them again."""
    top = as_integer("--top", top, 1, 10**9)
    opened = open_store(store)
    lines = opened.fame(game)
    tournaments = opened.tournaments(game)
    for left in (t for t in tournaments if not t.is_finished and not t.is_rated):
        console.print(_left_out(left), style="dim", markup=False, soft_wrap=True)
    if not lines:
        raise BoardLabError(
            f"nobody is famous{f' at {game}' if game else ''} yet; an agent gets in by a rated tournament: "
            f"boardlab tournament {game or 'connectfour'} AGENT AGENT ..."
        )
    names = {t.number: f'{t.number} "{t.name}"' if t.name else str(t.number) for t in tournaments}
    for number, ((title, method, group), found) in enumerate(
        groupby(lines, key=lambda line: (_title(line), line.method, line.group))
    ):
        if number:
            console.print()
        apart = ", agents that never met those above" if group else ""
        console.print(
            f"{title}: {MEANING.get(method, method)} with its 95% interval{apart}", style="bold", markup=False
        )
        for rank, line in enumerate(list(found)[:top], 1):
            _print(rank, line, names)


def _left_out(tournament: Tournament) -> str:
    """Why it does not count, and what to do about it."""
    pairings = tournament.pairings()
    if pairings and all(pairing.is_done for pairing in pairings):
        return f"{tournament.title} was not rated and does not count; the same command again rates it"
    return f"{tournament.title} was broken off and does not count; the same command again goes on with it"


def _title(line: Fame) -> str:
    """The game with what is not usual about its rules."""
    if line.game not in GAMES:
        mark = line.parameters.get("fingerprint")  # the rules of a library change with its file
        return f"{line.game} (fingerprint={mark[:8]})" if isinstance(mark, str) else line.game
    usual = {option.name: option.default for option in options_of(GAMES[line.game])}
    given = {key: tuple(v) if isinstance(v, list) else v for key, v in line.parameters.items()}
    special = [f"{key}={option_text(value)}" for key, value in given.items() if usual.get(key) != value]
    return f"{line.game} ({', '.join(special)})" if special else line.game


def _print(rank: int, line: Fame, names: dict[int, str]) -> None:
    number = "{:+z.0f}".format if line.method == "bayeselo" else plain
    last = ", ".join(names[tournament] for tournament in line.tournaments[-5:])
    where = f"tournament{'s' * (len(line.tournaments) > 1)} {last}"
    is_known = not math.isnan(line.low)  # one game has no interval
    interval = f"({number(line.low)} to {number(line.high)})  " if is_known else ""
    console.print(
        f"{rank:>3}  {number(line.rating):>5} {interval}{line.expression}", markup=False, soft_wrap=True
    )
    told = [f"{counted(line.games, 'games')}, {where}"]
    for run in line.runs:
        told += [f"trained: {_cost(run)}", f"again: {again(run)}"]
    for words in told:
        console.print(f"     {words}", style="dim", markup=False, soft_wrap=True)


def _cost(run: StoredRun) -> str:
    parts = [f"{run.learner}, preset {run.preset}" if run.preset else run.learner]
    if run.episodes is not None:
        parts.append(counted(run.episodes, "episodes"))
    if run.cpu_seconds is not None:
        parts.append(f"{duration(run.cpu_seconds)} of processor time")
    elif run.seconds is not None:
        parts.append(duration(run.seconds))
    parts.append(f"BoardLab {run.version}")
    return ", ".join(parts)


def again(run: StoredRun) -> str:
    """The command that trains it again."""
    try:
        return train_command(run.description, run.folder)
    except (BoardLabError, KeyError, TypeError) as error:
        return f"its agent.toml ({run.folder}) tells a run that cannot be trained here: {error}"


def duration(seconds: float) -> str:
    """About two digits: 4.2 s, 13 min, 2.1 h."""
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{plain(seconds / size, 2)} {unit}"
    return f"{plain(seconds, 2)} s"
