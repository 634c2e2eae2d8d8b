"""`boardlab replay`: step through recorded games, with an agent's opinion."""

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.rule import Rule
from rich.table import Table

from boardlab.arena.records import Record, read_records
from boardlab.arena.records.pgn import result_text
from boardlab.arena.records.record import UNFINISHED
from boardlab.arena.records.review import Opinion, Reviewer
from boardlab.cli.common import agent_from, board, console, game_from
from boardlab.cli.inspect import opinion as opinion_table
from boardlab.errors import BoardLabError
from boardlab.games.game import CHANCE, as_integer
from boardlab.numbers import counted, plain
from boardlab.runs import write_file

HELP = "Enter: next, b: back, a number: go to that action, s: start, e: end, q: quit"


def replay(
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            help="Games as PGN, GGF (othello), transcripts (f5d6), columns (4455) or twists (R U2)."
        ),
    ],
    game: Annotated[int, typer.Option("--game", "-g", help="Number of the game in the file, from 1.")] = 1,
    agent: Annotated[
        str | None, typer.Option(help="Show what this agent thinks of every action.", metavar="AGENT")
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(help="The game, if the file does not name it; its parameters follow as --NAME VALUE."),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the games of the file and stop.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Print all positions; the default unless output is a terminal.")
    ] = False,
    svg: Annotated[
        Path | None,
        typer.Option(
            help="Draw all positions, with --agent's opinions, as SVG files in this folder.", metavar="DIR"
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the agent.")] = 0,
) -> None:
    """Step through recorded games, with an agent's opinion."""
    if rules is None and context.args:
        raise BoardLabError(
            f'unexpected "{context.args[0]}"; a game\'s parameters need --rules GAME before them'
        )
    with warnings.catch_warnings(record=True) as doubts:
        warnings.simplefilter("always")
        records = read_records(file, game_from(rules, context) if rules is not None else None)
    for doubt in doubts:
        console.print(str(doubt.message), style="yellow", markup=False, soft_wrap=True)
    if listed:
        console.print(_list(records))
        return
    as_integer("--game", game, 1, len(records))
    shown = _Replay(records[game - 1], f"game {game} of {len(records)}", agent and agent_from(agent), seed)
    if svg is not None:
        shown.draw(svg, game)
    elif everything or not sys.stdout.isatty():
        shown.print_all()
    else:
        shown.step_through()


def _list(records: Sequence[Record]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("game", "", "players", "result", "actions"):
        table.add_column(
            column, justify="right" if column in ("game", "actions") else "left", overflow="fold"
        )
    for number, record in enumerate(records, 1):
        players = " - ".join(record.players)
        table.add_row(str(number), record.game.name, players, _result(record), str(len(record.actions)))
    return table


def _result(record: Record) -> str:
    if not record.is_finished:
        return "not over"
    scores = " ".join(plain(score, 6) for score in record.scores)
    if len(record.scores) == 1:
        return f"score {scores}"
    return f"{result_text(record.scores)} (scores {scores})"


class _Replay:
    """One game on the screen."""

    def __init__(self, record: Record, title: str, agent: str | None, seed: int) -> None:
        self.record = record
        self.states = list(record.states())
        self.names = [s.action_names([a])[a] for s, a in zip(self.states, record.actions, strict=False)]
        self.reviewer = Reviewer(record, agent, seed) if agent is not None else None
        seats = ", ".join(f"{self._mover(seat)}: {name}" for seat, name in enumerate(record.players))
        console.print(f"{record.game.name}, {title}: {_result(record)}", style="bold", markup=False)
        console.print(seats, markup=False, soft_wrap=True)
        if record.error or record.ending not in ("", UNFINISHED):
            console.print(f"ended by: {record.error or record.ending}", markup=False, soft_wrap=True)

    def _mover(self, player: int) -> str:
        return "chance" if player == CHANCE else self.record.game.rules.player_name(player)

    def show(self, place: int) -> None:
        """Print the position after `place` actions, and the agent's opinion."""
        count = len(self.record.actions)
        title = "start" if place == 0 else f"{place} of {count}: {self._event(place - 1)}"
        console.print(Rule(title, align="left", style="dim"))
        console.print(board(self.states[place]))
        found = self.reviewer(place) if self.reviewer is not None else None
        if found is not None:
            console.print()
            console.print(opinion_table(found.decision, self.states[place].action_names(), most=8))
            console.print(self._verdict(found), markup=False, style=None if found.agrees else "yellow")

    def _event(self, place: int) -> str:
        """Describe the action at `place` and what its player expected."""
        value = self.record.values[place] if self.record.values else None
        expected = f" (expects {plain(value, sign=True)})" if value is not None else ""
        return f"{self._mover(self.states[place].player)} plays {self.names[place]}{expected}"

    def _verdict(self, found: Opinion) -> str:
        decision, names = found.decision, self.states[found.place].action_names()
        played, own = names[found.action], names[decision.action]
        if found.action == decision.action:
            return f"the agent plays {own}, as was played"
        values = decision.values
        costs = ""
        if found.action in values and decision.action in values:
            costs = (
                f"; it values {played} lower by {plain(values[decision.action] - values[found.action], 3)}"
            )
        return (
            f"the agent finds {played} as good as its {own}"
            if found.agrees
            else f"the agent plays {own}, not {played}{costs}"
        )

    def print_all(self) -> None:
        """Print all positions, then how often the agent agrees."""
        for place in range(len(self.states)):
            self.show(place)
        self._summary()

    def _summary(self) -> None:
        if self.reviewer is None:
            return
        found = [o for o in map(self.reviewer, range(len(self.record.actions))) if o is not None]
        if not found:
            return
        console.print(Rule(style="dim"))
        parts = []
        for seat in range(self.record.game.players):
            own = [o for o in found if o.player == seat]
            agreed = sum(o.agrees for o in own)
            parts.append(f"{agreed} of {len(own)} by {self._mover(seat)} ({self.record.players[seat]})")
        console.print(
            f"{self.reviewer.agent.expression} agrees with {', '.join(parts)}", markup=False, soft_wrap=True
        )

    def step_through(self) -> None:
        """Show positions and ask where to go, until the person quits."""
        console.print(HELP, style="dim", markup=False)
        place, last = 0, len(self.states) - 1
        self.show(place)
        while True:
            try:
                answer = input(f"{place}/{last}> ").strip().lower()
            except (EOFError, KeyboardInterrupt):
                console.print()
                return
            if answer in ("q", "quit", "exit"):
                return
            target = self._target(answer, place, last)
            if target is None:
                console.print(HELP, style="dim", markup=False)
            elif answer.isdecimal() and target > last:
                console.print(
                    f"the game has {counted(last, 'actions')}: a number from 0 to {last}", style="dim"
                )
            elif not 0 <= target <= last:
                console.print("this is the end" if target > last else "this is the start", style="dim")
            else:
                place = target
                self.show(place)

    @staticmethod
    def _target(answer: str, place: int, last: int) -> int | None:
        steps = {"": place + 1, "n": place + 1, "b": place - 1, "s": 0, "e": last}
        if answer.isdecimal():
            return int(answer)
        return steps.get(answer)

    def draw(self, folder: Path, game: int) -> None:
        """Draw one picture per position."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BoardLabError(f'"{folder}" cannot be made: {error.strerror}') from None
        for place, state in enumerate(self.states):
            found = self.reviewer(place) if self.reviewer is not None else None
            picture = state.to_svg(None if found is None else found.decision)
            write_file(folder / f"game{game}-{place:03d}.svg", picture)
        console.print(
            f"{counted(len(self.states), 'positions')} drawn: {folder}/game{game}-000.svg ...",
            markup=False,
            soft_wrap=True,
        )
