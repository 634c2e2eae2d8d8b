"""`boardlab play`: play against agents in the terminal."""

import datetime
import random
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from boardlab.arena.records import FORMATS_HELP, Record, check_addition, write_records
from boardlab.arena.records.record import UNFINISHED, rounded
from boardlab.cli.common import STOPPED, agent_from, board, console, first_position, game_from
from boardlab.cli.completion import GameArgument, complete_agent
from boardlab.cli.inspect import opinion
from boardlab.errors import BoardLabError
from boardlab.games.game import CHANCE, State, as_integer, as_seed
from boardlab.numbers import plain
from boardlab.runs import check_writable
from boardlab.search.agent import Agent
from boardlab.search.expression import agent as make_agent

WORDS = (
    ("undo", "u", "takes an action back"),
    ("hint", "h", "shows the agent's choice"),
    ("help", "?", "lists the actions"),
    ("quit", "q", "stops"),
)
"""Words to type instead of an action: long form, short form, effect."""


def play(
    context: typer.Context,
    game: GameArgument,
    against: Annotated[
        str, typer.Option(help="Agent in the other seats and for hints.", autocompletion=complete_agent)
    ] = "mcts(rollout, seconds=0.5)",
    seat: Annotated[int, typer.Option(help="Your seat; seat 0 begins.")] = 0,
    position: Annotated[str | None, typer.Option(help="Start from this position, as text or @FILE.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the agents, the set-up and chance.")] = None,
    save: Annotated[
        Path | None, typer.Option(help=f"Add the game to this file: {FORMATS_HELP}.", metavar="FILE")
    ] = None,
) -> None:
    """Play against an agent."""
    chosen = game_from(game, context)
    against = agent_from(against)
    as_integer("the seat", seat, 0, chosen.players - 1)
    if save is not None:
        check_addition(save, chosen)
        check_writable(save)
    seed = random.SystemRandom().randrange(2**32) if seed is None else as_seed(seed)
    opponents = {
        other: make_agent(against, chosen, seed=(seed + other) % 2**64)
        for other in range(chosen.players)
        if other != seat
    }
    adviser = make_agent(against, chosen, seed=(seed + seat) % 2**64)
    hinter = None if adviser.expression == "human" else adviser
    table = _Table(first_position(chosen, position, seed))
    console.print(f"{chosen.name}: {chosen.rules.variant_summary()}.", style="bold", markup=False)
    table.meet_actions()
    console.print(f"You are {chosen.rules.player_name(seat)}. {table.words()}.\n", markup=False)
    try:
        _play(table, seat, opponents, hinter, random.Random(seed))
    except (EOFError, KeyboardInterrupt) as stop:
        console.print("\nstopped")
        if isinstance(stop, KeyboardInterrupt):
            raise typer.Exit(STOPPED) from None
    finally:  # also after an agent failed
        if save is not None:
            names = [opponents[i].expression if i != seat else "human" for i in range(chosen.players)]
            write_records(save, [table.record(names)], append=True)
            console.print(f"saved: {save}", markup=False, soft_wrap=True)


class _Table:
    """The position with its history of actions and expected values."""

    def __init__(self, state: State) -> None:
        self.state, self.first = state, state.copy()
        self.actions: list[int] = []
        self.values: list[float | None] = []
        self.names: set[str] = set()
        """Names of all actions legal so far; these are never read as words such as undo."""

    def meet_actions(self) -> None:
        """Note the names of this position's actions."""
        if self.state.player != CHANCE:
            self.names.update(self.state.action_names().values())

    def words(self) -> str:
        """List the words to type instead of an action.

        A short form that names an action is left out.
        """
        return ", ".join(
            f"{word} {does}" if short in self.names else f"{word} ({short}) {does}"
            for word, short, does in WORDS
        )

    def apply(self, action: int, value: float | None = None) -> None:
        """Play an action and forget those taken back before."""
        self.state.apply(action)
        before = self.state.actions_played - 1
        self.actions[before:] = [action]
        self.values[before:] = [None if value is None else rounded(value)]

    def record(self, names: list[str]) -> Record:
        """Return the game so far."""
        played = self.state.actions_played
        values = self.values[:played]
        record = Record(
            self.state.game,
            tuple(names),
            tuple(self.actions[:played]),
            tuple(self.state.scores.tolist()),
            values=tuple(values) if any(value is not None for value in values) else (),
            ending="" if self.state.is_terminal else UNFINISHED,
            tags={"Event": "boardlab play", "Date": f"{datetime.date.today():%Y.%m.%d}"},
        )
        return record if record.first_state == self.first else replace(record, start=self.first)


def _play(
    table: _Table, seat: int, opponents: dict[int, Agent], hinter: Agent | None, rng: random.Random
) -> None:
    state, game = table.state, table.state.game
    while not state.is_terminal:
        if state.round_over:
            console.print(board(state.seen_by(seat)))
            console.print(
                f"The round is over; your score so far: {plain(state.scores[seat], 6, sign=True)}\n",
                style="bold",
            )
        events = []
        while state.player == CHANCE:
            outcome = state.sample_chance(rng.randrange(2**63))
            events.append(state.action_text(outcome))
            table.apply(outcome)
            if state.round_over:  # show the end of the round before the next deal
                break
        if events and not game.is_hidden:
            console.print(f"chance: {' '.join(events)}", style="dim", markup=False)
        if state.is_terminal or state.player == CHANCE:
            continue
        if state.player == seat:
            console.print(board(state.seen_by(seat)))
            if not _your_turn(table, seat, hinter):
                return
            continue
        decision = opponents[state.player].act(state)
        name = game.rules.player_name(state.player)
        console.print(f"{name} plays {state.action_text(decision.action)}\n", style="bold", markup=False)
        table.apply(decision.action, decision.values.get(decision.action))
    console.print(board(state.seen_by(seat)))
    _farewell(state, seat)


def _your_turn(table: _Table, seat: int, hinter: Agent | None) -> bool:
    """Ask until an action is played or taken back.

    Return False when the person quits.
    """
    state = table.state
    table.meet_actions()
    while True:
        answer = input(f"{state.game.rules.player_name(seat)}: ").strip()
        # Actions take precedence over our words: U and L are twists of a cube.
        word = "" if answer in table.names else answer.lower() or "help"
        if word in ("q", "quit", "exit"):
            return False
        if word in ("u", "undo"):
            if take_back(state, seat):
                return True
            console.print("there is nothing to take back")
        elif word in ("l", "list", "?", "help"):
            names = ", ".join(state.action_names().values())
            lines = filter(None, (table.words(), state.game.rules.notation, names))
            console.print("\n".join(lines), markup=False)
        elif word in ("h", "hint"):
            if hinter is None:
                console.print("no agent can give a hint: name one with --against")
                continue
            decision = hinter.act(state)
            console.print(f"plays {state.action_text(decision.action)}", markup=False)
            if decision.values or any(decision.policy.values()):
                console.print(opinion(decision, state.action_names(), most=6))
        else:
            try:
                table.apply(state.parse_action(answer))
            except BoardLabError as error:
                console.print(str(error), style="red", markup=False)
                continue
            return True


def take_back(state: State, seat: int) -> bool:
    """Go back to the person's previous decision; return False if there is none."""
    earlier = state.copy()
    while earlier.actions_played:
        earlier.undo()
        if earlier.player == seat:
            while state.actions_played > earlier.actions_played:
                state.undo()
            return True
    return False


def _farewell(state: State, seat: int) -> None:
    scores = state.scores
    if len(scores) == 1:
        console.print(f"Your score: {plain(scores[0], 6)}")
        return
    best = max(scores)
    winners = [p for p, score in enumerate(scores) if score == best]
    if len(winners) == len(scores):
        console.print("Nobody wins.")
        return
    names = " and ".join(state.game.rules.player_name(winner) for winner in winners)
    verb = "win" if len(winners) > 1 else "wins"
    console.print("You win!" if seat in winners else f"{names} {verb}.", style="bold", markup=False)
